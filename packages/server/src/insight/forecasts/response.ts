import { elementAt } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  forecastDays,
  historyOf,
  parseDays,
  pointsOf,
  type SeriesForecast,
  sumSeries,
  type TimeFrame,
  timeFrameOf,
  totalOf,
} from './daily-series.ts'
import type { UsageForecast } from './exhaustion.ts'
import { amountFormatterOf, exhaustionView, type FormatAmount, periodEnds, remainingUsage } from './limit-exhaustion.ts'
import type { ExpectedValue } from './methods/intervals.ts'
import { applyScenario } from './scenarios/scenario-forecast.ts'
import { drawForecast } from './svg/chart.ts'
import { chartOf } from './svg/chart-builder.ts'
import type { ForecastTask } from './task.ts'

const nanoPerUsd = 1e9

/** Computes the whole response, as the text that is sent. */
export function computeResponse(task: ForecastTask): string {
  const frame = timeFrameOf(task)
  const write = amountFormatterOf(task)
  const perUnit = task.metric === 'cost' ? nanoPerUsd : 1
  const parsed = task.series.map(({ key, days }) => ({ key, days: parseDays(days, task.trainingDays, perUnit) }))
  const whole = forecastDays(
    sumSeries(
      parsed.map(({ days }) => days),
      task.trainingDays,
    ),
    task.horizon,
  )
  const endsOf = periodEnds(frame, task.nowMs)
  const limitsOf = (key: string | null) => task.limits.filter((limit) => limit.key === key)
  const exhaustionOf = (course: UsageForecast, key: string | null) =>
    limitsOf(key).map((limit) => exhaustionView(course, limit, endsOf, frame, write))
  const scenarios = task.scenarios.map((one) => applyScenario(one, whole, frame))
  if (task.format === 'svg')
    return drawForecast(chartOf(task, frame, whole, scenarios, exhaustionOf(remainingUsage(whole), null)))
  return JSON.stringify({
    metric: task.metric,
    unit: task.metric === 'cost' ? 'usd' : task.metric,
    by: task.by,
    step: task.step,
    timezone: task.timezone,
    today: task.today,
    horizon_days: task.horizon,
    computed_at: timestamp(new Date(task.nowMs)),
    total: {
      ...seriesView(whole, frame, write),
      exhaustion: exhaustionOf(remainingUsage(whole), null).map(({ view }) => view),
    },
    series:
      task.by === null
        ? []
        : parsed.map(({ key, days }) => {
            const forecast = forecastDays(days, task.horizon)
            return {
              key: key === '' ? null : key,
              is_other: key === null,
              ...seriesView(forecast, frame, write),
              exhaustion:
                key === null || key === '' ? [] : exhaustionOf(remainingUsage(forecast), key).map(({ view }) => view),
            }
          }),
    scenarios: scenarios.map((one) => ({
      name: one.scenario.name,
      kind: one.scenario.kind,
      at: one.scenario.at,
      parameters: one.formula.parameters,
      notes: one.formula.notes,
      forecast: pointViews(one.points, frame, write),
      ...comparison(totalOf(whole, frame, one.line), totalOf(whole, frame), write),
      exhaustion: exhaustionOf(one.course, null).map(({ view }) => view),
    })),
  })
}

const round = (value: number | null) => (value === null ? null : Math.round(value * 1e4) / 1e4)

const expectedView = ({ mean, p50, p80, p95 }: ExpectedValue, write: FormatAmount) => ({
  mean: write(mean),
  p50: p50.map(write),
  p80: p80.map(write),
  p95: p95.map(write),
})

const pointViews = (points: readonly ExpectedValue[], { spans, date }: TimeFrame, write: FormatAmount) =>
  points.map((point, i) => ({
    start: date(elementAt(spans, i).from),
    end: date(elementAt(spans, i).to),
    ...expectedView(point, write),
  }))

function seriesView(forecast: SeriesForecast, frame: TimeFrame, write: FormatAmount) {
  const { method, test, confidence, reasons, trainedDays } = forecast
  const total = totalOf(forecast, frame)
  return {
    history: historyOf(forecast.days, frame).map(({ span, value }) => ({
      start: frame.date(span.from),
      end: frame.date(span.to),
      value: write(value),
    })),
    used_today: write(forecast.days.soFar),
    forecast: pointViews(pointsOf(forecast, frame), frame, write),
    total: total && expectedView(total, write),
    method,
    training: trainedDays === 0 ? null : { from: frame.date(-trainedDays), to: frame.date(-1), days: trainedDays },
    error: test && {
      origins: test.origins,
      days_ahead: test.daysAhead,
      mase: round(test.mase),
      wape: round(test.wape),
      coverage_80: round(test.coverage80),
    },
    confidence,
    reasons,
  }
}

function comparison(own: ExpectedValue | null, base: ExpectedValue | null, write: FormatAmount) {
  if (!own || !base) return { total: null, difference: null, difference_percent: null }
  return {
    total: expectedView(own, write),
    difference: write(own.mean - base.mean),
    difference_percent: base.mean > 0 ? Math.round((own.mean / base.mean - 1) * 1e4) / 100 : null,
  }
}
