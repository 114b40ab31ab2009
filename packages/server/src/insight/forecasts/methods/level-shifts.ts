import { week } from './series.ts'

const side = 4 * week
const leastSide = 2 * week
/** The thresholds of a level shift: relative to the noise, and relative to the level. */
const minNoiseRatio = 7
const minLevelShare = 0.2

/** Returns the mean of the week that ends on each day, which removes the weekly pattern. */
function weeklyMeans(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length)
  let sum = 0
  for (let day = 0; day < values.length; day++) {
    sum += values[day]! - (values[day - week] ?? 0)
    sums[day] = sum / Math.min(week, day + 1)
  }
  return sums
}

interface FittedLine {
  readonly at: number
  readonly slope: number
  readonly spread: number
}

/** Fits a straight line through some values and evaluates it at one end. */
function lineThrough(values: Float64Array, from: number, to: number, end: number): FittedLine {
  const count = to - from
  const middle = (from + to - 1) / 2
  let mean = 0
  for (let i = from; i < to; i++) mean += values[i]! / count
  let [above, below] = [0, 0]
  for (let i = from; i < to; i++) {
    above += (i - middle) * (values[i]! - mean)
    below += (i - middle) ** 2
  }
  const slope = below > 0 ? above / below : 0
  let squares = 0
  for (let i = from; i < to; i++) squares += (values[i]! - mean - slope * (i - middle)) ** 2
  return { at: mean + slope * (end - middle), slope, spread: Math.sqrt(squares / Math.max(1, count - 2)) }
}

/**
 * Finds the last permanent jump of a series to another level: returns the first day of the new level, or 0. Lines fitted on both
 * sides are compared where they meet, so that a steady trend is no jump.
 */
export function lastLevelShift(values: Float64Array): number {
  const smooth = weeklyMeans(values)
  let found = 0
  for (let day = values.length - leastSide; day >= leastSide && found === 0; day--) {
    if (strengthAt(smooth, day) < 1) continue
    // Takes the day at which the jump is clearest, not the first one on which it is detectable.
    found = day
    for (let near = day; near > Math.max(leastSide, day - side); near--)
      if (strengthAt(smooth, near) > strengthAt(smooth, found)) found = near
  }
  return found
}

/** Returns the strength of the jump before a day, relative to the thresholds. */
function strengthAt(smooth: Float64Array, day: number): number {
  // A week that contains days of both levels belongs to neither side.
  const before = lineThrough(smooth, Math.max(week - 1, day - side), day, day)
  const from = Math.min(day + week - 1, smooth.length - week)
  const after = lineThrough(smooth, from, Math.min(smooth.length, from + side), day)
  const step = Math.abs(after.at - before.at)
  const noise = Math.max(before.spread, after.spread, 1e-9)
  const level = Math.max(Math.abs(before.at), Math.abs(after.at), 1e-9)
  return Math.min(step / (minNoiseRatio * noise), step / (minLevelShare * level))
}
