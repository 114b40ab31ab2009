import { feeOf, nanoOf } from './costs.ts'
import type { PriceBook } from './price-book.ts'
import { type CacheCreation, dearestInput, dearestOutput, isFree, type Price, ratesFor } from './price-entry.ts'
import type { ServiceTier } from './service-tiers.ts'

export interface Estimate {
  readonly model: string
  readonly provider?: string | undefined
  readonly estimatedNano?: bigint | undefined
  /** True where the estimate is not taken on trust: it raises a hold and never lowers it. */
  readonly isEstimateDoubted?: boolean | undefined
  /** The least that is held, beside the minimum of the price book. */
  readonly floorNano?: bigint | undefined
  readonly inputTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly serviceTier?: ServiceTier | undefined
  /** The longest-lived cache that it can write to; where it is not said, any. */
  readonly cacheCreation?: CacheCreation | undefined
  /** The most that it can use of what has a fee of its own, by name. */
  readonly units?: Readonly<Record<string, number>> | undefined
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
  return holdAt(book, asked, pricesOf(book, asked, atMs))
}

/**
 * Returns the largest output, up to a given one, with which a request can be held. More output never costs less, so that all smaller
 * ones can be held too; undefined where not even the input can.
 */
export function largestOutput(
  book: PriceBook,
  asked: Estimate,
  atMs: number,
  most: number,
  canHold: (hold: HoldPrice) => boolean,
): number | undefined {
  const prices = pricesOf(book, asked, atMs)
  const isPossible = (maxOutputTokens: number) => {
    const hold = holdAt(book, { ...asked, maxOutputTokens }, prices)
    return hold !== 'unpriced' && canHold(hold)
  }
  if (!isPossible(0)) return undefined
  let possible = 0
  let unknown = most
  while (possible < unknown) {
    const middle = Math.ceil((possible + unknown) / 2)
    if (isPossible(middle)) possible = middle
    else unknown = middle - 1
  }
  return possible
}

interface HoldPrices {
  /** The price of the request, which its settlement will have. */
  readonly price: Price | null
  /** The price that it is held at. */
  readonly standard: Price | null
}

function pricesOf(book: PriceBook, asked: Estimate, atMs: number): HoldPrices {
  const price = book.priceOf(asked.model, asked.provider, atMs, asked.serviceTier) ?? null
  // A cheaper tier lowers the charge and not the hold: a provider that has no room for it runs the call in the standard one.
  const standard = price && isCheap(asked.serviceTier) ? book.priceOf(asked.model, asked.provider, atMs) : price
  return { price, standard: standard ?? price }
}

function holdAt(book: PriceBook, asked: Estimate, { price, standard }: HoldPrices): HoldPrice | 'unpriced' {
  const maxOutput = asked.maxOutputTokens ?? price?.maxOutputTokens ?? book.defaultMaxOutputTokens
  const expected = standard ? pricedHold(standard, asked, maxOutput) : unpricedHold(book, asked)
  if (expected === 'unpriced') return expected
  const held = price && isFree(price) ? expected : largest(expected, minimumOf(book, asked))
  return {
    ...held,
    expectedNano: (expected.basis === 'computed' ? expected : held).amountNano,
    // A call that says it needs no tokens uses some, so a limit on tokens that is full refuses it.
    tokens: BigInt(Math.max(1, (asked.inputTokens ?? 0) + maxOutput)),
    price,
  }
}

const isCheap = (tier: ServiceTier | undefined) => tier === 'flex' || tier === 'batch'

type Amount = Pick<HoldPrice, 'amountNano' | 'basis'>

/** The floor under a hold: never nothing, even where the organization's minimum is. */
const minimumOf = ({ minHoldNano }: PriceBook, { floorNano = 1n }: Estimate): Amount => ({
  amountNano: minHoldNano > floorNano ? minHoldNano : floorNano,
  basis: 'minimum',
})

function pricedHold(price: Price, asked: Estimate, maxOutput: number): Amount {
  const estimate: Amount = { amountNano: asked.estimatedNano ?? 0n, basis: 'estimate' }
  const pico = worstOf(price, asked, maxOutput)
  const computed: Amount = { amountNano: nanoOf(pico), basis: 'computed' }
  if (asked.inputTokens !== undefined || isFree(price)) return largest(computed, estimate)
  // The model's own output ceiling is a guess; a ceiling that the caller states is a fact, and so is its estimate.
  const isGuess =
    asked.maxOutputTokens === undefined && asked.estimatedNano !== undefined && asked.isEstimateDoubted !== true
  return isGuess ? estimate : largest(computed, estimate)
}

/** The most that tokens and units can cost: at the rates for that much input, or at the dearest of all where it is not known. */
function worstOf(price: Price, { inputTokens, units, cacheCreation }: Estimate, maxOutput: number): bigint {
  const input = BigInt(inputTokens ?? 0)
  const base = price.heldAt ? { ...price, ...price.heldAt } : price
  const tiers = inputTokens === undefined ? [base, ...(price.tiers ?? [])] : [ratesFor(base, inputTokens)]
  const costs = tiers.map(
    (rates) => input * dearestInput(rates, cacheCreation) + BigInt(maxOutput) * dearestOutput(rates),
  )
  return costs.reduce((a, b) => (b > a ? b : a)) + feeOf(price, units)
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
