import { dateAt, remembered, type Span, type Step, spansOf, startOfDay } from './calendar.ts'
import { type Forecast, forecastSeries } from './forecasting.ts'
import { type Expected, expected, expectedSum, widthsByDay } from './intervals.ts'
import { sumOf } from './series.ts'

/** A daily series: whole days up to yesterday, and the value of today so far. */
export interface Days {
  readonly values: Float64Array
  readonly soFar: number
}

export function parseDays(text: string, days: number, perUnit: number): Days {
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

export function added(all: readonly Days[], days: number): Days {
  const values = new Float64Array(days)
  for (const one of all) one.values.forEach((value, day) => (values[day]! += value))
  return { values, soFar: sumOf(all.map(({ soFar }) => soFar)) }
}

/** The forecast of a series, in which today is never below its value so far. */
export interface Told extends Forecast {
  readonly days: Days
}

export function tell(days: Days, horizon: number): Told {
  const forecast = forecastSeries(days.values, horizon)
  const mean = forecast.mean.map((value, day) => (day === 0 ? Math.max(value, days.soFar) : value))
  return { ...forecast, mean, days }
}

/** The time range of a response, split into its steps. */
export interface Frame {
  readonly timezone: string
  readonly today: string
  readonly horizon: number
  readonly step: Step
  readonly spans: readonly Span[]
  readonly date: (day: number) => string
  readonly starts: (day: number) => number
}

export const frameOf = (asked: { timezone: string; today: string; horizon: number; step: Step }): Frame => {
  const date = remembered((day) => dateAt(asked.today, day))
  return {
    ...asked,
    date,
    spans: spansOf(asked.step, asked.today, { from: 0, to: asked.horizon }),
    starts: remembered((day) => startOfDay(asked.timezone, date(day))),
  }
}

/** An alternative to the forecast's mean, with the scale of its intervals. */
export interface Line {
  readonly mean: Float64Array
  readonly scale: (span: Span) => number
  readonly most: (span: Span) => number
}

const plain = { scale: () => 1, most: () => Number.POSITIVE_INFINITY }

/** Returns the expected value of each step. */
export function pointsOf(
  told: Told,
  { spans, step, horizon }: Frame,
  line: Line = { mean: told.mean, ...plain },
): Expected[] {
  if (told.mean.length === 0) return []
  const byDay = step === 'day' ? widthsByDay(told.halfWidths, horizon) : undefined
  return spans.map((span) => {
    const bounds = boundsOf(told, span, line)
    const widths = byDay?.[span.from]
    return widths
      ? expected(line.mean[span.from]!, widths, bounds)
      : expectedSum(line.mean, told.halfWidths, span, bounds)
  })
}

/** Returns the expected value of the whole horizon. */
export function totalOf(told: Told, { horizon }: Frame, line: Line = { mean: told.mean, ...plain }): Expected | null {
  if (told.mean.length === 0) return null
  const whole = { from: 0, to: horizon }
  return expectedSum(line.mean, told.halfWidths, whole, boundsOf(told, whole, line))
}

const boundsOf = ({ days }: Told, span: Span, { scale, most }: Line) => {
  const least = span.from === 0 ? days.soFar : 0
  return { least, most: Math.max(least, most(span)), scale: scale(span) }
}

/** Returns the history in the steps of the response, from the first day with usage. */
export function historyOf({ values }: Days, { step, today }: Frame): { span: Span; value: number }[] {
  const first = values.findIndex((value) => value > 0)
  if (first < 0) return []
  return spansOf(step, today, { from: first - values.length, to: 0 }).map((span) => ({
    span,
    value: sumOf(values.subarray(values.length + span.from, values.length + span.to)),
  }))
}
