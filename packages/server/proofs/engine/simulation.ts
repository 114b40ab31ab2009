import type { Hold, PlanContext } from '../../src/decisions/lanes/lanes.ts'
import { allowancesOf } from '../../src/decisions/lanes/operation-plans.ts'
import type { AllowanceState } from '../../src/money/engine/allowance-state.ts'
import type { BatchDecision, ChargedItem, Command, decide as Decide } from '../../src/money/engine/decide.ts'
import { type Balance, type Charge, emptyBalance, type Surface } from '../../src/money/ledger/ledger.ts'
import { claimsOf, excessClaims, unheldClaims } from '../../src/money/limit-kinds.ts'
import type { Period } from '../../src/values/period.ts'
import { anyInputs } from '../../test/support/example-books.ts'
import { Random } from '../../test/support/random.ts'
import { plus } from './balances.ts'
import { Broken, must } from './broken.ts'
import { compareWithOneByOne } from './charge-promises.ts'
import { withLadder } from './ladders.ts'
import { type Life, Promises } from './promises.ts'
import { SimulatedOrg } from './simulated-org.ts'

/**
 * The life of an organization with a clock that is held: limits change, periods turn, calls are held, settled, forgotten and
 * retried, and after every step every promise is checked.
 */

/** Days on which clocks change somewhere, months and years end, and one on which nothing happens. */
const starts = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-10-24',
  '2026-10-31',
  '2026-12-30',
  '2028-02-28',
  '2026-06-15',
]
const minute = 60_000
const hour = 60 * minute

export interface Told {
  steps: number
  asks: number
  held: number
  /** Holds that got a part of what they asked for. */
  granted: number
  raised: number
  refused: number
  late: number
  overrun: number
  /** Charges without a hold, and how many of their parts were refused. */
  charged: number
  uncharged: number
  /** What was broken, and at which step. */
  broken?: string
}

const nothing: Told = {
  steps: 0,
  asks: 0,
  held: 0,
  granted: 0,
  raised: 0,
  refused: 0,
  late: 0,
  overrun: 0,
  charged: 0,
  uncharged: 0,
}

interface Caller {
  readonly charge: Charge
  readonly surface: 'edge' | 'start'
}

class Simulation {
  readonly told: Told = { ...nothing }
  private readonly random: Random
  private readonly decide: typeof Decide
  private readonly org: SimulatedOrg
  private readonly promises = new Promises()
  private readonly callers = new Map<string, Caller>()
  private readonly balances = new Map<string, Balance>()
  private readonly holds = new Map<string, Hold>()
  private readonly ids: string[] = []
  private nowMs: number

  constructor(seed: number, decide: typeof Decide) {
    this.random = new Random(seed)
    this.decide = decide
    this.nowMs = Date.parse(`${this.random.pick(starts)}T${this.random.pick(['00', '12', '22'])}:00:00Z`)
    this.org = new SimulatedOrg(this.random, this.nowMs)
  }

  step() {
    const { random } = this
    this.told.steps++
    this.nowMs += random.pick([0, 0, 1, 999, 5_000, minute, minute, 10 * minute, hour, 7 * hour, 26 * hour])
    if (random.chance(0.08)) {
      this.org.change(this.nowMs)
      this.promises.limitsChanged(this.enforced)
    } else {
      const asks = random.chance(0.15) ? this.sweep() : this.batch()
      if (random.chance(0.08)) this.abort(asks)
      else this.commit(asks)
    }
    this.promises.check(this.balances, this.enforced)
  }

  private readonly enforced = (allowance: Parameters<SimulatedOrg['enforced']>[0]) => this.org.enforced(allowance)

  private facts(customerId: string | undefined): PlanContext {
    return {
      orgConfig: this.org.definitions,
      customer: this.org.customer(customerId),
      hold: undefined,
      chain: undefined,
      parent: undefined,
      nowMs: this.nowMs,
    }
  }

  /** Holds near the end of their lease, some of them too early. */
  private sweep(): Command[] {
    const due = [...this.promises.lives].filter(
      ([, { state, expiresAtMs }]) => state === 'open' && expiresAtMs <= this.nowMs + 1_000,
    )
    return due.map(([holdId]) => ({ type: 'expire', holdId }))
  }

