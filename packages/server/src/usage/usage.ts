import { page, pageRequest, readWindow } from '../contract/lists.ts'
import type { Platform } from '../infra/platform.ts'
import { bucketMs } from '../run-log/run-log.ts'
import { formatUsd } from '../values/money.ts'
import { timestamp } from '../values/timestamp.ts'
import { daysBefore } from './folding.ts'
import { cutWindow, defaultWindow, wholeSteps } from './granules.ts'
import { readUsageRows, type Sums } from './queries.ts'
import { dimensions, type Grouping, groupsAt, groupsOf, isByCustomer, type Usage, type UsageQuery } from './schema.ts'

export { foldOldUsageJob, foldUsage } from './folding.ts'

const dayMs = 86_400_000

/** What runs used and cost in a window, by period and group: exact at once, whatever of it is folded by now. */
export async function readUsage({ sql, clock }: Platform, orgId: string, query: UsageQuery): Promise<Usage> {
  const now = clock.now()
  const cut = { granularity: query.granularity ?? 'day', timezone: query.timezone ?? 'UTC' }
  const ofCustomers = isByCustomer(query)
  const window = wholeSteps(readWindow(query, defaultWindow(query, cut, now)), ofCustomers ? dayMs : bucketMs)
  const starts = cutWindow(cut, window)
  const groups = groupsOf(query)
  const asked = pageRequest(query, 'period_start')
  const { totals, rows } = await sql.asOrgs([orgId], (tx) =>
    readUsageRows(tx, orgId, {
      window,
      starts,
      groups,
      filters: filtersOf(query),
      isByCustomer: ofCustomers,
      daysBefore: daysBefore(now),
      limit: asked.limit,
      descending: asked.descending,
      after: asked.after && {
        period: starts.filter((start) => start.getTime() <= Date.parse(asked.after!.value)).length - 1,
        groups: groupsAt(asked.after.id, groups.length)!,
      },
    }),
  )
  const answer = page(rows, asked, (row) => ({
    value: timestamp(starts[row.period]!),
    id: JSON.stringify(row.groups),
  }))
  return {
    ...answer,
    data: answer.data.map((row) => ({
      period_start: timestamp(starts[row.period]!),
      period_end: timestamp(starts[row.period + 1] ?? window.to),
      ...Object.fromEntries(groups.map((name, i) => [name, row.groups[i] === '' ? null : row.groups[i]!])),
      ...sumsView(row),
    })),
    totals: sumsView(totals),
    granularity: cut.granularity,
    from: timestamp(window.from),
    to: timestamp(window.to),
  }
}

const filtersOf = (query: UsageQuery): Partial<Record<Grouping, string>> =>
  Object.fromEntries(
    ([...dimensions, 'customer_id'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [[name, query[name]]],
    ),
  )

const sumsView = (sums: Sums) => ({
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
