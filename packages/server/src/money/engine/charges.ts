import {
  type Allowance,
  type Charge,
  type Claim,
  countingKind,
  emptyBalance,
  type LimitRefusal,
  maxAdmitted,
  remainingOf,
} from '../ledger/ledger.ts'
import type { AllowanceState, MutableAllowanceState } from './allowance-state.ts'
import type { ChargedItem, LimitCheck } from './commands.ts'

/** The allowances and amounts that a hold collects while it is decided. */
export interface HoldBuilder {
  readonly checks: LimitCheck[]
  readonly newSubjectRows: Allowance[]
  /** The amount left on each limit in dollars. */
  readonly remaining: bigint[]
  readonly isPreFlight: boolean
}

/**
 * The change of each allowance by one charge of many items; `isFirst` is true when the batch had not touched the allowance
 * before.
 */
export type ChargeTotals = Map<string, { readonly delta: MutableAllowanceState['balance']; readonly isFirst: boolean }>

/** Adds up charges on the same account, so that they are checked as one. */
export function sumByAccount(items: readonly ChargedItem[]): ChargedItem[] {
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

/** Returns the refusal of a fixed claim: whether it fits was known before anything was counted. */
export function refuseFixedClaim(claim: Claim, { checks, isPreFlight }: HoldBuilder): LimitRefusal | undefined {
  if (!claim.exceeded) return undefined
  const [allowance] = claim.allowances
  const { current: spent, attempted } = claim.exceeded
  const balance = { ...emptyBalance, spent }
  checks.push({ allowance: allowance!, amount: attempted, draw: 0, spent, held: 0n, wouldRefuse: true })
  const total = { limit: allowance!.limit!, spent, held: 0n }
  return { claim, allowance: allowance!, balance, attempted, available: 0n, total, isPreFlight, isKnown: false }
}

/** Returns the refusal of an amount that no counter could hold. Every allowance refuses it, even one without a limit. */
export function refuseUncountable(
  claim: Claim,
  { allowance, balance }: AllowanceState,
  amount: bigint,
  isPreFlight: boolean,
): LimitRefusal | undefined {
  const { spent, held } = balance
  if (amount === 0n || spent + held + amount <= maxAdmitted) return undefined
  return {
    claim: { ...claim, kind: countingKind },
    allowance,
    balance: { ...balance },
    attempted: amount,
    available: remainingOf(maxAdmitted, balance),
    total: { limit: maxAdmitted, spent, held },
    isPreFlight,
    isKnown: false,
  }
}

/**
 * Draws one amount from several packs, in their order. The packs limit together: an overrun of one reduces what is left in the
 * others.
 */
export function drawFromPacks(
  claim: Claim,
  amount: bigint,
  group: number,
  { checks, remaining, isPreFlight }: HoldBuilder,
  stateOf: (key: string) => AllowanceState,
): LimitRefusal | undefined {
  const total = { limit: 0n, spent: 0n, held: 0n }
  let left = amount
  const parts = claim.allowances.map((allowance): LimitCheck => {
    const { spent, held } = stateOf(allowance.key).balance
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
    checks.push(...parts.map((part) => ({ ...part, wouldRefuse: true })))
    return {
      claim,
      allowance,
      balance: { ...stateOf(allowance.key).balance },
      attempted: amount,
      available,
      total,
      isPreFlight,
      isKnown: true,
    }
  }
  if (claim.unit === 'usd') remaining.push(available)
  // The first pack stays in the hold even where nothing is drawn: a settlement above the hold needs a place to be booked.
  checks.push(...parts.filter((part, i) => part.amount > 0n || i === 0))
  return undefined
}

/** True when the subject was admitted before. Callers can make up names of customers; all other limits were set by somebody. */
export function isKnown(
  { kind, newSubjectGate }: Claim,
  { key }: Allowance,
  stateOf: (key: string) => AllowanceState,
): boolean {
  if (newSubjectGate) return key === newSubjectGate.fallback.key || stateOf(newSubjectGate.marker.key).exists
  return kind.hasSubjectsOfCallers !== true || stateOf(key).exists
}

/** The smaller of two remaining amounts, and never less than 0. */
export const minRemaining = (a: bigint | null, b: bigint) => (a === null || b < a ? (b < 0n ? 0n : b) : a)
