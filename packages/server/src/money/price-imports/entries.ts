import { formatUsd } from '../../values/money.ts'
import { type PriceEntry, type PriceInput, type Rates, ratesFor, usdPerMillion } from '../prices/prices.ts'
import { type KindRates, type ListedPrice, type Listing, type TokenKind, tokenKinds } from './listings.ts'

/** An entry made from a listing. */
export interface MadeEntry {
  readonly input: PriceInput
  /** Parts that the listing does not have and that stay as they are in effect. */
  readonly kept: readonly string[]
  /** Parts of the listing that the entry does not say. */
  readonly notes: readonly string[]
}

const maxUnits = 4
const picoPerNano = 1_000n

/** Rates that stand for other kinds of tokens where these have none of their own. */
const plainOf = (kind: TokenKind): TokenKind =>
  kind === 'cache_write_1h'
    ? 'cache_write'
    : kind === 'cache_audio_read' || kind === 'cache_image_read'
      ? 'cache_read'
      : kind.startsWith('output')
        ? 'output'
        : 'input'

/** Returns what tokens of a kind cost. */
function rateOf(rates: KindRates, kind: TokenKind): bigint {
  const own = rates[kind]
  if (own !== undefined) return own
  return kind === 'input' || kind === 'output' ? 0n : rateOf(rates, plainOf(kind))
}

/**
 * Makes an entry. What the file leaves unsaid and the price in effect knows stays where it is dearer: a format that does not know writes
 * for an hour must not make them cheap.
 */
export function entryOfListing(
  listing: Listing,
  model: string,
  price: ListedPrice,
  inEffect: PriceEntry | undefined,
): MadeEntry {
  const kept = new Set<string>()
  const rates = completed(price.rates, inEffect, kept)
  const tiers = price.tiers.map(({ above, rates: said }) => ({
    above,
    rates: completed(said, inEffect && ratesFor(inEffect, above + 1), kept),
  }))
  const { units, dropped } = unitsOf(price, inEffect, kept)
  const said = listing.maxOutputTokens
  const maxOutput = said !== undefined && said > 0 && said <= 10_000_000 ? said : inEffect?.maxOutputTokens
  return {
    input: {
      model,
      provider: listing.provider,
      ...ratesView(rates),
      ...(tiers.length > 0 && {
        tiers: tiers.map((tier) => ({ above_input_tokens: tier.above, ...ratesView(tier.rates) })),
      }),
      ...(Object.keys(units).length > 0 && { units_usd: units }),
      ...(Object.keys(price.multipliers).length > 0 && {
        multipliers: Object.fromEntries(
          Object.entries(price.multipliers).map(([tier, factor]) => [tier, formatUsd((factor ?? 0n) * 1_000_000n)]),
        ),
      }),
      ...(maxOutput != null && { max_output_tokens: maxOutput }),
      ...(price.from !== undefined && { effective_from: `${price.from}T00:00:00Z` }),
    },
    kept: [...kept],
    notes: [...listing.notes, ...dropped.map((unit) => `the fee of ${unit}: an entry has at most ${maxUnits}`)],
  }
}

/** Adds to rates those in effect that are a kind's own, not in the file, and dearer than what would count instead. */
function completed(said: KindRates, inEffect: Rates | undefined, kept: Set<string>): KindRates {
  if (!inEffect) return said
  const known = kindsOf(inEffect)
  const rates: Record<string, bigint> = { ...said }
  for (const kind of tokenKinds) {
    const own = known[kind]
    if (said[kind] !== undefined || own === undefined || kind === 'input' || kind === 'output') continue
    if (own === rateOf(known, plainOf(kind)) || own <= rateOf(rates, kind)) continue
    rates[kind] = own
    kept.add(kind)
  }
  return rates
}

const kindsOf = ({ inputPico, outputPico, cacheReadPico, cacheWritePico, others }: Rates): KindRates => ({
  input: inputPico,
  output: outputPico,
  cache_read: cacheReadPico,
  cache_write: cacheWritePico,
  ...others,
})

function unitsOf({ units }: ListedPrice, inEffect: PriceEntry | undefined, kept: Set<string>) {
  const said = Object.entries(units).filter(([, pico]) => pico > 0n)
  const known = Object.entries(inEffect?.units ?? {}).filter(([unit]) => units[unit] === undefined)
  const all = [...said, ...known]
  for (const [unit] of known.slice(0, Math.max(0, maxUnits - said.length))) kept.add(unit)
  return {
    units: Object.fromEntries(
      all.slice(0, maxUnits).map(([unit, pico]) => [unit, formatUsd((pico + picoPerNano - 1n) / picoPerNano)]),
    ),
    dropped: all.slice(maxUnits).map(([unit]) => unit),
  }
}

function ratesView(rates: KindRates) {
  const { input = 0n, output = 0n, cache_read: read, cache_write: write, ...others } = rates
  const texts = Object.entries(others).map(([kind, pico]) => [kind, usdPerMillion(pico)])
  return {
    input_usd_per_million: usdPerMillion(input),
    output_usd_per_million: usdPerMillion(output),
    ...(read !== undefined && { cache_read_usd_per_million: usdPerMillion(read) }),
    ...(write !== undefined && { cache_write_usd_per_million: usdPerMillion(write) }),
    ...(texts.length > 0 && { other_usd_per_million: Object.fromEntries(texts) }),
  }
}
