import { ApiError, type FieldFault, validationFailed } from '../contract/errors.ts'
import type { Room } from '../money/engine/engine.ts'
import type { Charge } from '../money/ledger/ledger.ts'
import {
  canonicalModel,
  type Estimate,
  type HoldPrice,
  largestOutput,
  type PriceBook,
  quoteHold,
  unpricedUnits,
} from '../money/prices/prices.ts'
import { trustIn } from '../money/trust/trust.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../values/money.ts'
import type { OrgConfig } from './lanes/lanes.ts'
import type { DecisionInput } from './schema.ts'

/** Thrown inside a lane for a model without a price; the route records it. */
export class UnpricedModel extends ApiError<'validation_failed'> {
  constructor(model: string, prices: PriceBook, instead = 'estimated_cost_usd') {
    const nearest = prices.nearestTo(model)
    const like = nearest === undefined ? '' : `; the nearest name that has one is ${nearest}`
    const ways =
      prices.unpriced === 'refuse' && instead === 'estimated_cost_usd'
        ? 'Add one with PUT …/prices, or let such calls pass with unpriced there.'
        : `Add one with PUT …/prices, set unpriced_ceiling_usd there, or send ${instead}.`
    const message = `${model} has no price${like}. ${ways}`
    super('validation_failed', { fields: [{ field: 'model', code: 'invalid_value', message }] })
  }
}

/** The amounts and the price of a request, which its response needs as well. */
export interface Quote {
  readonly charge: Charge
  readonly price: HoldPrice
}

export function quote(
  input: DecisionInput,
  orgConfig: Pick<OrgConfig, 'prices' | 'trust'>,
  nowMs: number,
  keyId?: string,
): Quote {
  const price = quoteHold(orgConfig.prices, { ...estimateOf(input), ...doubtIn(orgConfig, nowMs, keyId) }, nowMs)
  if (price === 'unpriced') throw new UnpricedModel(input.model, orgConfig.prices)
  const unpriced = price.price === null ? [] : unpricedUnits(price.price, input.units)
  if (unpriced.length > 0) throw validationFailed(unpriced.map(unitFault))
  if (price.amountNano > maxChargeNano) {
    const message = `One call may cost at most ${formatDollars(maxChargeNano)}; this one could cost ${formatDollars(price.amountNano)}.`
    throw validationFailed([{ field: 'max_output_tokens', code: 'out_of_range', message }])
  }
  const charge = {
    usd: price.amountNano,
    tokens: price.tokens,
    runs: 1n,
    workflowId: input.workflow_id,
    deploymentId: input.deployment_id,
    departmentId: input.department_id,
    customerId: input.customer_id,
    userId: input.user_id,
    keyId,
    ...canonicalModel(input.model, input.provider),
    tags: input.tags,
  }
  return { charge, price }
}

const unitFault = (name: string): FieldFault => ({
  field: `units.${name}`,
  code: 'invalid_value',
  message: `${name} has no price. Add one with PUT …/prices, or send estimated_cost_usd instead.`,
})

/** Returns how far the word of a key is doubted. */
function doubtIn(
  { trust }: Pick<OrgConfig, 'trust'>,
  nowMs: number,
  keyId: string | undefined,
): Pick<Estimate, 'isEstimateDoubted' | 'floorNano' | 'cacheCreation'> {
  if (!trust) return {}
  const { reportedCost, reportedUsage, holdFloor } = trustIn(trust, keyId)
  return {
    isEstimateDoubted: reportedCost !== 'accept',
    // The hold of such a key may be what its call is charged.
    ...((reportedCost !== 'accept' || reportedUsage !== 'accept') && { cacheCreation: '1h' as const }),
    floorNano: holdFloor && nowMs < holdFloor.untilMs ? holdFloor.nano : undefined,
  }
}

const estimateOf = (input: DecisionInput): Estimate => ({
  model: input.model,
  ...(input.provider !== undefined && { provider: input.provider }),
  ...(input.estimated_cost_usd !== undefined && { estimatedNano: parseUsd(input.estimated_cost_usd) }),
  ...(input.input_tokens !== undefined && { inputTokens: input.input_tokens }),
  ...(input.max_output_tokens !== undefined && { maxOutputTokens: input.max_output_tokens }),
  serviceTier: input.service_tier,
  cacheCreation: input.cache_creation,
  units: input.units,
})

/** The output that a quote allows at most. */
export const outputOf = ({ price }: Quote, { input_tokens = 0 }: DecisionInput): number =>
  Number(price.tokens) - input_tokens

/** Returns the largest output, up to a given one, that fits in a room; undefined where not even the input does. */
export const outputThatFits = (
  input: DecisionInput,
  orgConfig: Pick<OrgConfig, 'prices' | 'trust'>,
  nowMs: number,
  most: number,
  { usd, tokens }: Room,
  keyId?: string,
): number | undefined =>
  largestOutput(
    orgConfig.prices,
    { ...estimateOf(input), ...doubtIn(orgConfig, nowMs, keyId) },
    nowMs,
    most,
    (hold) => fits(hold.amountNano, usd) && fits(hold.tokens, tokens),
  )

/** True when an amount fits; nothing always does. */
const fits = (amount: bigint, room: bigint | null) => room === null || amount === 0n || amount <= room
