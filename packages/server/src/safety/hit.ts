/** Where in a text a detector has found something. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** What makes two hits the same one; by default their text without separators. */
  readonly key?: string
  /** What it adds to the score; by default 1, so that the score is the number of distinct hits. */
  readonly weight?: number
}

/** Finds in no order; `undefined` is no hit but a good moment to give way to others. */
export type Find = (text: string) => Iterable<Hit | undefined>

/** One thing to look for. A detector sees a piece of the text with some of what stands before and after it. */
export interface Detector {
  readonly name: string
  readonly description: string
  /** The score from which it fires unless the organization says otherwise. */
  readonly defaultThreshold: number
  readonly find: Find
  /** Given the text as it was submitted, with what folding leaves out. */
  readonly findInOriginal?: Find
}

const isDigit = (code: number) => code >= 48 && code <= 57
const isAsciiLetter = (code: number) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Letters and digits of every script, and `_`: what would make a number part of something longer. */
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

/** Whether one of some words stands near a hit: what a bare number needs to be more than a number. */
export function isNear(text: string, { start, end }: Hit, words: RegExp): boolean {
  return (
    words.test(text.slice(Math.max(0, start - beforeLength), start)) || words.test(text.slice(end, end + afterLength))
  )
}

/** Every match of a global pattern. Unlike `matchAll` it uses the pattern itself, which stays compiled, and not a copy of it. */
export function* matches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  for (let from = 0; ; ) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (!match) return
    from = match.index + Math.max(1, match[0].length)
    yield match
  }
}
