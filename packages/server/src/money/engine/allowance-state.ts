import type { Allowance, Balance } from '../ledger/ledger.ts'

/** An allowance with its balance as read under the lock; `exists` is false while it has no row yet. */
export interface AllowanceState {
  readonly allowance: Allowance
  readonly balance: Balance
  readonly exists: boolean
}

/** The change that a movement makes to a balance. */
export type Delta = Balance

export const noDelta: Delta = { spent: 0n, held: 0n, overrun: 0n, late: 0n, wouldRefuse: 0n }

/** An allowance state that a batch writes to. */
export interface MutableAllowanceState extends AllowanceState {
  readonly balance: { -readonly [K in keyof Balance]: Balance[K] }
}

export const toMutable = ({ allowance, balance }: AllowanceState): MutableAllowanceState => ({
  allowance,
  balance: { ...balance },
  exists: true,
})

/** Adds in place: a busy batch adds to the same few allowances hundreds of times. */
export function addDelta(balance: MutableAllowanceState['balance'], delta: Delta) {
  balance.spent += delta.spent
  balance.held += delta.held
  balance.overrun += delta.overrun
  balance.late += delta.late
  balance.wouldRefuse += delta.wouldRefuse
}

export const difference = (after: Balance, before: Balance): Delta => ({
  spent: after.spent - before.spent,
  held: after.held - before.held,
  overrun: after.overrun - before.overrun,
  late: after.late - before.late,
  wouldRefuse: after.wouldRefuse - before.wouldRefuse,
})
