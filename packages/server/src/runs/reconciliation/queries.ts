import { sql as raw } from 'kysely'
import type { KnownHold } from '../../decisions/lanes/lanes.ts'
import { movementsInOrder } from '../../money/ledger/ledger.ts'
import { normalName } from '../../money/prices/prices.ts'
import { partitionBounds } from '../../platform/infra/partitions.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { CostBasis, Tokens, UsageDetail } from '../../records/run-log/run-log.ts'

/** Longest duration of a read: nothing may keep a snapshot open for long. */
const maxReadMs = 4_000
const prepare = (tx: Tx) => raw`select set_config('statement_timeout', ${String(maxReadMs)}, true)`.execute(tx)

const labels = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id'] as const
type Labels = Record<(typeof labels)[number], string | null>

/** The run of a settlement, with the columns that the ledger also has. */
export interface SettledRun extends Labels, Record<keyof Tokens, number | null> {
  readonly model: string
  readonly provider: string | null
  readonly usage_detail: UsageDetail | null
  readonly cost_nano: bigint
  readonly cost_basis: CostBasis
  readonly overrun_nano: bigint
}

/** A movement that ended a hold, with the hold and its run. */
export interface SettlementRow {
  readonly seq: bigint
  readonly idx: number
  readonly keys: string[]
  readonly d_spent: string[]
  readonly d_held: string[]
  readonly hold_id: string
  /** null where the reservation was settled without a run. */
  readonly run_id: string | null
  readonly held_at: Date
  readonly ended_at: Date
  readonly charged_nano: bigint
  readonly overrun_nano: bigint
  readonly hold_keys: string[]
  readonly inputs: KnownHold['inputs']
  readonly run: SettledRun | null
}

/**
 * Reads one page of what holds were charged in the end, in the order of the journal. One statement, so hold and run are of one
 * snapshot. A hold that was ended again later is checked at its later movement.
 */
export const readSettlements = (
  sql: Sql,
  orgId: string,
  after: { readonly seq: bigint; readonly idx: number },
  since: Date,
  most: number,
): Promise<{ readonly rows: SettlementRow[]; readonly last: { seq: bigint; idx: number } | undefined }> =>
  sql.asOrgs([orgId], async (tx) => {
    await prepare(tx)
    const columns = raw`seq, idx, kind, hold_id, keys, d_spent, d_held`
    const areEnds = [raw`org_id = ${orgId}`, raw`at >= ${since}`, raw`kind in ('settle', 'expire')`]
    const { rows } = await raw<
      Omit<SettlementRow, 'run'> & { readonly run: JsonRun | null; readonly is_last: boolean }
    >`
      with page as (
        ${movementsInOrder(columns, areEnds, { after, descending: false, most })})
      select p.*, h.held_at, h.ended_at, h.charged_nano, h.overrun_nano, h.keys as hold_keys, h.inputs,
             case when h.inputs -> 'run' is null and p.kind = 'settle' then k.run_id else p.hold_id end as run_id, to_jsonb(r) as run,
             h.charged_nano is not null as is_last
        from page p left join lateral (
          select held_at, ended_at, charged_nano, overrun_nano, keys, inputs from holds
           where org_id = ${orgId} and id = p.hold_id and ended_seq = p.seq limit 1) h on true
        left join lateral (
          select run_id from run_keys where org_id = ${orgId} and key = ('r:' || p.hold_id) collate "C" limit 1) k on true
        left join lateral (
          select workflow_id, deployment_id, department_id, customer_id, user_id, model, provider, cost_nano::text, cost_basis,
                 overrun_nano::text, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
                 reasoning_output_tokens, usage_detail
            from runs where org_id = ${orgId} and id = coalesce(k.run_id, p.hold_id) limit 1) r on true
       order by p.seq, p.idx`.execute(tx)
    const end = rows.length < most ? undefined : rows.at(-1)
    return {
      rows: rows.filter(({ is_last }) => is_last).map((row) => ({ ...row, run: row.run && exact(row.run) })),
      last: end && { seq: end.seq, idx: end.idx },
    }
  })

/** A run from JSON, where amounts are text. */
type JsonRun = Omit<SettledRun, 'cost_nano' | 'overrun_nano'> & Record<'cost_nano' | 'overrun_nano', string>
const exact = (run: JsonRun): SettledRun => ({
  ...run,
  cost_nano: BigInt(run.cost_nano),
  overrun_nano: BigInt(run.overrun_nano),
})

export interface UsageDifference {
  readonly group: string
  readonly runs: bigint
  readonly cost: string
  readonly tokens: string
}

/** The name that usage counts under once a dimension has more values than it distinguishes. */
const other = '(other)'
const chosen = ['model', 'provider', 'workflow_id', 'deployment_id', 'department_id', 'user_id'] as const
const named = raw.join(chosen.map((name) => raw.ref(name)))

