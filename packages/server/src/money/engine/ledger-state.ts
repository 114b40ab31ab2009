import { strict as assert } from 'node:assert'
import {
  type Allowance,
  amountSpent,
  amountTaken,
  type Claim,
  crossingsOf,
  type LimitRefusal,
  remainingOf,
} from '../ledger/ledger.ts'
import { addDelta, type Delta, difference, noDelta, toMutable } from './allowance-state.ts'
import {
  type ChargeTotals,
  drawFromPacks,
  type HoldBuilder,
  isKnown,
  minRemaining,
  refuseFixedClaim,
  refuseUncountable,
  sumByAccount,
} from './charges.ts'
import type { ChargedItem, Command, LimitCheck, Outcome } from './commands.ts'
import { capAtCounters, drawDown, endHold, extendedLease, type Hold, isFreed } from './hold-endings.ts'
import { LedgerChanges } from './ledger-changes.ts'
import { roomOf } from './rooms.ts'

/** The ledger state of a batch while it is decided: each command is judged by what those before it have left. */
export class LedgerState extends LedgerChanges {
  end(command: Exclude<Command, { type: 'hold' | 'charge' | 'raise' }>): Outcome {
    const hold = this.holds.get(command.holdId)
    if (!hold) return { type: 'not_found' }
    if (command.type === 'extend') return this.extend(hold, command.leaseMs)
    const outcome = endHold(hold, command, (key) => this.allowanceState(key), this.nowMs)
    if (outcome === 'conflict') return { type: 'conflict', hold }
    if (outcome === 'repeat') return { type: 'ended', hold, isRepeat: true, isLate: false }
    this.changeHold(outcome.hold)
    const counted = capAtCounters(outcome.changes, (key) => this.allowanceState(key))
    this.move(outcome.kind, hold, counted, command.type === 'expire' ? undefined : command.by)
    const isLate = command.type === 'settle' && isFreed(hold)
    return { type: 'ended', hold: outcome.hold, isRepeat: false, isLate }
  }

  private extend(hold: Hold, leaseMs: number): Outcome {
    if (hold.state !== 'open') return { type: 'conflict', hold }
    const extended = { ...hold, expiresAtMs: extendedLease(hold, leaseMs, this.nowMs) }
    this.changeHold(extended)
    return { type: 'extended', hold: extended }
  }

  /** Holds the whole amount; where that does not fit, as much of it as the command may be shrunk to. */
  hold(command: HoldCommand): Outcome {
    const whole = newBuilder()
    const refusal = this.takeAll(command, whole)
    if (!refusal) return this.admit(command, whole)
    const room = this.roomOf(command.claims)
    const granted = room && command.shrink?.(room)
    const part = newBuilder()
    if (granted && !this.takeAll({ ...granted, claims: command.claims }, part))
      return { ...this.admit({ ...command, ...granted }, part), granted }
    if (!command.isDryRun) this.stop(refusal)
    return { type: 'refused', refusal, checks: whole.checks, room }
  }

  private admit(command: HoldCommand, builder: HoldBuilder): Extract<Outcome, { type: 'held' }> {
    const { checks, newSubjectRows } = builder
    assert(checks.every(fits), 'a hold was admitted above a limit')
    const remaining = builder.remaining.reduce<bigint | null>(
      (least, left) => minRemaining(least, left - command.charge.usd),
      null,
    )
    if (command.isDryRun) return { type: 'held', checks, remaining }
    const changes = checks.map(({ allowance, amount, wouldRefuse }) => ({
      key: allowance.key,
      delta: { spent: 0n, held: amount, overrun: 0n, late: 0n, wouldRefuse: wouldRefuse ? 1n : 0n },
    }))
    for (const { key } of newSubjectRows) changes.push({ key, delta: { ...noDelta, spent: 1n } })
    const hold: Hold = {
      id: command.id,
      state: 'open',
      onExpiry: command.onExpiry,
      heldAtMs: this.nowMs,
      expiresAtMs: command.expiresAtMs,
      amountNano: command.charge.usd,
      keys: checks.map(({ allowance }) => allowance.key),
      amounts: checks.map(({ amount }) => amount),
      draws: checks.map(({ draw }) => draw),
      chargedNano: null,
      overrunNano: null,
      madeBy: command.by,
    }
    this.move('hold', hold, changes, command.by)
    this.holds.set(hold.id, hold)
    this.newHolds.push({ ...hold, checks, inputs: command.inputs })
    return { type: 'held', checks, remaining }
  }

