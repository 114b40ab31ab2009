import { createHoltWinters } from './holt-winters.ts'
import { type ForecastMethod, sumOf, valuesOf, week } from './series.ts'

/** Repeats the last week: the baseline that every other method has to beat. */
export const seasonalNaive = (values: Float64Array): ForecastMethod => ({
  method: 'seasonal_naive',
  at: (origin, horizon) => valuesOf(horizon, (step) => values[origin - week + (step % week)] ?? 0),
})

const weeksAveraged = 4

/** Forecasts each weekday as its mean over the last weeks. */
export const weekdayMean = (values: Float64Array): ForecastMethod => ({
  method: 'weekday_mean',
  at: (origin, horizon) => {
    const weeks = Math.max(1, Math.min(weeksAveraged, Math.floor(origin / week)))
    const day = valuesOf(week, (step) => {
      let sum = 0
      for (let back = 1; back <= weeks; back++) sum += values[origin - back * week + step] ?? 0
      return sum / weeks
    })
    return valuesOf(horizon, (step) => day[step % week]!)
  },
})

const daysAveraged = 28

/** Forecasts the mean of the last four weeks, or of all days when there are fewer. */
export const mean = (values: Float64Array, days = daysAveraged): ForecastMethod => ({
  method: 'mean',
  at: (origin, horizon) => {
    const last = values.subarray(Math.max(0, origin - days), origin)
    return new Float64Array(horizon).fill(sumOf(last) / Math.max(1, last.length))
  },
})

export const holtWinters = (values: Float64Array): ForecastMethod => ({
  method: 'holt_winters',
  at: createHoltWinters(values),
})

const trendWeeks = 12
const minTrendWeeks = 4
const trendDamping = 0.99

/** Forecasts a straight line through the last weeks, damped over time, with the weekdays as shares of it. */
export const weekdayTrend = (values: Float64Array): ForecastMethod => ({
  method: 'weekday_trend',
  at: (origin, horizon) => {
    const weeks = Math.min(trendWeeks, Math.floor(origin / week))
    const from = origin - weeks * week
    const means = Array.from({ length: weeks }, (_, i) => {
      const start = from + i * week
      return sumOf(values.subarray(start, start + week)) / week
    })
    const { slope, end } = weeks < minTrendWeeks ? { slope: 0, end: means.at(-1) ?? 0 } : theilSenLine(means)
    const level = sumOf(means) / Math.max(1, weeks)
    const share = valuesOf(week, (day) => {
      let sum = 0
      for (let i = 0; i < weeks; i++) sum += values[from + i * week + day]!
      return level > 0 ? sum / weeks / level : 1
    })
    return valuesOf(horizon, (step) => {
      // The middle of the last week lies half a week before the first forecast day.
      const ahead = (week + 1) / 2 + step
      const gain = (trendDamping * (1 - trendDamping ** ahead)) / (1 - trendDamping)
      return Math.max(0, (end + (slope / week) * gain) * share[step % week]!)
    })
  },
})

/** Fits a line by the median of all slopes between two weeks (Theil–Sen), which one outlier week does not change. */
function theilSenLine(means: readonly number[]): { slope: number; end: number } {
  const slopes: number[] = []
  for (let i = 0; i < means.length; i++)
    for (let j = i + 1; j < means.length; j++) slopes.push((means[j]! - means[i]!) / (j - i))
  const slope = median(slopes)
  const last = means.length - 1
  return { slope, end: median(means.map((value, i) => value + slope * (last - i))) }
}

function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
