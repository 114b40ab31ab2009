import { type Detector, type Hit, matches } from './hit.ts'
import { injectionPatterns } from './injection-patterns.ts'
import { lowerCase } from './lower-case.ts'

/** A Base64 text that is long enough to hold an instruction. */
const base64 = /[0-9A-Za-z+/_-]{40,4096}={0,2}/g
const mostlyReadable = 0.9
const encodedExtra = 20

/**
 * Characters that are invisible to people but read by a model: tags spell ASCII, variation selectors can spell bytes, and long
 * runs of zero-width characters can spell bits. The flag of a region has three to seven tags after its emoji.
 */
const hidden =
  /(?:\udb40[\udc00-\udc7f]){3,}|(?:\udb40[\udd00-\uddef]|[\ufe00-\ufe0f]){4,}|[\u200b\u200c\u2060-\u2064\ufeff]{8,}/g
const flag = '\ud83c\udff4'

export const promptInjection: Detector = {
  name: 'prompt_injection',
  description:
    'Attempts to take over the model: orders to ignore or reveal its instructions, role changes, forged markup and hidden characters, also in Base64. In English, German, French and Spanish.',
  defaultThreshold: 50,
  *find(text) {
    yield* ordersIn(text)
    yield* encodedOrders(text)
  },
  *findInOriginal(text) {
    for (const { 0: found, index } of matches(text, hidden)) {
      if (text.slice(Math.max(0, index - 2), index) === flag && found.length <= 14) continue
      yield { start: index, end: index + found.length, key: 'hidden', weight: 60 }
    }
  },
}

function* ordersIn(text: string): Generator<Hit | undefined> {
  const lower = lowerCase(text)
  for (const { name, weight, pattern } of injectionPatterns) {
    for (const { 0: found, index } of matches(lower, pattern))
      yield { start: index, end: index + found.length, key: name, weight }
    yield undefined
  }
}

function* encodedOrders(text: string): Generator<Hit | undefined> {
  for (const { 0: found, index } of matches(text, base64)) {
    // The piece may begin in the middle of a group of four characters.
    const shifts = index === 0 ? [0, 1, 2, 3] : [0]
    for (const shift of shifts) {
      const decoded = Buffer.from(found.slice(shift), 'base64').toString('utf8')
      if (!isReadable(decoded)) continue
      for (const hit of ordersIn(decoded))
        yield hit && { start: index, end: index + found.length, key: hit.key!, weight: hit.weight! + encodedExtra }
    }
  }
}

function isReadable(text: string): boolean {
  const readable = text.match(/[\p{L}\p{N}\p{P}\p{Zs}\n]/gu)?.length ?? 0
  return readable >= text.length * mostlyReadable && /\s/.test(text)
}
