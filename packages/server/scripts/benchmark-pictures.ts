import { writeFileSync } from 'node:fs'
import { drawBenchmark } from '../src/insight/benchmarks/chart.ts'
import { metrics, type PeriodSums } from '../src/insight/benchmarks/metrics.ts'
import { judgePeriod, publishedSize } from '../src/insight/benchmarks/publication-rules.ts'
import { metricsView } from '../src/insight/benchmarks/views.ts'
import { Random } from '../test/support/random.ts'

/** Draws the picture of the guide as the service would, from organizations that are always the same: `node scripts/benchmark-pictures.ts`. */

const random = new Random(8)
const rules = { floor: 5, margin: 1 }
/** Most are small and a few are large, as in life. */
const spread = (middle: number, width: number) => middle * Math.exp(width * (random.next() + random.next() - 1))

function madeUp(isTimed: boolean): PeriodSums {
  const runs = Math.round(spread(8_000, 0.8))
  const inputTokens = Math.round(runs * spread(2_400, 0.8))
  return {
    runs,
    failed_runs: Math.round(runs * spread(0.02, 0.9)),
    input_tokens: inputTokens,
    output_tokens: Math.round(runs * spread(420, 0.6)),
    cache_read_input_tokens: Math.round(inputTokens * Math.min(0.9, spread(0.3, 0.8))),
    cost_nano: Math.round(runs * spread(0.013, 0.9) * 1e9),
    duration_ms: isTimed ? Math.round(runs * spread(2_100, 0.7)) : 0,
    timed_runs: isTimed ? runs : 0,
    refusals: Math.round(runs * spread(0.015, 0.9)),
  }
}

// A third of them does not tell when runs end.
const contributions = Array.from({ length: 36 }, (_, i) => ({ orgId: `${i}`, sums: madeUp(i % 3 !== 0) }))
const published = judgePeriod(contributions, [], rules, () => 'set')
const results = published.map(({ metric, percentiles: { values, withheld } }) => ({
  metric,
  percentiles: values,
  withheld,
}))
const picture = drawBenchmark({
  cohort: {
    id: 'coh_01jbsteb4peb5vskx602h9mw4q',
    name: 'Fintech, customer support',
    industry: 'fintech',
    size: null,
    workload: 'customer support',
    period: 'month',
    status: 'open',
    created_at: '2026-01-01T00:00:00.000+00:00',
    updated_at: '2026-01-01T00:00:00.000+00:00',
  },
  period_start: '2026-10-01T00:00:00.000+00:00',
  period_end: '2026-11-01T00:00:00.000+00:00',
  published_at: '2026-11-04T00:23:00.000+00:00',
  contributors_at_least: publishedSize(contributions.length, rules),
  metrics: metricsView(results, new Set(metrics), contributions[7]!.sums),
})
writeFileSync(new URL('../../../docs/images/benchmark-cohort.svg', import.meta.url), `${picture}\n`)
