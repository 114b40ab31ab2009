const decimal = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/
const nanoDigits = 9

/**
 * Parses dollars as an exporter wrote them, into nano-dollars; undefined where they are no amount. A float is taken by the
 * shortest text that represents it, which is what was meant; fractions of a nano-dollar are rounded, half up.
 */
export function nanoOfDollars(value: string | number): bigint | undefined {
  const match = decimal.exec(String(value))
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  // The amount is this integer, times ten to the power of `shift`, in nano-dollars.
  const digits = BigInt(whole + fraction)
  const shift = Number(exponent) - fraction.length + nanoDigits
  if (digits === 0n) return 0n
  if (shift >= 0) return shift > 40 ? undefined : digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  return (digits * 2n + divisor) / (divisor * 2n)
}
