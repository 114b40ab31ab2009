import { scaleBand, scaleLinear } from 'd3-scale'
import { line, stack } from 'd3-shape'
import { type Content, html, type Markup, nothing, when } from './markup.ts'

/** One value of a chart: a number that is drawn, and the text for people. */
export interface ChartValue {
  readonly amount: number
  readonly text: string
}

/** Expected height of a bar: the mean, and the ranges in which half and four fifths of the values end. */
export interface ExpectedBar {
  readonly mean: ChartValue
  readonly half: readonly [number, number]
  readonly most: readonly [ChartValue, ChartValue]
}

/** One bar of a chart: a period, with a value for each series, or what is expected of it. */
export interface ChartBar {
  /** Name of the period, such as `Tue 17 Nov`. */
  readonly label: string
  /** Short name below the axis, such as `17`. */
  readonly tick: string
  readonly values: readonly ChartValue[]
  readonly total: ChartValue
  readonly expected?: ExpectedBar | undefined
  /** True for the period that runs now. */
  readonly isNow?: boolean
}

/** A chart of stacked bars. The last series stands for all others where `hasOthers` is set. */
export interface BarChart {
  /** All that the picture shows, in a sentence. */
  readonly sentence: string
  /** Name of what a bar is, for the table: Day. */
  readonly period: string
  readonly series: readonly string[]
  readonly hasOthers?: boolean
  readonly bars: readonly ChartBar[]
  /** Text for a value of the axis. */
  readonly axisText: (amount: number) => string
  /** Limits, drawn as dashed lines with their names. */
  readonly limits?: readonly { readonly name: string; readonly amount: number }[]
  /** Lines over the bars, such as scenarios: a value for each bar, null where there is none. */
  readonly lines?: readonly { readonly name: string; readonly amounts: readonly (number | null)[] }[]
  /** Width of the wide drawing: 800 beside something else, 1200 alone. */
  readonly width?: 800 | 1200
}

const maxColours = 6

/** Returns the class of a series: its colour, in the order of what was spent. */
export const seriesClass = ({ series, hasOthers }: Pick<BarChart, 'series' | 'hasOthers'>, index: number): string =>
  (hasOthers === true && index === series.length - 1) || index >= maxColours ? 'c0' : `c${index + 1}`

interface Size {
  readonly kind: 'wide' | 'narrow'
  readonly width: number
  readonly height: number
}

const short = (value: number) => String(Math.round(value * 100) / 100)
const characterWidth = 6.6
const maxGridLines = 5

function scalesOf({ bars, limits = [], lines = [], axisText }: BarChart, { width, height }: Size) {
  const highest = Math.max(
    ...bars.map(({ total, expected }) => Math.max(total.amount, expected?.most[1].amount ?? 0)),
    ...lines.flatMap(({ amounts }) => amounts.map((amount) => amount ?? 0)),
    0,
  )
  // A limit far above everything would flatten the bars: it is left out of the picture.
  const shownLimits = limits.filter(({ amount }) => amount <= highest * 2)
  const top = Math.max(highest, ...shownLimits.map(({ amount }) => amount * 1.02)) || 1
  let y = scaleLinear()
    .domain([0, top])
    .nice(maxGridLines - 1)
  let ticks = y.ticks(maxGridLines - 1)
  for (let count = maxGridLines - 2; ticks.length > maxGridLines && count > 1; count--) {
    y = scaleLinear().domain([0, top]).nice(count)
    ticks = y.ticks(count)
  }
  const left = Math.max(46, Math.max(...ticks.map((tick) => axisText(tick).length)) * characterWidth + 10)
  const bottom = height - 26
  y.range([bottom, 14])
  const x = scaleBand<number>()
    .domain(bars.map((_, index) => index))
    .range([left, width - 8])
    .paddingInner(0.32)
    .paddingOuter(0.16)
  return { x, y, ticks, left, right: width - 8, bottom, shownLimits }
}

type Scales = ReturnType<typeof scalesOf>

