import { normalName, type PriceInput, providerName } from '../prices/prices.ts'
import { dearer, type KindRates, type ListedPrice, type Listing, Remarks, tiersOf } from './listings.ts'

/** ModelChoice of the models of a file. */
export interface ModelChoice {
  /** Names with `*` for any characters, of models with or without their provider. */
  readonly only: readonly string[]
  readonly providers: readonly string[]
  /** True to take models that cost nothing too. */
  readonly withFree: boolean
}

/** A remark about a model of the file. */
export interface Remark {
  readonly entry: string
  readonly what: string
  /** Line of the file on which the model begins. */
  readonly line?: number | undefined
}

/** A price of one model of one provider. */
export interface Offer {
  readonly listing: Listing
  readonly model: string
  readonly price: ListedPrice
}

export const keyOf = ({ model, provider }: Pick<PriceInput, 'model' | 'provider'>) =>
  `${normalName(provider ?? '')}/${normalName(model)}`

/** Returns the test of a name by a pattern with `*`. It takes no longer for many `*`: patterns come from callers. */
function patternOf(text: string): (name: string) => boolean {
  const [head = '', ...rest] = text.toLowerCase().split('*')
  const tail = rest.pop()
  if (tail === undefined) return (name) => name === head
  return (name) => {
    if (!name.startsWith(head) || !name.endsWith(tail)) return false
    let from = head.length
    for (const piece of rest) {
      const at = name.indexOf(piece, from)
      if (at < 0) return false
      from = at + piece.length
    }
    return from <= name.length - tail.length
  }
}

/** A model as a choice looks at it. */
interface Candidate {
  readonly names: readonly string[]
  readonly providers: readonly string[]
}

/** Returns the test of whether a model is chosen. */
export function chooser({ only, providers }: ModelChoice): (candidate: Candidate) => boolean {
  const patterns = only.map(patternOf)
  const wanted = new Set(providers.map(providerName))
  return (candidate) => {
    const names = candidate.names.map((name) => name.toLowerCase())
    const isNamed = patterns.length === 0 || patterns.some((isLike) => names.some(isLike))
    return isNamed && (wanted.size === 0 || candidate.providers.some((each) => wanted.has(providerName(each))))
  }
}

/** A model of a file has the name of its provider here, and the one in the file. */
export const candidateOf = ({ name, provider, models }: Listing): Candidate => ({
  names: [name, ...models, ...models.map((model) => `${provider}/${model}`)],
  providers: [provider, name.slice(0, Math.max(0, name.indexOf('/')))],
})

/** Collects the prices of models, and those that cannot be taken. */
export function offersOf(chosen: readonly Listing[], choice: ModelChoice) {
  const leftOut: Remark[] = []
  const refused: Remark[] = []
  const offers = new Map<string, Offer>()
  for (const listing of chosen) {
    const faults = faultsOf(listing)
    const why = faults.length > 0 ? undefined : whyLeftOut(listing, choice)
    for (const what of faults) refused.push({ entry: listing.name, what, line: listing.line })
    if (why !== undefined) leftOut.push({ entry: listing.name, what: why, line: listing.line })
    if (faults.length > 0 || why !== undefined) continue
    for (const model of listing.models) for (const price of listing.prices) addOffer(offers, { listing, model, price })
  }
  return { offers: [...offers.values()], leftOut, refused }
}

function faultsOf({ models, provider, faults }: Listing): string[] {
  const isNameless = provider === '' || provider.length > 100 || models.some((name) => name === '' || name.length > 200)
  return [...faults, ...(isNameless ? ['has no name that an entry can have'] : [])]
}

function whyLeftOut({ prices, models }: Listing, { withFree }: ModelChoice): string | undefined {
  if (prices.every(({ rates, units }) => Object.keys(rates).length === 0 && Object.keys(units).length === 0))
    return 'no price per token or unit'
  if (models.length === 0) return 'another model of the file has the same name'
  return !withFree && prices.some(isFree) ? 'costs nothing' : undefined
}

/** True where nothing of a price costs anything. */
const isFree = ({ rates, tiers, units }: ListedPrice): boolean =>
  [rates, ...tiers.map((tier) => tier.rates), units].every((all) => Object.values(all).every((pico) => pico === 0n))

/** Adds an offer; of two for the same model the dearer rates count. */
function addOffer(offers: Map<string, Offer>, offer: Offer) {
  const key = `${keyOf({ model: offer.model, provider: offer.listing.provider })}@${offer.price.from ?? ''}`
  const other = offers.get(key)
  offers.set(key, other ? joined(other, offer) : offer)
}

const severalPrices = 'several prices of one model and provider: the dearer rates are taken'

function joined(a: Offer, b: Offer): Offer {
  const remarks = new Remarks()
  const rates = dearer(a.price.rates, b.price.rates)
  const lengths = new Set([...a.price.tiers, ...b.price.tiers].map(({ above }) => above))
  const said = new Map([...lengths].map((above) => [above, dearer(ratesAt(a.price, above), ratesAt(b.price, above))]))
  const price: ListedPrice = {
    ...a.price,
    rates,
    tiers: tiersOf(rates, said, remarks),
    units: larger(a.price.units, b.price.units),
    multipliers: larger(a.price.multipliers, b.price.multipliers),
  }
  const isSame = textOf(a.price) === textOf(b.price)
  const notes = [...a.listing.notes, ...b.listing.notes, ...remarks.notes, ...(isSame ? [] : [severalPrices])]
  const maxOutputTokens =
    Math.max(a.listing.maxOutputTokens ?? 0, b.listing.maxOutputTokens ?? 0) || a.listing.maxOutputTokens
  return { ...a, listing: { ...a.listing, maxOutputTokens, notes }, price }
}

const ratesAt = ({ rates, tiers }: ListedPrice, above: number): KindRates =>
  tiers.findLast((tier) => tier.above <= above)?.rates ?? rates

function larger<T extends Readonly<Partial<Record<string, bigint>>>>(a: T, b: T): T {
  const all: Record<string, bigint | undefined> = { ...a }
  for (const [name, value] of Object.entries(b)) if ((value ?? 0n) > (all[name] ?? -1n)) all[name] = value
  return all as T
}

/** A price as text that is the same for the same price. */
const textOf = ({ rates, tiers, units, multipliers }: ListedPrice) =>
  JSON.stringify(
    [rates, ...tiers.flatMap((tier) => [{ above: BigInt(tier.above) }, tier.rates]), units, multipliers].map(sorted),
  )

const sorted = (amounts: object) =>
  Object.entries(amounts)
    .map(([name, amount]) => `${name} ${String(amount)}`)
    .toSorted()
