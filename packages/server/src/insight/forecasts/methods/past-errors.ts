import { present } from '../../../values/present.ts'
import { type ForecastMethod, valuesOf } from './series.ts'

/** The past errors of a method on a series, from which intervals are derived. */
export interface PastErrors {
  /** The number of days ahead that could be back-tested. */
  readonly tried: number
  readonly halfWidths: HalfWidths
}

export const shares = [0.5, 0.8, 0.95] as const
/** Returns, for each share, half the width of the interval that contains this share of the sums of days `from` to `to` ahead. */
export type HalfWidths = (from: number, to: number) => Widths
export type Widths = readonly [number, number, number]
const scaleWidths = ([a, b, c]: Widths, factor: number): Widths => [a * factor, b * factor, c * factor]

/** The number of days at the start of a series that are only trained on. */
export const firstOrigin = 14
const maxOrigins = 120
/** A number of days ahead counts as tested from this number of origins on. */
const minOrigins = 10

interface Trail {
  readonly origin: number
  /** Cumulative errors up to each day ahead, scaled to the current level. */
  readonly sums: Float64Array
}

export const originsOf = (length: number): number[] => {
  const step = Math.max(1, Math.ceil((length - firstOrigin) / maxOrigins))
  const origins: number[] = []
  for (let origin = length - 1; origin >= firstOrigin; origin -= step) origins.push(origin)
  return origins.toReversed()
}

const meanOf = (values: Float64Array, from: number, to: number) => {
  let sum = 0
  for (let i = Math.max(0, from); i < to; i++) sum += values[i]!
  return sum / Math.max(1, to - Math.max(0, from))
}

/** Computes the errors of a method for each origin and day ahead: actual minus forecast values. */
export function forecastErrors(
  values: Float64Array,
  { at }: ForecastMethod,
  horizon: number,
): Map<number, Float64Array> {
  return new Map(
    originsOf(values.length).map((origin) => {
      const forecast = at(origin, Math.min(horizon, values.length - origin))
      return [origin, valuesOf(forecast.length, (step) => values[origin + step]! - forecast[step]!)]
    }),
  )
}

/**
 * Estimates how errors grow with the level of a series: 1 when they are proportional to it, 0 when they do not depend on it.
 * Compares the older half of the origins with the newer.
 */
function growthOf(values: Float64Array, errors: ReadonlyMap<number, Float64Array>): number {
  const origins = [...errors.keys()]
  const halves = [origins.slice(0, origins.length / 2), origins.slice(origins.length / 2)]
  const [older, newer] = halves.map((half) => ({
    level: half.reduce((sum, origin) => sum + levelAt(values, origin), 0) / Math.max(1, half.length),
    error: half.reduce((sum, origin) => sum + Math.abs(present(errors.get(origin))[0]!), 0) / Math.max(1, half.length),
  }))
  if (!older || !newer || !(older.error > 0) || !(newer.error > 0)) return 0.5
  const byLevel = Math.log(newer.level / older.level)
  if (!Number.isFinite(byLevel) || Math.abs(byLevel) < 0.15) return 0.5
  return Math.max(0, Math.min(1, Math.log(newer.error / older.error) / byLevel))
}

const levelDays = 28
const leastLevelShare = 0.1
const levelAt = (values: Float64Array, origin: number) =>
  Math.max(
    meanOf(values, origin - levelDays, origin),
    leastLevelShare * meanOf(values, 0, values.length),
    Number.MIN_VALUE,
  )

export function pastErrors(values: Float64Array, errors: ReadonlyMap<number, Float64Array>): PastErrors {
  const growth = growthOf(values, errors)
  const unit = levelAt(values, values.length) ** growth
  const trails: Trail[] = Array.from(errors, ([origin, off]) => {
    const scale = unit / levelAt(values, origin) ** growth
    let sum = 0
    return { origin, sums: off.map((error) => (sum += error * scale)) }
  })
  const longest = Math.max(0, ...trails.map(({ sums }) => sums.length))
  let tried = 0
  while (tried < longest && trails.filter(({ sums }) => sums.length > tried).length >= minOrigins) tried++
  const within: HalfWidths = (from, to) => widthsOf(trails, from, to)
  return { tried, halfWidths: (from, to) => extrapolate(within, tried, from, to) }
}

/** The number of neighbouring days ahead that are pooled with a single day, since they behave alike. */
const neighbours = 3

function widthsOf(trails: readonly Trail[], from: number, to: number): Widths {
  const spread = from === to ? Math.min(neighbours, from - 1) : 0
  const sizes = new Float64Array(trails.length * (2 * spread + 1))
  let count = 0
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const { origin, sums } of trails) {
    for (let shift = -spread; shift <= spread; shift++) {
      if (to + shift > sums.length) break
      sizes[count++] = Math.abs(sums[to + shift - 1]! - (from + shift > 1 ? sums[from + shift - 2]! : 0))
    }
    if (to <= sums.length) [first, last] = [Math.min(first, origin), Math.max(last, origin)]
  }
  // Forecasts from nearby origins err together, so only some of them are independent.
  const independent = Math.max(1, (last - first + 1) / Math.max(1, to))
  const sorted = sizes.subarray(0, count).sort()
  const [half, most, nearlyAll] = shares.map((share) => quantile(sorted, share + (1 - share) / (1 + independent)))
  // With few errors the upper quantiles nearly coincide, and say too little about rarer or more common errors.
  return [Math.min(half!, maxMedianRatio * most!), most!, Math.max(nearlyAll!, minRareRatio * most!)]
}

/** Bounds of the 50 % and the 95 % interval, as multiples of the 80 % interval. */
const maxMedianRatio = 0.75
const minRareRatio = 1.25

/** Interpolates linearly between the sorted values. */
function quantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return 0
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  return sorted[below]! + (place - below) * ((sorted[below + 1] ?? sorted[below]!) - sorted[below]!)
}

/** Extrapolates beyond the tested days ahead: uncertainty grows as that of a random walk. */
function extrapolate(within: HalfWidths, tried: number, from: number, to: number): Widths {
  if (to <= tried) return within(from, to)
  const length = to - from + 1
  const growth = Math.sqrt(to / tried)
  if (length <= tried) return scaleWidths(within(tried - length + 1, tried), growth)
  return scaleWidths(within(1, tried), growth * (length / tried))
}
