import { scaleLinear } from 'd3-scale'
import { type ValueFrame, valueFrame } from '../drawing/value-axis.ts'
import { thinned, thinnedForecast } from './drawing-thinning.ts'
import type { Picture } from './picture.ts'

/** Where the plot stands on the sheet, and what becomes of times and values on it. */

const plotHeight = 280
const maxScenarios = 10
const dayMs = 86_400_000

/** A forecast has a quarter of the width or more, so history that is long past is left out where there is very much of it. */
const mostPast = 3
const leastPastMs = 90 * dayMs

function recent({ history, forecast }: Picture): Picture['history'] {
  const [first, last] = [forecast[0], forecast.at(-1)]
  if (first === undefined || last === undefined) return history
  const shownMs = Math.max(leastPastMs, mostPast * (last.atMs - first.atMs))
  return history.filter(({ atMs }) => atMs >= first.atMs - shownMs)
}

/** A picture as far as it can be drawn: numbers that are none are left out, and no list is too long. */
export function drawable(picture: Picture): Picture {
  const isKnown = ({ atMs, value }: { atMs: number; value: number }) => Number.isFinite(atMs) && Number.isFinite(value)
  return {
    ...picture,
    history: thinned(recent(picture).filter(isKnown)),
    forecast: thinnedForecast(
      picture.forecast.filter(({ atMs, mean, p50, p80, p95 }) =>
        [atMs, mean, ...p50, ...p80, ...p95].every(Number.isFinite),
      ),
    ),
    scenarios: picture.scenarios
      .slice(0, maxScenarios)
      .map(({ name, points }) => ({ name, points: thinned(points.filter(isKnown)) })),
    limits: picture.limits.map((limit) => ({
      ...limit,
      perStep: limit.perStep !== null && Number.isFinite(limit.perStep) ? limit.perStep : null,
    })),
  }
}

export interface Frame extends ValueFrame {
  readonly fromMs: number
  readonly toMs: number
  readonly x: (atMs: number) => number
}

/** An interval may reach beyond the sheet, but what happened and what is expected may not become a flat line for it. */
const mostOfInterval = 2.5
/** A limit far above everything is told in words only. */
const mostOfLimit = 1.5
/** Its name stands above it. */
const labelRoom = 1.08

function valueRange({ history, forecast, scenarios, limits }: Picture): [number, number] {
  const lines = [
    ...history.map(({ value }) => value),
    ...forecast.map(({ mean }) => mean),
    ...scenarios.flatMap(({ points }) => points.map(({ value }) => value)),
  ]
  const lowest = lines.reduce((a, b) => Math.min(a, b), 0)
  const highest = lines.reduce((a, b) => Math.max(a, b), lowest)
  const span = highest - lowest
  const doubt = forecast.reduce((most, { p95 }) => Math.max(most, p95[1]), highest)
  const top = span === 0 ? doubt : Math.min(doubt, lowest + mostOfInterval * span)
  const reached = limits.flatMap(({ perStep }) =>
    perStep !== null && perStep <= mostOfLimit * top ? [labelRoom * perStep] : [],
  )
  const most = reached.reduce((a, b) => Math.max(a, b), top)
  return most === lowest ? [lowest, lowest + 1] : [lowest, most]
}

function timeRange({ history, forecast, scenarios }: Picture): [number, number] {
  const times = [history, forecast, ...scenarios.map(({ points }) => points)].flatMap((points) =>
    points.map(({ atMs }) => atMs),
  )
  if (times.length === 0) return [0, dayMs]
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
  return from === to ? [from - dayMs, to + dayMs] : [from, to]
}

export function frameOf(picture: Picture, top: number): Frame {
  const bottom = top + plotHeight
  const values = valueFrame({ unit: picture.unit, range: valueRange(picture), top, bottom })
  const [fromMs, toMs] = timeRange(picture)
  const x = scaleLinear().domain([fromMs, toMs]).range([values.left, values.right])
  return { ...values, fromMs, toMs, x: (atMs) => x(atMs) }
}
