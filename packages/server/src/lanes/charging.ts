import {
  type Allowance,
  type Charge,
  type Claim,
  countingKind,
  emptyBalance,
  mostAdmitted,
  type Refusal,
  remainingOf,
} from '../ledger/ledger.ts'
import type { ChargedItem, Reading } from './asks.ts'
import type { Book, OpenBook } from './book.ts'

/** What a hold takes while it is decided. */
export interface Taken {
  readonly readings: Reading[]
  readonly newcomers: Allowance[]
  /** What each dollar limit had left. */
  readonly rooms: bigint[]
  readonly isPreFlight: boolean
}

/** What a charge of many changes on each allowance, and whether it is the first of its batch there. */
export type Sums = Map<string, { readonly delta: OpenBook['balance']; readonly isFirst: boolean }>

/** Charges on the same account as one. */
export function summed(items: readonly ChargedItem[]): ChargedItem[] {
  const sums = new Map<readonly Claim[], { charge: Charge; claims: readonly Claim[] }>()
  for (const { charge, claims } of items) {
    const sum = sums.get(claims)
    if (sum) {
      const { usd, tokens, runs } = sum.charge
      sum.charge = { ...charge, usd: usd + charge.usd, tokens: tokens + charge.tokens, runs: runs + charge.runs }
    } else sums.set(claims, { charge, claims })
  }
  return [...sums.values()]
}

/** What did not fit before anything was counted. */
export function refusedBefore(claim: Claim, { readings, isPreFlight }: Taken): Refusal | undefined {
  if (!claim.passed) return undefined
  const [allowance] = claim.allowances
  const { current: spent, attempted } = claim.passed
  const balance = { ...emptyBalance, spent }
  readings.push({ allowance: allowance!, amount: attempted, draw: 0, spent, held: 0n, wouldRefuse: true })
  const total = { limit: allowance!.limit!, spent, held: 0n }
  return { claim, allowance: allowance!, balance, attempted, available: 0n, total, isPreFlight, isKnown: false }
}

/** What cannot be counted is refused by everything that counts, whether it limits or not. */
export function uncountable(
  claim: Claim,
  { allowance, balance }: Book,
  amount: bigint,
  isPreFlight: boolean,
): Refusal | undefined {
  const { spent, held } = balance
  if (amount === 0n || spent + held + amount <= mostAdmitted) return undefined
  return {
    claim: { ...claim, kind: countingKind },
    allowance,
    balance: { ...balance },
    attempted: amount,
    available: remainingOf(mostAdmitted, balance),
    total: { limit: mostAdmitted, spent, held },
    isPreFlight,
    isKnown: false,
  }
}

/**
 * One amount over several packs, in their order. They bind together: what one of them has borne beyond its own amount is not
 * there in the others.
 */
export function drawOn(
  claim: Claim,
  amount: bigint,
  group: number,
  { readings, rooms, isPreFlight }: Taken,
  book: (key: string) => Book,
): Refusal | undefined {
  const total = { limit: 0n, spent: 0n, held: 0n }
  let left = amount
  const parts = claim.allowances.map((allowance): Reading => {
    const { spent, held } = book(allowance.key).balance
    total.limit += allowance.limit!
    total.spent += spent
    total.held += held
    const room = remainingOf(allowance.limit!, { spent, held })
    const part = left < room ? left : room
    left -= part
    return { allowance, amount: part, draw: group, spent, held, wouldRefuse: false }
  })
  const available = remainingOf(total.limit, total)
  if (amount > available) {
    const allowance = claim.allowances.at(-1)!
    readings.push(...parts.map((part) => ({ ...part, wouldRefuse: true })))
    return {
      claim,
      allowance,
      balance: { ...book(allowance.key).balance },
      attempted: amount,
      available,
      total,
      isPreFlight,
      isKnown: true,
    }
  }
  if (claim.unit === 'usd') rooms.push(available)
  // The first stays even where nothing is taken: a settlement above the hold must find where to book it.
  readings.push(...parts.filter((part, i) => part.amount > 0n || i === 0))
  return undefined
}

/** Of what callers name, only what was admitted before is known; all other limits were set by somebody. */
export function isKnown({ kind, newcomers }: Claim, { key }: Allowance, book: (key: string) => Book): boolean {
  if (newcomers) return key === newcomers.instead.key || book(newcomers.marker.key).exists
  return kind.kind !== 'chain' || book(key).exists
}

/** The smaller room of two, and never less than none. */
export const smaller = (a: bigint | null, b: bigint) => (a === null || b < a ? (b < 0n ? 0n : b) : a)
