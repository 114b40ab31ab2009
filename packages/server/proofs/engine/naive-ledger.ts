import type { ChargedItem, Command } from '../../src/money/engine/decide.ts'
import type { Allowance, Claim, LimitUnit } from '../../src/money/ledger/ledger.ts'
import { ladderOf } from './ladders.ts'

/**
 * The rules of money once more, as plainly as they can be said: one request at a time, on numbers that are changed in place.
 * Slow and without any thought of batches; it shares nothing but types with what it is compared to.
 */

export interface Account {
  spent: bigint
  held: bigint
  overrun: bigint
  late: bigint
  wouldRefuse: bigint
}

type Usage = Readonly<Record<'usd' | 'tokens' | 'runs', bigint>>

/** What a request takes of a limit, and what of it is used up in the end: a place among the runs at once is given back. */
export const taken = (charge: Usage, unit: LimitUnit) => (unit === 'concurrent_runs' ? 1n : charge[unit])
export const used = (actual: Usage, unit: LimitUnit) => (unit === 'concurrent_runs' ? 0n : actual[unit])

interface Part {
  readonly key: string
  readonly unit: LimitUnit
  readonly amount: bigint
  /** Packs that share one amount have their claim's number. */
  readonly pool: number
}

interface NaiveHold {
  state: 'open' | 'settled' | 'released' | 'expired'
  expiresAtMs: number
  charged: bigint | null
  overrun: bigint | null
  usd: bigint
  readonly heldAtMs: number
  readonly onExpiry: 'release' | 'charge'
  parts: readonly Part[]
  /** What each part was charged by an estimate that may still be replaced. */
  estimated?: readonly bigint[] | undefined
}

/** What a charge takes where everything fits. */
interface Fitting {
  readonly parts: readonly Part[]
  readonly warned: readonly string[]
  readonly met: readonly string[]
  readonly remaining: bigint | null
}

/** What is told to whoever asked, as a text that can be compared. */
export type Told = readonly unknown[]

const hour = 3_600_000
const grace = 5_000

export class NaiveLedger {
  readonly accounts = new Map<string, Account>()
  readonly holds = new Map<string, NaiveHold>()
  /** Thresholds reached, in order. */
  reached: string[] = []

  account(key: string): Account {
    return this.accounts.get(key) ?? { spent: 0n, held: 0n, overrun: 0n, late: 0n, wouldRefuse: 0n }
  }

  ask(ask: Command, nowMs: number, allowances: ReadonlyMap<string, Allowance>): Told {
    if (ask.type === 'hold') return this.hold(ask, nowMs, allowances)
    if (ask.type === 'charge') return this.charge(ask, allowances)
    const hold = this.holds.get(ask.holdId)
    if (hold === undefined) return ['not_found']
    if (ask.type === 'extend' || ask.type === 'raise') {
      if (hold.state !== 'open') return ['conflict', hold.state]
      const refused = ask.type === 'raise' ? this.raise(ask, hold, allowances) : undefined
      if (refused) return ['refused', ...refused, true]
      const wished = nowMs + ask.leaseMs
      const latest = hold.heldAtMs + 24 * hour
      if (wished > hold.expiresAtMs) hold.expiresAtMs = wished < latest ? wished : latest
      return ['extended', hold.expiresAtMs, hold.usd]
    }
    if (ask.type === 'release') {
      if (hold.state === 'settled') return ['conflict', 'settled']
      if (hold.state !== 'open') return this.told(hold, true, false)
      for (const { key, amount } of hold.parts) this.own(key).held -= amount
      hold.state = 'released'
      return this.told(hold, false, false)
    }
    if (ask.type === 'expire') {
      if (hold.state !== 'open') return this.told(hold, true, false)
      if (nowMs - grace < hold.expiresAtMs) return this.told(hold, true, false)
      for (const { key, unit, amount } of hold.parts) {
        this.own(key).held -= amount
        if (hold.onExpiry === 'charge' && unit !== 'concurrent_runs') this.spend(key, amount, allowances)
      }
      hold.state = 'expired'
      if (hold.onExpiry === 'charge') {
        hold.charged = hold.usd
        hold.overrun = 0n
      }
      return this.told(hold, false, false)
    }
    return this.settle(ask, hold, allowances)
  }

