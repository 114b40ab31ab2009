import type { BatchDecision, Command, Movement, Outcome } from '../../src/money/engine/decide.ts'
import { type Allowance, type Balance, emptyBalance, type LimitUnit } from '../../src/money/ledger/ledger.ts'
import { columns, excess, isSame, plus } from './balances.ts'
import { must } from './broken.ts'
import { ChainPromises } from './chain-promises.ts'
import { compareCharge, followCharge, Look, type Standing } from './charge-promises.ts'
import { ladderOf } from './ladders.ts'
import { taken, used } from './naive-ledger.ts'

/**
 * What callers were told, and what has to be true of the books because of it. It knows nothing of how decisions are made: only
 * the answers, the limits as they are set, and the movements written down.
 */

interface Part {
  readonly key: string
  readonly pool: string
  readonly unit: LimitUnit
  readonly amount: bigint
}

/** One hold, as its caller knows it. */
export interface Life {
  parts: readonly Part[]
  usd: bigint
  tokens: bigint
  readonly chainId: string | undefined
  readonly heldAtMs: number
  readonly onExpiry: 'release' | 'charge'
  expiresAtMs: number
  state: 'open' | 'settled' | 'released' | 'expired'
  charged: bigint | null
  /** What it was charged by an estimate that may still be replaced. */
  estimated?: Usage | undefined
}

type Usage = Parameters<typeof used>[0]
type HoldAsk = Extract<Command, { type: 'hold' }>
type ChargeAsk = Extract<Command, { type: 'charge' }>
type RaiseAsk = Extract<Command, { type: 'raise' }>
type Sums = { spent: bigint; overrun: bigint; late: bigint }
type Enforced = (allowance: Allowance) => bigint | undefined

const graceMs = 5_000
const dayMs = 86_400_000

export class Promises {
  readonly lives = new Map<string, Life>()
  /** Every row that was ever touched, and what it holds by the movements. */
  readonly rows = new Map<string, { readonly allowance: Allowance; readonly pool: string; balance: Balance }>()
  private readonly held = new Map<string, bigint>()
  private readonly sums = new Map<string, Sums>()
  /** Pools on which settlements draw what was never held: there overrun is what did not fit, which only the books know. */
  private readonly unheld = new Set<string>()
  /** What lowered limits have left above them. */
  private readonly excused = new Map<string, bigint>()
  private chains = new ChainPromises()
  private readonly standing: Standing = {
    balance: (key) => this.balance(key),
    isKnown: ({ key }) => this.rows.has(key),
    poolOf,
  }

  /** Follows a decision, request by request in the promised order; throws at the first broken promise. */
  follow(asks: readonly Command[], decision: BatchDecision, nowMs: number, enforced: Enforced) {
    const movements = [...decision.movements]
    const rank = ({ type }: Command) =>
      type === 'hold' || type === 'charge' || type === 'raise' ? 2 : type === 'expire' ? 1 : 0
    const inOrder = [...asks.entries()].sort(([i, a], [j, b]) => rank(a) - rank(b) || i - j)
    for (const [i, ask] of inOrder) {
      const verdict = decision.outcomes[i]!
      const next = (id: string | null): Movement => {
        const movement = movements.shift()
        const kind = ask.type === 'raise' ? 'hold' : ask.type
        must(movement?.kind === kind && movement.holdId === id, `${ask.type} was answered but not written down`)
        return movement
      }
      if (ask.type === 'charge') this.charge(ask, verdict, () => next(null), enforced)
      else if (ask.type === 'hold') {
        if (this.hold(ask, verdict, nowMs)) this.move(next(ask.id), enforced)
      } else if (ask.type === 'raise') {
        if (this.raise(ask, verdict, nowMs)) this.move(next(ask.holdId), enforced)
      } else if (this.end(ask, verdict, nowMs)) this.move(next(ask.holdId), enforced)
    }
    must(movements.length === 0, `${movements[0]?.kind} was written down although nothing was to change`)
    const total = new Map<string, Balance>()
    for (const { key, delta } of decision.movements.flatMap(({ changes }) => changes))
      total.set(key, plus(total.get(key) ?? emptyBalance, delta))
    for (const key of new Set([...total.keys(), ...decision.deltas.keys()]))
      must(isSame(total.get(key), decision.deltas.get(key)), 'the sum of the movements is what the rows change by')
    for (const [key, balance] of decision.after)
      must(isSame(balance, this.rows.get(key)?.balance), 'the rows afterwards are the rows before plus the movements')
  }