  private batch(): Command[] {
    return Array.from({ length: this.random.between(1, 6) }, () =>
      this.random.chance(0.12) ? this.newCharge() : this.random.chance(0.5) ? this.newHold() : this.end(),
    )
  }

  /** Every limit that applies, as the request would find it. */
  private claims(surface: Surface, charge: Charge) {
    const { nowMs } = this
    const claims = claimsOf(surface, charge, this.facts(charge.customerId))
    const bound = claims.flatMap(({ allowances }) => allowances)
    const applying = this.org.applying(charge, surface, nowMs)
    must(
      String(bound.map(({ limitId }) => limitId).sort()) === String(applying),
      'every limit that applies is claimed, once',
    )
    for (const { period } of bound) if (period) must(isRunning(period, nowMs), 'a claim is on the period that runs')
    return claims
  }

  /** Runs that were not announced, on a few accounts. */
  private newCharge(): Command {
    const { random } = this
    const accounts = Array.from({ length: random.between(1, 4) }, (): ChargedItem => {
      const charge = this.org.charge(true)
      return { charge, claims: this.claims('record', charge) }
    })
    const items = Array.from({ length: random.between(1, 8) }, (): ChargedItem => {
      const { charge, claims } = random.pick(accounts)
      const isSmall = random.chance(0.8)
      return { charge: isSmall ? { ...charge, usd: random.amount(3), tokens: random.amount(3) } : charge, claims }
    })
    const modes = ['atomic', 'atomic', 'atomic', 'partial', 'partial', 'facts'] as const
    return { type: 'charge', items, mode: random.pick(modes) }
  }

  private newHold(): Command {
    const { random, nowMs } = this
    const surface = random.chance(0.5) ? 'edge' : 'start'
    const charge = this.org.charge(surface === 'start')
    const id = random.uuid()
    const claims = this.claims(surface, charge)
    this.callers.set(id, { charge, surface })
    const ask = {
      type: 'hold',
      id,
      charge,
      claims,
      expiresAtMs: nowMs + random.pick([1_000, minute, 10 * minute, 10 * minute, 24 * hour]),
      onExpiry: surface === 'start' && random.chance(0.6) ? 'charge' : 'release',
      isDryRun: random.chance(0.05),
      inputs: anyInputs,
    } as const
    return random.chance(0.3) ? withLadder(ask, random) : ask
  }

  /** Something about a hold: mostly an open one, but also one that is long over, and now and then none. */
  private end(): Command {
    const { random } = this
    const recent = this.ids.slice(-40).map((id) => [id, this.promises.lives.get(id)!] as const)
    const open = recent.filter(([, { state }]) => state === 'open')
    const from = open.length > 0 && random.chance(0.6) ? open : recent
    if (from.length === 0 || random.chance(0.02)) return { type: 'release', holdId: 'nobody' }
    const [holdId, life] = random.pick(from)
    const type = random.pick(['settle', 'settle', 'settle', 'release', 'extend', 'raise', 'expire'] as const)
    if (type === 'settle') return this.settle(holdId, life)
    if (type === 'raise') return this.raise(holdId, life)
    if (type === 'extend') return { type, holdId, leaseMs: random.pick([1_000, 10 * minute, 24 * hour]) }
    return { type, holdId }
  }

  /** More of what a hold was made for, by the limits of now. */
  private raise(holdId: string, { usd, tokens }: Life): Command {
    const { random } = this
    const { charge: held, surface } = this.callers.get(holdId)!
    const isDearer = random.chance(0.8)
    const charge = {
      ...held,
      usd: isDearer ? usd + random.amount(20) : usd,
      tokens: !isDearer || random.chance(0.5) ? tokens + random.amount(20) : tokens,
    }
    const leaseMs = random.pick([1_000, 10 * minute, 24 * hour])
    return { type: 'raise', holdId, charge, claims: this.claims(surface, charge), leaseMs, inputs: anyInputs }
  }

  private settle(holdId: string, { usd }: Life): Command {
    const { random } = this
    const { charge: held, surface } = this.callers.get(holdId)!
    const { customerId } = held
    const cost = random.pick([0n, usd, usd / 2n, usd / 2n, usd + random.amount(10)])
    const actual = { usd: cost, tokens: random.amount(30), runs: 1n }
    const facts = this.facts(customerId)
    const charge = { ...actual, customerId }
    const estimate = random.chance(0.3) ? {} : undefined
    if (surface === 'start')
      return { type: 'settle', holdId, actual, unheld: [], excess: excessClaims(charge, facts), estimate }
    return { type: 'settle', holdId, actual, unheld: unheldClaims(charge, facts, facts.nowMs) }
  }

