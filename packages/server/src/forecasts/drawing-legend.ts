import { edge, sheetWidth } from './drawing-frame.ts'
import { element, fitted, group, text, widthOf } from './drawing-markup.ts'
import { painted } from './drawing-paints.ts'
import { bands, forecastStroke, historyStroke, scenarioMark, scenarioStroke } from './drawing-series.ts'
import type { Picture } from './picture.ts'

const fontPx = 12
const rowHeight = 22
const swatchWidth = 30
const gap = 18
const maxNamePx = 300

interface Entry {
  readonly name: string
  readonly swatch: (x: number, y: number) => string
}

const stroke = (x: number, y: number, look: Readonly<Record<string, string | number | undefined>>) =>
  element('line', { x1: x, x2: x + swatchWidth, y1: y, y2: y, ...look })

function entriesOf({ history, forecast, scenarios }: Picture): Entry[] {
  return [
    ...(history.length > 0 ? [{ name: 'History', swatch: (x: number, y: number) => stroke(x, y, historyStroke) }] : []),
    ...(forecast.length > 0
      ? [
          { name: 'Forecast', swatch: (x: number, y: number) => stroke(x, y, forecastStroke) },
          ...bands.toReversed().map(({ percent }) => ({
            name: percent === bands[0].percent ? `${percent} % intervals` : `${percent} %`,
            swatch: (x: number, y: number) => band(x, y, percent),
          })),
        ]
      : []),
    ...scenarios.map(({ name }, index) => ({
      name,
      swatch: (x: number, y: number) =>
        stroke(x, y, scenarioStroke(index)) + scenarioMark(index, x + swatchWidth / 2, y),
    })),
  ]
}

/** A band looks as it does in the plot, where the wider ones lie beneath it. */
const band = (x: number, y: number, percent: number) =>
  bands
    .filter((one) => one.percent >= percent)
    .map(({ opacity }) =>
      element('rect', {
        x: x + 8,
        y: y - 7,
        width: swatchWidth - 8,
        height: 14,
        'fill-opacity': String(opacity),
        ...painted({ fill: 'forecast' }),
      }),
    )
    .join('')

export interface Legend {
  readonly markup: string
  readonly height: number
}

/** What is what, in as many rows as it takes. */
export function drawLegend(picture: Picture, top: number): Legend {
  let x = edge
  let row = 0
  const entries = entriesOf(picture).map(({ name, swatch }) => {
    const shown = fitted(name, maxNamePx, { px: fontPx })
    const width = swatchWidth + 6 + widthOf(shown, { px: fontPx })
    if (x > edge && x + width > sheetWidth - edge) {
      x = edge
      row += 1
    }
    const y = top + row * rowHeight + rowHeight / 2
    const at = x
    x += width + gap
    return (
      swatch(at, y) +
      text(shown, { x: at + swatchWidth + 6, y: y + 4, 'font-size': fontPx, ...painted({ fill: 'ink' }) })
    )
  })
  return { markup: group({}, ...entries), height: entries.length === 0 ? 0 : (row + 1) * rowHeight }
}
