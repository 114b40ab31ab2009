import { builtIn, listEntries } from './built-in-prices.ts'
import type { Installation } from './installation-prices.ts'
import { namesOf } from './model-names.ts'
import { canonicalModel } from './price-book.ts'
import type { PriceEntry } from './price-entry.ts'
import { entryView } from './price-view.ts'
import type { Prices } from './schema.ts'

/** Returns of the prices those of one model, however it is spelled, with the entries of operators and of the catalogue. */
export function pricesOfModel(prices: Prices, model: string, { entries }: Installation): Prices {
  const asked = canonicalModel(model, null).model
  const isAsked = (entry: { readonly model: string }) => canonicalModel(entry.model, null).model === asked
  const found = new Set([
    ...entries.filter(isAsked),
    ...listEntries().filter(isAsked),
    ...builtIn(namesOf(model, '')).flat(),
  ])
  return {
    ...prices,
    prices: prices.prices.filter(isAsked),
    list_prices: [...found].map((entry) => ({ ...entryView(entry), source: sourceOf(entry) })),
    unpriced_models: prices.unpriced_models.filter(isAsked),
  }
}

const sourceOf = ({ id }: PriceEntry) =>
  id.startsWith('list:') ? 'list' : id.startsWith('catalog:') ? 'catalog' : 'installation'
