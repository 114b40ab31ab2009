import { element, escapeXml, textElement, truncateToWidth } from './markup.ts'
import { darkStyle, paintAttributes } from './paints.ts'

/** The frame of a drawing: its size, title and accessible description. */

export const sheetWidth = 800
export const edge = 20
export const axisFontPx = 12
export const headingHeight = 66

const titleFont = { px: 17, isBold: true } as const

export interface Sheet {
  readonly title: string
  /** A line below the title that names the units of the axes. */
  readonly about: string
  /** The description for screen readers. */
  readonly description: string
  readonly height: number
}

/** Draws a self-contained SVG: no script, no external reference, and the same bytes for the same input. */
export const drawSheet = (
  { title, about, description: words, height }: Sheet,
  ...children: readonly string[]
): string =>
  `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${sheetWidth} ${height}`,
      width: sheetWidth,
      height,
      role: 'img',
      'font-family': 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
    },
    element('title', {}, escapeXml(truncateToWidth(title, 2_000, titleFont))),
    element('desc', {}, escapeXml(words)),
    element('style', {}, darkStyle),
    paper(height),
    heading(title, about),
    ...children,
  )}\n`

/** The background, so that the drawing is readable on any page. */
const paper = (height: number) =>
  element('rect', {
    x: 0.5,
    y: 0.5,
    width: sheetWidth - 1,
    height: height - 1,
    rx: 8,
    'stroke-width': 1,
    ...paintAttributes({ fill: 'paper', stroke: 'border' }),
  })

const heading = (title: string, about: string) =>
  textElement(truncateToWidth(title, sheetWidth - 2 * edge, titleFont), {
    x: edge,
    y: 32,
    'font-size': titleFont.px,
    'font-weight': 600,
    ...paintAttributes({ fill: 'ink' }),
  }) + textElement(about, { x: edge, y: 52, 'font-size': 12.5, ...paintAttributes({ fill: 'quiet' }) })

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export const drawNothing = ({ left, right, top, bottom }: Box): string =>
  textElement('There is no data to show yet.', {
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    'text-anchor': 'middle',
    'font-size': 14,
    ...paintAttributes({ fill: 'quiet' }),
  })
