import { type Agent, lineageIn, lineageOfMaker } from '../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { heldPriceOf, heldRequestOf } from '../decisions/decisions.ts'
import type { KnownHold, OrgConfig } from '../decisions/lanes/lanes.ts'
import { costOf, type Price } from '../money/prices/prices.ts'
import { trustIn } from '../money/trust/trust.ts'
import { type CostBasis, heldTokensOf, type Tokens, tokensOf, usageNames } from '../records/run-log/run-log.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../values/money.ts'
import { ranModelOf } from './settlement.ts'

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

/** True when usage was reported; 0 counts as reported. */
export const hasUsage = ({ input_tokens, output_tokens }: Tokens) =>
  input_tokens !== undefined || output_tokens !== undefined

/** The reported token counts, and no others: a missing number is not 0. */
export const reportedUsage = (said: Tokens): Tokens =>
  Object.fromEntries(usageNames.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])))

/** Returns the cost of tokens; missing counts were not used. */
export const costOfTokens = (price: Price, usage: Tokens): bigint =>
  costOf(price, {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    ...(usage.cache_read_input_tokens !== undefined && { cacheReadTokens: usage.cache_read_input_tokens }),
    ...(usage.cache_creation_input_tokens !== undefined && { cacheWriteTokens: usage.cache_creation_input_tokens }),
  })

/** The configuration that a cost depends on. */
type CostConfig = Pick<OrgConfig, 'prices' | 'trust'>

/**
 * Returns the cost of a held run: the reported one, as far as the word of its maker and of the agent who reports is taken, else
 * that of its tokens.
 */
export function costOfHeld(hold: KnownHold, reported: Reported, config: CostConfig, agent: Agent): RunCost {
  const { reportedCost } = trustIn(config.trust, lineageOfMaker(hold.madeBy), lineageIn(agent))
  if (reported.cost_usd === undefined || reportedCost === 'ignore') return measuredCost(hold, reported, config)
  const said: RunCost = { usd: parseUsd(reported.cost_usd), tokens: ranTokensOf(hold, reported), basis: 'reported' }
  if (reportedCost === 'accept') return said
  const measured = measuredCost(hold, reported, config)
  return said.usd > measured.usd ? said : measured
}

/** The reported tokens of a held run; where there are none, those that were held. */
const ranTokensOf = (hold: KnownHold, reported: Reported): bigint =>
  hasUsage(reported) ? tokensOf(reported) : heldTokensOf(hold)

/**
 * Returns the cost of a held run by its tokens. The price is the one it was held at; where another model ran, that model's own, as
 * it was when the run was admitted. Where nothing is known the run is charged the held amount: a call that was not measured was not
 * free.
 */
function measuredCost(hold: KnownHold, reported: Reported, { prices }: CostConfig): RunCost {
  const { price: heldPrice } = heldPriceOf(hold)
  const isMeasured = hasUsage(reported)
  const tokens = ranTokensOf(hold, reported)
  const { model, provider, isOther } = ranModelOf(hold, reported)
  const tier = heldRequestOf(hold).service_tier
  const price = isOther ? prices.priceOf(model, provider, hold.heldAtMs, tier) : heldPrice
  if (isMeasured && price) return { usd: checkMaxCost(costOfTokens(price, reported)), tokens, basis: 'computed' }
  // A model without a price makes no call cheaper than the requested model.
  const asked = isMeasured && heldPrice ? checkMaxCost(costOfTokens(heldPrice, reported)) : 0n
  const ceiling = isOther && isMeasured ? (prices.unpricedCeilingNano ?? 0n) : 0n
  const usd = [asked, ceiling].reduce((most, amount) => (amount > most ? amount : most), hold.amountNano)
  return { usd, tokens, basis: 'estimated' }
}

/** Throws for a cost above the maximum of one run, however it was measured. */
export function checkMaxCost(usd: bigint, prefix = ''): bigint {
  if (usd > maxChargeNano) throw validationFailed([tooMuch(`${prefix}output_tokens`)])
  return usd
}

const tooMuch = (field: string): FieldFault => ({
  field,
  code: 'out_of_range',
  message: `One run may cost at most ${formatDollars(maxChargeNano)}; these tokens cost more.`,
})

/** Tolerated difference between clocks; a run cannot start or end further in the future. */
export const maxAheadMs = 5 * 60_000

/**
 * Returns the end of a run, if it is possible. The start is stored to the millisecond, which the caller's own clock may not be;
 * where the run was started here, the two times come from two clocks.
 */
export function endOf(endedAt: string | undefined, startedAtMs: number, nowMs: number, earlyMs = 1): number {
  if (endedAt === undefined) return Math.max(nowMs, startedAtMs)
  const endedAtMs = Date.parse(endedAt)
  const fault = (message: string) => validationFailed([{ field: 'ended_at', code: 'out_of_range', message }])
  if (endedAtMs < startedAtMs - earlyMs) throw fault('A run cannot end before it started.')
  if (endedAtMs > nowMs + maxAheadMs) throw fault('Must not be in the future.')
  return Math.max(endedAtMs, startedAtMs)
}
