import {
  type BatchDecision,
  type ChargedItem,
  type Command,
  decide,
  type Outcome,
} from '../../src/money/engine/decide.ts'
import type { Hold } from '../../src/money/engine/hold-endings.ts'
import {
  type Allowance,
  type Balance,
  type Claim,
  emptyBalance,
  type HoldInputs,
  type LimitKind,
} from '../../src/money/ledger/ledger.ts'

export const minute = 60_000
export const hour = 60 * minute
const start = Date.parse('2026-11-15T12:00:00Z')
/** What a hold was made for, which decides nothing. */
export const anyInputs: HoldInputs = {
  surface: 'edge',
  version: 1,
  request: { model: 'any' },
  basis: 'estimate',
  tokens: 0,
  price: null,
}
const kind = { kind: 'any', eventOf: () => undefined } as unknown as LimitKind

export const limit = (key: string, amount: bigint | null, more: Partial<Allowance> = {}): Allowance => ({
  key,
  limitId: key,
  kind: 'budget',
  subject: '',
  unit: 'usd',
  period: null,
  limit: amount,
  enforcement: 'block',
  thresholds: [],
  ...more,
})
export const on = (allowance: Allowance): Claim => ({
  kind,
  unit: allowance.unit,
  mode: 'all',
  allowances: [allowance],
})
export const drawing = (...packs: Allowance[]): Claim => ({ kind, unit: 'usd', mode: 'draw', allowances: packs })

export const costing = (usd: bigint, claims: readonly Claim[], tokens = 0n): ChargedItem => ({
  charge: { usd, tokens, runs: 1n },
  claims,
})

function claimsIn(ask: Command): readonly Claim[] {
  if (ask.type === 'hold') return ask.claims
  if (ask.type === 'charge') return ask.items.flatMap(({ claims }) => claims)
  return ask.type === 'settle' ? ask.unheld : []
}

/** The books of one organization from decision to decision. */
export class Books {
  nowMs = start
  private readonly balances = new Map<string, Balance>()
  private readonly holds = new Map<string, Hold>()
  private readonly known = new Map<string, Allowance>()
  private count = 0

  run(...asks: Command[]): BatchDecision {
    for (const { allowances, newSubjectGate } of asks.flatMap(claimsIn))
      for (const allowance of [...allowances, ...(newSubjectGate ? Object.values(newSubjectGate) : [])] as Allowance[])
        this.known.set(allowance.key, allowance)
    const allowances = new Map(
      Array.from(this.known, ([key, allowance]) => {
        const balance = this.balances.get(key)
        return [key, { allowance, balance: balance ?? emptyBalance, exists: balance !== undefined }]
      }),
    )
    const decision = decide({ allowances, holds: this.holds }, asks, this.nowMs)
    for (const [key, balance] of decision.after) this.balances.set(key, balance)
    for (const { checks: _, inputs: __, ...hold } of decision.newHolds) this.holds.set(hold.id, hold)
    for (const hold of decision.changedHolds) this.holds.set(hold.id, hold)
    return decision
  }

  ask(usd: bigint, claims: readonly Claim[], more: Partial<Extract<Command, { type: 'hold' }>> = {}) {
    return {
      type: 'hold',
      id: `hold ${++this.count}`,
      charge: { usd, tokens: 0n, runs: 1n },
      claims,
      expiresAtMs: this.nowMs + 10 * minute,
      onExpiry: 'release',
      isDryRun: false,
      inputs: anyInputs,
      ...more,
    } as const satisfies Command
  }

  /** Holds an amount; the id of what it got. */
  hold(usd: bigint, claims: readonly Claim[], more: Partial<Extract<Command, { type: 'hold' }>> = {}): string {
    const ask = this.ask(usd, claims, more)
    const { type } = this.verdictOn(ask)
    if (type !== 'held') throw new Error(`the hold was ${type}`)
    return ask.id
  }

  verdictOn(ask: Command): Outcome {
    return this.run(ask).outcomes[0]!
  }

  /** Charges amounts without a hold, all on the same claims. */
  charge(mode: Extract<Command, { type: 'charge' }>['mode'], claims: readonly Claim[], ...amounts: bigint[]) {
    return this.run({ type: 'charge', mode, items: amounts.map((usd) => costing(usd, claims)) })
  }

  settle(holdId: string, usd: bigint, unheld: readonly Claim[] = []) {
    return this.run({ type: 'settle', holdId, actual: { usd, tokens: 0n, runs: 1n }, unheld })
  }

  expire(holdId: string) {
    this.nowMs += 11 * minute
    return this.verdictOn({ type: 'expire', holdId })
  }

  of(key: string): Balance {
    return this.balances.get(key) ?? emptyBalance
  }
}
