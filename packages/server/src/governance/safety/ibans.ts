import { modulo } from './check-digits.ts'
import { type Detector, type Hit, isWordAt, matches } from './hit.ts'

/** IBAN lengths by country, from the registry. */
const lengths = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)] as const)),
)

/** Countries whose account numbers contain no letters. */
const numeric = new Set(
  'AE AT BA BE CR CZ DE DK EE ES FI FO GL HR HU IL IS LT ME MK MN NO PL PT RS SE SI SK ST TL TN VA XK'.split(' '),
)

const starts = /[A-Za-z]{2}\d{2}/g
const alphanumeric = /[0-9A-Za-z]/

export const iban: Detector = {
  name: 'iban',
  description: 'International bank account numbers, by country, length and check digits.',
  defaultThreshold: 1,
  *find(text) {
    for (const { index } of matches(text, starts)) {
      if (isWordAt(text, index - 1)) continue
      const hit = ibanAt(text, index)
      if (hit) yield hit
    }
  },
}

/** Reads as many letters and digits as the country's IBANs have, with single spaces or dashes between them. */
function ibanAt(text: string, start: number): Hit | undefined {
  const country = text.slice(start, start + 2).toUpperCase()
  const length = lengths.get(country)
  if (length === undefined) return undefined
  let compact = ''
  let end = start
  for (; compact.length < length; end++) {
    const character = text[end] ?? ''
    if (alphanumeric.test(character)) compact += character.toUpperCase()
    else if (!/[ -]/.test(character) || !alphanumeric.test(text[end + 1] ?? '')) return undefined
  }
  if (isWordAt(text, end)) return undefined
  const account = compact.slice(4)
  if (numeric.has(country) ? /[A-Z]/.test(account) : !/\d/.test(account)) return undefined
  const digits = (account + compact.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return modulo(digits, 97) === 1 ? { start, end } : undefined
}
