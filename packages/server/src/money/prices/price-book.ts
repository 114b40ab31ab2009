import { Lru } from '../../values/lru.ts'
import { listPrices } from './list-prices.ts'
import { baseName, isAddress, type NamedModel, namesOf, normalName, providerName } from './model-names.ts'
import { nearestName } from './nearest-name.ts'
import type { Price, PriceEntry } from './price-entry.ts'
import type { UnpricedMode } from './queries.ts'

export interface PriceBookSettings {
  readonly minHoldNano: bigint
  readonly unpriced: UnpricedMode
  readonly unpricedCeilingNano: bigint | null
  readonly defaultMaxOutputTokens: number
}

export interface PriceBook extends PriceBookSettings {
  readonly priceOf: (model: string, provider: string | undefined, atMs: number) => Price | undefined
  /** The name most like one that has no price. */
  readonly nearestTo: (model: string) => string | undefined
}

/** The entries of one model at one provider, newest first. */
type Timeline = readonly PriceEntry[]

/** Bound of the cache: callers choose the model names they ask for. */
const maxCachedLookups = 1_000

/**
 * Creates a price book. An organization's own entries win over the list. Among them the name closest to the requested one decides
 * first, then the provider, then the date: the newest entry that is in effect.
 */
export function createPriceBook(settings: PriceBookSettings, own: readonly PriceEntry[]): PriceBook {
  const ownIndex = indexed(own)
  const remembered = new Lru<string, readonly Timeline[]>(maxCachedLookups)
  const isPriced = (name: string) =>
    namesOf(name, '').some(({ name: each }) => ownIndex.has(each) || listIndex.has(each))

  const timelinesOf = (model: string, provider: string): readonly Timeline[] => {
    const key = `${provider}\0${model}`
    const known = remembered.get(key)
    if (known) return known
    // What stands behind another model is not that model: its name says that it may be the dearer one.
    const names = namesOf(model, provider).filter(({ prefix }) => !prefix.some(isPriced))
    const found = [...names.flatMap((named) => ownTimelines(ownIndex, named)), ...names.flatMap(listed)]
    remembered.set(key, found)
    return found
  }

  return {
    ...settings,
    priceOf: (model, provider, atMs) => {
      for (const timeline of timelinesOf(model, provider ?? '')) {
        const price = timeline.find(({ effectiveFromMs }) => effectiveFromMs <= atMs)
        if (price) return price
      }
      return undefined
    },
    nearestTo: (model) => nearestName(baseName(model), [...ownIndex.keys(), ...listIndex.keys()]),
  }
}

type Index = ReadonlyMap<string, ReadonlyMap<string, Timeline>>

function indexed(entries: readonly PriceEntry[]): Index {
  const index = new Map<string, Map<string, PriceEntry[]>>()
  for (const entry of entries.toSorted((a, b) => b.effectiveFromMs - a.effectiveFromMs)) {
    const [model, provider] = [normalName(entry.model), normalName(entry.provider)]
    const ofModel = index.get(model) ?? new Map<string, PriceEntry[]>()
    const timeline = ofModel.get(provider) ?? []
    timeline.push(entry)
    index.set(model, ofModel.set(provider, timeline))
  }
  return index
}

/** Returns an organization's own entries of a name: behind a prefix only where that names a provider, or is the entry's own. */
function ownTimelines(index: Index, { name, provider, prefix }: NamedModel): Timeline[] {
  const ofModel = index.get(name)
  if (!ofModel) return []
  const own = prefix.every((segment) => isAddress(segment) || segment === provider) ? ofModel.get(provider) : undefined
  const any = prefix.every(isAddress) ? ofModel.get('') : undefined
  return [own, any].filter((timeline) => timeline !== undefined)
}

const listIndex = indexed(listPrices)

/**
 * Returns the list entries of a model. A provider that the list does not know resells the model, most often at its maker's price.
 */
function listed({ name, provider }: NamedModel): Timeline[] {
  const ofModel = listIndex.get(name)
  if (!ofModel) return []
  const exact = ofModel.get(providerName(provider))
  return exact ? [exact] : [...ofModel.values()]
}

/** A model as rules and rates know it, however a caller spells it. */
export interface CanonicalModel {
  readonly model: string
  /** `''` where neither the caller nor the list says. */
  readonly provider: string
}

const canonical = new Lru<string, CanonicalModel>(10_000)

/** Returns the one name of a model and of its provider: the named one, else the one in front of the model, else its maker. */
export function canonicalModel(model: string, provider: string | null | undefined): CanonicalModel {
  const key = `${provider ?? ''}\0${model}`
  const known = canonical.get(key)
  if (known) return known
  const names = namesOf(model, provider ?? '')
  const named = names.find(({ provider: each }) => each !== '' && (provider || isAddress(each)))?.provider ?? ''
  const [maker] = names.flatMap(({ name }) => [...(listIndex.get(name)?.keys() ?? [])])
  const found = { model: baseName(model), provider: providerName(named || (maker ?? '')) }
  canonical.set(key, found)
  return found
}

