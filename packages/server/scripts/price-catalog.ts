import {
  type ModelInfo,
  type ModelPrice,
  type Provider,
  type TieredPrices,
  waitForUpdate,
} from '@pydantic/genai-prices'
import type { CatalogFile, CatalogModel, CatalogPrice, CatalogRates } from '../src/money/prices/catalog-file.ts'
import { perToken, perUnit } from '../src/money/prices/catalog-keys.ts'

/** The release of genai-prices that the catalogue is made from is pinned in package.json; this is the day on which it was taken. */
const taken = '2026-11-17'
const source = '@pydantic/genai-prices 0.1.8'

/**
 * Makes the price catalogue from the data of genai-prices, without asking anybody. Models whose price is zero are left out: a model is
 * free where an organization says so, not because a caller names a provider that gives it away.
 */
export async function priceCatalog(): Promise<CatalogFile> {
  const providers = (await waitForUpdate()) ?? []
  return {
    source,
    taken,
    providers: providers.map((provider) => ({
      id: provider.id,
      url: provider.pricing_urls?.[0] ?? '',
      ...(provider.model_match && { names: provider.model_match }),
      ...(provider.fallback_model_providers && { fallback: provider.fallback_model_providers }),
      models: modelsOf(provider),
    })),
  }
}

const modelsOf = ({ models }: Provider): CatalogModel[] =>
  models.flatMap((model) => {
    const prices = periodsOf(model)
    return prices.some(isFree) ? [] : [{ id: model.id, match: model.match, prices }]
  })

const isFree = ({ rates, tiers = [], units = {} }: CatalogPrice) =>
  [rates, ...tiers.map((tier) => tier.rates), units].every((all) => Object.values(all).every((rate) => rate === 0))

/** Returns the prices of a model from a date on. Where a price depends on the time of day, the dearest of the day counts. */
function periodsOf({ prices }: ModelInfo): CatalogPrice[] {
  const all = Array.isArray(prices) ? prices : [{ prices }]
  const ofDay = all.filter(({ constraint }) => constraint !== undefined && 'start_time' in constraint)
  return all
    .filter((each) => !ofDay.includes(each))
    .map(({ constraint, prices: each }) => ({
      ...(constraint !== undefined && 'start_date' in constraint && { from: constraint.start_date }),
      ...[each, ...ofDay.map((other) => other.prices)].map(priceOf).reduce(dearerOf),
    }))
}

function priceOf(price: ModelPrice): CatalogPrice {
  const starts = Object.values(price).flatMap((value) => (isTiered(value) ? value.tiers.map(({ start }) => start) : []))
  const tiers = [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, rates: ratesAt(price, above + 1) }))
  const units = Object.fromEntries(
    Object.entries(perUnit).flatMap(([key, [unit, per]]) => {
      const value = price[key]
      return typeof value === 'number' ? [[unit, picoPer(value, per)]] : []
    }),
  )
  return {
    rates: ratesAt(price, 0),
    ...(tiers.length > 0 && { tiers }),
    ...(Object.keys(units).length > 0 && { units }),
  }
}

const ratesAt = (price: ModelPrice, inputTokens: number): CatalogRates =>
  Object.fromEntries(
    Object.entries(perToken).flatMap(([key, name]) => {
      const value = price[key]
      return value === undefined ? [] : [[name, picoPer(valueAt(value, inputTokens), 1e6)]]
    }),
  )

const isTiered = (value: ModelPrice[string]): value is TieredPrices => typeof value === 'object'

function valueAt(value: number | TieredPrices, inputTokens: number): number {
  if (!isTiered(value)) return value
  return value.tiers.reduce((rate, { start, price }) => (inputTokens > start ? price : rate), value.base)
}

/** A price in dollars as whole pico-dollars of one token or unit, rounded up; six decimals are exact. */
const picoPer = (usd: number, per: number): number => Math.ceil(Number(((usd * 1e12) / per).toFixed(3)))

/** Returns the dearer of two prices, rate by rate. */
function dearerOf(a: CatalogPrice, b: CatalogPrice): CatalogPrice {
  if (a.tiers || b.tiers) throw new TypeError('prices by time of day and by length of the input are not joined yet')
  return {
    rates: largerOf(a.rates, b.rates),
    ...((a.units ?? b.units) && { units: largerOf(a.units ?? {}, b.units ?? {}) }),
  }
}

const largerOf = (a: CatalogRates, b: CatalogRates): CatalogRates =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => [name, Math.max(a[name] ?? 0, b[name] ?? 0)]),
  )

/** Writes the catalogue with a line per model, so that a change of one price is a change of one line. */
export function catalogText({ source: from, taken: day, providers }: CatalogFile): string {
  const shelves = providers.map(({ models, ...provider }) => {
    const head = JSON.stringify(provider).slice(0, -1)
    return `${head},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`
  })
  return `{"source":${JSON.stringify(from)},"taken":${JSON.stringify(day)},"providers":[\n${shelves.join(',\n')}\n]}\n`
}
