import { scaleLinear, scaleLog } from 'd3-scale'
import type { Failover, Measured, Side } from '../../../scripts/proof/situations.ts'
import { layOutLegend } from '../src/platform/drawing/legend.ts'
import { element, textElement } from '../src/platform/drawing/markup.ts'
import { type Paint, paintAttributes } from '../src/platform/drawing/paints.ts'
import { axisFontPx, drawSheet, edge, headingHeight, sheetWidth } from '../src/platform/drawing/sheet.ts'

/** The pictures of `docs/proof.md`. */

const sides: readonly { readonly name: string; readonly title: string; readonly paint: Paint }[] = [
  { name: 'weir', title: 'Weir', paint: 'forecast' },
  { name: 'postgres', title: 'PostgreSQL alone', paint: 'scenario0' },
  { name: 'framework', title: 'bare framework', paint: 'axis' },
]

const legendOf = (top: number) =>
  layOutLegend(
    sides.map(({ title, paint }) => ({
      name: title,
      swatch: (x: number, y: number) => bar(x, x + 26, y, paint),
    })),
    top,
  )

const bar = (from: number, to: number, y: number, paint: Paint) =>
  element('line', {
    x1: from,
    x2: Math.max(to, from + 2),
    y1: y,
    y2: y,
    'stroke-width': 6,
    'stroke-linecap': 'round',
    ...paintAttributes({ stroke: paint }),
  })

const label = (
  content: string,
  x: number,
  y: number,
  anchor: 'start' | 'middle' | 'end' = 'start',
  paint: Paint = 'quiet',
) => textElement(content, { x, y, 'text-anchor': anchor, 'font-size': axisFontPx, ...paintAttributes({ fill: paint }) })

const line = (x1: number, y1: number, x2: number, y2: number, stroke: Paint) =>
  element('line', { x1, x2, y1, y2, 'stroke-width': 1, ...paintAttributes({ stroke }) })

const msLabel = (value: number) => (value >= 1_000 ? `${value / 1_000} s` : `${value} ms`)

/** From p50 to p99 of each side in each situation, on a logarithmic axis. */
export function latencyPicture(measured: readonly Measured[]): string {
  const all = measured.flatMap(({ sides: by }) => Object.values(by))
  const [least, most] = [Math.min(...all.map(({ p50 }) => p50)), Math.max(...all.map(({ p99 }) => p99))]
  const left = 270
  const x = scaleLog(
    [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))],
    [left, sheetWidth - edge - 20],
  )
  const legend = legendOf(headingHeight)
  const top = headingHeight + legend.height + 12
  const rowHeight = 40
  const bottom = top + measured.length * rowHeight
  const decades = x.ticks().filter((value) => Number.isInteger(Math.log10(value)))
  const grid = decades.map(
    (value) => line(x(value), top, x(value), bottom, 'grid') + label(msLabel(value), x(value), bottom + 18, 'middle'),
  )
  const rows = measured.map(({ situation, load, sides: by }, i) => {
    const y = top + i * rowHeight
    const bars = sides.flatMap(({ name, paint }, place) => {
      const side: Side | undefined = by[name]
      return side === undefined ? [] : bar(x(side.p50), x(side.p99), y + 10 + place * 10, paint)
    })
    return label(situation, edge, y + 17, 'start', 'ink') + label(load, edge, y + 32) + bars.join('')
  })
  return drawSheet(
    {
      title: 'How long a decision takes',
      about: 'From p50 (left end) to p99 (right end) of each, on a logarithmic axis',
      description: measured
        .map(
          ({ situation, load, sides: { weir } }) =>
            `${situation}, ${load}: Weir p50 ${weir?.p50} ms, p99 ${weir?.p99} ms`,
        )
        .join('. '),
      height: bottom + 36,
    },
    legend.markup,
    ...grid,
    ...rows,
  )
}

/** Each second of a failover: requests answered and failed as columns, p99 as points. */
export function failoverPicture({ seconds, killedAt, perSecond, firstAnswer, lost, admitted }: Failover): string {
  const [left, right, top, middle, bottom] = [edge + 62, sheetWidth - edge - 12, headingHeight + 16, 190, 330]
  const x = scaleLinear([0, seconds.length], [left, right])
  const answered = scaleLinear([0, perSecond], [middle, top])
  const slowest = Math.max(10, ...seconds.map(({ p99 }) => p99))
  const time = scaleLog([1, 10 ** Math.ceil(Math.log10(slowest))], [bottom, middle + 40]).clamp(true)
  const width = x(1) - x(0) - 2
  const columns = seconds.map(({ second, answered: good, failed }) => {
    const column = (from: number, to: number, fill: Paint) =>
      to <= from
        ? ''
        : element('rect', {
            x: x(second) + 1,
            width,
            y: answered(to),
            height: answered(from) - answered(to),
            ...paintAttributes({ fill }),
          })
    return column(0, good, 'forecast') + column(good, good + failed, 'limit')
  })
  const points = seconds
    .filter(({ answered: good }) => good > 0)
    .map(({ second, p99 }) =>
      element('circle', {
        cx: x(second + 0.5),
        cy: time(Math.max(1, p99)),
        r: 3,
        ...paintAttributes({ fill: 'history' }),
      }),
    )
  const decades = time.ticks().filter((value) => Number.isInteger(Math.log10(value)))
  const grid = [
    ...[0, perSecond].map(
      (value) =>
        line(left, answered(value), right, answered(value), 'grid') +
        label(`${value}/s`, left - 8, answered(value) + 4, 'end'),
    ),
    ...decades.map(
      (value) =>
        line(left, time(value), right, time(value), 'grid') + label(msLabel(value), left - 8, time(value) + 4, 'end'),
    ),
    ...x.ticks(6).map((value) => label(`${value} s`, x(value), bottom + 20, 'middle')),
  ]
  const death =
    line(x(killedAt), top - 6, x(killedAt), bottom, 'limit') +
    label('the primary is killed', x(killedAt) + 6, top - 2, 'start', 'limit')
  return drawSheet(
    {
      title: 'The primary dies',
      about:
        'Above: requests of each second, answered and (red) failed. Below: p99 of those that were answered, on a logarithmic axis',
      description: `The first answer came ${firstAnswer} s after the death; of ${admitted} reservations ${lost} were lost.`,
      height: bottom + 36,
    },
    ...grid,
    ...columns,
    death,
    ...points,
  )
}
