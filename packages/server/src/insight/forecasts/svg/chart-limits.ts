import { symbol, symbolDiamond } from 'd3-shape'
import { element, group, textElement, textWidth, truncateToWidth } from '../../../platform/drawing/markup.ts'
import { paintAttributes } from '../../../platform/drawing/paints.ts'
import { edge } from '../../../platform/drawing/sheet.ts'
import { dateText } from '../../../platform/drawing/times.ts'
import { formatValue } from '../../../platform/drawing/values.ts'
import type { PlotFrame } from './chart-frame.ts'
import type { ForecastChart } from './chart-model.ts'
import { stepName } from './chart-units.ts'

/** Limits: a line for each limit per step, and below the plot a lane for each limit with its exhaustion date. */

type Limit = ForecastChart['limits'][number]

const maxLanes = 8
const labelHeight = 15
const laneHeight = 38
const headingHeight = 30
const fontPx = 12
const bold = { px: fontPx, isBold: true } as const
const stroke = { 'stroke-width': 1.5, ...paintAttributes({ stroke: 'limit' }) }
const halo = { 'paint-order': 'stroke', 'stroke-width': 4, 'stroke-linejoin': 'round' }

export const lanesHeight = (limits: readonly Limit[]): number =>
  limits.length === 0
    ? 0
    : headingHeight + Math.min(limits.length, maxLanes) * laneHeight + (limits.length > maxLanes ? 20 : 0)

/** Draws limits of one amount per step within the plot, each labelled where the label overlaps no other label or line. */
export function drawLimitLines(frame: PlotFrame, { limits, unit }: ForecastChart): string {
  const shown = limits
    .slice(0, maxLanes)
    .flatMap(({ name, perStep }) => (perStep === null ? [] : [{ name, perStep, at: frame.y(perStep) }]))
    .filter(({ at }) => at >= frame.top - 1 && at <= frame.bottom)
    .sort((a, b) => b.at - a.at)
  const lines = shown.map(({ at }) => element('line', { x1: frame.left, x2: frame.right, y1: at, y2: at, ...stroke }))
  let baseline = Number.POSITIVE_INFINITY
  const labels = shown.map(({ name, perStep, at }) => {
    baseline = Math.min(at, baseline - labelHeight + 6) - 6
    for (const other of shown) if (Math.abs(other.at - (baseline - 4)) < 9) baseline = other.at - 6
    if (baseline < frame.top) return ''
    return textElement(`${truncateToWidth(name, 260, bold)}: ${formatValue(unit, perStep)}`, {
      x: frame.left + 8,
      y: baseline,
      'font-size': fontPx,
      'font-weight': 600,
      ...halo,
      ...paintAttributes({ fill: 'limit', stroke: 'paper' }),
    })
  })
  return group({}, ...lines, ...labels)
}

/** Describes in words when a limit would be exhausted. */
export function exhaustionText({ exhaustedAtMs, earliestMs, latestMs }: Limit, timezone: string): string {
  const date = (atMs: number) => dateText(atMs, timezone)
  if (exhaustedAtMs === null)
    return earliestMs === null ? 'not within this forecast' : `perhaps, ${date(earliestMs)} at the earliest`
  const about = `about ${date(exhaustedAtMs)}`
  if (earliestMs === null) return about
  return latestMs === null
    ? `${about}, ${date(earliestMs)} at the earliest`
    : `${about}, between ${date(earliestMs)} and ${date(latestMs)}`
}

export function drawLimitLanes(frame: PlotFrame, picture: ForecastChart, top: number): string {
  const { limits } = picture
  if (limits.length === 0) return ''
  const more = limits.length - maxLanes
  const quiet = { 'font-size': fontPx, ...paintAttributes({ fill: 'quiet' }) }
  return group(
    {},
    textElement('When limits would be exhausted', {
      x: edge,
      y: top + 16,
      'font-size': 13,
      'font-weight': 600,
      ...paintAttributes({ fill: 'ink' }),
    }),
    ...limits
      .slice(0, maxLanes)
      .map((limit, i) => drawLane(frame, limit, picture, top + headingHeight + i * laneHeight)),
    ...(more > 0
      ? [
          textElement(`and ${more} more`, {
            x: frame.left,
            y: top + headingHeight + maxLanes * laneHeight + 10,
            ...quiet,
          }),
        ]
      : []),
  )
}

function drawLane(frame: PlotFrame, limit: Limit, picture: ForecastChart, top: number): string {
  const words = exhaustionText(limit, picture.timezone)
  const amount = limit.perStep === null ? '' : amountText(limit.perStep, picture)
  const { left, right } = frame
  const name = truncateToWidth(
    limit.name,
    right - left - textWidth(words, { px: fontPx }) - textWidth(amount, bold) - 16,
    bold,
  )
  const track = top + 22
  return group(
    {},
    textElement(name + amount, {
      x: left,
      y: top + 10,
      'font-size': fontPx,
      'font-weight': 600,
      ...paintAttributes({ fill: 'limit' }),
    }),
    textElement(words, {
      x: right,
      y: top + 10,
      'text-anchor': 'end',
      'font-size': fontPx,
      ...paintAttributes({ fill: 'ink' }),
    }),
    element('line', {
      x1: left,
      x2: right,
      y1: track,
      y2: track,
      'stroke-width': 1,
      ...paintAttributes({ stroke: 'grid' }),
    }),
    ...drawWhiskers(frame, limit, track),
  )
}

const amountText = (perStep: number, picture: ForecastChart) =>
  ` · ${formatValue(picture.unit, perStep)} per ${stepName(picture) ?? 'step'}`

/** Draws the interval as a bar, open at the end where no latest date is known, and the expected date as a diamond. */
function drawWhiskers(
  { x, left, right }: PlotFrame,
  { exhaustedAtMs, earliestMs, latestMs }: Limit,
  y: number,
): string[] {
  const within = (at: number) => Math.min(right, Math.max(left, at))
  const parts: string[] = []
  if (earliestMs !== null) {
    const [from, to] = [within(x(earliestMs)), latestMs === null ? right : within(x(latestMs))]
    parts.push(
      element('line', { x1: from, x2: to, y1: y, y2: y, ...stroke, 'stroke-width': 5, 'stroke-opacity': '0.35' }),
    )
    const ends = latestMs === null ? [from] : [from, to]
    parts.push(...ends.map((at) => element('line', { x1: at, x2: at, y1: y - 5, y2: y + 5, ...stroke })))
    if (latestMs === null && to - from > 12)
      parts.push(element('path', { d: `M${(right - 6).toFixed(1)} ${y - 5}l6 5l-6 5`, ...stroke }))
  }
  if (exhaustedAtMs !== null)
    parts.push(
      element('path', {
        d: symbol(symbolDiamond, 64).digits(1)() ?? '',
        transform: `translate(${within(x(exhaustedAtMs)).toFixed(1)} ${y})`,
        ...paintAttributes({ fill: 'limit' }),
      }),
    )
  return parts
}
