import { type Detector, type Hit, hasWordNear, isWordAt, matches } from './hit.ts'

/** The number of digits that follow a country code, from least to most. */
const nationalDigits: Readonly<Record<string, readonly [least: number, most: number]>> = {
  1: [10, 10],
  7: [10, 10],
  20: [8, 10],
  27: [9, 9],
  30: [10, 10],
  31: [9, 9],
  32: [8, 9],
  33: [9, 9],
  34: [9, 9],
  36: [8, 9],
  39: [8, 11],
  40: [9, 9],
  41: [9, 9],
  43: [7, 12],
  44: [9, 10],
  45: [8, 8],
  46: [7, 9],
  47: [8, 8],
  48: [9, 9],
  49: [7, 11],
  51: [8, 9],
  52: [10, 10],
  53: [8, 8],
  54: [10, 11],
  55: [10, 11],
  56: [9, 9],
  57: [10, 10],
  58: [10, 10],
  60: [8, 10],
  61: [9, 9],
  62: [8, 11],
  63: [9, 10],
  64: [8, 10],
  65: [8, 8],
  66: [8, 9],
  81: [9, 10],
  82: [8, 10],
  84: [9, 10],
  86: [10, 11],
  90: [10, 10],
  91: [10, 10],
  92: [9, 10],
  93: [9, 9],
  94: [9, 9],
  95: [8, 10],
  98: [10, 10],
  212: [9, 9],
  213: [9, 9],
  216: [8, 8],
  218: [9, 9],
  220: [7, 7],
  221: [9, 9],
  233: [9, 9],
  234: [8, 10],
  251: [9, 9],
  254: [9, 9],
  255: [9, 9],
  256: [9, 9],
  260: [9, 9],
  263: [9, 9],
  351: [9, 9],
  352: [6, 9],
  353: [8, 9],
  354: [7, 7],
  355: [8, 9],
  356: [8, 8],
  357: [8, 8],
  358: [6, 11],
  359: [8, 9],
  370: [8, 8],
  371: [8, 8],
  372: [7, 8],
  373: [8, 8],
  374: [8, 8],
  375: [9, 9],
  376: [6, 6],
  377: [8, 9],
  380: [9, 9],
  381: [8, 9],
  382: [8, 8],
  385: [8, 9],
  386: [8, 8],
  387: [8, 8],
  389: [8, 8],
  420: [9, 9],
  421: [9, 9],
  423: [7, 7],
  502: [8, 8],
  503: [8, 8],
  504: [8, 8],
  505: [8, 8],
  506: [8, 8],
  507: [7, 8],
  591: [8, 8],
  593: [8, 9],
  595: [9, 9],
  598: [8, 8],
  852: [8, 8],
  853: [8, 8],
  855: [8, 9],
  880: [10, 10],
  886: [8, 9],
  961: [7, 8],
  962: [8, 9],
  963: [8, 9],
  964: [9, 10],
  965: [8, 8],
  966: [8, 9],
  968: [8, 8],
  971: [8, 9],
  972: [8, 9],
  973: [8, 8],
  974: [8, 8],
  977: [10, 10],
  992: [9, 9],
  994: [9, 9],
  995: [9, 9],
  996: [9, 9],
  998: [9, 9],
}

