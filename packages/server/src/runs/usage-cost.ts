import type { FieldFault } from '../contract/errors.ts'
import { costOf, type Price, type PriceBook, type TokenUsage, unpricedUnits } from '../money/prices/prices.ts'
import type { Tokens, UsageCounts, UsageDetail } from '../records/run-log/run-log.ts'

/** The cost of what a run used. */
export interface UsageCost {
  readonly usd: bigint
  /** Fields for which there is no price, and which are not in the cost. */
  readonly unpriced: readonly FieldFault[]
}

/** Returns the price of another model that worked for a run. */
export type PartPrice = (part: { readonly model: string; readonly provider?: string | undefined }) => Price | undefined

/** Returns the cost of a run's usage; missing counts were not used. Tokens of other models have their own model's price. */
export function costOfUsage(
  price: Price,
  usage: Tokens,
  detail: UsageDetail | undefined,
  partPrice: PartPrice,
): UsageCost {
  if (!detail) return { usd: costOf(price, tokenUsageOf(usage)), unpriced: [] }
  const own = { usd: costOf(price, tokenUsageOf(usage, detail)), unpriced: unitFaults(price, detail, '') }
  return (detail.parts ?? []).reduce<UsageCost>((sum, part, i) => {
    const ofPart = partPrice(part)
    const field = `parts.${i}.`
    return ofPart
      ? {
          usd: sum.usd + costOf(ofPart, tokenUsageOf(part.usage, part.usage)),
          unpriced: [...sum.unpriced, ...unitFaults(ofPart, part.usage, `${field}usage.`)],
        }
      : { usd: sum.usd, unpriced: [...sum.unpriced, noPrice(`${field}model`, part.model)] }
  }, own)
}

/** Returns what the prices say of the other models of a run that was admitted at a time. */
export const partPricesAt =
  (prices: PriceBook, atMs: number): PartPrice =>
  ({ model, provider }) =>
    prices.priceOf(model, provider, atMs)

const unitFaults = (price: Price, { units }: Pick<UsageDetail, 'units'>, prefix: string): FieldFault[] =>
  unpricedUnits(price, units).map((name) => noPrice(`${prefix}units.${name}`, name))

const noPrice = (field: string, name: string): FieldFault => ({
  field,
  code: 'invalid_value',
  message: `${name} has no price. Add one with PUT …/prices, or send cost_usd.`,
})

function tokenUsageOf(usage: Tokens, detail?: UsageCounts): TokenUsage {
  return {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    ...(usage.cache_read_input_tokens !== undefined && { cacheReadTokens: usage.cache_read_input_tokens }),
    ...(usage.cache_creation_input_tokens !== undefined && { cacheWriteTokens: usage.cache_creation_input_tokens }),
    ...((detail || usage.reasoning_output_tokens) && { others: othersOf(usage, detail) }),
    ...(detail?.units && { units: detail.units }),
  }
}

const othersOf = (usage: Tokens, detail: UsageCounts = {}): TokenUsage['others'] => ({
  cache_write_1h: detail.cache_creation_1h_input_tokens ?? 0,
  input_audio: detail.audio_input_tokens ?? 0,
  input_image: detail.image_input_tokens ?? 0,
  input_video: detail.video_input_tokens ?? 0,
  cache_audio_read: detail.cache_read_audio_input_tokens ?? 0,
  cache_image_read: detail.cache_read_image_input_tokens ?? 0,
  output_audio: detail.audio_output_tokens ?? 0,
  output_image: detail.image_output_tokens ?? 0,
  output_video: detail.video_output_tokens ?? 0,
  output_reasoning: usage.reasoning_output_tokens ?? 0,
  output_citation: detail.citation_output_tokens ?? 0,
})
