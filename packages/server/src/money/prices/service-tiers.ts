import type { ContextTier, OtherRates, PriceEntry, Rates } from './price-entry.ts'

/** Tiers of service in which providers run a call. */
export const serviceTiers = ['standard', 'priority', 'flex', 'batch'] as const
export type ServiceTier = (typeof serviceTiers)[number]

type Factors = Readonly<Record<ServiceTier, bigint>>

/** Prices of a tier, in thousandths of the standard one, where nothing is known: urgent calls cost twice, and none less. */
const unknown: Factors = { standard: 1_000n, priority: 2_000n, flex: 1_000n, batch: 1_000n }

/** Discounts that providers publish. */
const byProvider: Readonly<Record<string, Partial<Factors>>> = {
  anthropic: { batch: 500n },
  aws: { batch: 500n },
  azure: { batch: 500n },
  google: { batch: 500n },
  mistral: { batch: 500n },
  openai: { flex: 500n, batch: 500n },
}

const priced = new WeakMap<PriceEntry, Map<ServiceTier, PriceEntry>>()

/** Returns the price of a model in a tier of service, rounded up to whole pico-dollars. Fees beside tokens are the same in each. */
export function atTier(entry: PriceEntry, tier: ServiceTier): PriceEntry {
  const factor = factorOf(entry, tier)
  if (factor === 1_000n) return entry
  const known = priced.get(entry) ?? new Map<ServiceTier, PriceEntry>()
  priced.set(entry, known)
  const found = known.get(tier) ?? scaled(entry, tier, factor)
  known.set(tier, found)
  return found
}

/** Returns the factor of a tier of service, in thousandths. */
export const factorOf = ({ multipliers, provider }: PriceEntry, tier: ServiceTier): bigint =>
  multipliers?.[tier] ?? byProvider[provider]?.[tier] ?? unknown[tier]

const scaled = (entry: PriceEntry, tier: ServiceTier, factor: bigint): PriceEntry => ({
  ...entry,
  id: `${entry.id}+${tier}`,
  ...scaledRates(entry, factor),
  ...(entry.tiers && {
    tiers: entry.tiers.map((each): ContextTier => ({ above: each.above, ...scaledRates(each, factor) })),
  }),
  ...(entry.heldAt && { heldAt: scaledRates(entry.heldAt, factor) }),
})

function scaledRates({ inputPico, outputPico, cacheReadPico, cacheWritePico, others }: Rates, factor: bigint): Rates {
  const times = (pico: bigint) => (pico * factor + 999n) / 1_000n
  const scaledOthers: OtherRates | undefined =
    others && Object.fromEntries(Object.entries(others).map(([name, pico]) => [name, times(pico)]))
  return {
    inputPico: times(inputPico),
    outputPico: times(outputPico),
    cacheReadPico: times(cacheReadPico),
    cacheWritePico: times(cacheWritePico),
    ...(scaledOthers && { others: scaledOthers }),
  }
}
