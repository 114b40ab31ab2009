import { type LegendEntry, layOutLegend, swatchWidth } from '../../platform/drawing/legend.ts'
import { element, group, textElement } from '../../platform/drawing/markup.ts'
import { type Paint, paintAttributes } from '../../platform/drawing/paints.ts'
import { axisFontPx, drawNothing, drawSheet, headingHeight } from '../../platform/drawing/sheet.ts'
import { dateText, shortDate } from '../../platform/drawing/times.ts'
import { drawValueAxis, type ValueFrame, valueFrame } from '../../platform/drawing/value-axis.ts'
import { formatValue, unitNames } from '../../platform/drawing/values.ts'
import { elementAt } from '../../values/present.ts'
import type { Cut } from './granules.ts'

/** The data of a chart of usage: dollars by period and group. */
export interface Bars {
  readonly cut: Cut
  readonly groups: readonly string[]
  readonly total: number
  /** The starts of the periods. */
  readonly starts: readonly number[]
  readonly values: readonly { readonly period: number; readonly name: string; readonly value: number }[]
}

interface Series {
  readonly name: string
  readonly paint: Paint
  readonly total: number
  /** By period. */
  readonly values: readonly number[]
}

const paints: readonly Paint[] = ['forecast', 'scenario0', 'scenario1', 'scenario2', 'scenario3', 'scenario4']
const plotHeight = 280
const axisHeight = 40
const maxBarPx = 60

/** Draws bars with one colour for each of the groups that cost most, and one for all others together. */
export function drawBars(bars: Bars): string {
  const { cut, groups, starts, total } = bars
  const series = seriesOf(bars)
  const by = groups.length === 0 ? '' : ` and ${groups.map((name) => name.replace(/_id$/, '')).join(', ')}`
  const legend = layOutLegend(groups.length === 0 ? [] : series.map(entryOf), headingHeight)
  const top = headingHeight + legend.height + 14
  const bottom = top + plotHeight
  const heights = starts.map((_start, period) => series.reduce((sum, { values }) => sum + elementAt(values, period), 0))
  const most = Math.max(0, ...heights)
  const frame = valueFrame({ unit: 'usd', range: [0, most === 0 ? 1 : most], top, bottom })
  return drawSheet(
    {
      title: `Cost by ${cut.granularity}${by}: ${formatValue('usd', total)}`,
      about: `${unitNames.usd} per ${cut.granularity} · ${cut.timezone}`,
      description: inWords(bars, series),
      height: bottom + axisHeight,
    },
    legend.markup,
    ...(most === 0
      ? [drawNothing(frame)]
      : [drawValueAxis(frame), drawColumns(frame, bars, series), periodAxis(frame, bars)]),
  )
}

/** Values of the bars: a correction can leave a period below zero, which has no height. */
function seriesOf({ groups, starts, values }: Bars): Series[] {
  const byName = new Map<string, number[]>()
  for (const { period, name, value } of values) {
    const known = byName.get(name) ?? starts.map(() => 0)
    known[period]! += Math.max(0, value)
    byName.set(name, known)
  }
  const totalOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
  const sorted = [...byName].toSorted(([a, x], [b, y]) => totalOf(y) - totalOf(x) || (a < b ? -1 : 1))
  const isAll = sorted.length <= paints.length
  const shown = sorted.slice(0, isAll ? paints.length : paints.length - 1)
  const others = sorted.slice(shown.length)
  const list = shown.map(([name, amounts], index) => ({
    name: groups.length === 0 ? 'Cost' : name,
    paint: elementAt(paints, index),
    total: totalOf(amounts),
    values: amounts,
  }))
  if (others.length === 0) return list
  const rest = starts.map((_start, period) => totalOf(others.map(([, amounts]) => elementAt(amounts, period))))
  return [...list, { name: `${others.length} others`, paint: 'axis', total: totalOf(rest), values: rest }]
}

const entryOf = ({ name, paint, total }: Series): LegendEntry => ({
  name: `${name} ${formatValue('usd', total)}`,
  swatch: (x, y) =>
    element('rect', {
      x: x + 8,
      y: y - 7,
      width: swatchWidth - 8,
      height: 14,
      rx: 2,
      ...paintAttributes({ fill: paint }),
    }),
})

const slotOf = ({ left, right }: ValueFrame, { starts }: Bars) => (right - left) / starts.length

function drawColumns(frame: ValueFrame, bars: Bars, series: readonly Series[]): string {
  const slot = slotOf(frame, bars)
  const width = Math.min(maxBarPx, slot * 0.8)
  const columns = bars.starts.flatMap((_start, period) => {
    let below = 0
    const x = frame.left + slot * (period + 0.5) - width / 2
    return series.flatMap(({ paint, values }) => {
      const value = elementAt(values, period)
      if (value <= 0) return []
      const [from, to] = [frame.y(below), frame.y(below + value)]
      below += value
      return [element('rect', { x, y: to, width, height: from - to, ...paintAttributes({ fill: paint }) })]
    })
  })
  return group({}, ...columns)
}

const pxPerLabel = 62

/** The axis: first days or hours of periods, as many as there is space for. */
function periodAxis(frame: ValueFrame, bars: Bars): string {
  const { starts, cut } = bars
  const slot = slotOf(frame, bars)
  const every = Math.max(1, Math.ceil(pxPerLabel / slot))
  const labels = starts.flatMap((start, period) =>
    period % every === 0
      ? [
          textElement(shortDate(start, cut.timezone, cut.granularity), {
            x: frame.left + slot * (period + 0.5),
            y: frame.bottom + 18,
            'text-anchor': 'middle',
            'font-size': axisFontPx,
            ...paintAttributes({ fill: 'quiet' }),
          }),
        ]
      : [],
  )
  return group({}, ...labels)
}

const short = (name: string) => (name.length > 80 ? `${name.slice(0, 79)}…` : name)

function inWords({ cut, starts, total, groups }: Bars, series: readonly Series[]): string {
  const window = `Cost per ${cut.granularity} from ${dateText(elementAt(starts, 0), cut.timezone)}, dates in ${cut.timezone}: ${formatValue('usd', total)} in all.`
  const named = series.map((one) => `${short(one.name)}: ${formatValue('usd', one.total)}.`)
  return groups.length === 0 ? window : [window, ...named].join(' ')
}
