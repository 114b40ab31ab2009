import { ExactNumber } from '../../values/exact-json.ts'
import { otherRates } from '../prices/prices.ts'
import { AbsurdAmount, picoOfOne } from './exact-amounts.ts'
import type { Place } from './json-lines.ts'

/** Kinds of tokens that an entry can price. */
export const tokenKinds = ['input', 'output', 'cache_read', 'cache_write', ...otherRates] as const
export type TokenKind = (typeof tokenKinds)[number]

/** Pico-dollars of one token by its kind. */
export type KindRates = Readonly<Partial<Record<TokenKind, bigint>>>

export interface ListedTier {
  readonly above: number
  readonly rates: KindRates
}

/** Price of a model in a file, from a day on. */
export interface ListedPrice {
  /** The day, such as `2026-12-01`; left out: always. */
  readonly from?: string | undefined
  readonly rates: KindRates
  /** By threshold, the lowest first; each with all rates of its calls. */
  readonly tiers: readonly ListedTier[]
  /** Pico-dollars of one unit. */
  readonly units: Readonly<Record<string, bigint>>
  /** Factors in thousandths. */
  readonly multipliers: Readonly<Partial<Record<ServiceFactor, bigint>>>
}
export type ServiceFactor = 'priority' | 'flex' | 'batch'

/** A model of a file. */
export interface Listing {
  /** The model as the file names it. */
  readonly name: string
  readonly provider: string
  /** The names under which it is to be found. */
  readonly models: readonly string[]
  readonly maxOutputTokens: number | undefined
  readonly prices: readonly ListedPrice[]
  /** Parts of the file that an entry cannot say. */
  readonly notes: readonly string[]
  /** Amounts that no price can be. */
  readonly faults: readonly string[]
  readonly place: Place
  /** Line of the file on which the model begins. */
  readonly line?: number | undefined
}

const maxPicoOfToken = 2_000_000_000n
const maxPicoOfUnit = 1_000n * 1_000_000_000_000n

/** Remarks about a model while it is read. */
export class Remarks {
  readonly notes: string[] = []
  readonly faults: string[] = []

  /** Returns a price of tokens; undefined, with a fault, where it is negative or absurd. */
  rate(field: string, value: unknown, per: bigint): bigint | undefined {
    return this.#amount(field, value, per, maxPicoOfToken, 'more than $2,000 for a million tokens')
  }

  /** Returns a price of something else, in the same way. */
  fee(field: string, value: unknown, per: bigint): bigint | undefined {
    return this.#amount(field, value, per, maxPicoOfUnit, 'more than $1,000')
  }

  #amount(field: string, value: unknown, per: bigint, most: bigint, tooMuch: string): bigint | undefined {
    if (value === undefined || value === null) return undefined
    const fault = (what: string) => {
      this.faults.push(`${field} ${what}`)
      return undefined
    }
    if (!(value instanceof ExactNumber)) return fault('is not a number')
    try {
      const pico = picoOfOne(value, per)
      return pico > most ? fault(`is ${value.text}: ${tooMuch}`) : pico
    } catch (error) {
      if (error instanceof AbsurdAmount) return fault(`is ${value.text}`)
      throw error
    }
  }
}

/** The largest number of tiers that an entry has. */
const maxTiers = 2

/** Returns the tiers of a model: rates that a tier does not say are those before it, and those of tiers too many count from the last one on. */
export function tiersOf(base: KindRates, said: ReadonlyMap<number, KindRates>, remarks: Remarks): ListedTier[] {
  let before = base
  const all = [...said]
    .toSorted(([a], [b]) => a - b)
    .map(([above, rates]) => {
      before = { ...before, ...rates }
      return { above, rates: before }
    })
  if (all.length <= maxTiers) return all
  remarks.notes.push('more than two lengths of input: the longer ones are taken together, at the dearest rates')
  const [first, ...rest] = all
  return [first, rest.reduce((a, b) => ({ above: a.above, rates: dearer(a.rates, b.rates) }))].filter((each) => !!each)
}

export const dearer = (a: KindRates, b: KindRates): KindRates =>
  Object.fromEntries(
    tokenKinds.flatMap((kind) => {
      const [x, y] = [a[kind], b[kind]]
      return x === undefined && y === undefined ? [] : [[kind, x === undefined || (y ?? 0n) > x ? y : x]]
    }),
  )

const maxFactor = 99_999n

/** Returns the factor of a tier of service: the largest of its rates to the standard ones, rounded up to thousandths. */
export function factorOf(
  tier: ServiceFactor,
  pairs: readonly (readonly [special: bigint, standard: bigint])[],
  remarks: Remarks,
): bigint | undefined {
  const factors = pairs.flatMap(([special, standard]) =>
    standard === 0n ? [] : [(special * 1_000n + standard - 1n) / standard],
  )
  if (factors.length === 0) return undefined
  const largest = factors.reduce((a, b) => (a > b ? a : b))
  if (largest > maxFactor) {
    remarks.faults.push(`the price of ${tier} is more than 99 times the standard one`)
    return undefined
  }
  if (factors.some((factor) => factor !== largest))
    remarks.notes.push(`${tier}: not the same factor for all tokens; the largest is taken`)
  else if (pairs.some(([special, standard]) => special * 1_000n !== standard * largest))
    remarks.notes.push(`${tier}: a factor with more than three decimals; it is rounded up`)
  return largest
}
