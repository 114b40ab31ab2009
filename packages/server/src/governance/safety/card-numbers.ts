import { luhn } from './check-digits.ts'
import { type Detector, type Hit, isWordAt, matches } from './hit.ts'

/** The number ranges of issuers, from the first to the last prefix of one length, with the lengths of their numbers. */
const issuers: readonly (readonly [first: number, last: number, lengths: readonly number[]])[] = [
  [4, 4, [13, 16, 19]], // Visa
  [51, 55, [16]], // Mastercard
  [2221, 2720, [16]],
  [34, 34, [15]], // American Express
  [37, 37, [15]],
  [300, 305, [14, 16]], // Diners Club
  [3095, 3095, [14, 16]],
  [36, 36, [14, 16]],
  [38, 39, [14, 16]],
  [6011, 6011, [16, 17, 18, 19]], // Discover
  [644, 649, [16, 17, 18, 19]],
  [65, 65, [16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [62, 62, [16, 17, 18, 19]], // UnionPay
  [81, 81, [16, 17, 18, 19]],
  [2200, 2204, [16, 17, 18, 19]], // Mir
  [508, 508, [16]], // RuPay
  [60, 60, [16]],
  [82, 82, [16]],
  [9792, 9792, [16]], // Troy
  [5018, 5018, [13, 14, 15, 16, 17, 18, 19]], // Maestro
  [5020, 5020, [13, 14, 15, 16, 17, 18, 19]],
  [5038, 5038, [13, 14, 15, 16, 17, 18, 19]],
  [5612, 5612, [16]],
  [5893, 5893, [13, 14, 15, 16, 17, 18, 19]],
  [6304, 6304, [13, 14, 15, 16, 17, 18, 19]],
  [6759, 6763, [13, 14, 15, 16, 17, 18, 19]],
  [6799, 6799, [13, 14, 15, 16, 17, 18, 19]],
  [6362, 6363, [16]], // Elo
]

const isIssued = (digits: string) =>
  issuers.some(([first, last, lengths]) => {
    const prefix = Number(digits.slice(0, String(first).length))
    return prefix >= first && prefix <= last && lengths.includes(digits.length)
  })

/** The lengths of the groups in which card numbers are printed when they are not in one piece. */
const groupings = ['4444', '44443', '44442', '44441', '465', '464', '4441', '4442', '445', '4454', '4363', '88'].map(
  (lengths) => Array.from(lengths, Number),
)
const maestroGrouping = [6, 13]

/** Digits with single separators between them. Unambiguous, so one pass suffices. */
const runs = /\d(?:[ .-]?\d)*/g
const minDigits = 13
const maxDigits = 19

export const cardNumber: Detector = {
  name: 'card_number',
  description: 'Payment card numbers, by known issuers, lengths and the Luhn check digit.',
  defaultThreshold: 1,
  *find(text) {
    for (const { 0: run, index } of matches(text, runs)) {
      if (run.length < minDigits) continue
      if (isPart(text, index - 1, -1) || isPart(text, index + run.length, 1)) continue
      yield* cardsIn(run, index)
    }
  },
}

/**
 * True when the text continues beside a number: with letters, or with a dash or dot and more behind it, as in a UUID or a
 * version.
 */
const isPart = (text: string, beside: number, step: 1 | -1) =>
  isWordAt(text, beside) || (/[.-]/.test(text[beside] ?? '') && isWordAt(text, beside + step))

function* cardsIn(run: string, offset: number): Generator<Hit> {
  const groups = run.split(/[ .-]/)
  // Single digits count only when no other number stands beside them.
  if (groups.every(({ length }) => length === 1)) {
    if (isCard(groups.join(''))) yield { start: offset, end: offset + run.length }
    return
  }
  let start = 0
  for (let first = 0; first < groups.length; first++) {
    const groupCount = isSeparatedBefore(run, start) ? groupsOfCard(groups, first, run, start) : 0
    if (groupCount > 0) yield { start: offset + start, end: offset + endOf(groups, first, groupCount, start) }
    const next = first + Math.max(1, groupCount)
    for (; first < next; first++) start += groups[first]!.length + 1
    first--
  }
}

const endOf = (groups: readonly string[], first: number, count: number, start: number) =>
  groups.slice(first, first + count).reduce((end, { length }) => end + length + 1, start - 1)

/** Among other numbers, only a space can separate a card number. */
const isSeparatedBefore = (run: string, start: number) => start === 0 || run[start - 1] === ' '
const isSeparatedAfter = (run: string, end: number) => end === run.length || run[end] === ' '

/** Returns the number of groups, from `first` on, that make up a card number; 0 when none starts there. */
function groupsOfCard(groups: readonly string[], first: number, run: string, start: number): number {
  const { length } = groups[first]!
  const shapes =
    length >= minDigits ? [[length]] : [...groupings, maestroGrouping].filter((shape) => shape[0] === length)
  for (const shape of shapes) {
    if (!shape.every((size, i) => groups[first + i]?.length === size)) continue
    const isParted = isSeparatedAfter(run, endOf(groups, first, shape.length, start))
    if (isParted && isCard(groups.slice(first, first + shape.length).join(''))) return shape.length
  }
  return 0
}

const isCard = (digits: string) =>
  digits.length >= minDigits &&
  digits.length <= maxDigits &&
  isIssued(digits) &&
  luhn(digits) &&
  !/^(\d)\1+$/.test(digits)
