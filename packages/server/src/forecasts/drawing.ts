import { element, text } from '../drawing/markup.ts'
import { painted } from '../drawing/paints.ts'
import { drawNothing, drawSheet, edge, headingHeight, sheetWidth } from '../drawing/sheet.ts'
import { valueAxis } from '../drawing/value-axis.ts'
import { forecastBegins, timeAxis, timeAxisHeight } from './drawing-axes.ts'
import { drawable, type Frame, frameOf } from './drawing-frame.ts'
import { drawLegend } from './drawing-legend.ts'
import { lanesHeight, limitLanes, limitLines } from './drawing-limits.ts'
import { drawForecastBands, drawHistory, drawMean, drawScenarios } from './drawing-series.ts'
import { axisName } from './drawing-values.ts'
import { pictureInWords } from './drawing-words.ts'
import type { Picture } from './picture.ts'

const noteHeight = 32
/** Marks at the end of a line extend half their size beyond it. */
const bleed = 6

/** Draws one forecast as a self-contained SVG: no script, no external reference, and the same bytes for the same input. */
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
  const about = `${axisName(picture)} · ${picture.timezone} · ${picture.confidence} confidence`
  return drawSheet(
    { title: picture.title, about, words: pictureInWords(picture), height },
    ...(isDoubtful ? [doubt(picture, 62)] : []),
    legend.markup,
    ...(isEmpty
      ? [drawNothing(frame)]
      : [valueAxis(frame), plot(frame, picture), timeAxis(frame, picture.timezone), limitLines(frame, picture)]),
    limitLanes(frame, picture, lanesTop),
  )
}

const withoutForecast = 'This history is not enough for a forecast; the JSON response states the reasons.'
const withDoubt = 'Low confidence: rely on the intervals, not on the line; the JSON response states the reasons.'

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

/** Draws the content of the plot area. Bands are clipped at its edges; marks at the end of a line may extend beyond. */
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
