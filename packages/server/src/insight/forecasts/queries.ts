import { type RawBuilder, sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { hourTable } from '../../records/usage/usage.ts'
import { elementAt, one } from '../../values/present.ts'
import { areWholeHours } from '../../values/time.ts'

/** A read of usage: its metric, grouping and filters. */
export interface HistoryRead {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly by: UsageDimension | undefined
  readonly filters: Partial<Record<UsageDimension, string>>
  /** The number of days before today. */
  readonly days: number
  readonly today: string
  /** The starts of the last days, today's last: usage in 15-minute buckets is assigned to local days by them. */
  readonly starts: readonly Date[]
}

export const dimensionColumns = {
  model: 'model',
  workflow: 'workflow_id',
  deployment: 'deployment_id',
  department: 'department_id',
} as const
export type UsageDimension = keyof typeof dimensionColumns

/** The statement timeout, so that no snapshot is held for long. */
const maxReadMs = 4_500
const limitStatement = (tx: Tx) =>
  raw`select set_config('statement_timeout', ${String(maxReadMs)}, true), set_config('work_mem', '32MB', true)`.execute(
    tx,
  )

const counters = raw`runs, cost_nano, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens`
const metrics = { cost: raw`cost_nano`, runs: raw`runs`, tokens: raw`input_tokens + output_tokens` }

/**
 * Selects columns of folded and pending usage, each row with its day relative to today. Usage that is stored only by UTC day counts on the local
 * day of the same date, so that a Monday stays a Monday.
 */
function selectDays(
  orgId: string,
  { filters, today, starts }: HistoryRead,
  days: number,
  names: readonly string[],
): RawBuilder<unknown> {
  const from = raw`${today}::date - ${days + 1}::integer`
  const where = raw.join(
    [
      raw`org_id = ${orgId}`,
      raw`bucket >= (${from})::timestamp at time zone 'UTC'`,
      ...Object.entries(filters).map(
        ([name, value]) => raw`${raw.ref(dimensionColumns[name as UsageDimension])} = ${value}`,
      ),
    ],
    raw` and `,
  )
  const wanted = raw.join([...names.map((name) => raw.ref(name)), counters])
  const filtered = Object.keys(filters).map((name) => dimensionColumns[name as UsageDimension])
  const utcDay = raw`(bucket at time zone 'UTC')::date - ${today}::date`
  const localDay = raw`case when bucket < ${elementAt(starts, 0)} then ${utcDay}
    else width_bucket(bucket, ${starts}::timestamptz[]) - ${starts.length}::integer end`
  const folded = areWholeHours(starts) ? hourTable([...names, ...filtered]) : raw`usage_15m`
  return raw`
    select ${localDay} as day, ${wanted} from ${folded} where ${where}
    union all select ${localDay}, ${wanted} from usage_deltas where customer_id is null and ${where}
    union all select ${utcDay}, ${wanted} from usage_days where ${where}`
}

/** One series: pairs of day and sum as JSON text, which only the worker thread parses. */
export interface SeriesRow {
  /** The key of the series; null for all others combined. */
  readonly key: string | null
  readonly days: string
}

/** Reads the largest series, each with its days in order, and all others combined. */
export async function readSeries(tx: Tx, orgId: string, read: HistoryRead, most: number): Promise<SeriesRow[]> {
  await limitStatement(tx)
  const column = read.by && dimensionColumns[read.by]
  const key = column === undefined ? raw`''` : raw`${raw.ref(column)} collate "C"`
  const days = selectDays(orgId, read, read.days, column === undefined ? [] : [column])
  const { rows } = await raw<SeriesRow>`
    with counted as materialized (
      select day, ${key} as key, sum(${metrics[read.metric]}) as used from (${days}) as parts
       where day >= ${-read.days}::integer group by 1, 2),
    ranked as (
      select key, row_number() over (order by sum(used) desc, key) as place from counted group by key),
    named as (
      select case when place <= ${most} then key end as key, least(place, ${most}::integer + 1) as place, day, sum(used) as used
        from counted join ranked using (key) group by 1, 2, 3)
    select key, json_agg(json_build_array(day, used) order by day)::text as days from named group by key, place order by place`.execute(
    tx,
  )
  return rows
}

export interface ModelUsageRow {
  readonly model: string
  readonly provider: string
  readonly runs: string
  readonly cost_nano: string
  readonly input_tokens: string
  readonly output_tokens: string
  readonly cache_read_input_tokens: string
  readonly cache_creation_input_tokens: string
}

/** Reads the usage of each model in the last days; beyond the largest, all are combined without a name. */
export async function readModels(tx: Tx, orgId: string, read: HistoryRead, days: number): Promise<ModelUsageRow[]> {
  const most = 500
  const sums = raw.join(
    [
      'runs',
      'cost_nano',
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ].map((name) => raw`sum(${raw.ref(name)})::text as ${raw.ref(name)}`),
  )
  const { rows } = await raw<ModelUsageRow>`
    with counted as (
      select model, provider, runs, cost_nano, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens
        from (${selectDays(orgId, read, days, ['model', 'provider'])}) as parts where day >= ${-days}::integer),
    ranked as (
      select model, provider, row_number() over (order by sum(cost_nano) desc, model, provider) <= ${most} as is_large
        from counted group by model, provider)
    select case when is_large then model else '' end as model, case when is_large then provider else '' end as provider, ${sums}
      from counted join ranked using (model, provider) group by 1, 2`.execute(tx)
  return rows
}

/** Reads for each day the number of departments with runs, and their usage. */
export async function readTeamDays(tx: Tx, orgId: string, read: HistoryRead) {
  const { rows } = await raw<{ teams: number; used: number }>`
    select count(distinct department_id)::integer as teams, sum(${metrics[read.metric]})::float8 as used
      from (${selectDays(orgId, read, read.days, ['department_id'])}) as parts
     where day between ${-read.days}::integer and -1 and department_id <> '' and runs > 0 group by day order by day`.execute(
    tx,
  )
  return rows
}

/** State of an organization that forecasts depend on, beside their queries. */
interface UsageState {
  readonly configVersion: string
  /** Sums of the usage of the last 90 days, folded or not: as long as they are equal, no day has changed. */
  readonly usage: string
}

/**
 * Reads the version of an organization's configuration and the sums of its usage. Usage that is older than 90 days is folded into days,
 * which takes it out of the sums; nothing else changes it.
 */
export async function readUsageState(tx: Tx, orgId: string): Promise<UsageState> {
  await limitStatement(tx)
  const sums = raw`sum(runs) as runs, sum(cost_nano) as cost, sum(input_tokens) as input, sum(output_tokens) as output`
  const { rows } = await raw<UsageState>`
    select (select config_version::text from org_ledgers where org_id = ${orgId}) as "configVersion",
           concat_ws(' ', sum(runs), sum(cost), sum(input), sum(output)) as usage
      from (select ${sums} from ${hourTable([])} where org_id = ${orgId}
      union all select ${sums} from usage_deltas where org_id = ${orgId} and customer_id is null) as parts`.execute(tx)
  return one(rows)
}
