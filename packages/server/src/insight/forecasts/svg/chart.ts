import { element, textElement } from '../../../platform/drawing/markup.ts'
import { paintAttributes } from '../../../platform/drawing/paints.ts'
import { drawNothing, drawSheet, edge, headingHeight, sheetWidth } from '../../../platform/drawing/sheet.ts'
import { drawValueAxis } from '../../../platform/drawing/value-axis.ts'
import { drawForecastStart, drawTimeAxis, timeAxisHeight } from './chart-axes.ts'
import { describeChart } from './chart-description.ts'
import { type PlotFrame, plotFrameOf, toDrawable } from './chart-frame.ts'
import { drawLegend } from './chart-legend.ts'
import { drawLimitLanes, drawLimitLines, lanesHeight } from './chart-limits.ts'
import type { ForecastChart } from './chart-model.ts'
import { drawForecastBands, drawHistory, drawMean, drawScenarios } from './chart-series.ts'
import { axisName } from './chart-units.ts'

const noteHeight = 32
/** Marks at the end of a line extend half their size beyond it. */
const bleed = 6

/** Draws one forecast as a self-contained SVG: no script, no external reference, and the same bytes for the same input. */
export function drawForecast(asked: ForecastChart): string {
  const picture = toDrawable(asked)
  const isDoubtful = picture.confidence === 'low'
  const isEmpty = [picture.history, picture.forecast, ...picture.scenarios.map(({ points }) => points)].every(
    (points) => points.length === 0,
  )
  const legendTop = headingHeight + (isDoubtful ? noteHeight + 8 : 0)
  const legend = drawLegend(picture, legendTop)
  const frame = plotFrameOf(picture, legendTop + legend.height + 14)
  const lanesTop = frame.bottom + timeAxisHeight + 8
  const height = frame.bottom + timeAxisHeight + (picture.limits.length > 0 ? 8 : 0) + lanesHeight(picture.limits) + 12
  const about = `${axisName(picture)} · ${picture.timezone} · ${picture.confidence} confidence`
  return drawSheet(
    { title: picture.title, about, description: describeChart(picture), height },
    ...(isDoubtful ? [drawConfidenceNote(picture, 62)] : []),
    legend.markup,
    ...(isEmpty
      ? [drawNothing(frame)]
      : [
          drawValueAxis(frame),
          drawPlot(frame, picture),
          drawTimeAxis(frame, picture.timezone),
          drawLimitLines(frame, picture),
        ]),
    drawLimitLanes(frame, picture, lanesTop),
  )
}

const noForecastText = 'This history is not enough for a forecast; the JSON response states the reasons.'
const lowConfidenceText =
  'Low confidence: rely on the intervals, not on the line; the JSON response states the reasons.'

const drawConfidenceNote = ({ forecast }: ForecastChart, top: number) =>
  element('rect', {
    x: edge,
    y: top,
    width: sheetWidth - 2 * edge,
    height: noteHeight,
    rx: 5,
    'stroke-width': 1,
    ...paintAttributes({ fill: 'warningPaper', stroke: 'warning' }),
  }) +
  element('path', {
    d: `M${edge + 20} ${top + 8}l9 16h-18z M${edge + 20} ${top + 14}v5 M${edge + 20} ${top + 21.2}v.6`,
    'stroke-width': 1.5,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
    ...paintAttributes({ stroke: 'warning' }),
  }) +
  textElement(forecast.length === 0 ? noForecastText : lowConfidenceText, {
    x: edge + 40,
    y: top + 20.5,
    'font-size': 12.5,
    ...paintAttributes({ fill: 'warning' }),
  })

/** Draws the content of the plot area. Bands are clipped at its edges; marks at the end of a line may extend beyond. */
function drawPlot(frame: PlotFrame, picture: ForecastChart): string {
  const last = picture.history.at(-1)
  return (
    clip(frame, 0, drawForecastBands(frame, picture)) +
    clip(
      frame,
      bleed,
      last && picture.forecast.length > 0 ? drawForecastStart(frame, last.atMs) : '',
      drawHistory(frame, picture),
      drawMean(frame, picture),
      drawScenarios(frame, picture),
    )
  )
}

function clip({ left, top, right, bottom }: PlotFrame, beyond: number, ...children: readonly string[]): string {
  const [x, y] = [left - bleed, top - beyond]
  const [width, height] = [right - left + 2 * bleed, bottom - top + 2 * beyond]
  const viewBox = [x, y, width, height].map((value) => Math.round(value * 10) / 10).join(' ')
  return element('svg', { x, y, width, height, viewBox, overflow: 'hidden' }, ...children)
}
