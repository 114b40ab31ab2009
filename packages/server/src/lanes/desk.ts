import { type Allowance, type Claim, type Crossing, crossingsOf, type Refusal, remainingOf } from '../ledger/ledger.ts'
import type { Ask, ChargedItem, Decision, Movement, NewHold, Reading, Verdict } from './asks.ts'
import { add, type Book, type Delta, difference, noDelta, type OpenBook, opened } from './book.ts'
import { refusedBefore, type Sums, summed, type Taken } from './charging.ts'
import { drawnDown, endHold, type Hold, type MovementKind } from './ending.ts'

const maxLeaseMs = 24 * 3_600_000
const largest = 2n ** 63n - 1n

/** The books of a batch while it is decided: what was read, plus what the batch has done so far. */
export class Desk {
  private readonly nowMs: number
  private readonly read: ReadonlyMap<string, Book>
  private readonly open = new Map<string, OpenBook>()
  private readonly holds: Map<string, Hold>
  private readonly changed = new Map<string, Hold>()
  private readonly newHolds: NewHold[] = []
  private readonly movements: Movement[] = []
  private readonly crossings: Crossing[] = []

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
    this.move(outcome.kind, hold.id, outcome.changes)
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
    if (refusal) return { type: 'refused', refusal, readings }
    const remaining = taken.rooms.reduce<bigint | null>((least, room) => smaller(least, room - ask.charge.usd), null)
    if (ask.isDryRun) return { type: 'held', readings, remaining }
    const changes = readings.map(({ allowance, amount, wouldRefuse }) => ({
      key: allowance.key,
      delta: { spent: 0n, held: amount, overrun: 0n, late: 0n, wouldRefuse: wouldRefuse ? 1n : 0n },
    }))
    for (const { key } of newcomers) changes.push({ key, delta: { ...noDelta, spent: 1n } })
    this.move('hold', ask.id, changes)
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
    }
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
            ? this.draw(claim, amount, index + 1, taken)
            : this.take(claim, amount, taken)
      if (refusal) return refusal
    }
    return undefined
  }

  /**
   * Many charges at once, as one movement. If all of them together fit, each fits; only where they do not, they are looked at
   * one by one, in their order.
   */
  charge({ items, mode }: Extract<Ask, { type: 'charge' }>): Verdict {
    const refusals = new Map<number, Refusal>()
    const sums: Sums = new Map()
    if (mode === 'facts') for (const item of summed(items)) this.bookFact(item, sums)
    else if (!summed(items).every((item) => this.bookOne(item, sums, true) === undefined)) {
      this.undo(sums)
      for (const [i, item] of items.entries()) {
        const refusal = this.bookOne(item, sums)
        if (refusal) refusals.set(i, refusal)
        if (refusal && mode === 'atomic') {
          this.undo(sums)
          break
        }
      }
    }
    if (sums.size > 0) {
      for (const [key, { delta }] of sums) {
        const { allowance, balance } = this.open.get(key)!
        if (delta.spent > 0n) this.crossings.push(...crossingsOf(allowance, balance.spent - delta.spent, balance.spent))
      }
      this.movements.push({
        kind: 'charge',
        holdId: null,
        changes: Array.from(sums, ([key, { delta }]) => ({ key, delta })),
      })
    }
    return { type: 'charged', refusals }
  }

  /** Books one charge, or says what refuses it. A wary look also stops at a limit that only watches: what it would refuse is told one by one. */
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

  /** What has happened is booked whatever the limits say: what they had no room for is overrun. */
  private bookFact({ charge, claims }: ChargedItem, sums: Sums) {
    for (const claim of claims) {
      if (claim.mode === 'fixed') continue
      const met: Allowance[] = []
      const bearing = claim.newcomers ? { ...claim, allowances: [this.target(claim, met)] } : claim
      for (const { key, delta } of drawnDown(bearing, charge[claim.unit], (of) => this.book(of)))
        this.addTo(sums, key, delta)
      for (const { key } of met) this.addTo(sums, key, { ...noDelta, spent: 1n })
    }
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

  /** A book that was opened for it is closed again: what did not happen makes no rows, and nobody known. */
  private undo(sums: Sums) {
    for (const [key, { delta, isFirst }] of sums) {
      if (isFirst) this.open.delete(key)
      else add(this.open.get(key)!.balance, difference(noDelta, delta))
    }
    sums.clear()
  }

  /** The same amount on an allowance; a charge of nothing always fits. */
  private take(claim: Claim, amount: bigint, { readings, newcomers, rooms, isPreFlight }: Taken): Refusal | undefined {
    const allowance = this.target(claim, newcomers)
    const { balance } = this.book(allowance.key)
    const { spent, held } = balance
    const reading = { allowance, amount, draw: 0, spent, held }
    // What cannot be counted is refused by everything that counts, whether it limits or not.
    const limit = spent + held + amount > largest ? largest : allowance.limit
    const isOver = limit !== null && amount > 0n && spent + held + amount > limit
    readings.push({ ...reading, wouldRefuse: isOver })
    if (isOver && (allowance.enforcement === 'block' || limit === largest)) {
      return {
        claim,
        allowance: { ...allowance, limit },
        balance: { ...balance },
        attempted: amount,
        available: remainingOf(limit, balance),
        total: { limit, spent, held },
        isPreFlight,
      }
    }
    if (allowance.unit === 'usd' && allowance.enforcement === 'block' && limit !== null)
      rooms.push(remainingOf(limit, balance))
    return undefined
  }

  /** Where a claim on one allowance goes, and who is met by it for the first time. */
  private target({ allowances, newcomers }: Claim, met: Allowance[]): Allowance {
    const [allowance] = allowances
    if (!newcomers || this.book(newcomers.marker.key).exists) return allowance!
    const { marker, counter, instead } = newcomers
    if (this.book(counter.key).balance.spent >= counter.limit!) return instead
    met.push(marker, counter)
    return allowance!
  }

  /**
   * One amount over several packs, in their order. They bind together: what one of them has borne beyond its own amount is not
   * there in the others.
   */
  private draw(
    claim: Claim,
    amount: bigint,
    group: number,
    { readings, rooms, isPreFlight }: Taken,
  ): Refusal | undefined {
    const total = { limit: 0n, spent: 0n, held: 0n }
    let left = amount
    const parts = claim.allowances.map((allowance): Reading => {
      const { spent, held } = this.book(allowance.key).balance
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
        balance: { ...this.book(allowance.key).balance },
        attempted: amount,
        available,
        total,
        isPreFlight,
      }
    }
    if (claim.unit === 'usd') rooms.push(available)
    // The first stays even where nothing is taken: a settlement above the hold must find where to book it.
    readings.push(...parts.filter((part, i) => part.amount > 0n || i === 0))
    return undefined
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

  private move(kind: MovementKind, holdId: string, changes: readonly { key: string; delta: Delta }[]) {
    for (const { key, delta } of changes) {
      let book = this.open.get(key)
      if (!book) this.open.set(key, (book = opened(this.book(key))))
      const { balance } = book
      if (delta.spent > 0n)
        this.crossings.push(...crossingsOf(book.allowance, balance.spent, balance.spent + delta.spent))
      add(balance, delta)
    }
    this.movements.push({ kind, holdId, changes })
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
      newHolds: this.newHolds,
      changedHolds: [...this.changed.values()],
    }
  }
}

const smaller = (a: bigint | null, b: bigint) => (a === null || b < a ? (b < 0n ? 0n : b) : a)
