import type { Forecast } from './forecast.ts'
import { sumOf } from './series.ts'

/** With fewer days, not even a mean is meaningful. */
const minDays = 3
const enoughDays = 14

/** Student's t for 50, 80 and 95 %, by degrees of freedom up to 30. */
const students: Readonly<Record<number, readonly [number, number, number]>> = {
  2: [0.816, 1.886, 4.303],
  3: [0.765, 1.638, 3.182],
  4: [0.741, 1.533, 2.776],
  6: [0.718, 1.44, 2.447],
  9: [0.703, 1.383, 2.262],
  14: [0.692, 1.345, 2.145],
  29: [0.683, 1.311, 2.045],
}

const studentAt = (freedom: number) =>
  students[
    Math.max(
      ...Object.keys(students)
        .map(Number)
        .filter((known) => known <= freedom),
    )
  ]!

/** Forecasts a short history: its mean, with intervals for single days and for sums of days. */
export function shortForecast(values: Float64Array, horizon: number): Forecast {
  const count = values.length
  const why =
    count < enoughDays
      ? `There are only ${count} days of history; a weekly pattern cannot be detected in fewer than ${enoughDays}.`
      : `There are only ${count} days of history, too few to back-test a method.`
  const base = { trainedDays: count, test: null, confidence: 'low' as const, reasons: [why] }
  if (count < minDays) return { ...base, method: 'none', mean: new Float64Array(0), halfWidths: () => [0, 0, 0] }
  const mean = sumOf(values) / count
  const spread = Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / (count - 1))
  return {
    ...base,
    method: 'mean',
    mean: new Float64Array(horizon).fill(mean),
    // Single days vary around the mean, and the mean itself is estimated from few of them.
    halfWidths: (from, to) => {
      const days = to - from + 1
      const error = spread * Math.sqrt(days + days ** 2 / count)
      const [a, b, c] = studentAt(count - 1)
      return [a * error, b * error, c * error]
    },
  }
}
