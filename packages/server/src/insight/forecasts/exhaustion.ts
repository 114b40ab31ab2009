import { widthsFrom } from './methods/intervals.ts'
import type { HalfWidths } from './methods/past-errors.ts'

/** The usage of a limit and the ends of its periods, in days from today. */
export interface ProjectedLimit {
  readonly limit: number
  readonly used: number
  /** The exclusive end days of the current and the following periods; empty for a limit without a period. */
  readonly ends: readonly number[]
}

/** The days from today on which a limit is reached; null when it is not reached within the horizon. */
export interface ExhaustionDays {
  readonly day: number | null
  readonly earliest: number | null
  readonly latest: number | null
}

export interface UsageForecast {
  /** The expected value of each day ahead; for today only the remainder. */
  readonly mean: Float64Array
  readonly halfWidths: HalfWidths
  /** The scale of a scenario's intervals relative to the forecast's own, by day. */
  readonly scale?: Float64Array
}

/**
 * Finds the day on which a limit is reached: the first day on which the cumulative sum reaches it, by the mean and by both ends
 * of the 80 % interval of that sum. Usage only adds up, so these days form the interval of the date.
 */
export function findExhaustion(
  { mean, halfWidths, scale }: UsageForecast,
  { limit, used, ends }: ProjectedLimit,
): ExhaustionDays {
  if (used >= limit) return { day: 0, earliest: 0, latest: 0 }
  const found: { day: number | null; earliest: number | null; latest: number | null } = {
    day: null,
    earliest: null,
    latest: null,
  }
  const bounds = ends.length === 0 ? [mean.length] : ends
  let from = 0
  for (let period = 0; period < bounds.length && from < mean.length && found.latest === null; period++) {
    const to = Math.min(bounds[period]!, mean.length)
    if (to <= from) continue
    const widths = widthsFrom(halfWidths, from + 1, to)
    let sum = period === 0 ? used : 0
    for (let day = from; day < to; day++) {
      sum += mean[day]!
      const width = widths[day - from]![1] * (scale?.[day] ?? 1)
      if (found.earliest === null && sum + width >= limit) found.earliest = day
      if (found.day === null && sum >= limit) found.day = day
      if (found.latest === null && sum - width >= limit) found.latest = day
    }
    from = to
  }
  return found
}
