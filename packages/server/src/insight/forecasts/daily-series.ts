import { elementAt } from '../../values/present.ts'
import { cachedByDay, dateAt, type Span, type Step, spansOf, startOfDay } from './calendar.ts'
import { type Forecast } from './methods/forecast.ts'
import { type ExpectedValue, expectedSum, widthsByDay, withIntervals } from './methods/intervals.ts'
import { forecastSeries } from './methods/method-selection.ts'
import { sumOf } from './methods/series.ts'

/** A daily series: whole days up to yesterday, and the value of today so far. */
export interface DailySeries {
  readonly values: Float64Array
  readonly soFar: number
}

export function parseDays(text: string, days: number, perUnit: number): DailySeries {
  const values = new Float64Array(days)
  let soFar = 0
  for (const [day, used] of JSON.parse(text) as [number, number][]) {
    // A correction can leave a day negative.
    const value = Math.max(0, used / perUnit)
    if (day >= 0) soFar += value
    else values[days + day] = value
  }
  return { values, soFar }
}

export function sumSeries(all: readonly DailySeries[], days: number): DailySeries {
  const values = new Float64Array(days)
  for (const one of all) one.values.forEach((value, day) => (values[day]! += value))
  return { values, soFar: sumOf(all.map(({ soFar }) => soFar)) }
}

/** The forecast of a series, in which today is never below its value so far. */
export interface SeriesForecast extends Forecast {
  readonly days: DailySeries
}

export function forecastDays(days: DailySeries, horizon: number): SeriesForecast {
  const forecast = forecastSeries(days.values, horizon)
  const mean = forecast.mean.map((value, day) => (day === 0 ? Math.max(value, days.soFar) : value))
  return { ...forecast, mean, days }
}

/** The time range of a response, split into its steps. */
export interface TimeFrame {
  readonly timezone: string
  readonly today: string
  readonly horizon: number
  readonly step: Step
  readonly spans: readonly Span[]
  readonly date: (day: number) => string
  readonly starts: (day: number) => number
}

export const timeFrameOf = (request: { timezone: string; today: string; horizon: number; step: Step }): TimeFrame => {
  const date = cachedByDay((day) => dateAt(request.today, day))
  return {
    ...request,
    date,
    spans: spansOf(request.step, request.today, { from: 0, to: request.horizon }),
    starts: cachedByDay((day) => startOfDay(request.timezone, date(day))),
  }
}

/** An alternative to the forecast's mean, with the scale of its intervals. */
export interface ForecastLine {
  readonly mean: Float64Array
  readonly scale: (span: Span) => number
  readonly most: (span: Span) => number
}

const unadjusted = { scale: () => 1, most: () => Number.POSITIVE_INFINITY }

/** Returns the expected value of each step. */
export function pointsOf(
  forecast: SeriesForecast,
  { spans, step, horizon }: TimeFrame,
  line: ForecastLine = { mean: forecast.mean, ...unadjusted },
): ExpectedValue[] {
  if (forecast.mean.length === 0) return []
  const byDay = step === 'day' ? widthsByDay(forecast.halfWidths, horizon) : undefined
  return spans.map((span) => {
    const bounds = boundsOf(forecast, span, line)
    const widths = byDay?.[span.from]
    return widths
      ? withIntervals(elementAt(line.mean, span.from), widths, bounds)
      : expectedSum(line.mean, forecast.halfWidths, span, bounds)
  })
}

/** Returns the expected value of the whole horizon. */
export function totalOf(
  forecast: SeriesForecast,
  { horizon }: TimeFrame,
  line: ForecastLine = { mean: forecast.mean, ...unadjusted },
): ExpectedValue | null {
  if (forecast.mean.length === 0) return null
  const whole = { from: 0, to: horizon }
  return expectedSum(line.mean, forecast.halfWidths, whole, boundsOf(forecast, whole, line))
}

const boundsOf = ({ days }: SeriesForecast, span: Span, { scale, most }: ForecastLine) => {
  const least = span.from === 0 ? days.soFar : 0
  return { least, most: Math.max(least, most(span)), scale: scale(span) }
}

/** Returns the history in the steps of the response, from the first day with usage. */
export function historyOf({ values }: DailySeries, { step, today }: TimeFrame): { span: Span; value: number }[] {
  const first = values.findIndex((value) => value > 0)
  if (first < 0) return []
  return spansOf(step, today, { from: first - values.length, to: 0 }).map((span) => ({
    span,
    value: sumOf(values.subarray(values.length + span.from, values.length + span.to)),
  }))
}