  /** The books as a batch reads them under the lock: what its requests name, and where its holds stand. */
  private read(asks: readonly Command[]) {
    const books = new Map<string, AllowanceState>()
    const holds = new Map<string, Hold>()
    const open = (allowance: AllowanceState['allowance']) => {
      const balance = this.balances.get(allowance.key)
      books.set(allowance.key, { allowance, balance: balance ?? emptyBalance, exists: balance !== undefined })
    }
    for (const ask of asks) for (const allowance of allowancesOf(ask)) open(allowance)
    for (const ask of asks) {
      const hold = 'holdId' in ask ? this.holds.get(ask.holdId) : undefined
      if (!hold) continue
      holds.set(hold.id, hold)
      for (const key of hold.keys) if (!books.has(key)) open(this.promises.rows.get(key)!.allowance)
    }
    return { allowances: books, holds }
  }

  private commit(asks: readonly Command[]) {
    const books = this.read(asks)
    const decision = this.decide(books, asks, this.nowMs)
    compareWithOneByOne(this.decide, books, asks, this.nowMs, decision)
    this.promises.follow(asks, decision, this.nowMs, this.enforced)
    for (const [key, delta] of decision.deltas)
      this.balances.set(key, plus(this.balances.get(key) ?? emptyBalance, delta))
    for (const { checks: _, inputs: __, ...hold } of decision.newHolds) {
      this.holds.set(hold.id, hold)
      this.ids.push(hold.id)
    }
    for (const hold of decision.changedHolds) this.holds.set(hold.id, hold)
    this.count(decision)
  }

  /** A transaction that is thrown away: nothing has changed, and what is decided anew is decided alike. */
  private abort(asks: readonly Command[]) {
    const books = this.read(asks)
    const before = text([books, asks])
    const first = text(this.decide(books, asks, this.nowMs))
    must(text([books, asks]) === before, 'deciding changes nothing that was read')
    must(text(this.decide(books, asks, this.nowMs)) === first, 'the same is decided alike')
  }

  private count({ outcomes, deltas, raisedHolds }: BatchDecision) {
    const { told } = this
    told.asks += outcomes.length
    told.raised += raisedHolds.length
    for (const verdict of outcomes) {
      if (verdict.type === 'held') told.held++
      if (verdict.type === 'held' && verdict.granted) told.granted++
      else if (verdict.type === 'refused') told.refused++
      else if (verdict.type === 'charged') {
        told.charged++
        told.uncharged += verdict.refusals.size
      }
    }
    for (const { late, overrun } of deltas.values()) {
      if (late > 0n) told.late++
      if (overrun > 0n) told.overrun++
    }
  }
}

const text = (value: unknown) =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `${inner}n` : inner instanceof Map ? [...inner] : inner,
  )

const calendars = new Map<string, Intl.DateTimeFormat>()

/** Whether a period contains the instant; one of a day must bear the date that a calendar in its zone shows. */
function isRunning({ label, startMs, endMs }: Period, nowMs: number) {
  const [, unit, date, timeZone] = /^(\w+):([\d-]+)@(.+)$/.exec(label)!
  if (nowMs < startMs || nowMs >= endMs) return false
  if (unit !== 'day') return true
  const calendar =
    calendars.get(timeZone!) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timeZone!, dateStyle: 'short' })
  calendars.set(timeZone!, calendar)
  const today = calendar.format(nowMs)
  // A day that waits for the first one of a changed schedule goes on beyond its date.
  return today === date || (endMs - startMs > 24 * hour && today > date!)
}

/** Lives one seed; tells what happened, and what was broken if anything was. */
export function live(seed: number, decide: typeof Decide, steps = 300): Told {
  let simulation: Simulation | undefined
  try {
    simulation = new Simulation(seed, decide)
    while (simulation.told.steps < steps) simulation.step()
    return simulation.told
  } catch (error) {
    const told = simulation?.told ?? nothing
    const what = error instanceof Broken ? error.message : String((error as Error).stack)
    return { ...told, broken: `seed ${seed}, step ${told.steps}: ${what}` }
  }
}
