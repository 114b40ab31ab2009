import { formatDollars, parseUsd } from '../values/money.ts'
import { isRecord } from '../values/records.ts'

/**
 * Texts that a model reads. What others have written (names, tags, reasons, models) is data in them: it is stripped of what nobody sees,
 * bounded, and put in quotes that it cannot close.
 */

/** Text of our own, which stands in a phrase as it is. */
export class Plain {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Longest text of others that a result shows. */
const maxDataLength = 300
const maxQuotedLength = 120

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
/** Controls, format characters (bidirectional and zero-width ones, tags), surrogates, private and unassigned code points. */
const invisible = /\p{C}/gu
/** Letters and marks that are drawn as nothing, and selectors of variants, which can carry hidden text. */
const blankMarks =
  /\u034F|\u115F|\u1160|\u17B4|\u17B5|\u180B|\u180C|\u180D|\u180F|\u2800|\u3164|\uFFA0|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu
/** Marks that pile up on one letter, beyond what any script needs. */
const piledMarks = /(\p{M}{4})\p{M}+/gu

/** Returns a text of others as everybody sees it: on one line, without anything invisible, and bounded. */
export function visible(text: string, most = maxDataLength): string {
  const bounded = text.length > 4 * most ? text.slice(0, 4 * most) : text
  const seen = bounded
    .replaceAll(lineBreaks, ' ')
    .replaceAll(invisible, '')
    .replaceAll(blankMarks, '')
    .replaceAll(piledMarks, '$1')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  const points = Array.from(seen)
  return points.length <= most ? seen : `${points.slice(0, most - 1).join('')}…`
}

const cursorKey = 'next_cursor'
const opaque = /^[\w.~=+/%-]{1,8192}$/

/** Returns data of a result with every text in it as everybody sees it. Cursors are opaque, so they are whole or not there. */
export function asData(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === cursorKey) return opaque.test(value) ? value : null
    return visible(value)
  }
  if (Array.isArray(value)) return value.map((each) => asData(each))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asData(inner, name)]))
}

type Piece = Plain | string | number | null

/** Builds text of our own around pieces: whatever is a string is data of others, and stands in quotes. */
export const phrase = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Plain =>
  new Plain(texts.map((text, i) => (i === 0 ? text : textOf(pieces[i - 1] ?? null) + text)).join(''))

function textOf(piece: Piece): string {
  if (piece instanceof Plain) return piece.text
  if (piece === null) return 'none'
  return typeof piece === 'number' ? piece.toLocaleString('en-US') : JSON.stringify(visible(piece, maxQuotedLength))
}

/** Returns an amount of US dollars as people write it: `$0.50`. */
export const usd = (amount: string): Plain => new Plain(formatDollars(parseUsd(amount)))

/** Returns an amount that is dollars as text, or a number of something else. */
export const amount = (value: string | number | null): Plain => {
  if (value === null) return new Plain('no limit')
  return typeof value === 'string' ? usd(value) : phrase`${value}`
}

const moment = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?\+00:00$/

/** Returns a time of the API to the minute: `2026-12-01 00:00 UTC`. */
export const time = (timestamp: string | null): Plain | string | null => {
  const found = timestamp === null ? null : moment.exec(timestamp)
  return found ? new Plain(`${found[1]} ${found[2]} UTC`) : timestamp
}

const ours = /^[a-z][a-z_]{0,40}(?:_[0-9a-z]{26})?$/

/** Returns a word or an id of the API as it is; anything that does not look like one is quoted. */
export const word = (text: string | null): Plain | string | null =>
  text !== null && ours.test(text) ? new Plain(text) : text
