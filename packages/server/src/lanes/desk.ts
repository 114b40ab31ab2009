import type { Maker } from '../identity/identity.ts'
import {
  type Allowance,
  type Claim,
  type Crossing,
  crossingsOf,
  type Refusal,
  remainingOf,
  stopOf,
} from '../ledger/ledger.ts'
import type { Ask, ChargedItem, Decision, Movement, NewHold, Verdict } from './asks.ts'
import { add, type Book, type Delta, difference, noDelta, type OpenBook, opened } from './book.ts'
import { drawOn, isKnown, refusedBefore, type Sums, smaller, summed, type Taken, uncountable } from './charging.ts'
import { asCounted, drawnDown, endHold, type Hold, type MovementKind, maxLeaseMs } from './ending.ts'

/** The ledger state of a batch while it is decided: balances and holds as read, plus the changes of the batch so far. */
export class Desk {
  private readonly nowMs: number
  private readonly read: ReadonlyMap<string, Book>
  private readonly open = new Map<string, OpenBook>()
  private readonly holds: Map<string, Hold>
  private readonly changed = new Map<string, Hold>()
  private readonly newHolds: NewHold[] = []
  private readonly movements: Movement[] = []
  private readonly crossings: Crossing[] = []
  private readonly stops: Crossing[] = []

  constructor(books: { allowances: ReadonlyMap<string, Book>; holds: ReadonlyMap<string, Hold> }, nowMs: number) {
    this.read = books.allowances
    this.holds = new Map(books.holds)
    this.nowMs = nowMs
  }

  end(ask: Exclude<Ask, { type: 'hold' | 'charge' }>): Verdict {
    const hold = this.holds.get(ask.holdId)
    if (!hold) return { type: 'not_found' }
    if (ask.type === 'extend') return this.extend(hold, ask.leaseMs)
    const outcome = endHold(hold, ask, (key) => this.book(key), this.nowMs)
    if (outcome === 'conflict') return { type: 'conflict', hold }
    if (outcome === 'repeat') return { type: 'ended', hold, isRepeat: true, isLate: false }
    this.keep(outcome.hold)
    const counted = asCounted(outcome.changes, (key) => this.book(key))
    this.move(outcome.kind, hold, counted, ask.type === 'expire' ? undefined : ask.by)
    const isLate = ask.type === 'settle' && hold.state === 'expired' && hold.onExpiry === 'release'
    return { type: 'ended', hold: outcome.hold, isRepeat: false, isLate }
  }

  private extend(hold: Hold, leaseMs: number): Verdict {
    if (hold.state !== 'open') return { type: 'conflict', hold }
    const expiresAtMs = Math.min(Math.max(hold.expiresAtMs, this.nowMs + leaseMs), hold.heldAtMs + maxLeaseMs)
    const extended = { ...hold, expiresAtMs }
    this.keep(extended)
    return { type: 'extended', hold: extended }
  }

  hold(ask: Extract<Ask, { type: 'hold' }>): Verdict {
    const taken: Taken = { readings: [], newcomers: [], rooms: [], isPreFlight: true }
    const { readings, newcomers } = taken
    const refusal = this.takeAll(ask, taken)
    if (refusal) {
      if (!ask.isDryRun) this.stop(refusal)
      return { type: 'refused', refusal, readings }
    }
    const remaining = taken.rooms.reduce<bigint | null>((least, room) => smaller(least, room - ask.charge.usd), null)
    if (ask.isDryRun) return { type: 'held', readings, remaining }
    const changes = readings.map(({ allowance, amount, wouldRefuse }) => ({
      key: allowance.key,
      delta: { spent: 0n, held: amount, overrun: 0n, late: 0n, wouldRefuse: wouldRefuse ? 1n : 0n },
    }))
    for (const { key } of newcomers) changes.push({ key, delta: { ...noDelta, spent: 1n } })
    const hold: Hold = {
      id: ask.id,
      state: 'open',
      onExpiry: ask.onExpiry,
      heldAtMs: this.nowMs,
      expiresAtMs: ask.expiresAtMs,
      amountNano: ask.charge.usd,
      keys: readings.map(({ allowance }) => allowance.key),
      amounts: readings.map(({ amount }) => amount),
      draws: readings.map(({ draw }) => draw),
      chargedNano: null,
      overrunNano: null,
      madeBy: ask.by,
    }
    this.move('hold', hold, changes, ask.by)
    this.holds.set(hold.id, hold)
    this.newHolds.push({ ...hold, readings, inputs: ask.inputs })
    return { type: 'held', readings, remaining }
  }

  private takeAll({ charge, claims }: ChargedItem, taken: Taken): Refusal | undefined {
    for (const [index, claim] of claims.entries()) {
      const amount = charge[claim.unit]
      const refusal =
        claim.mode === 'fixed'
          ? refusedBefore(claim, taken)
          : claim.mode === 'draw'
            ? drawOn(claim, amount, index + 1, taken, (key) => this.book(key))
            : this.take(claim, amount, taken)
      if (refusal) return refusal
    }
    return undefined
  }

