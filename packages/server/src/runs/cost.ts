import { type Agent, lineageIn, lineageOfMaker } from '../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { heldPriceOf, heldRequestOf } from '../decisions/decisions.ts'
import type { KnownHold, OrgConfig } from '../decisions/lanes/lanes.ts'
import type { ServiceTier } from '../money/prices/prices.ts'
import { type Trust, trustIn } from '../money/trust/trust.ts'
import {
  type CostBasis,
  detailIn,
  heldTokensOf,
  type Tokens,
  tokensOf,
  type UsageDetail,
  usageNames,
} from '../records/run-log/run-log.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../values/money.ts'
import { ranModelOf } from './settlement.ts'
import { costOfUsage, partPricesAt } from './usage-cost.ts'

export interface RunCost {
  readonly usd: bigint
  readonly tokens: bigint
  readonly basis: CostBasis
  /** Usage beside plain tokens, as it was charged. */
  readonly detail: UsageDetail | undefined
}

interface Reported extends Tokens, UsageDetail {
  readonly cost_usd?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly estimated?: boolean | undefined
}

/** True when usage was reported; 0 counts as reported. */
export const hasUsage = ({ input_tokens, output_tokens }: Tokens) =>
  input_tokens !== undefined || output_tokens !== undefined

/** The reported token counts, and no others: a missing number is not 0. */
export const reportedUsage = (said: Tokens): Tokens =>
  Object.fromEntries(usageNames.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])))

/** The configuration that a cost depends on. */
type CostConfig = Pick<OrgConfig, 'prices' | 'trust'>

/**
 * Returns the cost of a held run: the reported one, as far as the word of its maker and of the agent who reports is taken, else
 * that of what it used.
 */
export function costOfHeld(hold: KnownHold, reported: Reported, config: CostConfig, agent: Agent): RunCost {
  const trust = trustIn(config.trust, lineageOfMaker(hold.madeBy), lineageIn(agent))
  const cost = costByTrust(hold, reported, config, trust)
  if (reported.estimated === true) return { ...cost, basis: 'estimated' }
  // Whose reports only raise a charge does not lower one by calling it an estimate first.
  const isFloored =
    hold.estimate !== undefined && (trust.reportedCost === 'raise_only' || trust.reportedUsage !== 'accept')
  const floorNano = isFloored ? (hold.chargedNano ?? 0n) : 0n
  return cost.usd >= floorNano ? cost : { ...cost, usd: floorNano, basis: 'estimated' }
}

function costByTrust(
  hold: KnownHold,
  reported: Reported,
  config: CostConfig,
  { reportedCost, reportedUsage }: Trust,
): RunCost {
  const isDoubted = reportedCost !== 'accept' || reportedUsage !== 'accept'
  const measure = (): RunCost => {
    const cost = measuredCost(hold, reported, config, isDoubted)
    // Usage that is not taken on trust makes no call cheaper than what was held for it.
    if (reportedUsage === 'accept' || cost.usd >= hold.amountNano) return cost
    const held = heldTokensOf(hold)
    return { ...cost, usd: hold.amountNano, tokens: cost.tokens > held ? cost.tokens : held, basis: 'estimated' }
  }
  if (reported.cost_usd === undefined || reportedCost === 'ignore') return measure()
  const said: RunCost = {
    usd: parseUsd(reported.cost_usd),
    tokens: ranTokensOf(hold, reported),
    basis: 'reported',
    detail: detailIn(reported),
  }
  if (reportedCost === 'accept') return said
  const measured = measure()
  return said.usd > measured.usd ? { ...said, detail: measured.detail } : measured
}

/** The reported tokens of a held run; where there are none, those that were held. */
const ranTokensOf = (hold: KnownHold, reported: Reported): bigint =>
  hasUsage(reported) ? tokensOf(reported, reported) : heldTokensOf(hold)

/**
 * Returns the cost of a held run by what it used. The price is the one it was held at; where another model or tier ran, that one's
 * own, as it was when the run was admitted. Where nothing is known the run is charged the held amount: a call that was not measured
 * was not free.
 */
function measuredCost(hold: KnownHold, reported: Reported, { prices }: CostConfig, isDoubted: boolean): RunCost {
  const { price: heldPrice } = heldPriceOf(hold)
  const ran = ranModelOf(hold, reported)
  const parts = partPricesAt(prices, hold.heldAtMs)
  const detail = detailIn(reported)
  const { service_tier: heldTier = 'standard' } = heldRequestOf(hold)
  const tiers = servedTiers(heldTier, reported.service_tier, isDoubted)
  const costs = tiers.flatMap((tier) => {
    const isHeld = !ran.isOther && tier === heldTier
    const price = isHeld ? heldPrice : prices.priceOf(ran.model, ran.provider, hold.heldAtMs, tier)
    return price ? [{ ...costOfUsage(price, reported, detail, parts), tier }] : []
  })
  const dearest = costs.reduce<(typeof costs)[number] | undefined>((a, b) => (a && a.usd >= b.usd ? a : b), undefined)
  if (dearest && dearest.unpriced.length > 0 && reported.cost_usd === undefined)
    throw validationFailed([...dearest.unpriced])
  const counted = detail?.service_tier && dearest ? { ...detail, service_tier: dearest.tier } : detail
  const isMeasured = hasUsage(reported)
  const tokens = ranTokensOf(hold, reported)
  if (isMeasured && dearest && dearest.unpriced.length === 0)
    return { usd: checkMaxCost(dearest.usd), tokens, basis: 'computed', detail: counted }
  // A model without a price makes no call cheaper than the requested model.
  const asked = isMeasured && heldPrice ? costOfUsage(heldPrice, reported, detail, parts).usd : 0n
  const ceiling = ran.isOther && isMeasured ? (prices.unpricedCeilingNano ?? 0n) : 0n
  const usd = [checkMaxCost(asked), checkMaxCost(dearest?.usd ?? 0n), ceiling].reduce(
    (most, amount) => (amount > most ? amount : most),
    hold.amountNano,
  )
  return { usd, tokens, basis: 'estimated', detail: counted }
}

/** Returns the tiers whose price may count: the one that is said to have run, and where words are not taken also the requested one. */
function servedTiers(asked: ServiceTier, said: ServiceTier | undefined, isDoubted: boolean): ServiceTier[] {
  if (said === undefined || said === asked) return [asked]
  return isDoubted ? [said, asked] : [said]
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