  private hold(ask: HoldAsk, verdict: Outcome, nowMs: number): boolean {
    const look = new Look(this.standing)
    const rungs = [ask.charge, ...ladderOf(ask)]
    const fitting = rungs.find((charge) => !look.lacking({ ...ask, charge }))
    if (verdict.type === 'refused') {
      must(fitting === undefined, 'what fits in part is not refused')
      const lacking = look.lacking(ask)
      must(lacking !== undefined, 'what fits is not refused')
      const keys = look.targets(lacking).map(({ key }) => key)
      must(keys.includes(verdict.refusal.allowance.key), 'the first limit that lacks room is the one that is told')
      must(verdict.refusal.isPreFlight, 'a hold is refused before its cost')
      this.chains.refuse(ask.charge, verdict.refusal)
      return false
    }
    must(verdict.type === 'held', `a hold was answered with ${verdict.type}`)
    const charge = verdict.granted?.charge ?? ask.charge
    const lacking = look.lacking({ ...ask, charge })
    must(lacking === undefined, `no hold is admitted above a limit (${lacking?.mode} ${lacking?.kind.kind})`)
    must(charge.usd === fitting?.usd && charge.tokens === fitting.tokens, 'as much is granted as fits')
    this.chains.admit(charge)
    if (ask.isDryRun) return false
    const held = verdict.checks.map(({ allowance, amount, draw }) => ({ key: allowance.key, amount, draw }))
    const parts = this.take({ ...ask, charge }, held, look)
    const { expiresAtMs, onExpiry } = ask
    const chainId = charge.chain?.chainId
    this.chains.count(chainId, charge.usd, charge.tokens)
    const life = {
      parts,
      usd: charge.usd,
      tokens: charge.tokens,
      chainId,
      heldAtMs: nowMs,
      onExpiry,
      expiresAtMs,
      state: 'open',
      charged: null,
    } as const
    this.lives.set(ask.id, { ...life })
    return true
  }

  /** Follows what a charge has taken, claim by claim; what it holds by that. */
  private take(
    { charge, claims }: Pick<HoldAsk, 'charge' | 'claims'>,
    held: readonly { readonly key: string; readonly amount: bigint; readonly draw: number }[],
    look: Look,
  ): Part[] {
    const met = claims.flatMap((claim) => look.meeting(claim))
    const parts = claims.flatMap((claim, index) => {
      if (claim.mode === 'fixed') return []
      const targets = look.targets(claim)
      const own = held.flatMap(({ key, amount, draw }) => {
        const allowance = targets.find((target) => target.key === key)
        return allowance && draw === (claim.mode === 'draw' ? index + 1 : 0) ? [{ allowance, amount }] : []
      })
      const sum = own.reduce((all, { amount }) => all + amount, 0n)
      must(own.length > 0 && sum === taken(charge, claim.unit), 'every claim is held in full')
      return own.map(({ allowance, amount }) => {
        const row = this.row(allowance)
        return { key: allowance.key, pool: row.pool, unit: claim.unit, amount }
      })
    })
    must(parts.length === held.length, 'nothing is held but what was claimed')
    for (const allowance of met) this.sumsOf(this.row(allowance).pool).spent += 1n
    for (const { key, amount } of parts) this.held.set(key, (this.held.get(key) ?? 0n) + amount)
    return parts
  }

  /** A raise is decided as a hold of the whole charge by somebody who holds nothing yet; a refusal changes nothing. */
  private raise(ask: RaiseAsk, verdict: Outcome, nowMs: number): boolean {
    const life = this.lives.get(ask.holdId)
    if (life?.state !== 'open') {
      must(verdict.type === (life ? 'conflict' : 'not_found'), 'only an open hold is raised')
      return false
    }
    const had = new Map<string, bigint>()
    for (const { key, amount } of life.parts) had.set(key, (had.get(key) ?? 0n) + amount)
    const balance = (key: string) => ({ ...this.balance(key), held: this.balance(key).held - (had.get(key) ?? 0n) })
    const look = new Look({ ...this.standing, balance, had })
    const lacking = look.lacking(ask)
    const chains = this.chains.copy()
    chains.count(life.chainId, -life.usd, -life.tokens)
    if (verdict.type === 'refused') {
      must(lacking !== undefined, 'a raise that fits is not refused')
      const keys = look.targets(lacking).map(({ key }) => key)
      must(
        keys.includes(verdict.refusal.allowance.key),
        'the first limit that lacks room for a raise is the one that is told',
      )
      chains.refuse(ask.charge, verdict.refusal)
      return false
    }
    must(verdict.type === 'extended', `a raise was answered with ${verdict.type}`)
    must(lacking === undefined, `no hold is raised above a limit (${lacking?.mode} ${lacking?.kind.kind})`)
    const { usd, tokens } = ask.charge
    chains.admit({ ...ask.charge, usd: usd > life.usd ? usd : 0n, tokens: tokens > life.tokens ? tokens : 0n })
    this.chains = chains
    this.chains.count(life.chainId, usd, tokens)
    for (const [key, amount] of had) this.held.set(key, this.held.get(key)! - amount)
    const { keys, amounts, draws, amountNano, expiresAtMs } = verdict.hold
    life.parts = this.take(
      ask,
      keys.map((key, i) => ({ key, amount: amounts[i]!, draw: draws[i]! })),
      look,
    )
    must(amountNano === usd, 'a raised hold says what it holds')
    must(expiresAtMs >= life.expiresAtMs && expiresAtMs <= life.heldAtMs + dayMs, 'a raise extends the lease too')
    must(expiresAtMs >= Math.min(nowMs + ask.leaseMs, life.heldAtMs + dayMs), 'a raise extends it in full')
    Object.assign(life, { usd, tokens, expiresAtMs })
    return true
  }

