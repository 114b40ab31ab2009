import { approvalKind } from '../governance/approvals/approvals.ts'
import { budgetKind } from '../money/budgets/budgets.ts'
import { chainKind } from '../money/chains/chains.ts'
import { creditsKind } from '../money/credits/credits.ts'
import { customerKind } from '../money/customers/customers.ts'
import type { Charge, Claim, LimitKind } from '../money/ledger/ledger.ts'
import { planKind } from '../money/plans/plans.ts'
import { quotaKind } from '../money/quota/quota.ts'
import { spendCapKind } from '../money/spend-caps/spend-caps.ts'
import type { PlanContext } from './lanes/lanes.ts'

/** Every kind of limit, in the order in which they are checked: the first that refuses is the one that is reported. */
export const limitKinds: readonly LimitKind[] = [
  approvalKind,
  quotaKind,
  planKind,
  spendCapKind,
  budgetKind,
  customerKind,
  creditsKind,
  chainKind,
]

const edgeKinds = limitKinds.filter(({ bindsAtEdge }) => bindsAtEdge)
const otherKinds = limitKinds.filter(({ bindsAtEdge }) => !bindsAtEdge)

type Account = Pick<PlanContext, 'orgConfig' | 'customer' | 'nowMs'>

/** The place of a decision: at the edge some kinds cannot refuse, and are drawn down when the hold is settled. */
export type Surface = 'edge' | 'start'

export const claimsOf = (surface: Surface, charge: Charge, facts: Account): Claim[] =>
  claimsOfKinds(surface === 'edge' ? edgeKinds : limitKinds, charge, facts)

/**
 * Claims that a hold from the edge leaves to its settlement. Periods are those of the hold; of prepaid amounts only those in
 * force at the settlement are drawn.
 */
export const unheldClaims = (charge: Charge, facts: Account, heldAtMs: number): Claim[] => [
  ...claimsOfKinds(otherKinds.filter(isPeriodic), charge, { ...facts, nowMs: heldAtMs }),
  ...claimsOfKinds([creditsKind], charge, facts),
]

/** Claims that bear the part of a run's cost above what its hold drew: packs that are in force by then. */
export const excessClaims = (charge: Charge, facts: Account): Claim[] => claimsOfKinds([creditsKind], charge, facts)

const isPeriodic = (kind: LimitKind) => kind !== creditsKind

const claimsOfKinds = (kinds: readonly LimitKind[], charge: Charge, { orgConfig, customer, nowMs }: Account) =>
  kinds.flatMap((kind) => kind.bind(charge, orgConfig, customer, nowMs))