  private told(hold: NaiveHold, isRepeat: boolean, isLate: boolean): Told {
    return ['ended', hold.state, hold.charged, hold.overrun, isRepeat, isLate]
  }

  private own(key: string): Account {
    const account = this.account(key)
    this.accounts.set(key, account)
    return account
  }

  private spend(key: string, amount: bigint, allowances: ReadonlyMap<string, Allowance>) {
    const account = this.own(key)
    const before = account.spent
    account.spent += amount
    const { limit, thresholds } = allowances.get(key)!
    if (limit === null || amount <= 0n) return
    const percent = (spent: bigint, threshold: number) => spent * 100n >= limit * BigInt(threshold)
    for (const threshold of thresholds)
      if (percent(account.spent, threshold) && !percent(before, threshold)) this.reached.push(`${key} ${threshold}`)
    if (account.spent > limit && !(before > limit)) this.reached.push(`${key} 0`)
  }

  private settle(
    ask: Extract<Command, { type: 'settle' }>,
    hold: NaiveHold,
    allowances: ReadonlyMap<string, Allowance>,
  ) {
    if (hold.state === 'settled' && (!hold.estimated || ask.estimate)) return this.told(hold, true, false)
    if (hold.estimated) return this.replaceEstimate(ask, hold, hold.estimated, allowances)
    const isLate = hold.state === 'released' || (hold.state === 'expired' && hold.onExpiry === 'release')
    const usd = ask.actual.usd
    for (const [part, share] of this.shares(hold, ask.actual)) {
      // What is above a draw goes to packs that are in force now.
      const elsewhere = part.pool === 0 || share <= part.amount ? undefined : this.inForce(ask, part.key, allowances)
      if (elsewhere) this.drawAbove(elsewhere, share - part.amount, isLate, allowances)
      const cost = elsewhere ? part.amount : share
      const account = this.own(part.key)
      if (hold.state === 'open') account.held -= part.amount
      // What was charged as an estimate is corrected to what was used.
      this.spend(part.key, hold.state === 'expired' && !isLate ? cost - part.amount : cost, allowances)
      if (isLate) account.late += cost
      else if (cost > part.amount) account.overrun += cost - part.amount
    }
    for (const claim of ask.unheld) this.drawDown(claim, used(ask.actual, claim.unit), allowances)
    if (ask.estimate && !isLate) hold.estimated = this.shares(hold, ask.actual).map(([, share]) => share)
    hold.state = 'settled'
    hold.charged = usd
    hold.overrun = !isLate && usd > hold.usd ? usd - hold.usd : 0n
    return this.told(hold, false, isLate)
  }

  /** What was said to be exact instead of an estimate. */
  private replaceEstimate(
    { actual }: Extract<Command, { type: 'settle' }>,
    hold: NaiveHold,
    estimated: readonly bigint[],
    allowances: ReadonlyMap<string, Allowance>,
  ): Told {
    for (const [i, [{ key, amount }, share]] of this.shares(hold, actual).entries()) {
      const before = estimated[i]!
      this.spend(key, share - before, allowances)
      const isMore = share > before
      const floor = share > amount ? share : amount
      this.own(key).overrun += isMore ? share - before : before > floor ? floor - before : 0n
    }
    hold.estimated = undefined
    hold.charged = actual.usd
    hold.overrun = actual.usd > hold.usd ? actual.usd - hold.usd : 0n
    return this.told(hold, false, false)
  }

  private inForce(ask: Extract<Command, { type: 'settle' }>, key: string, allowances: ReadonlyMap<string, Allowance>) {
    return ask.excess?.find(({ kind }) => kind.kind === allowances.get(key)!.kind)
  }

  private drawAbove(claim: Claim, amount: bigint, isLate: boolean, allowances: ReadonlyMap<string, Allowance>) {
    const keys = claim.allowances.map(({ key }) => key)
    const before = keys.map((key) => ({ ...this.own(key) }))
    this.drawDown(claim, amount, allowances)
    for (const [i, key] of keys.entries()) {
      const account = this.own(key)
      const more = account.spent - before[i]!.spent
      account.overrun = before[i]!.overrun + (isLate ? 0n : more)
      if (isLate) account.late += more
    }
  }

