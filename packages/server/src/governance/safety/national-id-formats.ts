import { isDay, luhn, mod1110, modulo, verhoeff, weighted } from './check-digits.ts'

/** The notation of one country's identity number, and its validation. */
export interface NationalIdFormat {
  readonly country: string
  readonly shape: RegExp
  /** Validates the letters and digits alone. */
  readonly isValid: (compact: string) => boolean
  /** True when the number in this notation needs no keyword beside it. */
  readonly isDistinct?: (found: string) => boolean
  readonly words: RegExp
}

const always = () => true
const isUpper = (found: string) => found === found.toUpperCase()
const whenWritten = (as: RegExp) => (found: string) => as.test(found)
const days = (compact: string, month: number, day: number) =>
  isDay(Number(compact.slice(month, month + 2)), Number(compact.slice(day, day + 2)))
const isOneDigit = (compact: string) => /^(\d)\1+$/.test(compact)

const dniLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'
const dni = (compact: string) => {
  const number = compact.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return dniLetters[Number(number) % 23] === compact.at(-1)
}

const codiceOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const codiceFiscale = (compact: string) => {
  let sum = 0
  for (let i = 0; i < 15; i++) {
    const code = compact.charCodeAt(i)
    const place = code < 58 ? code - 48 : code - 65
    sum += i % 2 === 0 ? codiceOdd[place]! : place
  }
  return String.fromCharCode(65 + (sum % 26)) === compact[15]
}

/** True when exactly one of the first ten digits occurs two or three times. */
const hasOneRepeated = (ten: string) => {
  const counts = Array.from('0123456789', (digit) => ten.split(digit).length - 1)
  return counts.filter((count) => count > 1).length === 1 && Math.max(...counts) <= 3
}

