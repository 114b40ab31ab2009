/**
 * Money of LiteLLM is floats. An amount is taken as the shortest decimal that reads back as the float, which is what LiteLLM shows, and rounded
 * up to a whole nano-dollar: what was spent is never lowered, and not raised by the noise of binary fractions.
 */

const nanoDigits = 9
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Returns an amount in whole nano-dollars, rounded up; undefined where it is none. */
export function nanosOf(amount: unknown): bigint | undefined {
  if (typeof amount !== 'number' && typeof amount !== 'string') return undefined
  const match = decimal.exec(String(amount))
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const scale = Number(exponent) - fraction.length + nanoDigits
  if (Math.abs(scale) > 400) return undefined
  const digits = BigInt(whole + fraction)
  if (scale >= 0) return sign === '-' ? -(digits * 10n ** BigInt(scale)) : digits * 10n ** BigInt(scale)
  const divisor = 10n ** BigInt(-scale)
  const [cut, rest] = [digits / divisor, digits % divisor]
  if (sign === '-') return -cut
  return rest === 0n ? cut : cut + 1n
}

/** Returns what was spent: nothing where there is no amount, or less than nothing. */
export const spentNanos = (amount: unknown): bigint => {
  const nanos = nanosOf(amount)
  return nanos === undefined || nanos < 0n ? 0n : nanos
}