  protected roomOf(claims: readonly Claim[]) {
    return roomOf(
      claims,
      (claim) => this.target(claim, []),
      (key) => this.allowanceState(key),
    )
  }

  protected takeAll({ charge, claims }: ChargedItem, builder: HoldBuilder): LimitRefusal | undefined {
    for (const [index, claim] of claims.entries()) {
      const amount = amountTaken(charge, claim.unit)
      const refusal =
        claim.mode === 'fixed'
          ? refuseFixedClaim(claim, builder)
          : claim.mode === 'draw'
            ? drawFromPacks(claim, amount, index + 1, builder, (key) => this.allowanceState(key))
            : this.take(claim, amount, builder)
      if (refusal) return refusal
    }
    return undefined
  }

  /**
   * Charges many items as one movement. If their sum fits, each fits; only otherwise are they checked one by one, in their order.
   */
  charge({ items, mode, by }: Extract<Command, { type: 'charge' }>): Outcome {
    const refusals = new Map<number, LimitRefusal>()
    const sums: ChargeTotals = new Map()
    const isRecordedOnly = mode === 'facts' || mode === 'atomic_facts'
    if (
      !sumByAccount(items).every(
        (one) => !(isRecordedOnly ? this.recordItem(one, sums) : this.chargeItem(one, sums, true)),
      )
    ) {
      this.undo(sums)
      for (const [i, item] of items.entries()) {
        const refusal = isRecordedOnly ? this.recordItem(item, sums) : this.chargeItem(item, sums)
        if (refusal) refusals.set(i, refusal)
        if (refusal && (mode === 'atomic' || mode === 'atomic_facts')) {
          this.undo(sums)
          break
        }
      }
    }
    for (const refusal of refusals.values()) this.stop(refusal)
    if (sums.size > 0) {
      for (const [key, { delta }] of sums) {
        const { allowance, balance } = this.open.get(key)!
        if (delta.spent > 0n) this.crossings.push(...crossingsOf(allowance, balance.spent - delta.spent, balance.spent))
      }
      this.movements.push({
        kind: 'charge',
        holdId: null,
        madeBy: by,
        movedBy: by,
        changes: Array.from(sums, ([key, { delta }]) => ({ key, delta })),
      })
    }
    return { type: 'charged', refusals }
  }

  /**
   * Books one charge, or returns the refusal. With `stopsAtAlerts` it also stops at a limit of enforcement `alert`: what that
   * would have refused is counted per item.
   */
  private chargeItem(item: ChargedItem, sums: ChargeTotals): LimitRefusal | undefined
  private chargeItem(item: ChargedItem, sums: ChargeTotals, stopsAtAlerts: true): LimitRefusal | 'watched' | undefined
  private chargeItem(
    item: ChargedItem,
    sums: ChargeTotals,
    stopsAtAlerts = false,
  ): LimitRefusal | 'watched' | undefined {
    const builder: HoldBuilder = { checks: [], newSubjectRows: [], remaining: [], isPreFlight: false }
    const refusal = this.takeAll(item, builder)
    if (refusal) return refusal
    if (stopsAtAlerts && builder.checks.some(({ wouldRefuse }) => wouldRefuse)) return 'watched'
    for (const { allowance, amount, wouldRefuse } of builder.checks)
      this.addTo(sums, allowance.key, { ...noDelta, spent: amount, wouldRefuse: wouldRefuse ? 1n : 0n })
    for (const { key } of builder.newSubjectRows) this.addTo(sums, key, { ...noDelta, spent: 1n })
    return undefined
  }