const grid = ({ axisText }: BarChart, { y, ticks, left, right }: Scales): Markup[] =>
  ticks.map(
    (tick) =>
      html`<line class="${tick === 0 ? 'ax0' : 'ax'}" x1="${short(left)}" x2="${right}" y1="${short(y(tick))}" y2="${short(y(tick))}"/><text x="${short(left - 8)}" y="${short(y(tick) + 4)}" text-anchor="end">${axisText(tick)}</text>`,
  )

const box = (name: string, x: number, width: number, from: number, to: number): Markup =>
  to - from <= 0
    ? nothing
    : html`<rect class="${name}" x="${short(x)}" y="${short(from)}" width="${short(width)}" height="${short(to - from)}"/>`

/** Drawing of what is expected of a bar: a ghost above what there is already, lighter for four fifths and darker for half of the values. */
function ghost({ label, expected, total }: ChartBar, index: number, { x, y }: Scales): Content {
  if (!expected) return nothing
  const { mean, half, most } = expected
  const left = x(index) ?? 0
  const width = x.bandwidth()
  return html`<g><title>${label}, expected: ${mean.text}
4 of 5 times between ${most[0].text} and ${most[1].text}</title>${box('ghost', left, width, y(most[0].amount), y(total.amount))}${box('p80', left, width, y(most[1].amount), y(most[0].amount))}${box('p50', left, width, y(half[1]), y(half[0]))}<path class="mean" d="M${short(left)} ${short(y(mean.amount))}h${short(width)}"/></g>`
}

/** A bar: its series from the bottom up, a hair apart. */
function column(chart: BarChart, bar: ChartBar, index: number, scales: Scales): Content {
  if (bar.total.amount === 0 && bar.values.every(({ amount }) => amount === 0)) return nothing
  const { x, y } = scales
  const named = chart.series.length > 1
  const parts = bar.values.flatMap(({ amount, text }, at) =>
    named && amount !== 0 ? [`\n${chart.series[at] ?? ''} ${text}`] : [],
  )
  const layers = stack<unknown, readonly ChartValue[], number>()
    .keys(bar.values.map((_, at) => at))
    .value((values, at) => Math.max(0, values[at]?.amount ?? 0))([bar.values])
  return html`<g class="col"><title>${bar.label}: ${bar.total.text}${parts}</title>${layers.map((layer, at) => {
    const [from, to] = layer[0] ?? [0, 0]
    const gap = at > 0 && y(from) - y(to) > 2 ? 1 : 0
    return box(seriesClass(chart, at), x(index) ?? 0, x.bandwidth(), y(to), y(from) - gap)
  })}</g>`
}

/** Names below the axis: as many as there is room for, and always that of the period that runs now. */
function names({ bars }: BarChart, { x, bottom }: Scales): Markup[] {
  const widest = Math.max(1, ...bars.map(({ tick }) => tick.length)) * characterWidth + 8
  const step = Math.max(1, Math.ceil(widest / x.step()))
  const now = bars.findIndex(({ isNow }) => isNow === true)
  const offset = now < 0 ? 0 : now % step
  return bars.flatMap(({ tick, isNow }, index) =>
    index % step === offset
      ? [
          html`<text${isNow === true ? html` class="b"` : nothing} x="${short((x(index) ?? 0) + x.bandwidth() / 2)}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`,
        ]
      : [],
  )
}

/** The line after the period that runs now, behind which everything is expected. */
function border({ bars }: BarChart, { x, bottom }: Scales): Content {
  const first = bars.findIndex(({ expected, isNow }) => expected !== undefined && isNow !== true)
  if (first < 1) return nothing
  const at = (x(first) ?? 0) - (x.step() - x.bandwidth()) / 2
  return html`<line class="now" x1="${short(at)}" x2="${short(at)}" y1="8" y2="${bottom}"/><text x="${short(at + 6)}" y="16">expected</text>`
}

