import { ExactNumber } from '../../values/exact-json.ts'

const decimal = /^(-?)(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/

/** An amount of money that no price is. */
export class AbsurdAmount extends Error {
  override readonly name = 'AbsurdAmount'
}

const thousandths = 1_000n

/**
 * Returns dollars for so many tokens or units as pico-dollars of one. What is less than a pico-dollar is rounded up; less than half a
 * thousandth of one is what a float has left behind.
 */
export function picoOfOne({ text }: ExactNumber, per: bigint): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? []
  const digits = BigInt(whole + fraction)
  if (whole === '' || (sign === '-' && digits > 0n)) throw new AbsurdAmount(text)
  const power = Number(exponent) - fraction.length + 15
  const above = power > 0 ? digits * 10n ** BigInt(power) : digits
  const below = per * (power < 0 ? 10n ** BigInt(-power) : 1n)
  const inThousandths = (above * 2n + below) / (below * 2n)
  return (inThousandths + thousandths - 1n) / thousandths
}

/** Returns a whole number; undefined where it is none, or too large to be the length of a text. */
export function countOf(value: unknown): number | undefined {
  if (!(value instanceof ExactNumber)) return undefined
  const count = Number(value.text)
  return Number.isInteger(count) && count >= 0 && count <= 100_000_000 ? count : undefined
}
