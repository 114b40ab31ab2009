import type { Span } from './calendar.ts'
import type { HalfWidths, Widths } from './errors.ts'
import { sumOf } from './series.ts'

/** Days ahead at which widths are worked out; between them they are taken as straight. */
function knotsTo(last: number): number[] {
  const knots: number[] = []
  for (let day = 1; day < last; day = Math.max(day + 1, Math.floor(day * 1.15))) knots.push(day)
  return [...knots, last]
}

function between(knots: readonly number[], at: readonly Widths[], last: number): Widths[] {
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

/** Half the widths around each single day ahead. */
export function widthsByDay(halfWidths: HalfWidths, horizon: number): Widths[] {
  const knots = knotsTo(horizon)
  return between(
    knots,
    knots.map((day) => halfWidths(day, day)),
    horizon,
  )
}

/** Half the widths around the sums from one day ahead to each later one. */
export function widthsFrom(halfWidths: HalfWidths, first: number, last: number): Widths[] {
  const knots = knotsTo(last - first + 1)
  return between(
    knots,
    knots.map((days) => halfWidths(first, first + days - 1)),
    last - first + 1,
  )
}

/** A value that is expected, and the intervals around it. Nothing is ever below zero. */
export interface Expected {
  readonly mean: number
  readonly p50: readonly [number, number]
  readonly p80: readonly [number, number]
  readonly p95: readonly [number, number]
}

interface Bounds {
  /** What is there already. */
  readonly least?: number
  /** What something keeps it from passing. */
  readonly most?: number
  /** How much wider than the forecast's own. */
  readonly scale?: number
}

export function expected(mean: number, widths: Widths, bounds: Bounds = {}): Expected {
  const { least = 0, most = Number.POSITIVE_INFINITY, scale = 1 } = bounds
  const bound = (value: number) => Math.max(least, Math.min(most, value))
  const around = (width: number) => [bound(mean - scale * width), bound(mean + scale * width)] as const
  return { mean: bound(mean), p50: around(widths[0]), p80: around(widths[1]), p95: around(widths[2]) }
}

/** The sum of some days ahead, with intervals from what such sums were off by. */
export function expectedSum(mean: Float64Array, halfWidths: HalfWidths, { from, to }: Span, bounds: Bounds): Expected {
  return expected(sumOf(mean.subarray(from, to)), halfWidths(from + 1, to), bounds)
}
