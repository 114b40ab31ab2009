import type {
  BatchDecision,
  ChargedItem,
  Command,
  decide as Decide,
  Movement,
  Outcome,
} from '../../src/money/engine/decide.ts'
import type { Allowance, Balance, Claim } from '../../src/money/ledger/ledger.ts'
import { isSame } from './balances.ts'
import { must } from './broken.ts'
import type { ChainPromises } from './chain-promises.ts'
import { taken } from './naive-ledger.ts'

/** What is promised of charges without a hold: each is told and booked as if it had come alone, in its turn. */

/** The books as they were promised to be before a request. */
export interface Standing {
  readonly balance: (key: string) => Balance
  readonly isKnown: (marker: Allowance) => boolean
  /** Packs of one owner are one pool, and bear one amount together. */
  readonly poolOf: (allowance: Allowance) => string
  /** What a hold that is raised has on a limit: no more than that always fits. */
  readonly had?: ReadonlyMap<string, bigint>
}

/** A look at the books in the middle of a request: what they were, and what it has booked so far. */
export class Look {
  /** What was booked on each pool, and what of it had no room. */
  readonly spent = new Map<string, bigint>()
  readonly overrun = new Map<string, bigint>()
  readonly warned = new Map<string, bigint>()
  readonly touched = new Map<string, Allowance>()
  private readonly met = new Set<string>()
  private readonly standing: Standing

  constructor(standing: Standing) {
    this.standing = standing
  }

  /** Where a claim goes: a customer that is new on a day that has met enough of them shares. */
  targets({ allowances, newSubjectGate }: Claim): readonly Allowance[] {
    if (!newSubjectGate || this.isKnown(newSubjectGate.marker)) return allowances
    const { counter, fallback } = newSubjectGate
    const met = this.standing.balance(counter.key).spent + this.bookedOn(counter)
    return met >= counter.limit! ? [fallback] : allowances
  }

  /** The rows of a customer that is met for the first time. */
  meeting(claim: Claim): readonly Allowance[] {
    const { newSubjectGate } = claim
    const isMet = newSubjectGate && !this.isKnown(newSubjectGate.marker) && this.targets(claim) === claim.allowances
    return isMet ? [newSubjectGate.marker, newSubjectGate.counter] : []
  }

  fits(claim: Claim, amount: bigint): boolean {
    if (claim.mode === 'fixed') return claim.exceeded === undefined
    const targets = this.targets(claim)
    if (claim.mode === 'all' && amount <= (this.standing.had?.get(targets[0]!.key) ?? 0n)) return true
    return targets.some(({ enforcement }) => enforcement === 'alert') || this.isWithin(targets, amount)
  }

  lacking({ charge, claims }: ChargedItem): Claim | undefined {
    return claims.find((claim) => !this.fits(claim, taken(charge, claim.unit)))
  }

  /** Books one charge; of a fact also what does not fit. */
  book({ charge, claims }: ChargedItem, isFact: boolean) {
    for (const claim of claims) {
      if (claim.mode === 'fixed') continue
      const amount = taken(charge, claim.unit)
      const targets = this.targets(claim)
      const [first] = targets
      const above = isFact ? this.above(targets, amount) : 0n
      if (!isFact && !this.isWithin(targets, amount)) increase(this.warned, first!.key, 1n)
      const met = this.meeting(claim)
      if (!isFact || amount > 0n) this.add(targets, amount)
      increase(this.overrun, this.standing.poolOf(first!), above)
      for (const allowance of met) this.add([allowance], 1n)
      if (met.length > 0) this.met.add(met[0]!.key)
    }
  }

  private isKnown(marker: Allowance) {
    return this.met.has(marker.key) || this.standing.isKnown(marker)
  }

  private bookedOn(allowance: Allowance) {
    return this.spent.get(this.standing.poolOf(allowance)) ?? 0n
  }

  private isWithin(targets: readonly Allowance[], amount: bigint): boolean {
    if (amount === 0n || targets.some(({ limit }) => limit === null)) return true
    const room = targets.reduce((sum, { key, limit }) => {
      const { spent, held } = this.standing.balance(key)
      return sum + limit! - spent - held
    }, 0n)
    return amount <= room - this.bookedOn(targets[0]!)
  }

  private above(targets: readonly Allowance[], amount: bigint): bigint {
    if (targets.some(({ limit }) => limit === null)) return 0n
    const room = targets.reduce((sum, { key, limit }) => {
      const { spent, held } = this.standing.balance(key)
      return limit! > spent + held ? sum + limit! - spent - held : sum
    }, 0n)
    const left = room - this.bookedOn(targets[0]!)
    const fitting = left > 0n ? left : 0n
    return amount > fitting ? amount - fitting : 0n
  }

