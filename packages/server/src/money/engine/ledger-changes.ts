import { strict as assert } from 'node:assert'
import type { Maker } from '../../access/identity/identity.ts'
import { type Crossing, crossingsOf, type LimitRefusal, stopOf } from '../ledger/ledger.ts'
import {
  type AllowanceState,
  addDelta,
  type Delta,
  difference,
  type MutableAllowanceState,
  toMutable,
} from './allowance-state.ts'
import type { BatchDecision, Movement, NewHold, Outcome } from './commands.ts'
import type { Hold, MovementKind } from './hold-endings.ts'

export const nothingFreed: ReadonlyMap<string, bigint> = new Map()

/** The balances and holds of a batch as they were read, and the changes to them so far. */
export class LedgerChanges {
  protected readonly nowMs: number
  protected readonly read: ReadonlyMap<string, AllowanceState>
  protected readonly open = new Map<string, MutableAllowanceState>()
  protected readonly holds: Map<string, Hold>
  protected readonly changed = new Map<string, Hold>()
  protected readonly newHolds: NewHold[] = []
  protected readonly raised = new Map<string, NewHold>()
  /** Amounts that count as free while a hold is decided anew, by allowance: its own. */
  protected freed: ReadonlyMap<string, bigint> = nothingFreed
  protected readonly movements: Movement[] = []
  protected readonly crossings: Crossing[] = []
  protected readonly stops: Crossing[] = []

  constructor(
    ledger: { allowances: ReadonlyMap<string, AllowanceState>; holds: ReadonlyMap<string, Hold> },
    nowMs: number,
  ) {
    this.read = ledger.allowances
    this.holds = new Map(ledger.holds)
    this.nowMs = nowMs
  }

  protected stop(refusal: LimitRefusal) {
    const stop = stopOf(refusal)
    if (stop) this.stops.push(stop)
  }

  protected allowanceState(key: string): AllowanceState {
    const allowanceState = this.open.get(key) ?? this.read.get(key)
    assert(allowanceState, `allowance ${key} was not read`)
    const own = this.freed.get(key)
    if (own === undefined) return allowanceState
    const { balance } = allowanceState
    return { ...allowanceState, balance: { ...balance, held: balance.held - own } }
  }

  protected changeHold(hold: Hold) {
    this.holds.set(hold.id, hold)
    this.changed.set(hold.id, hold)
  }

  protected move(
    kind: MovementKind,
    { id, madeBy }: Hold,
    changes: readonly { key: string; delta: Delta }[],
    movedBy: Maker | undefined,
  ) {
    for (const { key, delta } of changes) {
      let allowanceState = this.open.get(key)
      if (!allowanceState) this.open.set(key, (allowanceState = toMutable(this.allowanceState(key))))
      const { balance } = allowanceState
      if (delta.spent > 0n)
        this.crossings.push(...crossingsOf(allowanceState.allowance, balance.spent, balance.spent + delta.spent))
      addDelta(balance, delta)
      assert(balance.spent >= 0n && balance.held >= 0n, `a ${kind} leaves ${key} below zero`)
    }
    this.movements.push({ kind, holdId: id, madeBy, movedBy, changes })
  }

  decision(outcomes: readonly Outcome[]): BatchDecision {
    return {
      outcomes,
      movements: this.movements,
      deltas: new Map(
        Array.from(this.open, ([key, { balance }]) => [key, difference(balance, this.read.get(key)!.balance)]),
      ),
      after: new Map(Array.from(this.open, ([key, { balance }]) => [key, balance])),
      crossings: this.crossings,
      stops: this.stops,
      newHolds: this.newHolds,
      changedHolds: [...this.changed.values()],
      raisedHolds: [...this.raised.values()],
    }
  }
}
