import type { Schemas } from '../api/api.ts'
import { axisMoney, type BarChart, type ChartBar, countText, tokensText } from '../components/components.ts'
import type { Dimension } from './dimensions.ts'
import {
  amountOf,
  type GroupSums,
  groupKey,
  groupSums,
  metricValue,
  noSums,
  plus,
  sumsOf,
  type UsageMetric,
  type UsageTotals,
} from './usage-sums.ts'
import type { UsageStep } from './usage-window.ts'

/** All that a chart of usage is made of. */
export interface ChartedUsage {
  readonly rows: readonly Schemas['UsageRow'][]
  readonly by: readonly Dimension[]
  readonly metric: UsageMetric
  readonly steps: readonly UsageStep[]
  /** Name of a group, where its values alone would not say it. */
  readonly nameOf: (group: Pick<GroupSums, 'values'>) => string
}

const shownGroups = 6

export const axisTexts: Readonly<Record<UsageMetric, (amount: number) => string>> = {
  cost: axisMoney,
  runs: countText,
  tokens: tokensText,
}

/** Returns the groups that a chart shows by name, and how many others it adds up. */
function namedGroups(groups: readonly GroupSums[]) {
  const hasOthers = groups.length > shownGroups + 1
  const named = hasOthers ? groups.slice(0, shownGroups) : groups
  return { named, others: groups.slice(named.length) }
}

/** Usage of some periods as bars: the six largest groups, and all others together. */
export function usageBars({ rows, by, metric, steps, nameOf }: ChartedUsage) {
  const groups = groupSums(rows, by, metric)
  const { named, others } = namedGroups(groups)
  const places = new Map(named.map(({ key }, index) => [key, index]))
  const hasOthers = others.length > 0
  const names = [...named.map(nameOf), ...(hasOthers ? [`Others (${others.length})`] : [])]
  const cells: UsageTotals[][] = steps.map(() => names.map(() => noSums))
  for (const row of rows) {
    const atMs = new Date(row.period_start).getTime()
    const at = steps.findLastIndex(({ startMs }) => startMs <= atMs)
    const place = places.get(groupKey(row, by)) ?? names.length - 1
    const cell = cells[at]?.[place]
    if (cell) cells[at]![place] = plus(cell, sumsOf(row))
  }
  const bars: ChartBar[] = steps.map(({ label, tick, isNow }, index) => {
    const values = cells[index] ?? []
    return {
      label,
      tick,
      isNow,
      values: values.map((sums) => metricValue(sums, metric)),
      total: metricValue(values.reduce(plus, noSums), metric),
    }
  })
  const sums = [...named, ...(hasOthers ? [others.reduce<UsageTotals>(plus, noSums)] : [])]
  return {
    groups,
    bars,
    sums,
    chart: { series: names.length === 0 ? ['Total'] : names, hasOthers } satisfies Pick<
      BarChart,
      'series' | 'hasOthers'
    >,
    total: groups.reduce((sum, group) => sum + amountOf(group, metric), 0),
  }
}