  private add(targets: readonly Allowance[], amount: bigint) {
    for (const allowance of targets) this.touched.set(allowance.key, allowance)
    increase(this.spent, this.standing.poolOf(targets[0]!), amount)
  }
}

/** Follows a charge of many, one after another; what it has booked, or nothing. */
export function followCharge(
  { items, mode }: Extract<Command, { type: 'charge' }>,
  verdict: Outcome,
  standing: Standing,
  before: ChainPromises,
): { readonly booked: Look; readonly chains: ChainPromises } | undefined {
  must(verdict.type === 'charged', `a charge was answered with ${verdict.type}`)
  const { refusals } = verdict
  const booked = new Look(standing)
  const chains = before.copy()
  for (const [i, item] of items.entries()) {
    const { charge } = item
    const lacking = mode === 'facts' ? undefined : booked.lacking(item)
    const refusal = refusals.get(i)
    must((refusal === undefined) === (lacking === undefined), `${mode}: a charge is refused where it alone would be`)
    if (refusal && lacking) {
      const keys = booked.targets(lacking).map(({ key }) => key)
      must(keys.includes(refusal.allowance.key), 'the first limit that lacks room is the one that is told')
      must(!refusal.isPreFlight, 'a charge is refused after its cost')
      chains.refuse(charge, refusal)
      if (mode === 'partial') continue
      must(refusals.size === 1, 'of all or none the first refusal is told')
      return undefined
    }
    if (mode !== 'facts') chains.admit(charge)
    booked.book(item, mode === 'facts')
    chains.count(charge.chain?.chainId, charge.usd, charge.tokens)
  }
  return booked.touched.size > 0 ? { booked, chains } : undefined
}

/** What was written down for a charge is the sum of what its parts would have been. */
export function compareCharge({ changes }: Movement, booked: Look, { poolOf }: Standing) {
  const spent = new Map<string, bigint>()
  const overrun = new Map<string, bigint>()
  const warned = new Map<string, bigint>()
  for (const { key, delta } of changes) {
    const allowance = booked.touched.get(key)
    must(allowance !== undefined, 'a charge is booked where it was claimed')
    must(delta.held === 0n && delta.late === 0n, 'a charge is spent at once')
    must(delta.spent >= 0n && delta.overrun >= 0n, 'a charge gives nothing back')
    increase(spent, poolOf(allowance), delta.spent)
    increase(overrun, poolOf(allowance), delta.overrun)
    increase(warned, key, delta.wouldRefuse)
  }
  must(isAlike(spent, booked.spent), 'a charge of many books what its parts would have booked one at a time')
  must(isAlike(overrun, booked.overrun), 'overrun is what facts had no room for')
  must(isAlike(warned, booked.warned), 'each charge that a limit would have refused counts there')
}

/** A charge of many decides and leaves what its parts would have, coming one at a time. */
export function compareWithOneByOne(
  decide: typeof Decide,
  books: Parameters<typeof Decide>[0],
  asks: readonly Command[],
  nowMs: number,
  decision: BatchDecision,
) {
  if (!asks.some(({ type }) => type === 'charge')) return
  const single: Command[] = []
  const refused: string[] = []
  for (const [i, ask] of asks.entries()) {
    const verdict = decision.outcomes[i]!
    if (ask.type !== 'charge' || verdict.type !== 'charged') single.push(ask)
    // All or none: where one is refused, none of them was ever there for what comes after.
    else if (ask.mode !== 'atomic' || verdict.refusals.size === 0) {
      const mode = ask.mode === 'facts' ? 'facts' : 'partial'
      single.push(...ask.items.map((item): Command => ({ type: 'charge', items: [item], mode })))
      refused.push(...refusalsIn(verdict))
    }
  }
  const alone = decide(books, single, nowMs)
  const crossed = ({ crossings }: BatchDecision) =>
    String(crossings.map(({ allowance, threshold }) => `${allowance.key} ${threshold}`).sort())
  must(String(refused) === String(alone.outcomes.flatMap(refusalsIn)), 'many are refused as each alone would be')
  for (const key of new Set([...decision.after.keys(), ...alone.after.keys()]))
    must(isSame(decision.after.get(key), alone.after.get(key)), 'many leave what each alone would have left')
  must(crossed(decision) === crossed(alone), 'many pass the thresholds that each alone would have passed')
}

function refusalsIn(verdict: Outcome): string[] {
  if (verdict.type !== 'charged') return []
  return Array.from(verdict.refusals.values(), ({ allowance, balance: { spent, held }, attempted, available }) =>
    [allowance.key, allowance.limit, spent, held, attempted, available].join(' '),
  )
}

const increase = (map: Map<string, bigint>, key: string, by: bigint) => map.set(key, (map.get(key) ?? 0n) + by)

const isAlike = (a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>) =>
  [...a.keys(), ...b.keys()].every((key) => (a.get(key) ?? 0n) === (b.get(key) ?? 0n))
