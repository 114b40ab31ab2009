import { type Detector, type Hit, hasWordNear, isDigitAt, isWordAt, matches } from './hit.ts'
import { nationalIdFormats } from './national-id-formats.ts'

/** The formats with word boundaries, so that part of a long row of digits matches none of them. */
const formats = nationalIdFormats.map((format) => ({
  ...format,
  shape: new RegExp(`(?<![0-9A-Za-z])(?:${format.shape.source})(?![0-9A-Za-z])`, format.shape.flags),
}))

/** At least six digits with single separators between them: every format except Italy's has that. */
const numbers = /\d(?:[ .\-/]?\d){5,}/g
const reach = 8
const codiceFiscale = /[A-Za-z]{6}[0-9L-NP-Vl-np-v]{2}[A-EHLMPR-Ta-ehlmpr-t][0-9L-NP-Vl-np-v]{2}/g

export const nationalId: Detector = {
  name: 'national_id',
  description:
    'National identity numbers, with their check digits: AU, BE, BR, CA, CH, CN, DE, DK, ES, FI, FR, GB, IE, IN, IT, MX, NL, NO, PL, PT, SE, SG, TR, US, ZA.',
  defaultThreshold: 1,
  *find(text) {
    const taken: Hit[] = []
    for (const [start, end] of windows(text)) {
      for (const format of formats) {
        for (const { 0: found, index } of matches(text.slice(start, end), format.shape)) {
          const hit = { start: start + index, end: start + index + found.length }
          if (isPart(text, hit) || taken.some((other) => other.start < hit.end && hit.start < other.end)) continue
          const compact = found.replace(/[ .\-/]/g, '').toUpperCase()
          const speaks = format.isDistinct?.(found) ?? false
          if (!format.isValid(compact) || !(speaks || hasWordNear(text, hit, format.words))) continue
          taken.push(hit)
          yield hit
        }
        yield undefined
      }
      taken.length = 0
    }
  },
}

/** Yields the ranges of a text that could hold a number, each with its context; they do not overlap. */
function* windows(text: string): Generator<[number, number]> {
  let open: [number, number] | undefined
  const spans = [...matches(text, numbers)].map(
    ({ 0: found, index }) => [index - reach, index + found.length + reach] as const,
  )
  for (const { index } of matches(text, codiceFiscale)) spans.push([index - 1, index + 20])
  spans.sort((a, b) => a[0] - b[0])
  for (const [from, to] of spans) {
    const [start, end] = [Math.max(0, from), Math.min(text.length, to)]
    if (open && start <= open[1]) open[1] = Math.max(open[1], end)
    else {
      if (open) yield open
      open = [start, end]
    }
  }
  if (open) yield open
}

/** True when a hit is part of something longer: beside letters or digits, or joined to more digits by a separator. */
const isPart = (text: string, { start, end }: Hit) =>
  isWordAt(text, start - 1) ||
  isWordAt(text, end) ||
  (/[.\-/,+]/.test(text[start - 1] ?? '') && isDigitAt(text, start - 2)) ||
  (/[.\-/,]/.test(text[end] ?? '') && isDigitAt(text, end + 1)) ||
  (text[start - 1] === ' ' &&
    isDigitAt(text, start - 2) &&
    /^\d/.test(text[start] ?? '') &&
    isGroup(text, start - 2)) ||
  (text[end] === ' ' && isDigitAt(text, end + 1) && isDigitAt(text, end - 1) && isGroup(text, end + 1))

/** True when the digits at an index form a group of two to six, as the rest of a longer number would. */
function isGroup(text: string, index: number): boolean {
  let start = index
  let end = index + 1
  while (end - start < 8 && isDigitAt(text, start - 1)) start--
  while (end - start < 8 && isDigitAt(text, end)) end++
  return end - start >= 2 && end - start <= 6 && !isWordAt(text, start - 1) && !isWordAt(text, end)
}
