import { hash } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, isPinned, isWithinPins } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import {
  type BudgetInput,
  type BudgetMeans,
  type BudgetView,
  changeBudgetLimit,
  createBudget,
  getBudget,
  scopeOf,
} from '../../money/budgets/budgets.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { limitsOfCaller } from '../../tenants/me/me.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { requireAnotherPerson } from '../approvals/approvals.ts'
import {
  countWaiting,
  decideProposal,
  findSame,
  insertProposal,
  lockProposal,
  lockProposals,
  type NewProposal,
  type ProposalRow,
} from './queries.ts'
import type { BudgetProposalInput, IncreaseInput, Proposal, ProposalDecision } from './schema.ts'

const waitingMs = 7 * dayMs
/** For this long the same that was denied cannot be asked again. */
const denialMs = dayMs
const maxWaiting = { all: 500, own: 20 }

const forbidden = (message: string) => new ApiError('forbidden', {}, { message })
const conflict = (message: string) => new ApiError('conflict', {}, { message })

export const proposalView = (row: ProposalRow, now: Date): Proposal => ({
  id: formatId('proposal', row.id),
  status: row.status === 'pending' && row.expires_at <= now ? 'expired' : row.status,
  kind: row.kind,
  budget_id: row.budget_id === null ? null : formatId('budget', row.budget_id),
  budget_name: row.budget_name,
  scope_kind: row.wanted.scope_kind,
  scope_id: row.wanted.scope_id ?? null,
  period: row.wanted.period,
  limit_before_usd: row.standing?.limit_usd ?? null,
  limit_usd: row.wanted.limit_usd,
  enforcement: row.wanted.enforcement ?? 'block',
  timezone: row.wanted.timezone ?? null,
  reason: row.reason,
  requested_by: formatId('key', row.requested_by),
  decided_by: row.decided_by_member === null ? null : formatId('member', row.decided_by_member),
  decided_at: timestampOrNull(row.decided_at),
  note: row.note,
  expires_at: timestamp(row.expires_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Returns the fields of a proposal that its events have. */
const eventData = ({
  id,
  kind,
  budget_name,
  limit_before_usd,
  limit_usd,
  reason,
  requested_by,
  expires_at,
}: Proposal) => ({
  proposal_id: id,
  kind,
  budget_name,
  limit_before_usd,
  limit_usd,
  reason,
  requested_by,
  expires_at,
})

/** True when a caller sees the proposals of others too. Who may not read all limits, or is pinned, sees its own. */
export const seesAllProposals = (caller: Caller): boolean =>
  caller.kind === 'support' || (caller.scopes.has('limits:read') && !isPinned(caller))

/** Returns the budget that a caller asks about, if it is theirs to see: one of their own limits, or one that they may read. */
async function budgetOf(tx: Tx, caller: Caller, id: string, nowMs: number): Promise<BudgetView> {
  const budget = await getBudget(tx, caller.orgId, nowMs, id)
  if (!budget) throw new ApiError('not_found')
  if (caller.scopes.has('limits:read') && isWithinPins(caller.pins, scopeOf(budget))) return budget
  const { data } = await limitsOfCaller(tx, caller, nowMs)
  if (!data.some((limit) => limit.id === budget.id)) throw new ApiError('not_found')
  return budget
}

/** Records a proposal of a key; the same that waits already is returned instead. */
async function propose(
  { tx, audit, emit }: ChangeTools,
  caller: Caller,
  proposed: Omit<NewProposal, 'id' | 'fingerprint' | 'requested_by' | 'expires_at'>,
  now: Date,
): Promise<Proposal> {
  if (caller.kind !== 'key')
    throw forbidden('Keys propose, and people decide: a person with that right changes limits.')
  const { orgId, id: requested_by } = caller
  const { kind, budget_id } = proposed
  // However an amount is written, it is the same proposal.
  const wanted = { ...proposed.wanted, limit_usd: formatUsd(parseUsd(proposed.wanted.limit_usd)) }
  const fingerprint = hash('sha256', JSON.stringify([kind, budget_id, wanted]), 'buffer')
  await lockProposals(tx, orgId)
  const same = await findSame(tx, orgId, requested_by, fingerprint, now)
  if (same?.status === 'denied') throw conflict('The same was denied within the last day.')
  if (same) return proposalView(same, now)
  const waiting = await countWaiting(tx, orgId, requested_by, now)
  if (waiting.own >= maxWaiting.own || waiting.all >= maxWaiting.all)
    throw conflict(
      `Too many proposals wait: at most ${maxWaiting.own} of a key and ${maxWaiting.all} of an organization.`,
    )
  const expires_at = new Date(now.getTime() + waitingMs)
  const row = await insertProposal(tx, orgId, {
    ...proposed,
    wanted,
    id: newUuid(),
    fingerprint,
    requested_by,
    expires_at,
  })
  const after = proposalView(row, now)
  audit({ action: 'proposal.requested', target: { kind: 'proposal', id: after.id }, after })
  emit({ kind: 'proposal.requested', subject: after.id, data: eventData(after) })
  return after
}

/** Asks for a higher limit of a budget. */
export async function proposeIncrease(
  tools: ChangeTools,
  caller: Caller,
  budgetId: string,
  { limit_usd, reason }: IncreaseInput,
  now: Date,
): Promise<Proposal> {
  const budget = await budgetOf(tools.tx, caller, budgetId, now.getTime())
  if (budget.limit_usd === null) throw conflict('The budget has no limit.')
  if (parseUsd(limit_usd) <= parseUsd(budget.limit_usd))
    throw validationFailed([
      { field: 'limit_usd', code: 'out_of_range', message: 'This must be more than the budget has.' },
    ])
  const { name, scope_kind, scope_id, period, enforcement } = budget
  const wanted = { name, scope_kind, ...(scope_id !== null && { scope_id }), period, enforcement, limit_usd }
  const standing = { limit_usd: budget.limit_usd, updated_at: budget.updated_at }
  const proposed = {
    kind: 'budget_increase',
    budget_id: budgetId,
    budget_name: name,
    wanted,
    standing,
    reason,
  } as const
  return propose(tools, caller, proposed, now)
}

/** Asks for a new budget. */
export const proposeBudget = (
  tools: ChangeTools,
  caller: Caller,
  { reason, ...wanted }: BudgetProposalInput,
  now: Date,
): Promise<Proposal> =>
  propose(
    tools,
    caller,
    { kind: 'budget', budget_id: null, budget_name: wanted.name, wanted, standing: null, reason },
    now,
  )

/** Locks a proposal that a caller may decide now. `isDecided` is true when the wanted decision was already made. */
async function lockDecidable(tx: Tx, caller: Caller, id: string, now: Date, wanted: 'approved' | 'denied') {
  const row = await lockProposal(tx, caller.orgId, id)
  if (!row) throw new ApiError('not_found')
  await requireAnotherPerson(tx, caller, row.requested_by)
  if (row.status === wanted) return { row, isDecided: true }
  if (row.status !== 'pending') throw conflict(`The proposal is already ${row.status}.`)
  if (wanted === 'approved' && row.expires_at <= now) throw conflict('The proposal has expired.')
  return { row, isDecided: false }
}

/** Makes the change that a proposal asks for, as the approver: it is theirs in the audit log, and needs their right to it now. */
async function apply(
  tools: ChangeTools,
  caller: Caller,
  { budget_id, wanted, standing }: ProposalRow,
  means: BudgetMeans,
) {
  return budget_id === null
    ? createBudget(tools, caller, wanted as BudgetInput, means)
    : changeBudgetLimit(tools, caller.orgId, budget_id, { standing: present(standing), limit_usd: wanted.limit_usd })
}

async function decide(
  { tx, audit, emit }: ChangeTools,
  caller: Caller,
  row: ProposalRow,
  {
    status,
    budgetId,
    note,
    expires_at,
    now,
  }: {
    readonly status: 'approved' | 'denied'
    readonly budgetId: string | null
    readonly note: string | undefined
    readonly expires_at: Date
    readonly now: Date
  },
): Promise<Proposal> {
  const before = proposalView(row, now)
  const decided = await decideProposal(tx, caller.orgId, row.id, {
    status,
    budget_id: budgetId,
    decided_by_member: caller.id,
    decided_at: now,
    note: note ?? null,
    expires_at,
  })
  const after = proposalView(decided, now)
  audit({ action: `proposal.${status}`, target: { kind: 'proposal', id: after.id }, before, after })
  const decision = { decided_by: present(after.decided_by), note: after.note }
  emit({ kind: `proposal.${status}`, subject: after.id, data: { ...eventData(after), ...decision } })
  return after
}

export async function approveProposal(
  tools: ChangeTools,
  caller: Caller,
  id: string,
  { note }: ProposalDecision,
  means: BudgetMeans,
  now: Date,
): Promise<Proposal> {
  const { row, isDecided } = await lockDecidable(tools.tx, caller, id, now, 'approved')
  if (isDecided) return proposalView(row, now)
  const budget = await apply(tools, caller, row, means)
  const budgetId = requireId('budget', budget.id)
  return decide(tools, caller, row, { status: 'approved', budgetId, note, expires_at: row.expires_at, now })
}

export async function denyProposal(
  tools: ChangeTools,
  caller: Caller,
  id: string,
  { note }: ProposalDecision,
  now: Date,
): Promise<Proposal> {
  const { row, isDecided } = await lockDecidable(tools.tx, caller, id, now, 'denied')
  if (isDecided) return proposalView(row, now)
  const expires_at = new Date(now.getTime() + denialMs)
  return decide(tools, caller, row, { status: 'denied', budgetId: row.budget_id, note, expires_at, now })
}
