import type { Span } from '../calendar.ts'
import type { HalfWidths, Widths } from './past-errors.ts'
import { sumOf } from './series.ts'

/** Returns the days ahead at which widths are computed; between them they are interpolated linearly. */
function knotsTo(last: number): number[] {
  const knots: number[] = []
  for (let day = 1; day < last; day = Math.max(day + 1, Math.floor(day * 1.15))) knots.push(day)
  return [...knots, last]
}

function interpolate(knots: readonly number[], at: readonly Widths[], last: number): Widths[] {
  const all: Widths[] = []
  for (let i = 0, day = 1; day <= last; day++) {
    while (knots[i + 1] !== undefined && knots[i + 1]! <= day) i++
    const [low, high] = [at[i]!, at[i + 1] ?? at[i]!]
    const part = knots[i + 1] === undefined ? 0 : (day - knots[i]!) / (knots[i + 1]! - knots[i]!)
    const one = (place: 0 | 1 | 2) => low[place] + part * (high[place] - low[place])
    all.push([one(0), one(1), one(2)])
  }
  return all
}

/** Returns half the interval widths of each single day ahead. */
export function widthsByDay(halfWidths: HalfWidths, horizon: number): Widths[] {
  const knots = knotsTo(horizon)
  return interpolate(
    knots,
    knots.map((day) => halfWidths(day, day)),
    horizon,
  )
}

/** Returns half the interval widths of the sums from one day ahead to each later one. */
export function widthsFrom(halfWidths: HalfWidths, first: number, last: number): Widths[] {
  const knots = knotsTo(last - first + 1)
  return interpolate(
    knots,
    knots.map((days) => halfWidths(first, first + days - 1)),
    last - first + 1,
  )
}

/** An expected value with its intervals, which are never negative. */
export interface ExpectedValue {
  readonly mean: number
  readonly p50: readonly [number, number]
  readonly p80: readonly [number, number]
  readonly p95: readonly [number, number]
}

interface Bounds {
  /** The lower bound: the value so far. */
  readonly least?: number
  /** The upper bound, such as a cap. */
  readonly most?: number
  /** The scale relative to the forecast's own intervals. */
  readonly scale?: number
}

export function withIntervals(mean: number, widths: Widths, bounds: Bounds = {}): ExpectedValue {
  const { least = 0, most = Number.POSITIVE_INFINITY, scale = 1 } = bounds
  const bound = (value: number) => Math.max(least, Math.min(most, value))
  const around = (width: number) => [bound(mean - scale * width), bound(mean + scale * width)] as const
  return { mean: bound(mean), p50: around(widths[0]), p80: around(widths[1]), p95: around(widths[2]) }
}

/** Returns the sum of some days ahead, with intervals from the past errors of such sums. */
export function expectedSum(
  mean: Float64Array,
  halfWidths: HalfWidths,
  { from, to }: Span,
  bounds: Bounds,
): ExpectedValue {
  return withIntervals(sumOf(mean.subarray(from, to)), halfWidths(from + 1, to), bounds)
}
