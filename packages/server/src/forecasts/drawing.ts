import { forecastBegins, timeAxis, timeAxisHeight, valueAxis } from './drawing-axes.ts'
import { drawable, edge, type Frame, frameOf, sheetWidth } from './drawing-frame.ts'
import { drawLegend } from './drawing-legend.ts'
import { lanesHeight, limitLanes, limitLines } from './drawing-limits.ts'
import { element, escaped, fitted, text } from './drawing-markup.ts'
import { darkStyle, painted } from './drawing-paints.ts'
import { drawForecastBands, drawHistory, drawMean, drawScenarios } from './drawing-series.ts'
import { axisName } from './drawing-values.ts'
import { pictureInWords } from './drawing-words.ts'
import type { Picture } from './picture.ts'

const titleFont = { px: 17, isBold: true } as const
const headingHeight = 66
const noteHeight = 32
/** Marks at the very end of a line stand half beyond it. */
const bleed = 6

/** One forecast as an SVG that stands by itself: no script, no reference to anything, the same bytes for the same picture. */
export function drawForecast(asked: Picture): string {
  const picture = drawable(asked)
  const isDoubtful = picture.confidence === 'low'
  const isEmpty = [picture.history, picture.forecast, ...picture.scenarios.map(({ points }) => points)].every(
    (points) => points.length === 0,
  )
  const legendTop = headingHeight + (isDoubtful ? noteHeight + 8 : 0)
  const legend = drawLegend(picture, legendTop)
  const frame = frameOf(picture, legendTop + legend.height + 14)
  const lanesTop = frame.bottom + timeAxisHeight + 8
  const height = frame.bottom + timeAxisHeight + (picture.limits.length > 0 ? 8 : 0) + lanesHeight(picture.limits) + 12
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${sheetWidth} ${height}`,
      width: sheetWidth,
      height,
      role: 'img',
      'font-family': 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
    },
    element('title', {}, escaped(fitted(picture.title, 2_000, titleFont))),
    element('desc', {}, escaped(pictureInWords(picture))),
    element('style', {}, darkStyle),
    sheet(height),
    heading(picture),
    ...(isDoubtful ? [doubt(picture, 62)] : []),
    legend.markup,
    ...(isEmpty
      ? [nothing(frame)]
      : [valueAxis(frame), plot(frame, picture), timeAxis(frame, picture.timezone), limitLines(frame, picture)]),
    limitLanes(frame, picture, lanesTop),
  )}\n`
}

/** Its own paper, so that it can be read on any page. */
const sheet = (height: number) =>
  element('rect', {
    x: 0.5,
    y: 0.5,
    width: sheetWidth - 1,
    height: height - 1,
    rx: 8,
    'stroke-width': 1,
    ...painted({ fill: 'paper', stroke: 'border' }),
  })

function heading(picture: Picture): string {
  const about = `${axisName(picture)} · ${picture.timezone} · ${picture.confidence} confidence`
  return (
    text(fitted(picture.title, sheetWidth - 2 * edge, titleFont), {
      x: edge,
      y: 32,
      'font-size': titleFont.px,
      'font-weight': 600,
      ...painted({ fill: 'ink' }),
    }) + text(about, { x: edge, y: 52, 'font-size': 12.5, ...painted({ fill: 'quiet' }) })
  )
}

const withoutForecast = 'This history carries no forecast; the answer as JSON says why.'
const withDoubt = 'Low confidence: go by the intervals, not by the line; the answer as JSON says why.'

const doubt = ({ forecast }: Picture, top: number) =>
  element('rect', {
    x: edge,
    y: top,
    width: sheetWidth - 2 * edge,
    height: noteHeight,
    rx: 5,
    'stroke-width': 1,
    ...painted({ fill: 'warningPaper', stroke: 'warning' }),
  }) +
  element('path', {
    d: `M${edge + 20} ${top + 8}l9 16h-18z M${edge + 20} ${top + 14}v5 M${edge + 20} ${top + 21.2}v.6`,
    'stroke-width': 1.5,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
    ...painted({ stroke: 'warning' }),
  }) +
  text(forecast.length === 0 ? withoutForecast : withDoubt, {
    x: edge + 40,
    y: top + 20.5,
    'font-size': 12.5,
    ...painted({ fill: 'warning' }),
  })

/** What lies within the axes: bands end at them, and marks at the end of a line stand half beyond. */
function plot(frame: Frame, picture: Picture): string {
  const last = picture.history.at(-1)
  return (
    cut(frame, 0, drawForecastBands(frame, picture)) +
    cut(
      frame,
      bleed,
      last && picture.forecast.length > 0 ? forecastBegins(frame, last.atMs) : '',
      drawHistory(frame, picture),
      drawMean(frame, picture),
      drawScenarios(frame, picture),
    )
  )
}

function cut({ left, top, right, bottom }: Frame, beyond: number, ...children: readonly string[]): string {
  const [x, y] = [left - bleed, top - beyond]
  const [width, height] = [right - left + 2 * bleed, bottom - top + 2 * beyond]
  const viewBox = [x, y, width, height].map((value) => Math.round(value * 10) / 10).join(' ')
  return element('svg', { x, y, width, height, viewBox, overflow: 'hidden' }, ...children)
}

const nothing = ({ left, right, top, bottom }: Frame) =>
  text('There is nothing to draw yet.', {
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    'text-anchor': 'middle',
    'font-size': 14,
    ...painted({ fill: 'quiet' }),
  })
