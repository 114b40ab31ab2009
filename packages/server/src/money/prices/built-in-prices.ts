import { catalog } from './catalog.ts'
import { listPrices } from './list-prices.ts'
import { type NamedModel, normalName, providerName } from './model-names.ts'
import { completedBy, dearerRates, type PriceEntry } from './price-entry.ts'
import { type Index, indexed, type Timeline } from './price-index.ts'

let merged: { readonly entries: readonly PriceEntry[]; readonly index: Index } | undefined

/**
 * Returns our own list, with what the catalogue knows beside it: rates for long input and other kinds of tokens. Where the two disagree,
 * holds take the dearer and settlements ours. Only the newest entry of a model is compared: the catalogue is of today.
 */
function list() {
  if (merged) return merged
  const newest = new Map(listPrices.map((entry) => [`${entry.provider}/${entry.model}`, entry]))
  const entries = listPrices.map((entry) => {
    const isNewest = newest.get(`${entry.provider}/${entry.model}`) === entry
    const [other] = isNewest ? (catalog().find(entry.provider, normalName(entry.model)) ?? []) : []
    return other ? { ...completedBy(entry, other), heldAt: dearerRates(entry, other) } : entry
  })
  merged = { entries, index: indexed(entries) }
  return merged
}

/** The entries of our own list. */
export const listEntries = (): readonly PriceEntry[] => list().entries

/**
 * Returns the built-in entries for a model: of the named provider in our list, then in the catalogue. A provider that neither knows
 * resells the model, most often at its maker's price; where nobody is known as its maker, the dearest price of all counts.
 */
export function builtIn(names: readonly NamedModel[]): Timeline[] {
  const { index } = list()
  const found: (Timeline | undefined)[] = [
    ...names.map(({ name, provider }) => index.get(name)?.get(providerName(provider))),
    ...names.map(({ name, provider }) => catalog().find(providerName(provider), name)),
    ...names.flatMap(({ name }) => [...(index.get(name)?.values() ?? [])]),
    ...names.map(({ name, provider }) => catalog().findElsewhere(providerName(provider), name)),
  ]
  return found.filter((timeline) => timeline !== undefined)
}

export const isBuiltIn = (name: string): boolean =>
  list().index.has(name) || catalog().findElsewhere('', name) !== undefined

/** Returns the provider of the first built-in entry; `''` where there is none. */
export const makerOf = (names: readonly NamedModel[]): string => builtIn(names)[0]?.[0]?.provider ?? ''

let allNames: readonly string[] | undefined

/** Every name that has a built-in price. */
export function namesBuiltIn(): readonly string[] {
  allNames ??= [...new Set([...list().index.keys(), ...catalog().names])]
  return allNames
}
