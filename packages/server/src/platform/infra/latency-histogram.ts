import type { Metric } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** One combination of label values. Observing it is one addition in an array. */
export interface Series {
  readonly observe: (seconds: number) => void
}

/**
 * A histogram whose series are looked up once and held by the caller. The client library builds and hashes the labels at each
 * observation, which at tens of thousands a second costs more than all other bookkeeping of a request.
 */
export function latencyHistogram<L extends string>(
  metrics: Metrics,
  options: { name: string; help: string; labelNames: readonly L[]; buckets: readonly number[] },
): (labels: Record<L, string | number>) => Series {
  const { name, help, buckets } = options
  const all: { labels: Record<L, string | number>; counts: Float64Array; sum: number }[] = []

  const get = () => {
    const values = all.flatMap(({ labels, counts, sum }) => {
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
    return Promise.resolve({ name, help, type: 'histogram', values, aggregator: 'sum' })
  }
  const reset = () => {
    all.length = 0
  }
  metrics.registerMetric({ name, get, reset } as unknown as Metric)

  return (labels) => {
    const series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 }
    all.push(series)
    return {
      observe: (seconds) => {
        let bucket = 0
        while (bucket < buckets.length && seconds > buckets[bucket]!) bucket++
        series.counts[bucket]!++
        series.sum += seconds
      },
    }
  }
}
