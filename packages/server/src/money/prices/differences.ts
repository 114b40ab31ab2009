import { catalog } from './catalog.ts'
import { listPrices, reasons } from './list-prices.ts'
import { normalName } from './model-names.ts'
import type { PriceEntry, Rates } from './price-entry.ts'
import { usdPerMillion } from './rates.ts'

/** A model whose prices in our list and in the catalogue are not the same. */
export interface PriceDifference {
  /** `provider/model`. */
  readonly name: string
  readonly ours: string
  readonly catalog: string
  readonly reason: string
}

/** Lists the newest entries of our list that differ from the catalogue, by name. */
export function priceDifferences(): PriceDifference[] {
  const newest = new Map(listPrices.map((entry) => [`${entry.provider}/${entry.model}`, entry]))
  return [...newest]
    .flatMap(([name, entry]) => {
      const [other] = catalog().find(entry.provider, normalName(entry.model)) ?? []
      if (!other || ratesText(entry) === ratesText(other)) return []
      return [{ name, ours: ratesText(entry), catalog: ratesText(other), reason: reasons[name] ?? '' }]
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Input, output, cache read and cache write, in dollars per million tokens. */
const ratesText = ({ inputPico, outputPico, cacheReadPico, cacheWritePico }: Rates | PriceEntry): string =>
  [inputPico, outputPico, cacheReadPico, cacheWritePico].map(usdPerMillion).join(' / ')