  /** A limit bears the whole cost; packs bear what they held, one after another, and the last of them all that is above. */
  private shares({ parts }: NaiveHold, actual: Usage): [Part, bigint][] {
    return parts.map((part) => {
      if (part.pool === 0) return [part, used(actual, part.unit)]
      const pool = parts.filter((other) => other.pool === part.pool)
      const place = pool.indexOf(part)
      const earlier = pool.slice(0, place).reduce((sum, other) => sum + other.amount, 0n)
      const whole = used(actual, part.unit)
      const left = whole > earlier ? whole - earlier : 0n
      return [part, place === pool.length - 1 || left < part.amount ? left : part.amount]
    })
  }

  /** What nobody held takes what room there is, in order; what does not fit is overrun on the last. */
  private drawDown(claim: Claim, amount: bigint, allowances: ReadonlyMap<string, Allowance>) {
    let left = amount
    for (const { key, limit } of claim.allowances) {
      const isLast = key === claim.allowances.at(-1)!.key
      const room = this.room(key, limit ?? 0n)
      const fitting = left < room ? left : room
      const cost = isLast ? left : fitting
      if (cost > 0n) this.spend(key, cost, allowances)
      if (cost > fitting && limit !== null) this.own(key).overrun += cost - fitting
      left -= cost
    }
  }

  private room(key: string, limit: bigint): bigint {
    const { spent, held } = this.account(key)
    const room = limit - spent - held
    return room > 0n ? room : 0n
  }

  private hold(
    ask: Extract<Command, { type: 'hold' }>,
    nowMs: number,
    allowances: ReadonlyMap<string, Allowance>,
  ): Told {
    const asked = this.look(ask)
    // The first rung of the ladder that fits, where the whole does not.
    const rung =
      'refused' in asked ? ladderOf(ask).find((charge) => !('refused' in this.look({ ...ask, charge }))) : undefined
    const charge = rung ?? ask.charge
    const found = rung ? this.look({ ...ask, charge }) : asked
    if ('refused' in found) return ['refused', ...found.refused, true]
    const { parts, warned, met, remaining } = found
    const told = ['held', parts.map(({ key, amount }) => `${key} ${amount}`), remaining]
    if (ask.isDryRun) return told
    for (const { key, amount } of parts) this.own(key).held += amount
    for (const key of warned) this.own(key).wouldRefuse += 1n
    for (const key of met) this.spend(key, 1n, allowances)
    this.holds.set(ask.id, {
      state: 'open',
      expiresAtMs: ask.expiresAtMs,
      charged: null,
      overrun: null,
      usd: charge.usd,
      heldAtMs: nowMs,
      onExpiry: ask.onExpiry,
      parts,
    })
    return told
  }

  /** Gives back what is held, and holds the whole charge; where that does not fit, what was held again. */
  private raise(
    ask: Extract<Command, { type: 'raise' }>,
    hold: NaiveHold,
    allowances: ReadonlyMap<string, Allowance>,
  ): readonly unknown[] | undefined {
    const had = new Map<string, bigint>()
    for (const { key, amount } of hold.parts) {
      this.own(key).held -= amount
      had.set(key, (had.get(key) ?? 0n) + amount)
    }
    const found = this.look(ask, had)
    if ('refused' in found) {
      for (const { key, amount } of hold.parts) this.own(key).held += amount
      return found.refused
    }
    for (const { key, amount } of found.parts) this.own(key).held += amount
    for (const key of found.warned) this.own(key).wouldRefuse += 1n
    for (const key of found.met) this.spend(key, 1n, allowances)
    hold.parts = found.parts
    hold.usd = ask.charge.usd
    return undefined
  }

