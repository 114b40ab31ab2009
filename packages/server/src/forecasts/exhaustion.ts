import type { HalfWidths } from './errors.ts'
import { widthsFrom } from './intervals.ts'

/** What is used of a limit, and when its periods end: in days from today, of which 0 is today. */
export interface LimitCourse {
  readonly limit: number
  readonly used: number
  /** Where the running period and those after it end, not included; empty for a limit that has no period. */
  readonly ends: readonly number[]
}

/** Days from today on which a limit is reached; null where it is not, within the horizon. */
export interface Reached {
  readonly day: number | null
  readonly earliest: number | null
  readonly latest: number | null
}

export interface Course {
  /** Of each day ahead; of today only what is still to come. */
  readonly mean: Float64Array
  readonly halfWidths: HalfWidths
  /** How much wider or narrower than the forecast's own a scenario's intervals are, by day. */
  readonly scale?: Float64Array
}

/**
 * When a limit is reached: the first day up to which the sum passes it, by the mean, and by the upper and the lower end of the
 * 80 % interval of that very sum. Usage only adds up, so that these are the interval of the date.
 */
export function reachedOn({ mean, halfWidths, scale }: Course, { limit, used, ends }: LimitCourse): Reached {
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
