import { shareInPage } from '../../contract/page-reads.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import { type ChartValue, countText, moneyText, tokensText } from '../components/components.ts'
import type { Dimension } from './dimensions.ts'

type UsageRow = Schemas['UsageRow']
type Usage = Schemas['Usage']

/** Numbers of usage that a chart can show. */
export const metrics = ['cost', 'runs', 'tokens'] as const
export type UsageMetric = (typeof metrics)[number]

/** Sums of usage. */
export interface UsageTotals {
  readonly costNano: bigint
  readonly runs: number
  readonly failedRuns: number
  readonly tokens: number
}

/** Usage of one group: the values of the dimensions that it was split by, and its sums. */
export interface GroupSums extends UsageTotals {
  readonly key: string
  readonly values: readonly (string | null)[]
}

export const noSums: UsageTotals = { costNano: 0n, runs: 0, failedRuns: 0, tokens: 0 }

type SummedRow = Pick<UsageRow, 'cost_usd' | 'runs' | 'failed_runs' | 'input_tokens' | 'output_tokens'>

export const sumsOf = (row: SummedRow): UsageTotals => ({
  costNano: parseUsd(row.cost_usd),
  runs: row.runs,
  failedRuns: row.failed_runs,
  tokens: row.input_tokens + row.output_tokens,
})

export const plus = (a: UsageTotals, b: UsageTotals): UsageTotals => ({
  costNano: a.costNano + b.costNano,
  runs: a.runs + b.runs,
  failedRuns: a.failedRuns + b.failedRuns,
  tokens: a.tokens + b.tokens,
})

export const minus = (a: UsageTotals, b: UsageTotals): UsageTotals => ({
  costNano: a.costNano - b.costNano,
  runs: a.runs - b.runs,
  failedRuns: a.failedRuns - b.failedRuns,
  tokens: a.tokens - b.tokens,
})

export const amountOf = (sums: UsageTotals, metric: UsageMetric): number =>
  metric === 'cost' ? Number(sums.costNano) / 1e9 : sums[metric]

/** Returns a number of usage as a chart shows it. */
export function metricValue(sums: UsageTotals, metric: UsageMetric): ChartValue {
  const amount = amountOf(sums, metric)
  if (metric === 'cost') return { amount, text: moneyText(formatUsd(sums.costNano)) }
  return { amount, text: metric === 'runs' ? countText(amount) : tokensText(amount) }
}

/** Most pages of usage that a page of the console reads. */
const maxPages = 10

/** Pages that the database reads at once. */
const pagesOfRead = 10

/** Usage as it was read: its rows, the sums of the whole window, and whether all rows came. */
export interface ReadUsage {
  readonly rows: readonly UsageRow[]
  readonly totals: UsageTotals
  readonly isWhole: boolean
}

const pageRows = 200

/**
 * Reads the pages of usage one after another, up to a bound: that of a page to look at, unless another is given. Beyond what the database
 * reads at once, the next page begins with the period that this one has cut off, so that what is left of the window is summed and not the
 * whole of it each time; a period that is longer than that is read by its cursor.
 */
export async function readPages(
  read: (page: { limit: number; cursor?: string; from?: string }) => Promise<Usage>,
  mostPages = maxPages,
): Promise<ReadUsage> {
  shareInPage('usage')
  const first = await read({ limit: pageRows })
  let rows: UsageRow[] = [...first.data]
  let begin: { from?: string } = {}
  let next = first
  for (let page = 1; next.next_cursor !== null && page < mostPages; page++) {
    const cutOff = rows.at(-1)?.period_start
    if (page % pagesOfRead === 0 && cutOff !== undefined && rows[0]?.period_start !== cutOff && cutOff !== begin.from) {
      rows = rows.filter(({ period_start: start }) => start !== cutOff)
      begin = { from: cutOff }
      next = await read({ ...begin, limit: pageRows })
    } else next = await read({ ...begin, limit: pageRows, cursor: next.next_cursor })
    rows.push(...next.data)
  }
  return { rows, totals: sumsOf(first.totals), isWhole: next.next_cursor === null }
}

const groupValues = (row: UsageRow, by: readonly Dimension[]) => by.map(({ name }) => row[name] ?? null)
export const groupKey = (row: UsageRow, by: readonly Dimension[]): string => JSON.stringify(groupValues(row, by))

/** Returns the sums of each group, largest first. */
export function groupSums(rows: readonly UsageRow[], by: readonly Dimension[], metric: UsageMetric): GroupSums[] {
  const groups = new Map<string, GroupSums>()
  for (const row of rows) {
    const key = groupKey(row, by)
    const before = groups.get(key) ?? { ...noSums, key, values: groupValues(row, by) }
    groups.set(key, { ...before, ...plus(before, sumsOf(row)) })
  }
  const byCost = (a: GroupSums, b: GroupSums) => amountOf(b, metric) - amountOf(a, metric)
  return [...groups.values()].toSorted((a, b) => byCost(a, b) || (a.key < b.key ? -1 : 1))
}