  private charge(ask: ChargeAsk, verdict: Outcome, next: () => Movement, enforced: Enforced) {
    const followed = followCharge(ask, verdict, this.standing, this.chains)
    if (!followed) return
    const { booked, chains } = followed
    this.chains = chains
    for (const allowance of booked.touched.values()) this.row(allowance)
    for (const [pool, spent] of booked.spent) this.sumsOf(pool).spent += spent
    for (const [pool, overrun] of booked.overrun) this.sumsOf(pool).overrun += overrun
    const movement = next()
    compareCharge(movement, booked, this.standing)
    this.move(movement, enforced)
  }

  private end(ask: Exclude<Command, HoldAsk | ChargeAsk | RaiseAsk>, verdict: Outcome, nowMs: number): boolean {
    const life = this.lives.get(ask.holdId)
    if (!life) {
      must(verdict.type === 'not_found', 'a hold that was never made is not found')
      return false
    }
    const { state } = life
    if (ask.type === 'extend') {
      if (state !== 'open') must(verdict.type === 'conflict', `a hold that is ${state} is not extended`)
      else {
        must(verdict.type === 'extended', 'an open hold can be extended')
        const { expiresAtMs } = verdict.hold
        must(expiresAtMs >= life.expiresAtMs, 'an extension never shortens')
        must(expiresAtMs <= life.heldAtMs + dayMs, 'a hold stands 24 hours at most')
        must(expiresAtMs >= Math.min(nowMs + ask.leaseMs, life.heldAtMs + dayMs), 'an extension is given in full')
        life.expiresAtMs = expiresAtMs
      }
      return false
    }
    if (ask.type === 'release' && state === 'settled') {
      must(verdict.type === 'conflict', `${ask.type} of a hold that is ${state} is a conflict`)
      return false
    }
    must(verdict.type === 'ended', `${ask.type} was answered with ${verdict.type}`)
    const isOver = nowMs >= life.expiresAtMs + graceMs
    const isExact = ask.type === 'settle' && life.estimated !== undefined && !ask.estimate
    const isFirst =
      ask.type === 'settle' ? state !== 'settled' || isExact : state === 'open' && (ask.type !== 'expire' || isOver)
    must(
      verdict.isRepeat === !isFirst,
      isFirst ? `the first ${ask.type} counts` : `${ask.type} of ${state} changes nothing`,
    )
    if (!isFirst) must(verdict.hold.chargedNano === life.charged, 'asking again is answered as the first time')
    else if (ask.type === 'settle') this.settle(ask, life)
    else this.giveBack(life, ask.type)
    must(
      verdict.hold.state === life.state && verdict.hold.chargedNano === life.charged,
      'the answer says what happened',
    )
    return isFirst
  }

  private giveBack(life: Life, how: 'release' | 'expire') {
    const isCharged = how === 'expire' && life.onExpiry === 'charge'
    for (const { key, pool, unit, amount } of life.parts) {
      this.held.set(key, this.held.get(key)! - amount)
      if (isCharged && unit !== 'concurrent_runs') this.sumsOf(pool).spent += amount
    }
    life.state = how === 'expire' ? 'expired' : 'released'
    if (isCharged) life.charged = life.usd
    else this.chains.count(life.chainId, -life.usd, -life.tokens)
  }

