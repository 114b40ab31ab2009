import { scaleLinear } from 'd3-scale'
import { element, textElement, textWidth } from './markup.ts'
import { paintAttributes } from './paints.ts'
import { axisFontPx, edge, sheetWidth } from './sheet.ts'
import { type ChartUnit, tickFormatter } from './values.ts'

/** The position of a plot on the sheet, with its value scale. */
export interface ValueFrame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly y: (value: number) => number
  readonly ticks: readonly { readonly value: number; readonly label: string }[]
}

export interface ValueRange {
  readonly unit: ChartUnit
  readonly range: readonly [number, number]
  readonly top: number
  readonly bottom: number
}

export function valueFrame({ unit, range, top, bottom }: ValueRange): ValueFrame {
  const scale = scaleLinear().domain(range).nice(5).range([bottom, top])
  const values = scale.ticks(5)
  const write = tickFormatter(unit, values)
  const ticks = values.map((value) => ({ value, label: write(value) }))
  const left = edge + 10 + Math.max(24, ...ticks.map(({ label }) => textWidth(label, { px: axisFontPx })))
  // Half of the last date label extends beyond the plot.
  return { left, right: sheetWidth - edge - 12, top, bottom, y: (value) => scale(value), ticks }
}

/** Draws the horizontal grid lines with their labels. */
export const drawValueAxis = ({ left, right, y, ticks }: ValueFrame): string =>
  ticks
    .map(({ value, label }) => {
      const at = y(value)
      const line = { x1: left, x2: right, y1: at, y2: at, 'stroke-width': 1 }
      return (
        element('line', { ...line, ...paintAttributes({ stroke: value === 0 ? 'axis' : 'grid' }) }) +
        textElement(label, {
          x: left - 8,
          y: at + 4,
          'text-anchor': 'end',
          'font-size': axisFontPx,
          ...paintAttributes({ fill: 'quiet' }),
        })
      )
    })
    .join('')