/** International notation after `+` or `00`: digits with at most two separators between them, and an area code in parentheses. */
const international = /(?:\+|\b00)[ ([]{0,2}\d(?:[)\]]?[ .\-/]{0,2}[([]?\d){6,16}/g
/** North American notation: `(202) 555-0143`, `202-555-0143`, `202.555.0143`. */
const northAmerican = /(?:\b1[ .-])?(?:\([2-9]\d{2}\) ?|\b[2-9]\d{2}([-.]))[2-9]\d{2}[-. ]\d{4}/g
/** National notation with the trunk prefix 0, in groups: `020 7946 0958`, `01 23 45 67 89`, `0171-1234567`, `(030) 901820`. */
const trunk = /(?:\(0[1-9]\d{0,4}\)|\b0[1-9]\d{0,4})(?:[ \-/.]{1,2}\d{2,8}){1,5}/g
/** A bare number, which counts only beside a word such as "phone". */
const bare = /\b\d(?:[ .\-/]?\d){6,13}\b/g
const words =
  /(?:\b|_)(?:tel|telephone|phone|mobile|cell|call|text|fax|whatsapp|sms|telefon|handy|mobil|rufnummer|anrufen|t[ée]l[ée]phone|portable|appele[rz]|tel[ée]fono|m[óo]vil|celular|ll[áa]m[ae]\w{0,4}|telefone|telefoon|cellulare)\b[\s.:#=("'*-]{0,4}(?:(?:no|nr|num|number|nummer|n[úu]mero|is|at|on|me|us|him|her|them|my|our|line|home|work|office|direct)[\s.:#=("'-]{1,3}){0,3}$/i

export const phone: Detector = {
  name: 'phone',
  description:
    'Telephone numbers: international ones, and national ones in their usual notation or beside a word such as `phone`.',
  defaultThreshold: 1,
  *find(text) {
    let from = 0
    const found = [...candidates(text)].sort((a, b) => a.start - b.start || b.end - a.end)
    for (const hit of found) {
      if (hit.start < from) continue
      from = hit.end
      yield hit
    }
  },
}

function* candidates(text: string): Generator<Hit> {
  if (text.includes('+') || text.includes('00')) yield* findMatches(text, international, isInternational)
  yield* findMatches(text, northAmerican, isNorthAmerican)
  yield* findMatches(text, trunk, isTrunk)
  yield* findMatches(
    text,
    bare,
    (_digits, found, hit) => !looksLikeDate(found) && hasWordNear(text, { ...hit, end: text.length }, words),
  )
}

type NumberTest = (digits: string, found: string, hit: Hit) => boolean

function* findMatches(text: string, shape: RegExp, isNumber: NumberTest): Generator<Hit> {
  for (const { 0: found, index } of matches(text, shape)) {
    const hit = { start: index, end: index + found.length }
    if (isWordAt(text, hit.start - 1) || isWordAt(text, hit.end) || isPartOfLonger(text, hit)) continue
    if (isNumber(found.replace(/\D/g, ''), found, hit)) yield hit
  }
}

/** True when a match is part of something longer: a date, an IP address, a version, an order number, an amount. */
const isPartOfLonger = (text: string, { start, end }: Hit) =>
  /(?:[#$€£]|\d[-./_,]|[A-Za-z][-_])$/.test(text.slice(Math.max(0, start - 2), start)) ||
  /^[-./:,_]\d/.test(text.slice(end, end + 2)) ||
  // Within groups of digits, a 0 starts no number.
  (text[start] === '0' &&
    (/\d $/.test(text.slice(Math.max(0, start - 2), start)) || /^ \d/.test(text.slice(end, end + 2))))

function isInternational(digits: string, found: string): boolean {
  const number = found.startsWith('00') ? digits.slice(2) : digits
  for (const length of [1, 2, 3]) {
    const bounds = nationalDigits[number.slice(0, length)]
    if (!bounds) continue
    // Many people write the trunk prefix 0 too: +44 (0)20 …
    const national = number.slice(length).replace(/^0/, /\(0\)/.test(found) ? '' : '0')
    if (length === 1 && number[0] === '1' && !/^[2-9]\d{2}[2-9]\d{6}$/.test(national)) return false
    return national.length >= bounds[0] && national.length <= bounds[1] && !/^(\d)\1+$/.test(national)
  }
  return false
}

const isNorthAmerican = (digits: string) =>
  /^1?[2-9](?!11)\d{2}[2-9](?!11)\d{6}$/.test(digits) && !/^1?(\d)\1{9}$/.test(digits)

/** True for nine to twelve digits that are grouped like a phone number and not like a date. */
function isTrunk(digits: string, found: string): boolean {
  if (digits.length < 9 || digits.length > 12 || looksLikeDate(found) || /^0+$/.test(digits)) return false
  const groups = found.match(/\d+/g) ?? []
  const arePairs = /^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$/.test(found)
  return arePairs || (groups.length <= 4 && groups.slice(1).every(({ length }) => length >= 3))
}

const looksLikeDate = (found: string) => /^\d{4}[-./ ]\d{2}[-./ ]\d{2}|^\d{2}[-./ ]\d{2}[-./ ]\d{4}/.test(found)
