import type { Metric } from 'prom-client'
import type { Metrics } from './metrics.ts'

/**
 * Metrics whose series are looked up once and held by whoever counts. The client library builds and hashes the labels at each
 * observation, which at tens of thousands a second costs more than all other bookkeeping of a request.
 */

/** One combination of label values of a histogram. Observing it is one addition in an array. */
export interface HistogramSeries {
  readonly observe: (value: number) => void
}

/** One combination of label values of a counter. */
export interface CounterSeries {
  readonly add: (amount: number) => void
}

type Labels<L extends string> = Readonly<Record<L, string | number>>

interface SeriesOptions<L extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly L[]
}

interface Sample {
  readonly metricName?: string
  readonly labels: object
  readonly value: number
}

/** Registers a metric; `all` holds its series. */
function register<S>(
  metrics: Metrics,
  type: 'histogram' | 'counter',
  { name, help }: Pick<SeriesOptions<string>, 'name' | 'help'>,
  all: S[],
  samplesOf: (series: S) => Sample[],
) {
  const get = () => Promise.resolve({ name, help, type, values: all.flatMap(samplesOf), aggregator: 'sum' })
  const reset = () => {
    all.length = 0
  }
  metrics.registerMetric({ name, get, reset } as unknown as Metric)
}

export function seriesHistogram<L extends string>(
  metrics: Metrics,
  options: SeriesOptions<L> & { readonly buckets: readonly number[] },
): (labels: Labels<L>) => HistogramSeries {
  const { name, buckets } = options
  const bounds = Float64Array.from(buckets)
  const all: { labels: Labels<L>; counts: Float64Array; sum: number }[] = []
  register(metrics, 'histogram', options, all, ({ labels, counts, sum }) => {
    let cumulative = 0
    const rows = [...buckets, '+Inf'].map((le, i) => {
      cumulative += counts[i]!
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: cumulative }
    })
    return [
      ...rows,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: cumulative },
    ]
  })
  return (labels) => {
    const series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 }
    all.push(series)
    return {
      observe: (value) => {
        let bucket = 0
        while (bucket < bounds.length && value > bounds[bucket]!) bucket++
        series.counts[bucket]!++
        series.sum += value
      },
    }
  }
}

export function seriesCounter<L extends string>(
  metrics: Metrics,
  options: SeriesOptions<L>,
): (labels: Labels<L>) => CounterSeries {
  const all: { labels: Labels<L>; count: number }[] = []
  register(metrics, 'counter', options, all, ({ labels, count }) => [{ labels, value: count }])
  return (labels) => {
    const series = { labels, count: 0 }
    all.push(series)
    return {
      add: (amount) => {
        series.count += amount
      },
    }
  }
}
