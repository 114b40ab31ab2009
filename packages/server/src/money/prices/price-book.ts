import { Lru } from '../../values/lru.ts'
import { builtIn, isBuiltIn, makerOf, namesBuiltIn } from './built-in-prices.ts'
import { baseName, isAddress, type NamedModel, namesOf, providerName } from './model-names.ts'
import { nearestName } from './nearest-name.ts'
import type { Price, PriceEntry } from './price-entry.ts'
import { type Index, indexed, type Timeline } from './price-index.ts'
import type { UnpricedMode } from './queries.ts'
import { atTier, type ServiceTier } from './service-tiers.ts'

export interface PriceBookSettings {
  readonly minHoldNano: bigint
  readonly unpriced: UnpricedMode
  readonly unpricedCeilingNano: bigint | null
  readonly defaultMaxOutputTokens: number
}

export interface PriceBook extends PriceBookSettings {
  readonly priceOf: (model: string, provider: string | undefined, atMs: number, tier?: ServiceTier) => Price | undefined
  /** The entry itself, whatever the tier of service. */
  readonly entryOf: (model: string, provider: string | undefined, atMs: number) => PriceEntry | undefined
  /** The name most like one that has no price. */
  readonly nearestTo: (model: string) => string | undefined
}

/** Bound of the cache: callers choose the model names they ask for. */
const maxCachedLookups = 1_000

const noEntries: Index = new Map()

/**
 * Creates a price book. An organization's own entries win over those of the installation, and these over the list. Among them the name closest to the requested one decides
 * first, then the provider, then the date: the newest entry that is in effect.
 */
export function createPriceBook(
  settings: PriceBookSettings,
  own: readonly PriceEntry[],
  installation: Index = noEntries,
): PriceBook {
  const ownIndex = indexed(own)
  const remembered = new Lru<string, readonly Timeline[]>(maxCachedLookups)
  const nearest = new Lru<string, { readonly name: string | undefined }>(maxCachedLookups)
  const isPriced = (name: string) =>
    !isAddress(name) &&
    namesOf(name, '').some(({ name: each }) => ownIndex.has(each) || installation.has(each) || isBuiltIn(each))

  const timelinesOf = (model: string, provider: string): readonly Timeline[] => {
    const key = `${provider}\0${model}`
    const known = remembered.get(key)
    if (known) return known
    // What stands behind another model is not that model: its name says that it may be the dearer one.
    const names = namesOf(model, provider).filter(({ prefix }) => !prefix.some(isPriced))
    const found = [
      ...names.flatMap((named) => ownTimelines(ownIndex, named)),
      ...names.flatMap((named) => installationTimelines(installation, named, names)),
      ...builtIn(names),
      ...names.flatMap((named) => resoldTimelines(installation, named)),
    ]
    remembered.set(key, found)
    return found
  }

  const entryOf = (model: string, provider: string | undefined, atMs: number): PriceEntry | undefined => {
    for (const timeline of timelinesOf(model, provider ?? '')) {
      const found = timeline.find(({ effectiveFromMs }) => effectiveFromMs <= atMs)
      if (found) return found
    }
    return undefined
  }

  return {
    ...settings,
    priceOf: (model, provider, atMs, tier = 'standard') => {
      const found = entryOf(model, provider, atMs)
      return found && atTier(found, tier)
    },
    entryOf,
    nearestTo: (model) => {
      const name = baseName(model)
      const known = nearest.get(name) ?? {
        name: nearestName(name, [...ownIndex.keys(), ...installation.keys()], namesBuiltIn()),
      }
      nearest.set(name, known)
      return known.name
    },
  }
}

/** Returns an organization's own entries of a name: behind a prefix only where that names a provider, or is the entry's own. */
function ownTimelines(index: Index, { name, provider, prefix }: NamedModel): Timeline[] {
  const ofModel = index.get(name)
  if (!ofModel) return []
  const own = prefix.every((segment) => isAddress(segment) || segment === provider) ? ofModel.get(provider) : undefined
  const any = prefix.every(isAddress) ? ofModel.get('') : undefined
  return [own, any].filter((timeline) => timeline !== undefined)
}

/**
 * Returns the installation's entries of a name: of the named provider under any of its names, then those of any provider. Where none is
 * named, the model is its maker's; where the maker is unknown, the dearest price counts, as among built-in ones.
 */
function installationTimelines(index: Index, named: NamedModel, names: readonly NamedModel[]): Timeline[] {
  const ofModel = index.get(named.name)
  if (!ofModel) return []
  const wanted = providerName(named.provider || makerOf(names))
  const alias = [named.provider, ...ofModel.keys()].find(
    (provider) => ofModel.has(provider) && provider !== '' && providerName(provider) === wanted,
  )
  if (named.provider !== '') return ownTimelines(index, { ...named, provider: alias ?? named.provider })
  const any = ownTimelines(index, named)
  const made = alias === undefined ? undefined : ofModel.get(alias)
  return any.length > 0 || !named.prefix.every(isAddress) ? any : [made ?? dearest(ofModel)]
}

/** Returns the dearest of the installation's entries of a name, for a provider that resells the model and that nothing else knows. */
function resoldTimelines(index: Index, { name, prefix }: NamedModel): Timeline[] {
  const ofModel = index.get(name)
  return ofModel && prefix.every(isAddress) ? [dearest(ofModel)] : []
}

function dearest(ofModel: ReadonlyMap<string, Timeline>): Timeline {
  const worthOf = ([newest]: Timeline) => (newest ? newest.inputPico + newest.outputPico : 0n)
  return [...ofModel.values()].reduce((most, each) => (worthOf(each) > worthOf(most) ? each : most))
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
  const found = { model: baseName(model), provider: providerName(named || makerOf(names)) }
  canonical.set(key, found)
  return found
}
