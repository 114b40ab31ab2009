import { type BackTest, comparedDays, meanAbsoluteError, summariseErrors } from './back-test.ts'
import { type FittedMethod, fitForecast, trainingDays } from './fitted-methods.ts'
import type { Confidence, Forecast } from './forecast.ts'
import { lastLevelShift } from './level-shifts.ts'
import { holtWinters, mean, seasonalNaive, weekdayMean, weekdayTrend } from './methods.ts'
import { forecastErrors, pastErrors } from './past-errors.ts'
import { type ForecastMethod, sumOf, week } from './series.ts'
import { shortForecast } from './short-history.ts'

/** With fewer days, a method cannot be back-tested on a week after the days that it is trained on. */
const minDays = 28
const recentDays = 56
const maxZeroShare = 0.6
const rareDays = 84
const quietDays = 14

export const noForecast = (reason: string): Forecast => ({
  method: 'none',
  mean: new Float64Array(0),
  halfWidths: () => [0, 0, 0],
  trainedDays: 0,
  test: null,
  confidence: 'low',
  reasons: [reason],
})

/** Forecasts a daily series with the method that performed best on its own past. */
export function forecastSeries(all: Float64Array, horizon: number): Forecast {
  const first = all.findIndex((value) => value > 0)
  if (first < 0) return noForecast('There was no usage in the training window.')
  const known = all.subarray(first)
  const quiet = known.length - 1 - known.findLastIndex((value) => value > 0)
  if (quiet >= quietDays && quiet > longestGap(known.subarray(0, known.length - quiet)))
    return noForecast(`There was no usage in the last ${quiet} days.`)
  if (known.length < minDays) return shortForecast(known, horizon)
  const zeros = zerosIn(known.subarray(-recentDays))
  if (zeros > maxZeroShare) return sporadicForecast(known, horizon, zeros)
  const shift = lastLevelShift(known)
  const values = known.length - shift >= minDays ? known.subarray(shift) : known
  const reasons: string[] = []
  if (values.length < known.length)
    reasons.push(`The level changed ${values.length} days ago; only the days since then were used.`)
  else if (shift > 0)
    reasons.push(
      `The level changed ${known.length - shift} days ago; there are too few days since then to train on those alone.`,
    )
  return selectMethod(values, horizon, reasons, shift > 0 && values.length === known.length)
}

const zerosIn = (values: Float64Array) => values.filter((value) => value === 0).length / values.length

/** Returns the longest run of days without usage. */
function longestGap(values: Float64Array): number {
  let [longest, gap] = [0, 0]
  for (const value of values) {
    gap = value > 0 ? 0 : gap + 1
    longest = Math.max(longest, gap)
  }
  return longest
}

/** Forecasts sporadic usage, of which only the mean can be estimated. */
function sporadicForecast(values: Float64Array, horizon: number, zeros: number): Forecast {
  const rare = mean(values, rareDays)
  const errors = forecastErrors(values, rare, horizon)
  const { halfWidths, tried } = pastErrors(values, errors)
  const ahead = comparedDays(values, horizon)
  const naive = meanAbsoluteError(forecastErrors(values, seasonalNaive(values), ahead), ahead)
  return {
    method: 'mean',
    mean: rare.at(values.length, horizon),
    halfWidths,
    trainedDays: Math.min(values.length, rareDays),
    test: summariseErrors(values, errors, meanAbsoluteError(errors, ahead), { ahead, tried, naive }),
    confidence: 'low',
    reasons: [`${Math.round(100 * zeros)} % of the last ${Math.min(values.length, recentDays)} days are zero.`],
  }
}

function selectMethod(values: Float64Array, horizon: number, reasons: string[], isRecentShift: boolean): Forecast {
  const ahead = comparedDays(values, horizon)
  const candidates = [seasonalNaive, weekdayMean, weekdayTrend, mean, holtWinters].map((method) => {
    const candidate = method(values)
    const errors = forecastErrors(values, candidate, horizon)
    return { candidate, errors, size: meanAbsoluteError(errors, ahead) }
  })
  const best = candidates.reduce((a, b) => (b.size < a.size ? b : a))
  const { halfWidths, tried } = pastErrors(values, best.errors)
  const better = tryLibraryMethod(values, horizon, best.candidate)
  const expected = better?.mean ?? best.candidate.at(values.length, horizon)
  const test = summariseErrors(values, best.errors, best.size * (better?.size ?? 1), {
    ahead,
    tried,
    naive: candidates[0]!.size,
  })
  return {
    method: better?.method ?? best.candidate.method,
    mean: expected.map((value) => Math.max(0, value)),
    halfWidths,
    trainedDays: better ? trainingDays(values.length) : values.length,
    test,
    ...assessConfidence(test, { days: values.length, horizon, tried, isRecentShift }, reasons),
  }
}

