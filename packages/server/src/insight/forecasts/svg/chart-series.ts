import { area, line, symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape'
import { element, group } from '../../../platform/drawing/markup.ts'
import { type Paint, paintAttributes } from '../../../platform/drawing/paints.ts'
import { elementAt } from '../../../values/present.ts'
import type { PlotFrame } from './chart-frame.ts'
import type { ChartPoint, ForecastChart } from './chart-model.ts'

/** The lines and bands of a chart. No two lines differ by colour alone. */

type Points = readonly { readonly atMs: number; readonly value: number }[]

export const bands = [
  { interval: 'p95', percent: 95, opacity: 0.15 },
  { interval: 'p80', percent: 80, opacity: 0.2 },
  { interval: 'p50', percent: 50, opacity: 0.28 },
] as const

export const historyStroke = { 'stroke-width': 1.6, ...paintAttributes({ stroke: 'history' }) }
export const forecastStroke = { 'stroke-width': 2.6, ...paintAttributes({ stroke: 'forecast' }) }

function pathOf({ x, y }: PlotFrame, points: Points): string {
  const draw = line<Points[number]>(
    ({ atMs }) => x(atMs),
    ({ value }) => y(value),
  ).digits(1)
  return draw(points) ?? ''
}

/** Draws a line, or a dot for a single point, which a line would not show. */
function drawLine(
  frame: PlotFrame,
  points: Points,
  stroke: Readonly<Record<string, string | number | undefined>>,
  paint: Paint,
) {
  const [only] = points
  if (only === undefined) return ''
  return points.length === 1
    ? element('circle', {
        cx: frame.x(only.atMs),
        cy: frame.y(only.value),
        r: 3.5,
        ...paintAttributes({ fill: paint }),
      })
    : element('path', { d: pathOf(frame, points), ...stroke, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' })
}

export const drawHistory = (frame: PlotFrame, { history }: ForecastChart): string =>
  drawLine(frame, history, historyStroke, 'history')

/** Draws the three nested bands. */
export function drawForecastBands(frame: PlotFrame, { forecast }: ForecastChart): string {
  const { x, y } = frame
  const drawn = bands.map(({ interval, opacity }) => {
    const [only] = forecast
    if (forecast.length === 1 && only) {
      const [low, high] = only[interval]
      const at = x(only.atMs)
      return element('rect', {
        x: at - 5,
        width: 10,
        y: y(high),
        height: y(low) - y(high),
        'fill-opacity': String(opacity),
        ...paintAttributes({ fill: 'forecast' }),
      })
    }
    const draw = area<ChartPoint>()
      .x(({ atMs }) => x(atMs))
      .y0((point) => y(point[interval][0]))
      .y1((point) => y(point[interval][1]))
      .digits(1)
    return element('path', {
      d: draw(forecast) ?? '',
      'fill-opacity': String(opacity),
      ...paintAttributes({ fill: 'forecast' }),
    })
  })
  return forecast.length === 0 ? '' : drawn.join('')
}

export const drawMean = (frame: PlotFrame, { forecast }: ForecastChart): string =>
  drawLine(
    frame,
    forecast.map(({ atMs, mean }) => ({ atMs, value: mean })),
    forecastStroke,
    'forecast',
  )

const dashes = ['7 4', '2 4', '10 3 2 3', '14 5']
const marks = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross]
const scenarioPaints = ['scenario0', 'scenario1', 'scenario2', 'scenario3', 'scenario4'] as const
const marksOnLine = 5

/** The stroke of a scenario. There are four dash patterns and five marks, so that no two scenarios share both. */
export const scenarioStroke = (index: number) => ({
  'stroke-width': 1.8,
  'stroke-dasharray': elementAt(dashes, index % dashes.length),
  ...paintAttributes({ stroke: elementAt(scenarioPaints, index % scenarioPaints.length) }),
})

export const scenarioMark = (index: number, x: number, y: number): string =>
  element('path', {
    d: symbol(marks[index % marks.length], 38).digits(1)() ?? '',
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    'stroke-width': 1.5,
    ...paintAttributes({ fill: 'paper', stroke: elementAt(scenarioPaints, index % scenarioPaints.length) }),
  })

export const drawScenarios = (frame: PlotFrame, { scenarios }: ForecastChart): string =>
  scenarios
    .map(({ points }, index) => {
      // Marks of neighbouring lines stand at different times, and one stands at the end.
      const shift = (index % scenarioPaints.length) / scenarioPaints.length
      const places = Array.from({ length: marksOnLine }, (_, i) =>
        Math.round(((i + shift) / marksOnLine) * (points.length - 1)),
      )
      const marked = [...new Set([...places, points.length - 1])].flatMap((place) => points[place] ?? [])
      return group(
        {},
        element('path', { d: pathOf(frame, points), ...scenarioStroke(index), 'stroke-linejoin': 'round' }),
        ...marked.map(({ atMs, value }) => scenarioMark(index, frame.x(atMs), frame.y(value))),
      )
    })
    .join('')
