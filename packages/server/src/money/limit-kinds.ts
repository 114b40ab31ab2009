import type { DeclaredError } from '../contract/routes.ts'
import { type IdKind, parseId } from '../values/id.ts'
import { approvalKind } from './approval-grants/approval-grants.ts'
import { budgetKind } from './budgets/budgets.ts'
import { chainKind } from './chains/chains.ts'
import { concurrencyKind } from './concurrency/concurrency.ts'
import { creditsKind } from './credits/credits.ts'
import { customerKind } from './customers/customers.ts'
import {
  type Allowance,
  type Charge,
  type Claim,
  type CustomerFacts,
  freezeKind,
  type LimitKind,
  limitIdIn,
  type OrgLimits,
  type Surface,
  withFrozenLimits,
} from './ledger/ledger.ts'
import { planKind } from './plans/plans.ts'
import { quotaKind } from './quota/quota.ts'
import { spendCapKind } from './spend-caps/spend-caps.ts'

/** Every kind of limit, in the order in which they are checked: the first that refuses is the one that is reported. */
export const limitKinds: readonly LimitKind[] = [
  freezeKind,
  approvalKind,
  quotaKind,
  planKind,
  spendCapKind,
  budgetKind,
  customerKind,
  creditsKind,
  chainKind,
  concurrencyKind,
]

const byJournalName = new Map(limitKinds.flatMap((kind) => kind.journalNames.map((name) => [name, kind] as const)))

/** Returns the kind of limit that an allowance belongs to, by its name in the journal. */
export function kindOf(journalName: string): LimitKind {
  const kind = byJournalName.get(journalName)
  if (!kind) throw new TypeError(`no kind of limit has allowances called ${journalName}`)
  return kind
}

/** The types that a limit's id can have on the wire. */
export const limitIdKinds: readonly IdKind[] = limitKinds.map(({ idKind }) => idKind)

/** The id of a limit as `/v1` writes it. */
export const limitIdOf = (allowance: Pick<Allowance, 'kind' | 'limitId'>) =>
  limitIdIn(kindOf(allowance.kind), allowance)

/** Parses the id of a limit of any kind. */
export function parseLimitId(text: string): { kind: LimitKind; id: string } | undefined {
  for (const kind of limitKinds) {
    const id = parseId(kind.idKind, text)
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

/** The kinds of limits that can refuse on each surface. */
const kindsOn: Readonly<Record<Surface, readonly LimitKind[]>> = {
  edge: limitKinds.filter(({ surfaces }) => surfaces.includes('edge')),
  route: limitKinds.filter(({ surfaces }) => surfaces.includes('route')),
  start: limitKinds.filter(({ surfaces }) => surfaces.includes('start')),
  record: limitKinds.filter(({ surfaces }) => surfaces.includes('record')),
}

/** The errors by which limits refuse on a surface. */
export const limitErrors = (surface: Surface): readonly DeclaredError[] =>
  kindsOn[surface].flatMap(({ errors }) => errors)

/** The codes of all errors by which limits refuse. */
export const limitErrorCodes = limitKinds.flatMap(({ errors }) =>
  errors.map((error) => (typeof error === 'string' ? error : error.code)),
)

/** The organization, the customer and the time that claims depend on. */
interface Account {
  readonly orgConfig: OrgLimits
  readonly customer: CustomerFacts | undefined
  readonly nowMs: number
}

/** Returns the claims of a charge on every limit that can refuse it on a surface. */
export const claimsOf = (surface: Surface, charge: Charge, account: Account): Claim[] =>
  withFrozenLimits(claimsOfKinds(kindsOn[surface], charge, account), charge, account.orgConfig.freezes)

const excessKinds = limitKinds.filter(({ bearsExcess }) => bearsExcess === true)
const periodKinds = kindsOn.record.filter((kind) => !excessKinds.includes(kind))
const unheldKinds = kindsOn.record.filter((kind) => !kindsOn.edge.includes(kind) && !excessKinds.includes(kind))

/**
 * Claims that a hold from the edge leaves to its settlement. Periods are those of the hold; of prepaid amounts only those in
 * force at the settlement are drawn.
 */
export const unheldClaims = (charge: Charge, account: Account, heldAtMs: number): Claim[] => [
  ...claimsOfKinds(unheldKinds, charge, { ...account, nowMs: heldAtMs }),
  ...excessClaims(charge, account),
]

/** Claims of a run that has happened, in the periods in which it started; prepaid amounts are drawn as they are now. */
export const historyClaims = (charge: Charge, account: Account, startedAtMs: number): Claim[] =>
  withFrozenLimits(
    [...claimsOfKinds(periodKinds, charge, { ...account, nowMs: startedAtMs }), ...excessClaims(charge, account)],
    charge,
    account.orgConfig.freezes,
  )

/** Claims that bear the part of a run's cost above what its hold drew: packs that are in force by then. */
export const excessClaims = (charge: Charge, account: Account): Claim[] => claimsOfKinds(excessKinds, charge, account)

function claimsOfKinds(kinds: readonly LimitKind[], charge: Charge, { orgConfig, customer, nowMs }: Account): Claim[] {
  const claims: Claim[] = []
  for (const kind of kinds) for (const claim of kind.bind(charge, orgConfig, customer, nowMs)) claims.push(claim)
  return claims
}
