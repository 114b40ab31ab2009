import { tokenKinds } from './bill-lines.ts'
import { isWithin, type Pair, sumOf, type Tolerance } from './pairs.ts'

/** Likely reasons of a difference. */
export const reasons = [
  'missing_here',
  'missing_there',
  'other_charge',
  'day_boundary',
  'unpriced',
  'counted_twice',
  'cache_tokens',
  'tokens_differ',
  'rounding',
  'tier',
  'estimated',
  'price_differs',
  'amount_differs',
] as const
export type Reason = (typeof reasons)[number]

/** Half a cent in nano-dollars: most that rounding to cents moves an amount. */
const halfCentNano = 5_000_000n

/** Returns the likely reason of a difference; `beside` are the days before and after it, of the same model. */
export function reasonOf(pair: Pair, beside: readonly Pair[], tolerance: Tolerance): Reason {
  const { booked, billed } = pair
  if (billed?.isOther) return 'other_charge'
  if (beside.some((other) => cancels(pair, other, tolerance))) return 'day_boundary'
  if (booked === undefined) return 'missing_here'
  if (billed === undefined) return 'missing_there'
  return tokensReason(pair, tolerance) ?? amountReason(pair, tolerance)
}

/** True where the same runs are on one day here and on the next one there. */
function cancels(pair: Pair, other: Pair, { nano, tokens }: Tolerance): boolean {
  if (other.billed?.isOther || !isApart(other, { nano, tokens })) return false
  return (
    isWithin((pair.nano ?? 0n) + (other.nano ?? 0n), nano) &&
    tokenKinds.every((kind) => isWithin((pair.tokens?.[kind] ?? 0n) + (other.tokens?.[kind] ?? 0n), tokens))
  )
}

const isApart = (pair: Pair, { nano, tokens }: Tolerance): boolean =>
  !isWithin(pair.nano ?? 0n, nano) || tokenKinds.some((kind) => !isWithin(pair.tokens?.[kind] ?? 0n, tokens))

function tokensReason({ booked, billed, tokens }: Pair, { tokens: most }: Tolerance): Reason | undefined {
  if (!tokens || !booked || !billed?.tokens) return undefined
  if (tokenKinds.every((kind) => isWithin(tokens[kind] ?? 0n, most))) return undefined
  const there = billed.tokens
  const isTwice = tokenKinds.every((kind) => isWithin((booked.tokens[kind] ?? 0n) - 2n * (there[kind] ?? 0n), most))
  if (isTwice) return 'counted_twice'
  const input = sumOf([tokens.input ?? 0n, tokens.cache_read ?? 0n, tokens.cache_write ?? 0n])
  if (isWithin(input, most) && isWithin(tokens.output ?? 0n, most)) return 'cache_tokens'
  return booked.estimatedNano > 0n ? 'estimated' : 'tokens_differ'
}

function amountReason({ booked, billed, nano = 0n, tokens }: Pair, tolerance: Tolerance): Reason {
  const { nano: cost = 0n, estimatedNano = 0n } = booked ?? {}
  if (cost === 0n && nano > 0n) return 'unpriced'
  if (billed?.isRounded && isWithin(nano, halfCentNano * BigInt(billed.lines))) return 'rounding'
  const isDiscount = nano < 0n
  const isHalf = isDiscount && isWithin(cost + 2n * nano, tolerance.nano)
  const isCheap = billed?.tiers.some((tier) => /batch|flex/.test(tier)) ?? false
  const isUrgent = billed?.tiers.some((tier) => !/batch|flex/.test(tier)) ?? false
  if (isDiscount ? isCheap : isUrgent) return 'tier'
  if (estimatedNano > 0n && isWithin(nano, estimatedNano)) return 'estimated'
  if (tokens === undefined) return 'amount_differs'
  // Half the price for the same tokens is what providers ask of batches.
  return isHalf ? 'tier' : 'price_differs'
}