  /**
   * Books a cost that was incurred already, whatever the limits say: the part that exceeds them is overrun. Only an amount that
   * cannot be counted is refused.
   */
  private recordItem({ charge, claims }: ChargedItem, sums: ChargeTotals): LimitRefusal | undefined {
    const changes: { key: string; delta: Delta }[] = []
    for (const claim of claims) {
      if (claim.mode === 'fixed') continue
      const met: Allowance[] = []
      const bearing = claim.newSubjectGate ? { ...claim, allowances: [this.target(claim, met)] } : claim
      const borne = drawDown(bearing, amountSpent(charge, claim.unit), (key) => this.allowanceState(key))
      for (const { key, delta } of borne) {
        const refusal = refuseUncountable(claim, this.allowanceState(key), delta.spent, false)
        if (refusal) return refusal
      }
      changes.push(...borne, ...met.map(({ key }) => ({ key, delta: { ...noDelta, spent: 1n } })))
    }
    for (const { key, delta } of changes) this.addTo(sums, key, delta)
    return undefined
  }

  private addTo(sums: ChargeTotals, key: string, delta: Delta) {
    let allowanceState = this.open.get(key)
    const isFirst = !allowanceState
    if (!allowanceState) this.open.set(key, (allowanceState = toMutable(this.allowanceState(key))))
    addDelta(allowanceState.balance, delta)
    const sum = sums.get(key)
    if (sum) addDelta(sum.delta, delta)
    else sums.set(key, { delta: { ...delta }, isFirst })
  }

  /**
   * Takes back what was booked. An allowance that was touched only for it is dropped, so that a refused charge creates no rows
   * and makes no subject known.
   */
  private undo(sums: ChargeTotals) {
    for (const [key, { delta, isFirst }] of sums) {
      if (isFirst) this.open.delete(key)
      else addDelta(this.open.get(key)!.balance, difference(noDelta, delta))
    }
    sums.clear()
  }

  /** Takes an amount on one allowance; no more than what the hold itself has there always fits, and so does 0. */
  private take(
    claim: Claim,
    amount: bigint,
    { checks, newSubjectRows, remaining, isPreFlight }: HoldBuilder,
  ): LimitRefusal | undefined {
    const allowance = this.target(claim, newSubjectRows)
    const { balance } = this.allowanceState(allowance.key)
    const { spent, held } = balance
    const { limit } = allowance
    const isMore = amount > (this.freed.get(allowance.key) ?? 0n)
    const isOver = limit !== null && isMore && spent + held + amount > limit
    checks.push({ allowance, amount, draw: 0, spent, held, wouldRefuse: isOver })
    if (isOver && allowance.enforcement === 'block') {
      return {
        claim,
        allowance,
        balance: { ...balance },
        attempted: amount,
        available: remainingOf(limit, balance),
        total: { limit, spent, held },
        isPreFlight,
        isKnown: isKnown(claim, allowance, (key) => this.allowanceState(key)),
      }
    }
    const refusal = refuseUncountable(claim, this.allowanceState(allowance.key), amount, isPreFlight)
    if (refusal) return refusal
    if (allowance.unit === 'usd' && allowance.enforcement === 'block' && limit !== null)
      remaining.push(remainingOf(limit, balance))
    return undefined
  }

  /** Returns the allowance that a claim goes to, and adds to `met` the rows that record a subject seen for the first time. */
  private target({ allowances, newSubjectGate }: Claim, met: Allowance[]): Allowance {
    const [allowance] = allowances
    if (!newSubjectGate || this.allowanceState(newSubjectGate.marker.key).exists) return allowance!
    const { marker, counter, fallback } = newSubjectGate
    if (this.allowanceState(counter.key).balance.spent >= counter.limit!) return fallback
    met.push(marker, counter)
    return allowance!
  }
}

type HoldCommand = Extract<Command, { type: 'hold' }>

export const newBuilder = (): HoldBuilder => ({ checks: [], newSubjectRows: [], remaining: [], isPreFlight: true })

/** True when an amount fits under its limit, as every admitted one must. */
export const fits = ({ allowance: { limit, enforcement }, amount, draw, spent, held }: LimitCheck) =>
  limit === null || enforcement !== 'block' || amount === 0n || draw > 0 || spent + held + amount <= limit
