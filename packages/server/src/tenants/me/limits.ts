import { type Static, Type } from 'typebox'
import { type Caller, isPinned, lineageIn } from '../../access/identity/identity.ts'
import { Count, Nullable, OneOf, Timestamp, Usd } from '../../contract/wire.ts'
import { loadCustomerDefault, ownLimitOfCustomer } from '../../money/customers/customers.ts'
import {
  amountOf,
  balancesOf,
  type Charge,
  type Claim,
  type Freeze,
  type Freezes,
  limitOf,
  limitsInForce,
  loadFreezes,
  remainingOf,
  scopeKinds,
  type UsedBalance,
} from '../../money/ledger/ledger.ts'
import { claimsOf, kindOf, limitIdOf } from '../../money/limit-kinds.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { elementAt, present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'

const Amount = Type.Union([Usd, Count], { description: 'Dollars as a decimal string, everything else as a number.' })

const Frozen = Nullable(
  Type.Object({ reason: Type.String(), frozen_at: Timestamp }, { title: 'Frozen', description: 'null if it is not.' }),
)

const OwnLimit = Type.Object(
  {
    id: Type.String({ examples: ['bud_01jbsteb4peb5vskx602h9mw4q'] }),
    kind: OneOf(['budget', 'customer', 'concurrency', 'spend_cap', 'plan'], { examples: ['budget'] }),
    scope_kind: OneOf(scopeKinds, { examples: ['user'] }),
    scope_id: Nullable(Type.String({ examples: ['ada'] })),
    and_scope_kind: Nullable(OneOf(scopeKinds, { examples: ['model'] })),
    and_scope_id: Nullable(Type.String({ examples: ['gpt-4o'] })),
    unit: OneOf(['usd', 'runs', 'tokens', 'concurrent_runs'], { examples: ['usd'] }),
    limit: Nullable(Amount),
    spent: Amount,
    held: Amount,
    remaining: Nullable(Amount),
    enforcement: OneOf(['block', 'alert']),
    period_start: Nullable(Timestamp),
    resets_at: Nullable({ ...Timestamp, description: 'When its next period begins; null if it has none.' }),
    frozen: Frozen,
  },
  { title: 'OwnLimit' },
)
type OwnLimit = Static<typeof OwnLimit>

export const OwnLimits = Type.Object(
  { frozen: Frozen, data: Type.Array(OwnLimit) },
  {
    title: 'OwnLimits',
    description: 'The limits that bind the calling key; `frozen` if the key or its organization is.',
  },
)
export type OwnLimits = Static<typeof OwnLimits>

const shown = new Set(['budget', 'customer', 'concurrency', 'spend_cap', 'plan'])

/**
 * Returns the limits on a caller's own key, user and pins. Limits of the whole organization are of no single key: they are shown
 * to those who may read all limits.
 */
export async function limitsOfCaller(tx: Tx, caller: Caller, nowMs: number): Promise<OwnLimits> {
  const { orgId } = caller
  const seesOrg = caller.kind !== 'support' && !isPinned(caller) && caller.scopes.has('limits:read')
  const { charge, customerId } = chargeOf(caller)
  const freezes = await loadFreezes(tx, orgId)
  const orgConfig = {
    version: 0n,
    limits: (await limitsInForce(tx, orgId)).map((row) => limitOf(row, kindOf(row.kind))),
    customerDefault: await loadCustomerDefault(tx, orgId),
    topUps: [],
  }
  const own = customerId === undefined ? null : await ownLimitOfCustomer(tx, orgId, customerId)
  const claims = claimsOf('start', charge, { orgConfig, customer: { own, packs: [] }, nowMs }).filter(
    (claim) => shown.has(claim.kind.kind) && (seesOrg || scopeOf(claim) !== 'org'),
  )
  const balances = await balancesOf(
    tx,
    orgId,
    claims.map(({ allowances }) => elementAt(allowances, 0).key),
  )
  return {
    frozen: frozenView(freezes?.org ?? freezes?.keys.get(charge.keyId ?? '')),
    data: claims.map((claim) => viewOf(claim, balances, freezes)),
  }
}

/** The charge of a call that names nothing: it has what every call of the caller has. */
function chargeOf(caller: Caller): { charge: Charge; customerId: string | undefined } {
  const { workflow_id, deployment_id, department_id, customer_id, user_id } = caller.pins
  const charge = {
    usd: 0n,
    tokens: 0n,
    runs: 0n,
    workflowId: workflow_id,
    deploymentId: deployment_id,
    departmentId: department_id,
    customerId: customer_id,
    userId: user_id,
    keyId: lineageIn(caller),
  }
  return { charge, customerId: customer_id }
}

/** The kind of scope of a claim: kinds without scopes are of the whole organization, but for customers. */
const scopeOf = ({ kind, scope }: Claim) => scope?.scopeKind ?? (kind.kind === 'customer' ? 'customer' : 'org')

function viewOf(claim: Claim, balances: ReadonlyMap<string, UsedBalance>, freezes: Freezes | undefined): OwnLimit {
  const allowance = elementAt(claim.allowances, 0)
  const { limit, subject, period } = allowance
  const { spent, held } = present(balances.get(allowance.key))
  return {
    id: limitIdOf(allowance),
    kind: claim.kind.kind,
    scope_kind: scopeOf(claim),
    scope_id: subject === '' ? null : subject,
    and_scope_kind: claim.scope?.and?.scopeKind ?? null,
    and_scope_id: claim.scope?.and?.scopeId ?? null,
    unit: allowance.unit,
    limit: limit === null ? null : amountOf(allowance, limit),
    spent: amountOf(allowance, spent),
    held: amountOf(allowance, held),
    remaining: limit === null ? null : amountOf(allowance, remainingOf(limit, { spent, held })),
    enforcement: allowance.enforcement,
    period_start: period && timestamp(new Date(period.startMs)),
    resets_at: period && timestamp(new Date(period.endMs)),
    frozen: frozenView(freezes?.limits.get(allowance.limitId)),
  }
}

const frozenView = (freeze: Freeze | undefined) =>
  freeze ? { reason: freeze.reason, frozen_at: timestamp(new Date(freeze.frozenAtMs)) } : null
