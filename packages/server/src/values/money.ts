/** Amounts of money. Inside they are integers of nano-dollars, on the wire decimal strings: without floats no sum can drift. */

export const nanoPerUsd = 1_000_000_000n
const fractionDigits = 9

/** Upper bound of a single charge. */
export const maxChargeNano = 1_000_000n * nanoPerUsd

// Sums that the API answers with have more digits than an amount that it takes.
const decimal = /^(-)?(\d{1,18})(?:\.(\d{1,9}))?$/

/** Parses a decimal string that has passed validation; throws on anything else, which is a programming error. */
export function parseUsd(text: string): bigint {
  const match = decimal.exec(text)
  if (!match) throw new TypeError(`not an amount of dollars: ${text}`)
  const [, sign, whole = '', fraction = ''] = match
  const nano = BigInt(whole) * nanoPerUsd + BigInt(fraction.padEnd(fractionDigits, '0'))
  return sign ? -nano : nano
}

/** Formats an amount exactly, in its shortest form. */
export function formatUsd(nano: bigint): string {
  if (nano < 0n) return `-${formatUsd(-nano)}`
  const digits = nano.toString().padStart(fractionDigits + 1, '0')
  const point = digits.length - fractionDigits
  let end = digits.length
  while (end > point && digits[end - 1] === '0') end--
  const whole = digits.slice(0, point)
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`
}

/** Formats an amount for people, with cents: `$0.50`. */
export function formatDollars(nano: bigint): string {
  if (nano < 0n) return `-${formatDollars(-nano)}`
  const [whole = '', fraction = ''] = formatUsd(nano).split('.')
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}
