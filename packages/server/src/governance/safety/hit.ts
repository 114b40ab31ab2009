/** The range of a text in which a detector has found something. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** The identity of a hit: two hits with one key count once. By default the text without separators. */
  readonly key?: string
  /** The hit's contribution to the score; by default 1, so that the score is the number of distinct hits. */
  readonly weight?: number
}

/** Yields hits in no particular order; `undefined` is no hit but a point at which the caller may yield to other work. */
export type Find = (text: string) => Iterable<Hit | undefined>

/** A kind of content to look for. A detector is given a piece of the text with some context before and after it. */
export interface Detector {
  readonly name: string
  readonly description: string
  /** The score from which the detector fires, unless the organization sets another. */
  readonly defaultThreshold: number
  readonly find: Find
  /** Searches the text as it was submitted, including the characters that folding drops. */
  readonly findInOriginal?: Find
}

const isDigit = (code: number) => code >= 48 && code <= 57
const isAsciiLetter = (code: number) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** True at letters and digits of every script and at `_`, which would make a number part of something longer. */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  if (Number.isNaN(code)) return false
  if (code < 128) return isDigit(code) || isAsciiLetter(code) || code === 95
  return wordBeyondAscii.test(text[index]!)
}
const wordBeyondAscii = /[\p{L}\p{N}]/u

export const isDigitAt = (text: string, index: number) => isDigit(text.charCodeAt(index))

const beforeLength = 64
const afterLength = 24

/** True when one of some words stands near a hit: a bare number alone is not evidence enough. */
export function hasWordNear(text: string, { start, end }: Hit, words: RegExp): boolean {
  return (
    words.test(text.slice(Math.max(0, start - beforeLength), start)) || words.test(text.slice(end, end + afterLength))
  )
}

/**
 * Yields every match of a global pattern. Unlike `matchAll` it uses the pattern itself, which stays compiled, instead of a copy.
 */
export function* matches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  for (let from = 0; ; ) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (!match) return
    from = match.index + Math.max(1, match[0].length)
    yield match
  }
}
