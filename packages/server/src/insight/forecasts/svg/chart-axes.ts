import { element, group, textElement } from '../../../platform/drawing/markup.ts'
import { paintAttributes } from '../../../platform/drawing/paints.ts'
import { axisFontPx } from '../../../platform/drawing/sheet.ts'
import { timeTicks } from '../../../platform/drawing/times.ts'
import type { PlotFrame } from './chart-frame.ts'

const pxPerTick = 62
export const timeAxisHeight = 40

export function drawTimeAxis({ left, right, bottom, fromMs, toMs, x }: PlotFrame, timezone: string): string {
  const ticks = timeTicks(fromMs, toMs, timezone, (right - left) / pxPerTick)
  const label = { 'text-anchor': 'middle', 'font-size': axisFontPx, ...paintAttributes({ fill: 'quiet' }) }
  return group(
    {},
    element('line', {
      x1: left,
      x2: right,
      y1: bottom,
      y2: bottom,
      'stroke-width': 1,
      ...paintAttributes({ stroke: 'axis' }),
    }),
    ...ticks.map(({ atMs, label: name, year }) => {
      const at = x(atMs)
      return (
        element('line', {
          x1: at,
          x2: at,
          y1: bottom,
          y2: bottom + 5,
          'stroke-width': 1,
          ...paintAttributes({ stroke: 'axis' }),
        }) +
        textElement(name, { x: at, y: bottom + 18, ...label }) +
        (year === undefined ? '' : textElement(year, { x: at, y: bottom + 33, ...label, 'font-weight': 600 }))
      )
    }),
  )
}

/** Draws the line between history and forecast. */
export function drawForecastStart({ x, top, bottom, right }: PlotFrame, atMs: number): string {
  const at = x(atMs)
  // The label stands after the line, or before it where there is too little space.
  const isNearEnd = right - at < 90
  return (
    element('line', {
      x1: at,
      x2: at,
      y1: top,
      y2: bottom,
      'stroke-width': 1,
      'stroke-dasharray': '2 3',
      ...paintAttributes({ stroke: 'axis' }),
    }) +
    textElement('forecast', {
      x: isNearEnd ? at - 6 : at + 6,
      y: top + 11,
      'text-anchor': isNearEnd ? 'end' : 'start',
      'font-size': 11,
      ...paintAttributes({ fill: 'quiet' }),
    })
  )
}
