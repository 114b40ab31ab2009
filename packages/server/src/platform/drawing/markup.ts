import { present } from '../../values/present.ts'

/** Builds SVG as text. All text that a user may have chosen passes through a text element or an attribute, and both escape it. */

export type SvgAttributes = Readonly<Record<string, string | number | undefined>>

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Characters that XML cannot represent, not even escaped. */
// oxlint-disable-next-line no-control-regex
const invalidXmlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g

export const escapeXml = (raw: string): string =>
  raw
    .toWellFormed()
    .replace(invalidXmlCharacters, '\ufffd')
    .replace(/[&<>"']/g, (character) => present(entities[character]))

/** Rounds to a tenth of a pixel, finer than any screen shows. */
const formatAttribute = (value: string | number) =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : value

export function element(name: string, attributes: SvgAttributes, ...children: readonly string[]): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(formatAttribute(value))}"`],
  )
  const opening = `<${name}${pairs.join('')}`
  return children.length === 0 ? `${opening}/>` : `${opening}>${children.join('')}</${name}>`
}

export const group = (attributes: SvgAttributes, ...children: readonly string[]): string =>
  children.length === 0 ? '' : element('g', attributes, ...children)

export const textElement = (content: string, attributes: SvgAttributes): string =>
  element('text', attributes, escapeXml(content))

const narrow = /[iljtfr.,:;'|!()[\] ]/
const broad = /[mwMW@%—…]/
const middling = /[A-Z<>=+~#&_]/
const boldFactor = 1.12

export interface Font {
  readonly px: number
  readonly isBold?: true
}

/** Estimates the width of a text in any common font, rather too wide than too narrow: a server has no fonts to measure with. */
export function textWidth(content: string, { px, isBold }: Font): number {
  let em = 0
  for (const character of content) {
    if (broad.test(character)) em += 1
    else if (character >= '\u1100') em += character < '\u2100' ? 0.6 : 1.05
    else if (narrow.test(character)) em += 0.4
    else em += middling.test(character) ? 0.8 : 0.64
  }
  return em * px * (isBold ? boldFactor : 1)
}

/** Truncates a text to a width, with an ellipsis where something is missing. */
export function truncateToWidth(content: string, maxPx: number, font: Font): string {
  if (textWidth(content, font) <= maxPx) return content
  const kept: string[] = []
  let left = maxPx - textWidth('…', font)
  for (const character of content) {
    left -= textWidth(character, font)
    if (left < 0) break
    kept.push(character)
  }
  return `${kept.join('').trimEnd()}…`
}