/** The dimensions of usage, each distinguished only where usage does so throughout. */
const distinguished = (names: readonly string[]) =>
  raw.join(names.map((name) => raw`case when ${raw.ref(`o.${name}`)} then ${other} else ${raw.ref(`c.${name}`)} end`))
const areOthers = (names: readonly string[]) =>
  raw.join(names.map((name) => raw`bool_or(${raw.ref(name)} = ${other}) as ${raw.ref(name)}`))
const different = raw`sum(runs) <> 0 or sum(cost_nano) <> 0 or sum(tokens) <> 0`

/** Differences in usage, by the given dimensions. */
const differencesBy = (names: readonly string[]) => raw`
  others as (select ${areOthers(names)} from counted)
  select jsonb_build_array(${distinguished(names)}) as names,
         sum(runs)::bigint as runs, sum(cost_nano)::text as cost, sum(tokens)::text as tokens
    from counted c cross join others o group by 1 having ${different} order by 1 limit ${mostRead}`

/** Most groups that are read, and most that are reported. */
const mostRead = 5_000
const mostReported = 20

type DifferenceRow = Omit<UsageDifference, 'group'> & { readonly names: readonly string[] }

/** Adds up the groups whose names are spellings of one: a run keeps the name that was sent, usage counts under its normal form. */
function folded(rows: readonly DifferenceRow[], groupOf: (names: readonly string[]) => string): UsageDifference[] {
  const byGroup = Map.groupBy(rows, ({ names }) => groupOf(names))
  const sum = (values: readonly (bigint | string)[]) => values.reduce((total: bigint, each) => total + BigInt(each), 0n)
  return Array.from(byGroup, ([group, same]) => ({
    group,
    runs: sum(same.map(({ runs }) => runs)),
    cost: sum(same.map(({ cost }) => cost)).toString(),
    tokens: sum(same.map(({ tokens }) => tokens)).toString(),
  }))
    .filter(({ runs, cost, tokens }) => runs !== 0n || cost !== '0' || tokens !== '0')
    .slice(0, mostReported)
}

const groupOfModel = ([model = '', provider = '', ...others]: readonly string[]) =>
  [normalName(model), normalName(provider), ...others].join('/')

/** Reads by how much usage exceeds the runs that started within a window, where it does. One statement, so one snapshot. */
export const readUsageDifferences = (sql: Sql, orgId: string, from: Date, to: Date): Promise<UsageDifference[]> =>
  sql.asOrgs([orgId], async (tx) => {
    await prepare(tx)
    const { rows } = await raw<DifferenceRow>`
      with counted as (
        select ${named}, runs, cost_nano, input_tokens + output_tokens as tokens
          from usage_15m where org_id = ${orgId} and bucket >= ${from} and bucket < ${to}
        union all
        select ${named}, runs, cost_nano, input_tokens + output_tokens
          from usage_deltas where org_id = ${orgId} and customer_id is null and bucket >= ${from} and bucket < ${to}
        union all
        select model, coalesce(provider, ''), coalesce(workflow_id, ''), coalesce(deployment_id, ''), coalesce(department_id, ''),
               coalesce(user_id, ''),
               -1, -cost_nano, -coalesce(input_tokens, 0) - coalesce(output_tokens, 0)
          from runs where org_id = ${orgId} and id >= ${partitionBounds.uuid(from)}::uuid and id < ${partitionBounds.uuid(to)}::uuid),
      ${differencesBy(chosen)}`.execute(tx)
    return folded(rows, groupOfModel)
  })

/** Reads the same differences by customer, for whole days in UTC. */
export const readCustomerDifferences = (sql: Sql, orgId: string, from: Date, to: Date): Promise<UsageDifference[]> =>
  sql.asOrgs([orgId], async (tx) => {
    await prepare(tx)
    const utcDay = (time: Date) => raw`(${time}::timestamptz at time zone 'UTC')::date`
    const { rows } = await raw<DifferenceRow>`
      with counted as (
        select customer_id, runs, cost_nano, input_tokens + output_tokens as tokens from usage_customer_days
         where org_id = ${orgId} and day >= ${utcDay(from)} and day < ${utcDay(to)}
        union all
        select customer_id, runs, cost_nano, input_tokens + output_tokens from usage_deltas
         where org_id = ${orgId} and customer_id is not null and bucket >= ${from} and bucket < ${to}
        union all
        select customer_id, -1, -cost_nano, -coalesce(input_tokens, 0) - coalesce(output_tokens, 0) from runs
         where org_id = ${orgId} and customer_id is not null and id >= ${partitionBounds.uuid(from)}::uuid and id < ${partitionBounds.uuid(to)}::uuid),
      ${differencesBy(['customer_id'])}`.execute(tx)
    return folded(rows, ([id = '']) => id)
  })
