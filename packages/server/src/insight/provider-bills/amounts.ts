import { nanoPerUsd } from '../../values/money.ts'

/** Amounts of bills: decimals of any length, kept exact. Inside they are whole fractions of a dollar, 30 decimals fine. */

const decimals = 30
const finePerUsd = 10n ** BigInt(decimals)
const finePerNano = finePerUsd / nanoPerUsd
const largestUsd = 1_000_000_000n

const decimal = /^(-?)(\d{1,20})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Returns a decimal text of dollars, or of hundredths of a dollar, as a fine amount; undefined for what is no amount. */
export function fineAmount(text: string, unit: 'dollars' | 'cents' = 'dollars'): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? []
  if (whole === '') return undefined
  const power = Number(exponent) - fraction.length + decimals - (unit === 'cents' ? 2 : 0)
  const digits = BigInt(whole + fraction)
  const fine = power >= 0 ? digits * 10n ** BigInt(power) : halfUp(digits, 10n ** BigInt(-power))
  if (fine > largestUsd * finePerUsd) return undefined
  return sign === '-' ? -fine : fine
}

/** Returns a quotient rounded to the nearest whole number; half goes away from zero. */
function halfUp(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value
  const rounded = (size * 2n + by) / (by * 2n)
  return value < 0n ? -rounded : rounded
}

export const nanoOfFine = (fine: bigint): bigint => halfUp(fine, finePerNano)

const finePerCent = finePerUsd / 100n
/** True for an amount of whole cents, as a table for people has it. */
export const isWholeCents = (fine: bigint): boolean => fine % finePerCent === 0n
