import { scaleLinear } from 'd3-scale'
import { type ValueFrame, valueFrame } from '../../../platform/drawing/value-axis.ts'
import { dayMs } from '../../../values/time.ts'
import type { ForecastChart } from './chart-model.ts'
import { downsample, downsampleForecast } from './chart-points.ts'

/** The position of the plot on the sheet, with its time and value scales. */

const plotHeight = 280
const maxScenarios = 10

/** The longest history that is shown, as a multiple of the horizon: the forecast gets at least a quarter of the width. */
const maxPastRatio = 3
const minPastMs = 90 * dayMs

function recentHistory({ history, forecast }: ForecastChart): ForecastChart['history'] {
  const [first, last] = [forecast[0], forecast.at(-1)]
  if (first === undefined || last === undefined) return history
  const shownMs = Math.max(minPastMs, maxPastRatio * (last.atMs - first.atMs))
  return history.filter(({ atMs }) => atMs >= first.atMs - shownMs)
}

/** Limits a chart to what can be drawn: values that are not finite are dropped, and long lists are downsampled. */
export function toDrawable(picture: ForecastChart): ForecastChart {
  const isKnown = ({ atMs, value }: { atMs: number; value: number }) => Number.isFinite(atMs) && Number.isFinite(value)
  return {
    ...picture,
    history: downsample(recentHistory(picture).filter(isKnown)),
    forecast: downsampleForecast(
      picture.forecast.filter(({ atMs, mean, p50, p80, p95 }) =>
        [atMs, mean, ...p50, ...p80, ...p95].every(Number.isFinite),
      ),
    ),
    scenarios: picture.scenarios
      .slice(0, maxScenarios)
      .map(({ name, points }) => ({ name, points: downsample(points.filter(isKnown)) })),
    limits: picture.limits.map((limit) => ({
      ...limit,
      perStep: limit.perStep !== null && Number.isFinite(limit.perStep) ? limit.perStep : null,
    })),
  }
}

export interface PlotFrame extends ValueFrame {
  readonly fromMs: number
  readonly toMs: number
  readonly x: (atMs: number) => number
}

/**
 * The highest interval that the axis covers, as a multiple of the lines' range: wide intervals are clipped, so that the lines do
 * not become flat.
 */
const maxIntervalRatio = 2.5
/** A limit far above all lines is not drawn, only listed as text. */
const maxLimitRatio = 1.5
/** The space for the name above a limit line. */
const labelHeadroom = 1.08

function valueRange({ history, forecast, scenarios, limits }: ForecastChart): [number, number] {
  const lines = [
    ...history.map(({ value }) => value),
    ...forecast.map(({ mean }) => mean),
    ...scenarios.flatMap(({ points }) => points.map(({ value }) => value)),
  ]
  const lowest = lines.reduce((a, b) => Math.min(a, b), 0)
  const highest = lines.reduce((a, b) => Math.max(a, b), lowest)
  const span = highest - lowest
  const doubt = forecast.reduce((most, { p95 }) => Math.max(most, p95[1]), highest)
  const top = span === 0 ? doubt : Math.min(doubt, lowest + maxIntervalRatio * span)
  const reached = limits.flatMap(({ perStep }) =>
    perStep !== null && perStep <= maxLimitRatio * top ? [labelHeadroom * perStep] : [],
  )
  const most = reached.reduce((a, b) => Math.max(a, b), top)
  return most === lowest ? [lowest, lowest + 1] : [lowest, most]
}

function timeRange({ history, forecast, scenarios }: ForecastChart): [number, number] {
  const times = [history, forecast, ...scenarios.map(({ points }) => points)].flatMap((points) =>
    points.map(({ atMs }) => atMs),
  )
  if (times.length === 0) return [0, dayMs]
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
  return from === to ? [from - dayMs, to + dayMs] : [from, to]
}

export function plotFrameOf(picture: ForecastChart, top: number): PlotFrame {
  const bottom = top + plotHeight
  const values = valueFrame({ unit: picture.unit, range: valueRange(picture), top, bottom })
  const [fromMs, toMs] = timeRange(picture)
  const x = scaleLinear().domain([fromMs, toMs]).range([values.left, values.right])
  return { ...values, fromMs, toMs, x: (atMs) => x(atMs) }
}