/** The number of origins at which the library is tested, the days ahead, and the factor by which it must be better. */
const fittedOrigins = 2
const fittedAhead = 28
const betterBy = 0.95

/**
 * Returns the forecast of the library's method when it was better than the best other method on the last days. Its intervals are
 * those of the other method, which erred more on the same days: fitting is too slow to test it often enough for its own. Its
 * error is scaled from the other's by the ratio on those days.
 */
function tryLibraryMethod(
  values: Float64Array,
  horizon: number,
  other: ForecastMethod,
): { method: FittedMethod; mean: Float64Array; size: number } | undefined {
  const ahead = Math.min(horizon, fittedAhead)
  const method: FittedMethod = hasWeeklyPattern(values) ? 'mstl+ets' : 'ets'
  let [own, theirs] = [0, 0]
  for (let i = 1; i <= fittedOrigins; i++) {
    const origin = values.length - i * ahead
    const told = origin > 0 ? fitForecast(method, values, origin, ahead) : undefined
    if (!told) return undefined
    const others = other.at(origin, ahead)
    own += sumOf(told.map((value, step) => Math.abs(values[origin + step]! - value)))
    theirs += sumOf(others.map((value, step) => Math.abs(values[origin + step]! - value)))
  }
  if (!(own < betterBy * theirs)) return undefined
  const told = fitForecast(method, values, values.length, horizon)
  return told && { method, mean: told, size: theirs > 0 ? own / theirs : 1 }
}

const weekStrength = 0.1

/** True when the weekdays explain a part of the variance of the last weeks. */
function hasWeeklyPattern(values: Float64Array): boolean {
  const last = values.subarray(-Math.floor(Math.min(values.length, 10 * week) / week) * week)
  const weeks = last.length / week
  const byDay = Array.from({ length: week }, (_, day) => sumOf(last.filter((_value, i) => i % week === day)) / weeks)
  const center = sumOf(last) / last.length
  const between = (weeks * sumOf(byDay.map((value) => (value - center) ** 2))) / (week - 1)
  const within = sumOf(last.map((value, i) => (value - byDay[i % week]!) ** 2)) / Math.max(1, last.length - week)
  // The share of all variance, corrected for what chance alone would give.
  return (between - within) / weeks > weekStrength * within
}

interface TestFacts {
  readonly days: number
  readonly horizon: number
  readonly tried: number
  readonly isRecentShift: boolean
}

const goodDays = 84
const [goodWape, poorWape] = [0.25, 0.6]

function assessConfidence(test: BackTest, facts: TestFacts, before: readonly string[]) {
  const { wape, mase, coverage80 } = test
  const doubts: string[] = []
  const faults: string[] = []
  if (facts.days < goodDays) doubts.push(`There are only ${facts.days} days to train on.`)
  if (facts.horizon > facts.tried)
    (facts.horizon > 2 * facts.tried ? faults : doubts).push(
      `Only ${facts.tried} of ${facts.horizon} days ahead could be back-tested on this history; beyond them the intervals are extrapolated.`,
    )
  if (wape === null || wape > poorWape) faults.push('The back-tested error is large.')
  else if (wape > goodWape) doubts.push('The back-tested error is noticeable.')
  if (mase !== null && mase >= 1) doubts.push('No method was better than repeating the last week.')
  if (coverage80 !== null && coverage80 < 0.6) doubts.push('The intervals were too narrow in the back-test.')
  const confidence: Confidence =
    faults.length > 0 || facts.isRecentShift ? 'low' : doubts.length > 0 ? 'medium' : 'high'
  return { confidence, reasons: [...before, ...faults, ...doubts] }
}
