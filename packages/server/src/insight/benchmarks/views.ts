import { formatUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { type Metric, metrics, type PeriodSums, valueOf } from './metrics.ts'
import { type Percentiles, percentileRangeOf, withheldBecause } from './percentiles.ts'
import type { BenchmarkResultRow } from './queries.ts'
import type { Benchmark } from './schema.ts'

const nanoPerUsd = 1e9
const asUsd = (value: number) => formatUsd(BigInt(Math.round(value * nanoPerUsd)))
const asNumber = (value: number) => Number(value.toPrecision(6))

/**
 * Returns every metric: its published values while enough contributors remain, withheld otherwise, with the caller's own value.
 */
export function metricsView(
  results: readonly BenchmarkResultRow[],
  open: ReadonlySet<Metric>,
  own: PeriodSums,
): Benchmark['metrics'] {
  const published = new Map(results.map((row) => [row.metric, { values: row.percentiles, withheld: row.withheld }]))
  return Object.fromEntries(
    metrics.map((metric) => {
      const percentiles = open.has(metric) ? present(published.get(metric)) : withheldBecause('too_few_contributors')
      return [metric, metricView(metric, percentiles, own)]
    }),
  ) as unknown as Benchmark['metrics']
}

function metricView(metric: Metric, { values, withheld }: Percentiles, own: PeriodSums) {
  const format = metric === 'cost_per_run_usd' ? asUsd : asNumber
  const value = valueOf(metric, own)
  const standing = value === null ? null : percentileRangeOf(value, values)
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, at]) => [name, at === null ? null : format(at)])),
    withheld,
    own:
      value === null
        ? null
        : { value: format(value), percentile_from: standing?.from ?? null, percentile_to: standing?.to ?? null },
  }
}