const norwegian = (id: string) => {
  const first = 11 - (weighted(id, [3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11)
  const second = 11 - (weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)
  return first % 11 === Number(id[9]) && second % 11 === Number(id[10])
}

const turkish = (id: string) => {
  const odd = weighted(id, [1, 0, 1, 0, 1, 0, 1, 0, 1])
  const even = weighted(id, [0, 1, 0, 1, 0, 1, 0, 1])
  return (odd * 7 - even + 100) % 10 === Number(id[9]) && (odd + even + Number(id[9])) % 10 === Number(id[10])
}

const cpf = (id: string) => {
  const digit = (length: number) => {
    const weights = Array.from({ length }, (_, i) => length + 1 - i)
    return ((weighted(id, weights) * 10) % 11) % 10
  }
  return !isOneDigit(id) && digit(9) === Number(id[9]) && digit(10) === Number(id[10])
}

const nric = (id: string) => {
  const sum = weighted(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (id[0] === 'T' || id[0] === 'G' ? 4 : 0)
  return ('ST'.includes(id[0]!) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[sum % 11] === id[8]
}

const chinese = (id: string) => {
  const sum = weighted(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2])
  return /^(?:19|20)/.test(id.slice(6)) && days(id, 10, 12) && '10X98765432'[sum % 11] === id[17]
}

const curpLetters = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'
const curp = (id: string) => {
  let sum = 0
  for (let i = 0; i < 17; i++) sum += curpLetters.indexOf(id[i]!) * (18 - i)
  return days(id, 6, 8) && (10 - (sum % 10)) % 10 === Number(id[17])
}

const ppsLetters = 'WABCDEFGHIJKLMNOPQRSTUV'
const pps = (id: string) => {
  const second = id[8] === undefined || id[8] === 'W' ? 0 : id.charCodeAt(8) - 64
  return ppsLetters[(weighted(id, [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23] === id[7]
}

const belgian = (id: string) => {
  const check = Number(id.slice(9))
  const body = id.slice(0, 9)
  return 97 - modulo(body, 97) === check || 97 - modulo(`2${body}`, 97) === check
}

const nir = (id: string) => {
  const digits = id.slice(0, 13).replace('2A', '19').replace('2B', '18')
  const month = Number(id.slice(3, 5))
  const isMonth = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50
  return /^\d+$/.test(digits) && isMonth && 97 - modulo(digits, 97) === Number(id.slice(13))
}

const ssn = (id: string) =>
  !/^(?:000|666|9)/.test(id) &&
  !/^\d{3}00/.test(id) &&
  !id.endsWith('0000') &&
  !isOneDigit(id) &&
  // Numbers that were printed in advertisements and belong to nobody.
  !['078051120', '219099999', '123456789'].includes(id)

const hetuMarks = '0123456789ABCDEFHJKLMNPRSTUVWXY'

/** The formats in the order in which they are tried: distinctive notations first. */
export const nationalIdFormats: readonly NationalIdFormat[] = [
  {
    country: 'IT',
    shape: /[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]/gi,
    isValid: codiceFiscale,
    isDistinct: always,
    words: /codice|fiscale/i,
  },
  {
    country: 'MX',
    shape: /[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d/gi,
    isValid: curp,
    isDistinct: always,
    words: /curp/i,
  },
  {
    country: 'GB',
    shape: /(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]/gi,
    isValid: always,
    isDistinct: isUpper,
    words: /national insurance|\bnino?\b|ni number/i,
  },
  { country: 'CN', shape: /[1-9]\d{16}[0-9Xx]/g, isValid: chinese, isDistinct: always, words: /身份证/ },
  {
    country: 'FR',
    shape: /[123478] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/gi,
    isValid: nir,
    isDistinct: always,
    words: /s[ée]curit[ée] sociale|\bnir\b/i,
  },
  {
    country: 'CH',
    shape: /756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}/g,
    isValid: (id) => weighted(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    isDistinct: always,
    words: /\bahv|\bavs/i,
  },
  {
    country: 'BE',
    shape: /\d{2}[. ]?\d{2}[. ]?\d{2}[- ]?\d{3}[. ]?\d{2}/g,
    isValid: (id) => Number(id.slice(2, 4)) <= 12 && Number(id.slice(4, 6)) <= 31 && belgian(id),
    isDistinct: whenWritten(/^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/),
    words: /rijksregister|registre national|\binsz\b|\bniss\b|national register/i,
  },
  {
    country: 'BR',
    shape: /\d{3}\.?\d{3}\.?\d{3}-?\d{2}/g,
    isValid: cpf,
    isDistinct: whenWritten(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/),
    words: /\bcpf\b/i,
  },
  {
    country: 'US',
    shape: /\d{3}([- ]?)\d{2}\1\d{4}/g,
    isValid: ssn,
    isDistinct: whenWritten(/-/),
    words: /\bssn?\b|social security|soc\.? sec|\bitin\b/i,
  },
  {
    country: 'ES',
    shape: /(?:\d{8}|[XYZ][- ]?\d{7})[- ]?[A-HJ-NP-TV-Z]/gi,
    isValid: dni,
    isDistinct: isUpper,
    words: /\bdni\b|\bnie\b|\bnif\b/i,
  },
  {
    country: 'SG',
    shape: /[STFG]\d{7}[A-Z]/gi,
    isValid: nric,
    isDistinct: isUpper,
    words: /\bnric\b|\bfin\b/i,
  },
  {
    country: 'FI',
    shape: /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/gi,
    isValid: (id) => {
      const compact = id.replace(/^(\d{6})[+A-FU-Y]/, '$1')
      return days(compact, 2, 0) && hetuMarks[modulo(compact.slice(0, 9), 31)] === compact[9]
    },
    isDistinct: isUpper,
    words: /henkil|\bhetu\b/i,
  },
  {
    country: 'IN',
    shape: /[2-9]\d{3}([ -]?)\d{4}\1\d{4}/g,
    isValid: (id) => !isOneDigit(id) && verhoeff(id),
    isDistinct: whenWritten(/^\d{4} \d{4} \d{4}$/),
    words: /aadha+r|uidai|आधार/i,
  },
  {
    country: 'DE',
    shape: /[1-9]\d ?\d{3} ?\d{3} ?\d{3}/g,
    isValid: (id) => hasOneRepeated(id.slice(0, 10)) && mod1110(id),
    isDistinct: whenWritten(/^\d{2} \d{3} \d{3} \d{3}$/),
    words: /steuer|\bidnr\b|\btin\b|tax id/i,
  },
  {
    country: 'SE',
    shape: /(?:19|20)?\d{6}[-+]?\d{4}/g,
    isValid: (id) => days(id.slice(-10), 2, 4) && luhn(id.slice(-10)),
    words: /personnummer|\bpnr\b/i,
  },
  {
    country: 'DK',
    shape: /\d{6}-?\d{4}/g,
    isValid: (id) => days(id, 2, 0),
    words: /\bcpr\b|personnummer/i,
  },
  {
    country: 'NO',
    shape: /\d{6} ?\d{5}/g,
    isValid: norwegian,
    words: /f[øo]dselsnummer|personnummer|\bfnr\b/i,
  },
  {
    country: 'PL',
    shape: /\d{11}/g,
    isValid: (id) =>
      isDay(Number(id.slice(2, 4)) % 20, Number(id.slice(4, 6))) &&
      weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    words: /pesel/i,
  },
  { country: 'TR', shape: /[1-9]\d{10}/g, isValid: turkish, words: /kimlik|\btckn\b|t\.?c\.? ?no/i },
  {
    country: 'NL',
    shape: /\d{4}[. ]?\d{2}[. ]?\d{3}|\d{3}[. ]\d{3}[. ]\d{3}/g,
    isValid: (id) => !isOneDigit(id) && weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    words: /\bbsn\b|burgerservice|sofi-?n/i,
  },
  {
    country: 'CA',
    shape: /[0-79]\d{2}([- ]?)\d{3}\1\d{3}/g,
    isValid: luhn,
    words: /\bsin\b|social insurance|assurance sociale|\bnas\b/i,
  },
  {
    country: 'AU',
    shape: /\d{3} ?\d{3} ?\d{3}/g,
    isValid: (id) => !isOneDigit(id) && weighted(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: /\btfn\b|tax file/i,
  },
  {
    country: 'PT',
    shape: /[1235689]\d{2} ?\d{3} ?\d{3}/g,
    isValid: (id) => ((11 - (weighted(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === Number(id[8]),
    words: /\bnif\b|contribuinte/i,
  },
  { country: 'IE', shape: /\d{7}[A-W][A-IW]?/gi, isValid: pps, words: /\bppsn?\b|personal public service/i },
  {
    country: 'ZA',
    shape: /\d{6} ?\d{4} ?[01]\d{2}/g,
    isValid: (id) => days(id, 2, 4) && luhn(id),
    words: /\bid (?:number|no)\b|south africa|\brsa id\b/i,
  },
]