function drawing(chart: BarChart, size: Size): Markup {
  const scales = scalesOf(chart, size)
  const { x, y, left, right, shownLimits } = scales
  const pathOf = line<number | null>()
    .defined((amount) => amount !== null)
    .x((_, index) => (x(index) ?? 0) + x.bandwidth() / 2)
    .y((amount) => y(amount ?? 0))
  return html`<svg class="${size.kind}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${chart.sentence}">${grid(chart, scales)}${chart.bars.map((bar, index) => ghost(bar, index, scales))}${border(chart, scales)}${chart.bars.map((bar, index) => column(chart, bar, index, scales))}${shownLimits.map(
    ({ name, amount }) =>
      html`<line class="cap" x1="${short(left)}" x2="${right}" y1="${short(y(amount))}" y2="${short(y(amount))}"/><text class="hot" x="${short(left + 4)}" y="${short(y(amount) - 6)}">${name}</text>`,
  )}${(chart.lines ?? []).map(
    ({ name, amounts }, index) =>
      html`<g><title>${name}</title><path class="plan plan-${index + 1}" d="${(pathOf([...amounts]) ?? '').replaceAll(/\d+\.\d+/g, (number) => short(Number(number)))}"/></g>`,
  )}${names(chart, scales)}</svg>`
}

const swatch = (name: string): Markup =>
  html`<svg class="sw" aria-hidden="true"><rect class="${name}" width="12" height="10"/></svg>`

/** Names of the series with their colours, and a text beside each, such as its sum. */
export const chartLegend = (
  chart: Pick<BarChart, 'series' | 'hasOthers'>,
  texts: readonly (string | undefined)[] = [],
): Markup =>
  html`<ul class="legend">${chart.series.map(
    (name, index) =>
      html`<li>${swatch(seriesClass(chart, index))}${name}${when(texts[index], (text) => html` <b>${text}</b>`)}</li>`,
  )}</ul>`

/** The legend of a forecast, in words. */
export const forecastKey = (...more: readonly Content[]): Markup =>
  html`<div class="key"><span>${swatch('p80')}4 of 5 end in here</span><span>${swatch('p50')}every second one</span><span>line: expected</span>${more.map((text) => html`<span>${text}</span>`)}</div>`

/** The numbers of a chart as a table, for those who would rather read them. */
const chartTable = ({ sentence, period, series, bars }: BarChart): Markup => {
  const hasExpected = bars.some(({ expected }) => expected !== undefined)
  const isSplit = series.length > 1
  const head = [...(isSplit ? series : []), isSplit ? 'Total' : (series[0] ?? 'Total')]
  return html`<details class="more"><summary>Show as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="${sentence}, as a table"><table class="t dense"><thead><tr><th scope="col">${period}</th>${head.map((name) => html`<th scope="col" class="n">${name}</th>`)}${
    hasExpected ? html`<th scope="col" class="n">Expected</th><th scope="col" class="n">4 of 5 times</th>` : nothing
  }</tr></thead><tbody>${bars.map(
    ({ label, values, total, expected }) =>
      html`<tr><th scope="row" class="nowrap">${label}</th>${isSplit ? values.map(({ text }) => html`<td class="n">${text}</td>`) : nothing}<td class="n">${total.text}</td>${
        hasExpected
          ? html`<td class="n">${expected?.mean.text ?? ''}</td><td class="n nowrap">${expected ? `${expected.most[0].text} to ${expected.most[1].text}` : ''}</td>`
          : nothing
      }</tr>`,
  )}</tbody></table></div></details>`
}

/** A chart of bars: drawn twice, wide and narrow, so that its text never shrinks; below it `key`, and its numbers as a table. */
export const barChart = (chart: BarChart, key: Content = nothing): Markup =>
  html`<div class="chart">${drawing(chart, { kind: 'wide', width: chart.width ?? 1200, height: 260 })}${drawing(chart, { kind: 'narrow', width: 358, height: 220 })}</div>${key}${chartTable(chart)}`
