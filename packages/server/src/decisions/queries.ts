import { sql as raw } from 'kysely'
import type { MakerColumns, MakerId } from '../access/identity/identity.ts'
import type { PageRequest } from '../contract/lists.ts'
import type { NamedAllowanceRow } from '../money/ledger/ledger.ts'
import { partitionBounds } from '../platform/infra/partitions.ts'
import type { Tx } from '../platform/infra/sql.ts'
import type { Explanation } from './schema.ts'

export interface ExplainedHoldRow extends MakerColumns {
  readonly id: string
  readonly state: 'open' | 'settled' | 'released' | 'expired'
  readonly held_at: Date
  readonly expires_at: Date
  readonly amount_nano: bigint
  readonly keys: string[]
  readonly amounts: string[]
  readonly inputs: unknown
  readonly charged_nano: bigint | null
  readonly overrun_nano: bigint | null
}

const holdColumns = raw`id, state, held_at, expires_at, amount_nano, keys, amounts, inputs, charged_nano, overrun_nano, key_id, grant_id`

type AllowanceText = Omit<NamedAllowanceRow, 'period_start' | 'period_end'> & {
  readonly period_start: string | null
  readonly period_end: string | null
}

/** Finds a hold with the allowances that it is on, in one statement. */
export async function findHold(
  tx: Tx,
  orgId: string,
  id: string,
): Promise<{ readonly hold: ExplainedHoldRow; readonly allowances: Map<string, NamedAllowanceRow> } | undefined> {
  const { rows } = await raw<ExplainedHoldRow & { readonly allowances: readonly AllowanceText[] | null }>`
    select ${holdColumns}, (
             select json_agg(a) from unnest(keys) k cross join lateral (
               select key, limit_id, kind, subject, unit, period_label, period_start, period_end
                 from allowances where org_id = ${orgId} and key = k limit 1) a) as allowances
      from holds where org_id = ${orgId} and id = ${id}`.execute(tx)
  const [found] = rows
  if (!found) return undefined
  const { allowances, ...hold } = found
  const time = (text: string | null) => (text === null ? null : new Date(text))
  return {
    hold,
    allowances: new Map(
      (allowances ?? []).map((row) => [
        row.key,
        { ...row, period_start: time(row.period_start), period_end: time(row.period_end) },
      ]),
    ),
  }
}

export interface RaisableRow extends MakerColumns {
  readonly state: ExplainedHoldRow['state']
  readonly amount_nano: bigint
  readonly inputs: unknown
  readonly lineage_id: string | null
}

/** Returns what a raise needs to know of a hold. */
export async function findRaisable(tx: Tx, orgId: string, id: string): Promise<RaisableRow | undefined> {
  const { rows } = await raw<RaisableRow>`
    select state, amount_nano, inputs, key_id, grant_id, lineage_id
      from holds where org_id = ${orgId} and id = ${id}`.execute(tx)
  return rows[0]
}

interface HoldFilters {
  readonly from?: Date
  readonly to?: Date
  readonly state?: ExplainedHoldRow['state'] | undefined
  readonly madeBy?: MakerId
  /** Values of dimensions, as the request named them. */
  readonly pins: Readonly<Record<string, string>>
}

const leastId = (at: Date) => partitionBounds.uuid(new Date(Math.max(0, at.getTime())))

/** Returns one page of holds, in the order in which they were made. */
export async function listHolds(
  tx: Tx,
  orgId: string,
  { after, descending, limit }: PageRequest,
  { from, to, state, madeBy, pins }: HoldFilters,
): Promise<ExplainedHoldRow[]> {
  const where = [
    raw`org_id = ${orgId}`,
    ...(from ? [raw`id >= ${leastId(from)}::uuid`] : []),
    ...(to ? [raw`id < ${leastId(to)}::uuid`] : []),
    ...(state === undefined ? [] : [raw`state = ${state}`]),
    ...(madeBy === undefined ? [] : [raw`${raw.ref(madeBy.kind === 'key' ? 'key_id' : 'grant_id')} = ${madeBy.id}`]),
    ...Object.entries(pins).map(([name, value]) => raw`inputs->'request'->>${name} = ${value}`),
    ...(after ? [raw`id ${descending ? raw`<` : raw`>`} ${after.id}::uuid`] : []),
  ]
  const { rows } = await raw<ExplainedHoldRow>`
    select ${holdColumns} from holds where ${raw.join(where, raw` and `)}
     order by id ${descending ? raw`desc` : raw`asc`} limit ${limit + 1}`.execute(tx)
  return rows
}

export async function findRecord(tx: Tx, orgId: string, id: string): Promise<Explanation | undefined> {
  const { rows } = await raw<{ body: Explanation }>`
    select body from decision_records where org_id = ${orgId} and id = ${id}`.execute(tx)
  // Holds older than the maker columns name no maker.
  return rows[0] && { ...rows[0].body, key_id: rows[0].body.key_id ?? null }
}

export async function insertRecords(tx: Tx, records: readonly { orgId: string; id: string; body: Explanation }[]) {
  const rows = records.map(({ orgId, id, body }) => ({ org_id: orgId, id, body }))
  await raw`insert into decision_records (org_id, id, body)
    select org_id, id, body from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, id uuid, body jsonb)
    on conflict do nothing`.execute(tx)
}

export interface RefusalCountRow {
  readonly org_id: string
  /** The UTC day as an ISO date. */
  readonly day: string
  readonly error_code: string
  readonly count: number
}

/** Adds to the stored counts, in the order of the key, so that concurrent processes wait for each other without a deadlock. */
export async function addRefusals(tx: Tx, rows: readonly RefusalCountRow[]) {
  await raw`insert into refusal_counts as c (org_id, day, error_code, count)
    select org_id, day, error_code, count
      from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, day date, error_code text, count bigint)
     order by org_id, day, error_code
    on conflict (org_id, day, error_code) do update set count = c.count + excluded.count`.execute(tx)
}

export interface LimitRefusalRow {
  readonly org_id: string
  /** The allowance that refused. */
  readonly key: string
  readonly count: number
  readonly at: string
}

/** Adds to the counts of the limits that refused. */
export async function addLimitRefusals(tx: Tx, rows: readonly LimitRefusalRow[]) {
  await raw`insert into limit_refusals as c (org_id, key, count, last_at)
    select org_id, key, count, at
      from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, key uuid, count bigint, at timestamptz)
     order by org_id, key
    on conflict (org_id, key) do update set count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at)`.execute(
    tx,
  )
}
