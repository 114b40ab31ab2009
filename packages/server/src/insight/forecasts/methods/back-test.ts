import { present } from '../../../values/present.ts'
import { widthsByDay } from './intervals.ts'
import { originsOf, pastErrors } from './past-errors.ts'
import { week } from './series.ts'

/** The accuracy of a method on this series, measured on days that it had not seen. */
export interface BackTest {
  readonly origins: number
  readonly daysAhead: number
  /** The mean error relative to that of repeating the last week (MASE). */
  readonly mase: number | null
  /** The sum of all errors relative to the sum of all values (WAPE). */
  readonly wape: number | null
  /** The share of values inside an 80 % interval that was computed from the earlier errors. */
  readonly coverage80: number | null
}

/** Summarises the errors of the chosen method. */
export function summariseErrors(
  values: Float64Array,
  errors: ReadonlyMap<number, Float64Array>,
  size: number,
  { ahead, tried, naive }: { readonly ahead: number; readonly tried: number; readonly naive: number },
): BackTest {
  return {
    origins: errors.size,
    daysAhead: Math.min(ahead, tried),
    mase: ratio(size, naive),
    wape: ratio(size, meanLevel(values, ahead)),
    coverage80: coverageOf(values, errors, ahead),
  }
}

/** Returns the number of days ahead over which methods are compared: at most a third of the history. */
export const comparedDays = (values: Float64Array, horizon: number) =>
  Math.min(horizon, Math.max(week, Math.floor(values.length / 3)))

const ratio = (a: number, b: number) => (b > 0 && Number.isFinite(a) ? a / b : null)

/** Returns the mean absolute error up to `ahead` days ahead. */
export function meanAbsoluteError(errors: ReadonlyMap<number, Float64Array>, ahead: number): number {
  let [sum, count] = [0, 0]
  for (const off of errors.values())
    for (let i = 0; i < Math.min(ahead, off.length); i++) {
      sum += Math.abs(off[i]!)
      count++
    }
  return count > 0 ? sum / count : Number.POSITIVE_INFINITY
}

/** Returns the mean of the values that were forecast. */
function meanLevel(values: Float64Array, ahead: number): number {
  let [sum, count] = [0, 0]
  for (const origin of originsOf(values.length))
    for (let i = origin; i < Math.min(values.length, origin + ahead); i++) {
      sum += values[i]!
      count++
    }
  return sum / Math.max(1, count)
}

/** Measures how often intervals from the older origins contain the values after the newer ones. */
function coverageOf(values: Float64Array, errors: ReadonlyMap<number, Float64Array>, ahead: number): number | null {
  const origins = [...errors.keys()]
  const cut = Math.floor(0.7 * origins.length)
  const split = origins[cut]
  if (split === undefined || cut < 8) return null
  // The older origins may use only the values that were known at the split.
  const older = new Map(
    origins.slice(0, cut).map((origin) => [origin, present(errors.get(origin)).subarray(0, split - origin)]),
  )
  const { tried, halfWidths } = pastErrors(values.subarray(0, split), older)
  const limit = Math.min(ahead, tried)
  if (limit === 0) return null
  const widths = widthsByDay(halfWidths, limit)
  let [inside, count] = [0, 0]
  for (const origin of origins.slice(cut)) {
    const off = present(errors.get(origin))
    for (let i = 0; i < Math.min(limit, off.length); i++) {
      if (Math.abs(off[i]!) <= widths[i]![1]) inside++
      count++
    }
  }
  return count > 0 ? inside / count : null
}