  /** One after another. A charge of all or none is tried on a copy, which is thrown away with the first refusal. */
  private charge(
    { items, mode }: Extract<Command, { type: 'charge' }>,
    allowances: ReadonlyMap<string, Allowance>,
  ): Told {
    const kept = new Map(Array.from(this.accounts, ([key, account]) => [key, { ...account }]))
    const reached = [...this.reached]
    const refused: unknown[] = []
    for (const [i, item] of items.entries()) {
      if (mode === 'facts') {
        this.chargeFact(item, allowances)
        continue
      }
      const found = this.look(item)
      if ('refused' in found) {
        refused.push([i, ...found.refused, false])
        if (mode === 'partial') continue
        this.accounts.clear()
        for (const [key, account] of kept) this.accounts.set(key, account)
        this.reached = reached
        break
      }
      for (const { key, amount } of found.parts) this.spend(key, amount, allowances)
      for (const key of found.warned) this.own(key).wouldRefuse += 1n
      for (const key of found.met) this.spend(key, 1n, allowances)
    }
    return ['charged', refused]
  }

  private chargeFact({ charge, claims }: ChargedItem, allowances: ReadonlyMap<string, Allowance>) {
    for (const claim of claims) {
      if (claim.mode === 'fixed') continue
      const met: string[] = []
      const target = claim.mode === 'draw' ? claim : { ...claim, allowances: [this.target(claim, met)] }
      this.drawDown(target, used(charge, claim.unit), allowances)
      for (const key of met) this.spend(key, 1n, allowances)
    }
  }

  /** Where a claim on one allowance goes, and who is met for the first time by it. */
  private target({ allowances, newSubjectGate }: Claim, met: string[]): Allowance {
    if (newSubjectGate && !this.accounts.has(newSubjectGate.marker.key)) {
      const { marker, counter, fallback } = newSubjectGate
      if (this.account(counter.key).spent >= counter.limit!) return fallback
      met.push(marker.key, counter.key)
    }
    return allowances[0]!
  }

  /** Whether everything fits, without changing anything. On one limit no more than was had there before always does. */
  private look(
    { charge, claims }: ChargedItem,
    had: ReadonlyMap<string, bigint> = new Map(),
  ): Fitting | { refused: readonly unknown[] } {
    const parts: Part[] = []
    const warned: string[] = []
    const met: string[] = []
    let remaining: bigint | null = null
    const leaves = (left: bigint) => {
      if (remaining === null || left < remaining) remaining = left
    }
    for (const [index, claim] of claims.entries()) {
      const { unit, exceeded: passed } = claim
      const amount = taken(charge, unit)
      if (claim.mode === 'fixed') {
        const { key } = claim.allowances[0]!
        if (passed) return { refused: [key, passed.current, passed.attempted, 0n] }
        continue
      }
      if (claim.mode === 'draw') {
        const rooms = claim.allowances.map(({ key, limit }) => this.room(key, limit!))
        // Together: what one pack has borne beyond its own is not there in the others.
        const pool = claim.allowances.reduce(
          (sum, { key, limit }) => sum + limit! - this.account(key).spent - this.account(key).held,
          0n,
        )
        const all = pool > 0n ? pool : 0n
        const last = claim.allowances.at(-1)!.key
        if (amount > all) return { refused: [last, this.used(last), amount, all] }
        leaves(all - amount)
        let left = amount
        for (const [i, { key }] of claim.allowances.entries()) {
          const part = left < rooms[i]! ? left : rooms[i]!
          left -= part
          if (part > 0n || i === 0) parts.push({ key, unit, amount: part, pool: index + 1 })
        }
        continue
      }
      const { key, limit, enforcement } = this.target(claim, met)
      if (limit !== null) {
        const used = this.used(key)
        const isOver = amount > (had.get(key) ?? 0n) && used + amount > limit
        if (isOver && enforcement === 'block') return { refused: [key, used, amount, this.room(key, limit)] }
        if (isOver) warned.push(key)
        if (unit === 'usd' && enforcement === 'block') leaves(limit - used - amount > 0n ? limit - used - amount : 0n)
      }
      parts.push({ key, unit, amount, pool: 0 })
    }
    return { parts, warned, met, remaining }
  }

  private used(key: string): bigint {
    const { spent, held } = this.account(key)
    return spent + held
  }
}
