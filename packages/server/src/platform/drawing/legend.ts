import { group, textElement, textWidth, truncateToWidth } from './markup.ts'
import { paintAttributes } from './paints.ts'
import { edge, sheetWidth } from './sheet.ts'

const fontPx = 12
const rowHeight = 22
export const swatchWidth = 30
const gap = 18
const maxNamePx = 300

export interface LegendEntry {
  readonly name: string
  readonly swatch: (x: number, y: number) => string
}

export interface Legend {
  readonly markup: string
  readonly height: number
}

/** Lays out entries side by side, in as many rows as needed. */
export function layOutLegend(all: readonly LegendEntry[], top: number): Legend {
  let x = edge
  let row = 0
  const entries = all.map(({ name, swatch }) => {
    const shown = truncateToWidth(name, maxNamePx, { px: fontPx })
    const width = swatchWidth + 6 + textWidth(shown, { px: fontPx })
    if (x > edge && x + width > sheetWidth - edge) {
      x = edge
      row += 1
    }
    const y = top + row * rowHeight + rowHeight / 2
    const at = x
    x += width + gap
    return (
      swatch(at, y) +
      textElement(shown, {
        x: at + swatchWidth + 6,
        y: y + 4,
        'font-size': fontPx,
        ...paintAttributes({ fill: 'ink' }),
      })
    )
  })
  return { markup: group({}, ...entries), height: entries.length === 0 ? 0 : (row + 1) * rowHeight }
}
