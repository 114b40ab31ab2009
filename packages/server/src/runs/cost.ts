import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { keptPriceOf } from '../decisions/decisions.ts'
import type { KnownHold } from '../lanes/lanes.ts'
import { costOf, type Price, type PriceBook } from '../prices/prices.ts'
import { type CostBasis, type Tokens, tokensOf, usageNames } from '../run-log/run-log.ts'
import { dollars, maxChargeNano, parseUsd } from '../values/money.ts'
import { ranOn } from './settlement.ts'

export interface RunCost {
  readonly usd: bigint
  readonly tokens: bigint
  readonly basis: CostBasis
}

interface Reported extends Tokens {
  readonly cost_usd?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
}

/** Whether anything was said of what the run used; 0 is said, too. */
export const hasUsage = ({ input_tokens, output_tokens }: Tokens) =>
  input_tokens !== undefined || output_tokens !== undefined

/** What was said of the tokens, and no more: a number that is missing is not 0. */
export const usageIn = (said: Tokens): Tokens =>
  Object.fromEntries(usageNames.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])))

/** What its tokens cost: some of them may be missing, and then were not used. */
export const priced = (price: Price, usage: Tokens): bigint =>
  costOf(price, {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    ...(usage.cache_read_input_tokens !== undefined && { cacheReadTokens: usage.cache_read_input_tokens }),
    ...(usage.cache_creation_input_tokens !== undefined && { cacheWriteTokens: usage.cache_creation_input_tokens }),
  })

/**
 * The cost of a held run: what its caller says, else what its tokens cost. The price is the one it was held at; where another
 * model ran, that model's own, as it was when the run was admitted. Where nothing is known the run is charged what was held: a
 * call that was not measured was not free.
 */
export function costOfHeld(hold: KnownHold, reported: Reported, prices: PriceBook): RunCost {
  const { price: heldPrice, tokens: heldTokens } = keptPriceOf(hold)
  const isMeasured = hasUsage(reported)
  const tokens = isMeasured ? tokensOf(reported) : heldTokens
  if (reported.cost_usd !== undefined) return { usd: parseUsd(reported.cost_usd), tokens, basis: 'reported' }
  const { model, provider, isOther } = ranOn(hold, reported)
  const price = isOther ? prices.priceOf(model, provider, hold.heldAtMs) : heldPrice
  if (isMeasured && price) return { usd: bounded(priced(price, reported)), tokens, basis: 'computed' }
  // A name without a price makes no call cheaper than the model that was asked for.
  const asked = isMeasured && heldPrice ? bounded(priced(heldPrice, reported)) : 0n
  const ceiling = isOther && isMeasured ? (prices.unpricedCeilingNano ?? 0n) : 0n
  const usd = [asked, ceiling].reduce((most, amount) => (amount > most ? amount : most), hold.amountNano)
  return { usd, tokens, basis: 'estimated' }
}

/** One run costs at most so much, however it was measured. */
export function bounded(usd: bigint, prefix = ''): bigint {
  if (usd > maxChargeNano) throw validationFailed([tooMuch(`${prefix}output_tokens`)])
  return usd
}

const tooMuch = (field: string): FieldFault => ({
  field,
  code: 'out_of_range',
  message: `One run may cost at most ${dollars(maxChargeNano)}; these tokens cost more.`,
})

/** Clocks differ a little; a run that ends or starts in the future does not. */
export const maxAheadMs = 5 * 60_000

/**
 * When a run ended, if that can be. Its start is kept to the millisecond, as the callers' own clock may not be; where it was
 * started here, two clocks have told the times.
 */
export function endOf(endedAt: string | undefined, startedAtMs: number, nowMs: number, earlyMs = 1): number {
  if (endedAt === undefined) return Math.max(nowMs, startedAtMs)
  const endedAtMs = Date.parse(endedAt)
  const fault = (message: string) => validationFailed([{ field: 'ended_at', code: 'out_of_range', message }])
  if (endedAtMs < startedAtMs - earlyMs) throw fault('A run cannot end before it started.')
  if (endedAtMs > nowMs + maxAheadMs) throw fault('This lies in the future.')
  return Math.max(endedAtMs, startedAtMs)
}
