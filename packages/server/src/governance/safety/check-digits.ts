/** Check-digit algorithms of card and identity numbers. Each takes the digits alone. */

/** ISO/IEC 7812 (Luhn): every second digit from the right counts twice. */
export function luhn(digits: string): boolean {
  let sum = 0
  for (let i = digits.length - 1, isSecond = false; i >= 0; i--, isSecond = !isSecond) {
    const digit = digits.charCodeAt(i) - 48
    sum += isSecond ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  return sum % 10 === 0
}

/** Returns the sum of digits multiplied by weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += (digits.charCodeAt(i) - 48) * weights[i]!
  return sum
}

/** Returns the remainder of a number of any length. */
export function modulo(digits: string, divisor: number): number {
  let rest = 0
  for (let i = 0; i < digits.length; i++) rest = (rest * 10 + digits.charCodeAt(i) - 48) % divisor
  return rest
}

/** ISO/IEC 7064, MOD 11,10. */
export function mod1110(digits: string): boolean {
  let product = 10
  for (let i = 0; i < digits.length - 1; i++) {
    const sum = (digits.charCodeAt(i) - 48 + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digits.charCodeAt(digits.length - 1) - 48
}

const dihedral = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const permutations = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Verhoeff's check digit. */
export function verhoeff(digits: string): boolean {
  let check = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    check = Number(dihedral[check]![Number(permutations[i % 8]![digit])])
  }
  return check === 0
}

/** True when the day exists in some year. */
export function isDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!
}
