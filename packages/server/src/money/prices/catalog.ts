import { readFileSync } from 'node:fs'
import type {
  CatalogFile,
  CatalogModel,
  CatalogPrice,
  CatalogProvider,
  CatalogRates,
  NameMatch,
} from './catalog-file.ts'
import { normalName } from './model-names.ts'
import { type OtherRates, otherRates, type PriceEntry, type Rates } from './price-entry.ts'

/** The models that the catalogue knows, by provider and name. */
export interface Catalog {
  /** Returns the entries of a provider's model, newest first. */
  readonly find: (provider: string, name: string) => readonly PriceEntry[] | undefined
  /** Returns those of providers whose models this one sells, else of the maker of such names, else the dearest of all. */
  readonly findElsewhere: (provider: string, name: string) => readonly PriceEntry[] | undefined
  readonly names: readonly string[]
  readonly entryCount: number
  readonly source: string
  readonly taken: string
  readonly providers: readonly { readonly id: string; readonly url: string; readonly models: number }[]
}

interface Model {
  readonly provider: string
  readonly id: string
  readonly position: number
  readonly test: (name: string) => boolean
  readonly entries: readonly PriceEntry[]
}

interface Shelf {
  readonly byName: ReadonlyMap<string, Model>
  /** Models with names that are not all written out. */
  readonly byPattern: readonly Model[]
  readonly isMakerOf: (name: string) => boolean
  readonly fallback: readonly string[]
}

let loaded: Catalog | undefined

/** Returns the catalogue that comes with the program; it is read once, when it is first asked for. */
export function catalog(): Catalog {
  if (loaded) return loaded
  const file: CatalogFile = JSON.parse(readFileSync(new URL('./catalog.json', import.meta.url), 'utf8'))
  loaded = createCatalog(file)
  return loaded
}

function createCatalog(file: CatalogFile): Catalog {
  const shelves = new Map(file.providers.map((provider) => [provider.id, shelfOf(file, provider)]))

  const find = (provider: string, name: string) => {
    const shelf = shelves.get(provider)
    return shelf && onShelf(shelf, name)?.entries
  }

  return {
    find,
    findElsewhere: (provider, name) => {
      const makers = [...shelves].flatMap(([id, { isMakerOf }]) => (isMakerOf(name) ? [id] : []))
      for (const id of [...(shelves.get(provider)?.fallback ?? []), ...makers]) {
        const found = find(id, name)
        if (found) return found
      }
      const known = [...shelves.values()].flatMap(({ byName }) => byName.get(name)?.entries ?? [])
      const [dearest] = known.toSorted((a, b) => compare(worthOf(b), worthOf(a)))
      return dearest && [{ ...dearest, effectiveFromMs: 0 }]
    },
    names: [...new Set([...shelves.values()].flatMap(({ byName }) => [...byName.keys()]))],
    source: file.source,
    taken: file.taken,
    providers: file.providers.map(({ id, url, models }) => ({ id, url, models: models.length })),
    entryCount: file.providers.reduce((sum, { models }) => sum + models.length, 0),
  }
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
const worthOf = (price: Rates) => price.inputPico + price.outputPico

/** Returns the first model of a shelf whose name this is. */
function onShelf({ byName, byPattern }: Shelf, name: string): Model | undefined {
  const named = byName.get(name)
  const matching = byPattern.find(({ position, test }) => (named ? position < named.position : true) && test(name))
  return matching ?? named
}

function shelfOf(file: CatalogFile, { id, names, fallback = [], models }: CatalogProvider): Shelf {
  const all = models.map((model, position) => modelOf(file, id, model, position))
  const byName = new Map<string, Model>()
  const byPattern: Model[] = []
  for (const [position, { match, id: name }] of models.entries()) {
    const model = all[position]
    if (!model) continue
    const written = writtenOut(match)
    for (const each of [...written.names, normalName(name)])
      if (!byName.has(each) && model.test(each)) byName.set(each, model)
    if (!written.isAll) byPattern.push(model)
  }
  return { byName, byPattern, isMakerOf: names ? matcherOf(names) : () => false, fallback }
}

/** The names that a match writes out, and whether there are no others. */
function writtenOut(match: NameMatch): { names: string[]; isAll: boolean } {
  if ('equals' in match) return { names: [normalName(match.equals)], isAll: true }
  if (!('or' in match)) return { names: [], isAll: false }
  const parts = match.or.map(writtenOut)
  return { names: parts.flatMap(({ names }) => names), isAll: parts.every(({ isAll }) => isAll) }
}

/** Names are compared in lower case, as normal names are. */
function matcherOf(match: NameMatch): (name: string) => boolean {
  if ('or' in match) {
    const parts = match.or.map(matcherOf)
    return (name) => parts.some((test) => test(name))
  }
  if ('and' in match) {
    const parts = match.and.map(matcherOf)
    return (name) => parts.every((test) => test(name))
  }
  if ('regex' in match) {
    const pattern = new RegExp(match.regex)
    return (name) => pattern.test(name)
  }
  if ('equals' in match) return (name) => name === normalName(match.equals)
  if ('starts_with' in match) return (name) => name.startsWith(match.starts_with.toLowerCase())
  if ('ends_with' in match) return (name) => name.endsWith(match.ends_with.toLowerCase())
  return (name) => name.includes(match.contains.toLowerCase())
}

const modelOf = (file: CatalogFile, provider: string, model: CatalogModel, position: number): Model => ({
  provider,
  id: model.id,
  position,
  test: matcherOf(model.match),
  entries: model.prices.map((price) => entryOf(file, provider, model.id, price)).toReversed(),
})

/** The first price of a model has no date, so it has always been in effect. */
function entryOf({ taken }: CatalogFile, provider: string, model: string, price: CatalogPrice): PriceEntry {
  const { from, rates, tiers, units } = price
  return {
    id: `catalog:${provider}/${model}@${from ?? taken}`,
    model,
    provider,
    effectiveFromMs: from === undefined ? 0 : Date.parse(from),
    maxOutputTokens: null,
    ...ratesOf(rates),
    ...(tiers && { tiers: tiers.map(({ above, rates: all }) => ({ above, ...ratesOf(all) })) }),
    ...(units && { units: bigintsOf(units) }),
  }
}

/** Tokens whose kind has no rate of its own cost what plain tokens of their direction cost. */
function ratesOf(rates: CatalogRates): Rates {
  const input = BigInt(rates['input'] ?? 0)
  const rateOf = (name: string, otherwise: bigint) => (rates[name] === undefined ? otherwise : BigInt(rates[name]))
  const others: OtherRates = Object.fromEntries(
    otherRates.flatMap((name) => (rates[name] === undefined ? [] : [[name, BigInt(rates[name])]])),
  )
  return {
    inputPico: input,
    outputPico: rateOf('output', 0n),
    cacheReadPico: rateOf('cache_read', input),
    cacheWritePico: rateOf('cache_write', input),
    ...(Object.keys(others).length > 0 && { others }),
  }
}

const bigintsOf = (rates: CatalogRates): Record<string, bigint> =>
  Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, BigInt(rate)]))