  private settle({ actual, unheld, estimate, excess = [] }: Extract<Command, { type: 'settle' }>, life: Life) {
    for (const { allowances } of excess) for (const allowance of allowances) this.row(allowance)
    const isLate = life.state === 'released' || (life.state === 'expired' && life.onExpiry === 'release')
    for (const [pool, parts] of Map.groupBy(life.parts, (part) => part.pool)) {
      const sums = this.sumsOf(pool)
      const cost = used(actual, parts[0]!.unit)
      const amount = parts.reduce((sum, part) => sum + part.amount, 0n)
      const { unit } = parts[0]!
      if (unit === 'concurrent_runs') continue
      if (life.estimated) {
        const before = used(life.estimated, unit)
        const floor = cost > amount ? cost : amount
        sums.spent += cost - before
        sums.overrun += cost > before ? cost - before : before > floor ? floor - before : 0n
        continue
      }
      sums.spent += life.state === 'expired' && !isLate ? cost - amount : cost
      if (isLate) sums.late += cost
      else if (cost > amount) sums.overrun += cost - amount
    }
    if (life.state === 'open')
      for (const { key, amount } of life.parts) this.held.set(key, this.held.get(key)! - amount)
    for (const { allowances, unit } of unheld) {
      const { pool } = allowances.map((allowance) => this.row(allowance))[0]!
      this.sumsOf(pool).spent += used(actual, unit)
      this.unheld.add(pool)
    }
    const { usd, tokens } = life.estimated ?? life
    if (!isLate) this.chains.count(life.chainId, -usd, -tokens)
    this.chains.count(life.chainId, actual.usd, actual.tokens)
    life.estimated = estimate && !isLate ? actual : undefined
    life.state = 'settled'
    life.charged = actual.usd
  }

  private move({ kind, changes }: Movement, enforced: Enforced) {
    for (const { key, delta } of changes) {
      const row = this.rows.get(key)
      must(row !== undefined, 'only rows that were claimed are changed')
      const before = row.balance
      row.balance = plus(before, delta)
      const limit = enforced(row.allowance)
      if (limit === undefined) continue
      const used = before.spent + before.held
      const most = (used > limit ? used : limit) + delta.overrun + delta.late
      must(
        row.balance.spent + row.balance.held <= most,
        `what ${kind} puts above a limit is counted as overrun or late`,
      )
    }
  }

  /** A change of limits takes nothing back: what is above one now is excused for as long as it lasts. */
  limitsChanged(enforced: Enforced) {
    for (const [key, { allowance, balance }] of this.rows) {
      const above = excess(balance, enforced(allowance))
      if (above > 0n) this.excused.set(key, above)
      else this.excused.delete(key)
    }
  }

  /** What is true after every step, of every row. */
  check(stored: ReadonlyMap<string, Balance>, enforced: Enforced) {
    const sums = new Map<string, Sums>()
    for (const [key, { allowance, pool, balance }] of this.rows) {
      must(isSame(stored.get(key) ?? emptyBalance, balance), 'the rows are the sum of the movements')
      for (const column of columns) must(balance[column] >= 0n, `${column} is never negative`)
      must(balance.held === (this.held.get(key) ?? 0n), 'what is held is the sum of the open holds')
      const above = excess(balance, enforced(allowance))
      must(above <= (this.excused.get(key) ?? 0n), 'all above a limit is accounted for')
      if (this.excused.has(key)) this.excused.set(key, above)
      const sum = sums.get(pool) ?? { spent: 0n, overrun: 0n, late: 0n }
      sum.spent += balance.spent
      sum.overrun += balance.overrun
      sum.late += balance.late
      sums.set(pool, sum)
    }
    for (const [pool, { spent, overrun, late }] of sums) {
      const told = this.sumsOf(pool)
      must(spent === told.spent, 'what is spent is what callers were told')
      must(late === told.late, 'what is late is what was settled after its lease')
      const isKnown = !this.unheld.has(pool)
      must(isKnown ? overrun === told.overrun : overrun >= told.overrun, 'overrun is what was settled above its hold')
    }
  }

  private balance(key: string): Balance {
    return this.rows.get(key)?.balance ?? emptyBalance
  }

  private row(allowance: Allowance) {
    const known = this.rows.get(allowance.key)
    if (known) return known
    const row = { allowance, pool: poolOf(allowance), balance: emptyBalance }
    this.rows.set(allowance.key, row)
    return row
  }

  private sumsOf(pool: string): Sums {
    const sums = this.sums.get(pool) ?? { spent: 0n, overrun: 0n, late: 0n }
    this.sums.set(pool, sums)
    return sums
  }
}

/** What callers know as one: the packs of an owner, or a limit. */
function poolOf({ key, kind, subject }: Allowance): string {
  return kind === 'credits' || kind === 'quota' ? `${kind} ${subject}` : key
}
