import { sql as raw } from 'kysely'
import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'

/** Sums of what a key has left open, by how. */
export interface ReportingCounts {
  sums: Partial<Record<(typeof reportingNames)[number], { runs: number; nano: bigint }>>
  /** The largest cost of a run with overrun, or that was late. */
  dearestNano: bigint
}

/** Ways in which the reports of a key leave something open. */
export const reportingNames = ['unreported', 'released', 'overrun', 'late'] as const

const columns = reportingNames.flatMap((name) => [`${name}_runs`, `${name}_nano`])
const types = reportingNames.flatMap((name) => [`${name}_runs bigint`, `${name}_nano numeric`])
const countStatement = statement(
  'count_reporting',
  `insert into key_reporting as k (org_id, day, lineage_id, ${columns.join(', ')}, dearest_nano)
   select org_id, day, lineage_id, ${columns.join(', ')}, dearest_nano
     from json_to_recordset($1) as r (org_id uuid, day date, lineage_id uuid, ${types.join(', ')}, dearest_nano bigint)
   on conflict (org_id, day, lineage_id) do update
      set ${columns.map((name) => `${name} = k.${name} + excluded.${name}`).join(', ')},
          dearest_nano = greatest(k.dearest_nano, excluded.dearest_nano)`,
)

/** Adds to the figures of keys, under the lock of their organization's ledger. */
export const countReporting = (
  rows: readonly {
    readonly orgId: string
    readonly lineageId: string
    readonly day: string
    readonly counted: ReportingCounts
  }[],
): BoundStatement => ({
  statement: countStatement,
  values: [
    JSON.stringify(
      rows.map(({ orgId, lineageId, day, counted: { sums, dearestNano } }) => ({
        org_id: orgId,
        day,
        lineage_id: lineageId,
        ...Object.fromEntries(
          reportingNames.flatMap((name) => [
            [`${name}_runs`, sums[name]?.runs ?? 0],
            [`${name}_nano`, (sums[name]?.nano ?? 0n).toString()],
          ]),
        ),
        dearest_nano: dearestNano.toString(),
      })),
    ),
  ],
})

type Sums = Readonly<Record<`${(typeof reportingNames)[number]}_${'runs' | 'nano'}`, bigint>>

export interface ReportingRow extends Sums {
  readonly lineage_id: string
  readonly name: string | null
  /** The floor in force now. */
  readonly floor_nano: bigint | null
}

const sum = (name: string) => raw`sum(${raw.ref(name)})::bigint as ${raw.ref(name)}`

/** Reads the figures of keys since a day, those with the largest amounts first. */
export async function reportingSince(tx: Tx, orgId: string, days: number, most: number): Promise<ReportingRow[]> {
  const { rows } = await raw<ReportingRow>`
    select r.*, k.name from (
      select lineage_id, ${raw.join(columns.map(sum))},
             max(floor_nano) filter (where day = (clock_timestamp() at time zone 'UTC')::date) as floor_nano
        from key_reporting
       where org_id = ${orgId} and day > (clock_timestamp() at time zone 'UTC')::date - ${days}::integer
       group by lineage_id) r
      left join api_keys k on k.org_id = ${orgId} and k.id = r.lineage_id
     order by unreported_nano + overrun_nano + late_nano + released_nano desc, lineage_id limit ${most}`.execute(tx)
  return rows
}

export async function orgsToWatch({ db }: Sql, most: number): Promise<string[]> {
  const { rows } = await raw<{ org_id: string }>`select org_id from orgs_with_unwatched_reporting(${most})`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

export interface UnreportedRow {
  readonly lineage_id: string
  readonly day: string
  readonly unreported_runs: bigint
  readonly unreported_nano: bigint
}

/** Marks the keys with something unreported of which nobody was told, and returns them. */
export async function takeUnreported(tx: Tx, orgId: string): Promise<UnreportedRow[]> {
  const { rows } = await raw<UnreportedRow>`
    update key_reporting set told_unreported = true
     where org_id = ${orgId} and day >= (clock_timestamp() at time zone 'UTC')::date - 1 and unreported_runs > 0 and not told_unreported
     returning lineage_id, day::text, unreported_runs, unreported_nano::bigint`.execute(tx)
  return rows
}

export interface RaisedRow {
  readonly lineage_id: string
  readonly day: string
  readonly overrun_nano: bigint
  readonly max_overrun_nano: bigint
  readonly floor_nano: bigint
  /** False where the key had a floor already, and its calls have become dearer since. */
  readonly is_new: boolean
}

/** Sets the floor of keys whose overrun of a day has passed the maximum to their dearest run, and returns them. */
export async function raiseFloors(tx: Tx, orgId: string): Promise<RaisedRow[]> {
  const { rows } = await raw<RaisedRow>`
    update key_reporting r set floor_nano = r.dearest_nano
      from (select k.lineage_id, k.day, k.floor_nano as before, min(t.max_overrun_nano) as most
              from key_reporting k join trust_settings t on t.org_id = k.org_id and t.subject_id in (k.org_id, k.lineage_id)
             where k.org_id = ${orgId} and k.day >= (clock_timestamp() at time zone 'UTC')::date - 1
               and (k.floor_nano is null or k.floor_nano < k.dearest_nano) and t.max_overrun_nano is not null
             group by k.lineage_id, k.day, k.floor_nano) m
     where r.org_id = ${orgId} and r.lineage_id = m.lineage_id and r.day = m.day and r.overrun_nano + r.late_nano > m.most
     returning r.lineage_id, r.day::text, (r.overrun_nano + r.late_nano)::bigint as overrun_nano, m.most as max_overrun_nano, r.floor_nano, m.before is null as is_new`.execute(
    tx,
  )
  return rows
}

export interface FloorRow {
  readonly lineage_id: string
  readonly floor_nano: bigint
  /** The end of the day that it is for. */
  readonly until: Date
}

/** Reads the floors that are in force, or will have been when the day ends. */
export async function floorsOf(tx: Tx, orgId: string): Promise<FloorRow[]> {
  const { rows } = await raw<FloorRow>`
    select lineage_id, floor_nano, (day + 1)::timestamp at time zone 'UTC' as until from key_reporting
     where org_id = ${orgId} and day >= (clock_timestamp() at time zone 'UTC')::date and floor_nano is not null`.execute(
    tx,
  )
  return rows
}
