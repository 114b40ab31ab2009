import { validationFailed } from '../../contract/errors.ts'
import { pageRequest, pageResponse, readWindow, type TimeWindow } from '../../contract/lists.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatUsd } from '../../values/money.ts'
import { elementAt, present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { bucketMs } from '../run-log/run-log.ts'
import { drawBars } from './chart.ts'
import { cutWindow, defaultWindow, wholeSteps } from './granules.ts'
import { readPageRows } from './page-rows.ts'
import type { UsageRead, UsageSums } from './queries.ts'
import { daysBefore } from './rollup.ts'
import {
  dimensions,
  type Grouping,
  groupsAt,
  groupsOf,
  isByCustomer,
  isFine,
  maxFinePeriods,
  type Usage,
  type UsageQuery,
} from './schema.ts'

export { hourTable } from './queries.ts'
export { foldOldUsageJob, startFolding } from './rollup.ts'
export { spentSince } from './spent-since.ts'

type PeriodsRead = Pick<UsageRead, 'limit' | 'descending' | 'after'>

/** Reads the rows of a window and its periods, in the requested form. */
async function readPeriods(
  { sql, clock }: Platform,
  orgId: string,
  query: UsageQuery,
  reading: (starts: readonly Date[]) => PeriodsRead,
) {
  const now = clock.now()
  const cut = { granularity: query.granularity ?? 'day', timezone: query.timezone ?? 'UTC' }
  const ofCustomers = isByCustomer(query)
  const window = wholeSteps(readWindow(query, defaultWindow(query, cut, now)), ofCustomers ? dayMs : bucketMs)
  const starts = cutWindow(cut, window)
  const groups = groupsOf(query)
  if (isFine(groups) && starts.length > maxFinePeriods) {
    const message = `With three or four dimensions a window has at most ${maxFinePeriods} periods: ask for longer periods or a shorter window.`
    throw validationFailed([{ field: 'granularity', code: 'out_of_range', message }])
  }
  const read = await readPageRows(sql, orgId, {
    window,
    starts,
    groups,
    filters: filtersOf(query),
    isByCustomer: ofCustomers,
    daysBefore: daysBefore(now),
    ...reading(starts),
  })
  return { ...read, cut, window, starts, groups }
}

/** Returns the usage and cost of runs in a window, by period and group: exact at once, whatever of it is folded by now. */
export async function readUsage(platform: Platform, orgId: string, query: UsageQuery): Promise<Usage> {
  const asked = pageRequest(query, 'period_start')
  const { totals, rows, cut, window, starts, groups } = await readPeriods(platform, orgId, query, (periods) => ({
    limit: asked.limit,
    descending: asked.descending,
    after: asked.after && {
      period: periods.filter((start) => start.getTime() <= Date.parse(asked.after!.value)).length - 1,
      groups: present(groupsAt(asked.after.id, groupsOf(query).length)),
    },
  }))
  const times = [...starts, window.to].map(timestamp)
  const answer = pageResponse(rows, asked, (row) => ({
    value: elementAt(times, row.period),
    id: JSON.stringify(row.groups),
  }))
  return {
    ...answer,
    data: answer.data.map((row) => ({
      period_start: elementAt(times, row.period),
      period_end: elementAt(times, row.period + 1),
      ...Object.fromEntries(groups.map((name, i) => [name, row.groups[i] === '' ? null : elementAt(row.groups, i)])),
      ...sumsView(row),
    })),
    totals: sumsView(totals),
    granularity: cut.granularity,
    from: timestamp(window.from),
    to: timestamp(window.to),
  }
}

/** Usage of one model and provider on one UTC day. */
export interface ModelDay extends UsageSums {
  readonly day: Date
  readonly model: string
  readonly provider: string
}

/** Reads what runs used and cost by UTC day, model and provider; one row more than `most` says that there are more. */
export async function readModelDays(
  { sql, clock }: Platform,
  orgId: string,
  window: TimeWindow,
  most: number,
): Promise<ModelDay[]> {
  const starts = cutWindow({ granularity: 'day', timezone: 'UTC' }, window)
  const { rows } = await readPageRows(sql, orgId, {
    window,
    starts,
    groups: ['model', 'provider'],
    filters: {},
    isByCustomer: false,
    daysBefore: daysBefore(clock.now()),
    limit: most,
    descending: false,
    after: undefined,
  })
  return rows.map(({ period, groups: [model = '', provider = ''], ...sums }) => ({
    ...sums,
    day: elementAt(starts, period),
    model,
    provider,
  }))
}

/** Most rows of a chart: ninety days of more than fifty groups. With more, none of them could be told apart. */
const maxDrawnRows = 5_000

/** Draws a chart of a window's cost, by period and group. */
export async function drawUsage(platform: Platform, orgId: string, query: UsageQuery): Promise<string> {
  const { totals, rows, cut, starts, groups } = await readPeriods(platform, orgId, query, () => ({
    limit: maxDrawnRows,
    descending: false,
    after: undefined,
  }))
  if (rows.length > maxDrawnRows) {
    const message = `There are more than ${maxDrawnRows} values to draw: group by fewer dimensions, filter, or ask for longer periods.`
    throw validationFailed([{ field: 'group_by', code: 'too_many', message }])
  }
  return drawBars({
    cut,
    groups,
    total: dollars(totals.cost_nano),
    starts: starts.map((start) => start.getTime()),
    values: rows.map((row) => ({
      period: row.period,
      name: row.groups.map((name) => name || 'none').join(' · '),
      value: dollars(row.cost_nano),
    })),
  })
}

const nanoPerDollar = 1e9
const dollars = (nano: bigint) => Number(nano) / nanoPerDollar

const filtersOf = (query: UsageQuery): Partial<Record<Grouping, string>> =>
  Object.fromEntries(
    ([...dimensions, 'customer_id'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [[name, query[name]]],
    ),
  )

const sumsView = (sums: UsageSums) => ({
  runs: Number(sums.runs),
  failed_runs: Number(sums.failed_runs),
  input_tokens: Number(sums.input_tokens),
  output_tokens: Number(sums.output_tokens),
  cache_read_input_tokens: Number(sums.cache_read_input_tokens),
  cache_creation_input_tokens: Number(sums.cache_creation_input_tokens),
  reasoning_output_tokens: Number(sums.reasoning_output_tokens),
  cost_usd: formatUsd(sums.cost_nano),
  estimated_usd: formatUsd(sums.estimated_nano),
  overrun_usd: formatUsd(sums.overrun_nano),
  value_usd: formatUsd(sums.value_nano),
  average_duration_ms: sums.timed_runs > 0n ? Math.round(Number(sums.duration_ms) / Number(sums.timed_runs)) : null,
})