  /**
   * Charges many items as one movement. If their sum fits, each fits; only otherwise are they checked one by one, in their order.
   */
  charge({ items, mode, by }: Extract<Ask, { type: 'charge' }>): Verdict {
    const refusals = new Map<number, Refusal>()
    const sums: Sums = new Map()
    const areFacts = mode === 'facts' || mode === 'atomic_facts'
    if (!summed(items).every((one) => !(areFacts ? this.bookFact(one, sums) : this.bookOne(one, sums, true)))) {
      this.undo(sums)
      for (const [i, item] of items.entries()) {
        const refusal = areFacts ? this.bookFact(item, sums) : this.bookOne(item, sums)
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
  private bookOne(item: ChargedItem, sums: Sums): Refusal | undefined
  private bookOne(item: ChargedItem, sums: Sums, isWary: true): Refusal | 'watched' | undefined
  private bookOne(item: ChargedItem, sums: Sums, isWary = false): Refusal | 'watched' | undefined {
    const taken: Taken = { readings: [], newcomers: [], rooms: [], isPreFlight: false }
    const refusal = this.takeAll(item, taken)
    if (refusal) return refusal
    if (isWary && taken.readings.some(({ wouldRefuse }) => wouldRefuse)) return 'watched'
    for (const { allowance, amount, wouldRefuse } of taken.readings)
      this.addTo(sums, allowance.key, { ...noDelta, spent: amount, wouldRefuse: wouldRefuse ? 1n : 0n })
    for (const { key } of taken.newcomers) this.addTo(sums, key, { ...noDelta, spent: 1n })
    return undefined
  }

  /**
   * Books a cost that was incurred already, whatever the limits say: the part that exceeds them is overrun. Only an amount that
   * cannot be counted is refused.
   */
  private bookFact({ charge, claims }: ChargedItem, sums: Sums): Refusal | undefined {
    const changes: { key: string; delta: Delta }[] = []
    for (const claim of claims) {
      if (claim.mode === 'fixed') continue
      const met: Allowance[] = []
      const bearing = claim.newcomers ? { ...claim, allowances: [this.target(claim, met)] } : claim
      const borne = drawnDown(bearing, charge[claim.unit], (of) => this.book(of))
      for (const { key, delta } of borne) {
        const refusal = uncountable(claim, this.book(key), delta.spent, false)
        if (refusal) return refusal
      }
      changes.push(...borne, ...met.map(({ key }) => ({ key, delta: { ...noDelta, spent: 1n } })))
    }
    for (const { key, delta } of changes) this.addTo(sums, key, delta)
    return undefined
  }

  private addTo(sums: Sums, key: string, delta: Delta) {
    let book = this.open.get(key)
    const isFirst = !book
    if (!book) this.open.set(key, (book = opened(this.book(key))))
    add(book.balance, delta)
    const sum = sums.get(key)
    if (sum) add(sum.delta, delta)
    else sums.set(key, { delta: { ...delta }, isFirst })
  }

  /**
   * Takes back what was booked. An allowance that was touched only for it is dropped, so that a refused charge creates no rows
   * and makes no subject known.
   */
  private undo(sums: Sums) {
    for (const [key, { delta, isFirst }] of sums) {
      if (isFirst) this.open.delete(key)
      else add(this.open.get(key)!.balance, difference(noDelta, delta))
    }
    sums.clear()
  }

  /** Takes an amount on one allowance; a charge of 0 always fits. */
  private take(claim: Claim, amount: bigint, { readings, newcomers, rooms, isPreFlight }: Taken): Refusal | undefined {
    const allowance = this.target(claim, newcomers)
    const { balance } = this.book(allowance.key)
    const { spent, held } = balance
    const { limit } = allowance
    const isOver = limit !== null && amount > 0n && spent + held + amount > limit
    readings.push({ allowance, amount, draw: 0, spent, held, wouldRefuse: isOver })
    if (isOver && allowance.enforcement === 'block') {
      return {
        claim,
        allowance,
        balance: { ...balance },
        attempted: amount,
        available: remainingOf(limit, balance),
        total: { limit, spent, held },
        isPreFlight,
        isKnown: isKnown(claim, allowance, (key) => this.book(key)),
      }
    }
    const refusal = uncountable(claim, this.book(allowance.key), amount, isPreFlight)
    if (refusal) return refusal
    if (allowance.unit === 'usd' && allowance.enforcement === 'block' && limit !== null)
      rooms.push(remainingOf(limit, balance))
    return undefined
  }

  /** Returns the allowance that a claim goes to, and adds to `met` the rows that record a subject seen for the first time. */
  private target({ allowances, newcomers }: Claim, met: Allowance[]): Allowance {
    const [allowance] = allowances
    if (!newcomers || this.book(newcomers.marker.key).exists) return allowance!
    const { marker, counter, instead } = newcomers
    if (this.book(counter.key).balance.spent >= counter.limit!) return instead
    met.push(marker, counter)
    return allowance!
  }

  private stop(refusal: Refusal) {
    const stop = stopOf(refusal)
    if (stop) this.stops.push(stop)
  }

  private book(key: string): Book {
    const book = this.open.get(key) ?? this.read.get(key)
    if (!book) throw new Error(`allowance ${key} was not read`)
    return book
  }

  private keep(hold: Hold) {
    this.holds.set(hold.id, hold)
    this.changed.set(hold.id, hold)
  }

  private move(
    kind: MovementKind,
    { id, madeBy }: Hold,
    changes: readonly { key: string; delta: Delta }[],
    movedBy: Maker | undefined,
  ) {
    for (const { key, delta } of changes) {
      let book = this.open.get(key)
      if (!book) this.open.set(key, (book = opened(this.book(key))))
      const { balance } = book
      if (delta.spent > 0n)
        this.crossings.push(...crossingsOf(book.allowance, balance.spent, balance.spent + delta.spent))
      add(balance, delta)
    }
    this.movements.push({ kind, holdId: id, madeBy, movedBy, changes })
  }

  decision(verdicts: readonly Verdict[]): Decision {
    return {
      verdicts,
      movements: this.movements,
      deltas: new Map(
        Array.from(this.open, ([key, { balance }]) => [key, difference(balance, this.read.get(key)!.balance)]),
      ),
      after: new Map(Array.from(this.open, ([key, { balance }]) => [key, balance])),
      crossings: this.crossings,
      stops: this.stops,
      newHolds: this.newHolds,
      changedHolds: [...this.changed.values()],
    }
  }
}