export interface TokenUsage {
  /** All input tokens, cached ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** The exact cost, rounded up once to a whole nano-dollar. */
export function costOf(price: Price, usage: TokenUsage): bigint {
  const read = BigInt(usage.cacheReadTokens ?? 0)
  const written = BigInt(usage.cacheWriteTokens ?? 0)
  const rest = BigInt(usage.inputTokens) - read - written
  return nanoOf(
    (rest > 0n ? rest * price.inputPico : 0n) +
      read * price.cacheReadPico +
      written * price.cacheWritePico +
      BigInt(usage.outputTokens) * price.outputPico,
  )
}

const nanoOf = (pico: bigint): bigint => (pico + 999n) / 1_000n

export interface Estimate {
  readonly model: string
  readonly provider?: string | undefined
  readonly estimatedNano?: bigint | undefined
  readonly inputTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
}

export interface HoldPrice {
  readonly amountNano: bigint
  /** The most that the request can cost: the amount, without the minimum where the cost was computed. */
  readonly expectedNano: bigint
  readonly tokens: bigint
  readonly price: Price | null
  readonly basis: Basis
}

type Basis = 'computed' | 'estimate' | 'ceiling' | 'minimum'

/**
 * Returns the amount to hold before a request whose usage is not known yet: the most that it can cost where that can be computed,
 * and an estimate may only raise it. Where nothing can be computed the estimate is used. Less than the minimum is held only where the
 * price itself is zero: a request that says it needs no tokens is not free, so a limit that is full refuses it.
 */
export function quoteHold(book: PriceBook, asked: Estimate, atMs: number): HoldPrice | 'unpriced' {
  const price = book.priceOf(asked.model, asked.provider, atMs) ?? null
  const maxOutput = asked.maxOutputTokens ?? price?.maxOutputTokens ?? book.defaultMaxOutputTokens
  const expected = price ? pricedHold(price, asked, maxOutput) : unpricedHold(book, asked)
  if (expected === 'unpriced') return expected
  const held = price && isFree(price) ? expected : largest(expected, minimumOf(book))
  return {
    ...held,
    expectedNano: (expected.basis === 'computed' ? expected : held).amountNano,
    tokens: BigInt(asked.inputTokens ?? 0) + BigInt(maxOutput),
    price,
  }
}

type Amount = Pick<HoldPrice, 'amountNano' | 'basis'>

/** The floor under a hold: never nothing, even where the organization's minimum is. */
const minimumOf = ({ minHoldNano }: PriceBook): Amount => ({
  amountNano: minHoldNano > 0n ? minHoldNano : 1n,
  basis: 'minimum',
})

function pricedHold(price: Price, asked: Estimate, maxOutput: number): Amount {
  const estimate: Amount = { amountNano: asked.estimatedNano ?? 0n, basis: 'estimate' }
  const pico = BigInt(asked.inputTokens ?? 0) * dearestInput(price) + BigInt(maxOutput) * price.outputPico
  const computed: Amount = { amountNano: nanoOf(pico), basis: 'computed' }
  if (asked.inputTokens !== undefined || isFree(price)) return largest(computed, estimate)
  // The model's own output ceiling is a guess; a ceiling that the caller states is a fact, and so is its estimate.
  const isGuess = asked.maxOutputTokens === undefined && asked.estimatedNano !== undefined
  return isGuess ? estimate : largest(computed, estimate)
}

function unpricedHold(book: PriceBook, asked: Estimate): Amount | 'unpriced' {
  if (book.unpriced === 'refuse') return 'unpriced'
  const ceilingNano = book.unpricedCeilingNano
  if (asked.estimatedNano !== undefined) {
    return largest(
      { amountNano: asked.estimatedNano, basis: 'estimate' },
      { amountNano: ceilingNano ?? 0n, basis: 'ceiling' },
    )
  }
  return ceilingNano === null ? 'unpriced' : { amountNano: ceilingNano, basis: 'ceiling' }
}

/** Returns the largest amount; of equal ones the first. */
const largest = (...amounts: [Amount, ...Amount[]]): Amount =>
  amounts.reduce((a, b) => (b.amountNano > a.amountNano ? b : a))

/** The dearest price of input: any part of it may turn out to be read from a cache, or written to it. */
const dearestInput = ({ inputPico, cacheReadPico, cacheWritePico }: Price): bigint =>
  [cacheReadPico, cacheWritePico].reduce((a, b) => (b > a ? b : a), inputPico)

const isFree = (price: Price) => price.outputPico === 0n && dearestInput(price) === 0n
