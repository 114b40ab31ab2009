import { isRecord, recordIn } from '../../values/records.ts'
import { catalogTokens, catalogUnits, foundUnder, normalName, providerName } from '../prices/prices.ts'
import { countOf } from './exact-amounts.ts'
import { dearer, type KindRates, type ListedPrice, type Listing, Remarks, type TokenKind, tiersOf } from './listings.ts'

const tokens: ReadonlyMap<string, TokenKind> = new Map(Object.entries(catalogTokens))
const units: ReadonlyMap<string, readonly [unit: string, per: number]> = new Map(Object.entries(catalogUnits))

/** True for a file like `data.json` of genai-prices: a list of providers, each with a list of models. */
export const isGenai = (file: unknown): boolean =>
  Array.isArray(file) && file.some((provider) => isRecord(provider) && Array.isArray(provider['models']))

export const readGenai = (file: unknown): Listing[] =>
  (Array.isArray(file) ? file : []).map(recordIn).flatMap((provider, i) => {
    const taken = new Set<string>()
    const models = Array.isArray(provider['models']) ? provider['models'] : []
    return models.map((model, j) => ({
      ...listingOf(String(provider['id']), recordIn(model), taken),
      place: [i, 'models', j],
    }))
  })

/** Reads a model. Of two with the same name the first one has it, as in the file itself. */
function listingOf(provider: string, said: Record<string, unknown>, taken: Set<string>): Omit<Listing, 'place'> {
  const remarks = new Remarks()
  const id = String(said['id'])
  const written = writtenNames(said['match'], remarks)
  const bare = [id, ...written].map(normalName).map((name) => name.replace(`${normalName(provider)}/`, ''))
  const names = foundUnder(bare).filter((name) => !taken.has(name))
  for (const name of names) taken.add(name)
  return {
    name: `${provider}/${id}`,
    provider: providerName(provider),
    models: names,
    maxOutputTokens: undefined,
    prices: pricesOf(said['prices'], remarks),
    notes: remarks.notes,
    faults: remarks.faults,
  }
}

const byPattern = 'names by a pattern: only those that it writes out are priced'

/** The names that a match writes out; what begins with one is found where only a version follows. */
function writtenNames(match: unknown, remarks: Remarks): string[] {
  const { equals, starts_with: start, or } = recordIn(match)
  if (typeof equals === 'string') return [equals]
  if (typeof start === 'string') return [start.replace(/[-@:]$/, '')]
  if (Array.isArray(or)) return or.flatMap((each) => writtenNames(each, remarks))
  if (!remarks.notes.includes(byPattern)) remarks.notes.push(byPattern)
  return []
}

/** Returns the prices of a model from a day on. Where they depend on the time of day, the dearest of the day counts. */
function pricesOf(prices: unknown, remarks: Remarks): ListedPrice[] {
  const all = (Array.isArray(prices) ? prices : [{ prices }]).map(recordIn)
  const timeOf = ({ constraint }: Record<string, unknown>) => recordIn(constraint)
  const ofDay = all.filter((each) => 'start_time' in timeOf(each)).map((each) => priceOf(each['prices'], remarks))
  if (ofDay.length > 0) remarks.notes.push('prices by the time of day: the dearest of the day is taken')
  return all
    .filter((each) => !('start_time' in timeOf(each)))
    .map((each) => {
      const price = ofDay.reduce(joined, priceOf(each['prices'], remarks))
      const { start_date: from, ...others } = timeOf(each)
      if (Object.keys(others).length > 0) remarks.faults.push(`has a price under a condition that is not known here`)
      if (from === undefined) return price
      if (typeof from === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(from) && !Number.isNaN(Date.parse(from)))
        return { ...price, from }
      remarks.faults.push('start_date is not a day')
      return price
    })
}

const joined = (a: ListedPrice, b: ListedPrice): ListedPrice => ({
  ...a,
  rates: dearer(a.rates, b.rates),
  tiers: a.tiers.map(({ above, rates }) => ({ above, rates: dearer(rates, b.rates) })),
})

function priceOf(prices: unknown, remarks: Remarks): ListedPrice {
  const base: Record<string, bigint> = {}
  const lengths = new Map<number, Record<string, bigint>>()
  const fees: Record<string, bigint> = {}
  for (const [field, value] of Object.entries(recordIn(prices))) {
    const kind = tokens.get(field)
    const unit = units.get(field)
    if (kind) {
      const tiered = isRecord(value) && Array.isArray(value['tiers']) ? value : undefined
      const rate = remarks.rate(field, tiered ? tiered['base'] : value, 1_000_000n)
      if (rate !== undefined) base[kind] = rate
      for (const tier of Array.isArray(tiered?.['tiers']) ? tiered['tiers'].map(recordIn) : []) {
        const above = countOf(tier['start'])
        const pico = remarks.rate(`${field} above ${above}`, tier['price'], 1_000_000n)
        if (above === undefined) remarks.faults.push(`${field} has a tier without a length`)
        else if (pico !== undefined) lengths.set(above, { ...lengths.get(above), [kind]: pico })
      }
    } else if (unit) {
      const fee = remarks.fee(field, value, BigInt(unit[1]))
      if (fee !== undefined) fees[unit[0]] = fee
    } else remarks.notes.push(field)
  }
  const rates: KindRates = base
  return { rates, tiers: tiersOf(rates, lengths, remarks), units: fees, multipliers: {} }
}
