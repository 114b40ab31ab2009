import { type AllowanceState, decide } from '../../decisions/lanes/lanes.ts'
import { budgetKind } from '../../money/budgets/budgets.ts'
import { customerKind } from '../../money/customers/customers.ts'
import {
  type Charge,
  type Claim,
  type CustomerFacts,
  defaultSchedule,
  emptyBalance,
  type Limit,
  mergeSchedule,
  type OrgLimits,
  type ScopedLimit,
} from '../../money/ledger/ledger.ts'
import { newUuid, timeOfUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import type { StoredRun } from './queries.ts'
import type { DraftLimit } from './schema.ts'

export type ReplayOutcome = 'allow' | 'over_limit' | 'uncounted'

const maxStates = 20_000

const limitOf = (draft: DraftLimit): Limit => ({
  id: newUuid(),
  kind: (draft.scope_kind === 'customer' ? customerKind : budgetKind).kind,
  unit: 'usd',
  amount: parseUsd(draft.limit_usd),
  schedule: { current: mergeSchedule(draft, defaultSchedule), next: null },
  enforcement: 'block',
  thresholds: [],
})

const chargeOf = (run: StoredRun): Charge => ({
  usd: run.cost_nano,
  tokens: 0n,
  runs: 1n,
  workflowId: run.workflow_id ?? undefined,
  deploymentId: run.deployment_id ?? undefined,
  departmentId: run.department_id ?? undefined,
  customerId: run.customer_id ?? undefined,
})

/**
 * Returns the function that binds the claims of a charge when only the draft limit exists, using the limit kinds that bind live.
 */
function createBinder(draft: DraftLimit): (charge: Charge, atMs: number) => readonly Claim[] {
  const limit = limitOf(draft)
  const { scope_kind: scopeKind, scope_id: scopeId } = draft
  const nothing: OrgLimits = { version: 0n, limits: [], customerDefault: null, topUps: [] }
  if (scopeKind === 'customer') {
    const own: CustomerFacts = { own: limit, packs: [] }
    return (charge, atMs) =>
      customerKind.bind(charge, nothing, scopeId === undefined || charge.customerId === scopeId ? own : undefined, atMs)
  }
  const scoped: ScopedLimit = { ...limit, scopeKind, scopeId: scopeId ?? '' }
  const org = { ...nothing, limits: [scoped] }
  return (charge, atMs) => budgetKind.bind(charge, org, undefined, atMs)
}

/**
 * Charges runs to a hypothetical limit, in the order in which they started and with their actual cost; a run that does not fit is
 * refused, and then not spent. Only the current periods are kept in memory; customers beyond the maximum in one period are
 * reported as uncounted.
 */
export function replayLimit(draft: DraftLimit, most = maxStates): (runs: readonly StoredRun[]) => ReplayOutcome[] {
  const bind = createBinder(draft)
  const states = new Map<string, AllowanceState>()

  function dropEnded(atMs: number) {
    for (const [key, { allowance }] of states) if (allowance.period!.endMs <= atMs) states.delete(key)
  }

  /** True when every claim has a balance; creates missing ones while there is capacity. */
  function ensureStates(claims: readonly Claim[]): boolean {
    for (const allowance of claims.flatMap(({ allowances }) => allowances)) {
      if (states.has(allowance.key)) continue
      if (states.size >= most) return false
      states.set(allowance.key, { allowance, balance: emptyBalance, exists: false })
    }
    return true
  }

  return (runs) => {
    const [first] = runs
    if (!first) return []
    dropEnded(timeOfUuid(first.id))
    const uncounted = new Set<number>()
    const items = runs.map((run, i) => {
      const atMs = timeOfUuid(run.id)
      const charge = chargeOf(run)
      const claims = bind(charge, atMs)
      if (ensureStates(claims)) return { charge, claims }
      uncounted.add(i)
      return { charge, claims: [] }
    })
    const { outcomes, after } = decide(
      { allowances: states, holds: new Map() },
      [{ type: 'charge', items, mode: 'partial' }],
      timeOfUuid(first.id),
    )
    for (const [key, balance] of after) states.set(key, { ...states.get(key)!, balance, exists: true })
    const [verdict] = outcomes
    if (verdict?.type !== 'charged') throw new Error('expected the outcome of a charge to be of type charged')
    return runs.map((_, i) => (verdict.refusals.has(i) ? 'over_limit' : uncounted.has(i) ? 'uncounted' : 'allow'))
  }
}
