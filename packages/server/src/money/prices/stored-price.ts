import type { HoldInputs } from '../ledger/ledger.ts'
import { type ContextTier, type OtherRates, otherRates, type Price, type Rates } from './price-entry.ts'

/** A price as JSON can represent it; it is stored with the hold that was made at it. */
export type StoredPrice = NonNullable<HoldInputs['price']>
type StoredRates = Pick<StoredPrice, 'input_pico' | 'output_pico' | 'cache_read_pico' | 'cache_write_pico' | 'others'>

const stored = new WeakMap<Price, StoredPrice>()

/** Returns the JSON of a price; most decisions are made at few prices. */
export function storePrice(price: Price): StoredPrice {
  const known = stored.get(price)
  if (known) return known
  const json: StoredPrice = {
    id: price.id,
    ...storeRates(price),
    ...(price.tiers && { tiers: price.tiers.map((tier) => ({ above: tier.above, ...storeRates(tier) })) }),
    ...(price.units && { units: textsOf(price.units) }),
  }
  stored.set(price, json)
  return json
}

const storeRates = ({ inputPico, outputPico, cacheReadPico, cacheWritePico, others }: Rates): StoredRates => ({
  input_pico: inputPico.toString(),
  output_pico: outputPico.toString(),
  cache_read_pico: cacheReadPico.toString(),
  cache_write_pico: cacheWritePico.toString(),
  ...(others && { others: textsOf(others) }),
})

const textsOf = (rates: Readonly<Partial<Record<string, bigint>>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rates).map(([name, pico]) => [name, String(pico ?? 0n)]))

/** Returns the price that was stored. */
export const restorePrice = (json: StoredPrice): Price => ({
  id: json.id,
  ...restoreRates(json),
  maxOutputTokens: null,
  ...(json.tiers && {
    tiers: json.tiers.map(({ above, ...rates }): ContextTier => ({ above, ...restoreRates(rates) })),
  }),
  ...(json.units && {
    units: Object.fromEntries(Object.entries(json.units).map(([name, text]) => [name, BigInt(text)])),
  }),
})

const restoreRates = (json: StoredRates): Rates => ({
  inputPico: BigInt(json.input_pico),
  outputPico: BigInt(json.output_pico),
  cacheReadPico: BigInt(json.cache_read_pico),
  cacheWritePico: BigInt(json.cache_write_pico),
  ...(json.others && { others: restoreOthers(json.others) }),
})

const restoreOthers = (json: Readonly<Record<string, string>>): OtherRates =>
  Object.fromEntries(otherRates.flatMap((name) => (json[name] === undefined ? [] : [[name, BigInt(json[name])]])))
