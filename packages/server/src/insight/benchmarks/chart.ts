import { scaleLinear } from 'd3-scale'
import { present } from '../../values/present.ts'
import { type Metric, metrics } from './metrics.ts'
import { percents } from './percentiles.ts'
import type { Benchmark } from './schema.ts'

/** The chart of a cohort: a row for each metric, with its percentiles and the reader's own value. */

const width = 720
const rowHeight = 74
const top = 76
const left = 180
const right = width - 40

const titles: Record<Metric, string> = {
  cost_per_run_usd: 'Cost per run',
  tokens_per_run: 'Tokens per run',
  refusal_rate: 'Refused calls',
  cache_share: 'Cached input',
  latency_ms: 'Run duration',
  failure_rate: 'Failed runs',
}

const share = (value: number) => `${Number((value * 100).toPrecision(2))} %`
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 2 })
const formatters: Record<Metric, (value: number) => string> = {
  cost_per_run_usd: (value) => `$${Number(value.toPrecision(2))}`,
  tokens_per_run: (value) => short.format(value),
  refusal_rate: share,
  cache_share: share,
  latency_ms: (value) => (value < 1_000 ? `${Math.round(value)} ms` : `${Number((value / 1_000).toPrecision(2))} s`),
  failure_rate: share,
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Escapes a name, which is user input. */
const escapeXml = (text: string) => text.replace(/[&<>"']/g, (character) => present(entities[character]))
const label = (x: number, y: number, className: string, text: string) =>
  `<text x="${x.toFixed(1)}" y="${y}" class="${className}">${escapeXml(text)}</text>`

const style = `
  svg { background: #fff; color-scheme: light dark; }
  text { font: 12px system-ui, sans-serif; fill: #1f2933; }
  .title { font-size: 16px; font-weight: 600; } .quiet { fill: #616e7c; } .tick { text-anchor: middle; fill: #616e7c; font-size: 11px; }
  .own { text-anchor: middle; fill: #b44d12; font-weight: 600; font-size: 11px; }
  .axis { stroke: #cbd2d9; } .half { fill: #9fb3c8; } .most { fill: #d9e2ec; } .middle { stroke: #102a43; stroke-width: 2; }
  .mark { fill: #b44d12; }
  @media (prefers-color-scheme: dark) {
    svg { background: #111a22; } text { fill: #e4e7eb; } .quiet, .tick { fill: #9aa5b1; } .own { fill: #f7a072; }
    .axis { stroke: #3e4c59; } .half { fill: #486581; } .most { fill: #243b53; } .middle { stroke: #f0f4f8; } .mark { fill: #f7a072; }
  }`

interface MetricRow {
  readonly known: readonly { readonly percent: number; readonly at: number }[]
  readonly own: number | null
}

function metricRowOf(benchmark: Benchmark, metric: Metric): MetricRow {
  const values = benchmark.metrics[metric]
  return {
    known: percents.flatMap((percent) => {
      const at = values[`p${percent}`]
      return at === null ? [] : [{ percent, at: Number(at) }]
    }),
    own: values.own?.value == null ? null : Number(values.own.value),
  }
}

function drawBand(
  line: MetricRow,
  from: number,
  to: number,
  className: string,
  y: number,
  x: (value: number) => number,
) {
  const [low, high] = [from, to].map((percent) => line.known.find((each) => each.percent === percent)?.at)
  if (low === undefined || high === undefined) return ''
  const size = Math.max(x(high) - x(low), 1)
  return `<rect x="${x(low).toFixed(1)}" y="${y - 7}" width="${size.toFixed(1)}" height="14" rx="3" class="${className}"/>`
}

const fromTheMiddle = [50, 10, 90, 25, 75]
const letterPx = 6.4

/** Draws the tick labels. A label that would overlap another is left out; the median has precedence. */
function drawTicks(line: MetricRow, metric: Metric, y: number, x: (value: number) => number): string {
  const taken: { readonly from: number; readonly to: number }[] = []
  return fromTheMiddle
    .map((percent) => {
      const at = line.known.find((each) => each.percent === percent)?.at
      if (at === undefined) return ''
      const text = `p${percent} ${formatters[metric](at)}`
      const half = (text.length * letterPx) / 2
      const place = { from: x(at) - half, to: x(at) + half }
      if (taken.some(({ from, to }) => place.from < to && from < place.to)) return ''
      taken.push(place)
      return label(x(at), y + 24, 'tick', text)
    })
    .join('')
}

function drawRow(benchmark: Benchmark, metric: Metric, index: number): string {
  const line = metricRowOf(benchmark, metric)
  const y = top + index * rowHeight + 30
  const title = label(20, y + 4, 'name', titles[metric])
  const isDominated = Object.values(benchmark.metrics[metric].withheld).includes('dominated')
  const why = isDominated ? 'withheld: one organization dominates' : 'withheld: too few contributors'
  if (line.known.length === 0) return title + label(left, y + 4, 'quiet', why)
  const most = Math.max(...line.known.map(({ at }) => at), line.own ?? 0)
  const x = scaleLinear([0, most > 0 ? most * 1.05 : 1], [left, right])
  const middle = line.known.find(({ percent }) => percent === 50)
  return [
    title,
    `<line x1="${left}" x2="${right}" y1="${y}" y2="${y}" class="axis"/>`,
    drawBand(line, 10, 90, 'most', y, x),
    drawBand(line, 25, 75, 'half', y, x),
    middle &&
      `<line x1="${x(middle.at).toFixed(1)}" x2="${x(middle.at).toFixed(1)}" y1="${y - 10}" y2="${y + 10}" class="middle"/>`,
    drawTicks(line, metric, y, x),
    line.own !== null && `<circle cx="${x(line.own).toFixed(1)}" cy="${y}" r="5" class="mark"/>`,
    line.own !== null && label(x(line.own), y - 14, 'own', `you ${formatters[metric](line.own)}`),
  ]
    .filter((part) => typeof part === 'string')
    .join('')
}

export function drawBenchmark(benchmark: Benchmark): string {
  const { cohort, period_start, period_end, contributors_at_least } = benchmark
  const height = top + metrics.length * rowHeight + 10
  const lastDay = new Date(Date.parse(period_end) - 1).toISOString().slice(0, 10)
  const about = `${period_start.slice(0, 10)} to ${lastDay}, at least ${contributors_at_least} organizations. Bands: p10–p90, p25–p75.`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`${cohort.name}: ${about}`)}"><style>${style}</style>${label(20, 32, 'title', cohort.name)}${label(20, 54, 'quiet', about)}${metrics.map((metric, index) => drawRow(benchmark, metric, index)).join('')}</svg>`
}
