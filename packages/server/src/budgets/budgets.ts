import type { ChangeTools } from '../changes/changes.ts'
import { ApiError, type DetailsOf } from '../contract/errors.ts'
import type { Tx } from '../infra/sql.ts'
import {
  allowanceAt,
  type Charge,
  type Claim,
  changedSchedule,
  claimOn,
  endLimit,
  findLimit,
  insertLimit,
  type LimitKind,
  type LimitRow,
  lastWanted,
  limitOf,
  limitsOn,
  liveLimits,
  lockLedger,
  newSchedule,
  periodView,
  plainSchedule,
  type Refusal,
  rearm,
  refusedAmounts,
  refusedMessage,
  rowTimesView,
  type ScopedLimit,
  standings,
  updateLimit,
  usageView,
  usdOrNull,
  wantedSchedule,
} from '../ledger/ledger.ts'
import { formatId, newUuid } from '../values/id.ts'
import { formatUsd, parseUsd } from '../values/money.ts'
import { timestamp } from '../values/timestamp.ts'
import type { BudgetInput, BudgetPatch, BudgetView } from './schema.ts'

/** From the whole to its parts: where several would refuse, the widest is told. */
const scopes: readonly [ScopedLimit['scopeKind'], (charge: Charge) => string | undefined][] = [
  ['org', () => ''],
  ['department', ({ departmentId }) => departmentId],
  ['workflow', ({ workflowId }) => workflowId],
  ['deployment', ({ deploymentId }) => deploymentId],
]

interface BudgetClaim extends Claim {
  readonly scopeKind: ScopedLimit['scopeKind']
}

/** At most so much a period, for the organization or a part of it. */
export const budgetKind: LimitKind = {
  kind: 'budget',
  bindsAtEdge: true,
  bind: (charge, org, _customer, nowMs) =>
    scopes.flatMap(([scopeKind, idOf]) => {
      const scopeId = idOf(charge)
      if (scopeId === undefined) return []
      return limitsOn(org, 'budget', scopeKind, scopeId).map(
        (limit): BudgetClaim => ({ ...claimOn(budgetKind, allowanceAt(limit, scopeId, nowMs)), scopeKind }),
      )
    }),
  refuse: (refusal) => {
    const { scopeKind } = refusal.claim as BudgetClaim
    return budgetExceeded(refusal, formatId('budget', refusal.allowance.limitId), scopeKind)
  },
}

/** A limit of a customer is refused in the same words. */
export const budgetExceeded = (
  refusal: Refusal,
  id: string,
  scopeKind: DetailsOf<'budget_exceeded'>['scope_kind'],
): ApiError =>
  new ApiError(
    'budget_exceeded',
    {
      budget_id: id,
      scope_kind: scopeKind,
      limit_usd: formatUsd(refusal.allowance.limit!),
      ...refusedAmounts(refusal),
      ...periodView(refusal.allowance),
    },
    { message: refusedMessage('a budget', refusal) },
  )

export async function budgetViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly LimitRow[],
): Promise<BudgetView[]> {
  const asked = rows.map((row) => [limitOf(row), row.scope_id] as const)
  const found = await standings(tx, orgId, nowMs, asked)
  return rows.map((row, i) => ({
    id: formatId('budget', row.id),
    name: row.name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === '' ? null : row.scope_id,
    limit_usd: usdOrNull(row.amount),
    ...usageView(found[i]!, nowMs),
    enforcement: row.enforcement,
    thresholds: row.thresholds,
    would_refuse_count: Number(found[i]!.balance.wouldRefuse),
    counts_from: timestamp(row.created_at),
    ...rowTimesView(row),
  }))
}

const viewOf = async (tx: Tx, orgId: string, nowMs: number, row: LimitRow) =>
  (await budgetViews(tx, orgId, nowMs, [row]))[0]!

export async function getBudget(tx: Tx, orgId: string, nowMs: number, id: string): Promise<BudgetView | undefined> {
  const row = await findLimit(tx, orgId, 'budget', id)
  return row && viewOf(tx, orgId, nowMs, row)
}

const amountOf = (usd: string | null) => (usd === null ? null : parseUsd(usd))
const ascending = (thresholds: readonly number[]) => thresholds.toSorted((a, b) => a - b)

/** Every process keeps all of an organization's budgets in memory, and looks through them for each decision. */
const maxBudgets = 1_000

export async function createBudget({ tx, audit }: ChangeTools, orgId: string, input: BudgetInput): Promise<BudgetView> {
  const nowMs = await lockLedger(tx, orgId)
  if ((await liveLimits(tx, orgId, 'budget')).length >= maxBudgets)
    throw new ApiError('conflict', {}, { message: `An organization has at most ${maxBudgets} budgets.` })
  const row = await insertLimit(tx, orgId, {
    id: newUuid(),
    kind: 'budget',
    name: input.name,
    scope_kind: input.scope_kind,
    scope_id: input.scope_id ?? '',
    unit: 'usd',
    amount: amountOf(input.limit_usd),
    ...newSchedule(wantedSchedule(input, plainSchedule)),
    enforcement: input.enforcement ?? 'block',
    thresholds: ascending(input.thresholds ?? []),
  })
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'budget.created', target: { kind: 'budget', id: after.id }, after })
  return after
}

export async function changeBudget(
  { tx, audit }: ChangeTools,
  orgId: string,
  id: string,
  { limit_usd, period, timezone, anchor, thresholds, ...plain }: BudgetPatch,
): Promise<BudgetView> {
  const nowMs = await lockLedger(tx, orgId)
  const found = await findLimit(tx, orgId, 'budget', id)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  const isTimeChanged = period !== undefined || timezone !== undefined || anchor !== undefined
  const schedule = {
    ...(period !== undefined && { period }),
    ...(timezone !== undefined && { timezone }),
    ...(anchor !== undefined && { anchor }),
  }
  const row = await updateLimit(tx, orgId, id, {
    ...plain,
    ...(limit_usd !== undefined && { amount: amountOf(limit_usd) }),
    ...(thresholds !== undefined && { thresholds: ascending(thresholds) }),
    ...(isTimeChanged && changedSchedule(found, wantedSchedule(schedule, lastWanted(found)), nowMs)),
  })
  if (row.amount !== found.amount) await rearm(tx, orgId, nowMs, limitOf(row), row.scope_id)
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'budget.updated', target: { kind: 'budget', id: after.id }, before, after })
  return after
}

export async function deleteBudget({ tx, audit }: ChangeTools, orgId: string, id: string): Promise<null> {
  const nowMs = await lockLedger(tx, orgId)
  const before = await getBudget(tx, orgId, nowMs, id)
  if (!before) throw new ApiError('not_found')
  await endLimit(tx, orgId, id)
  audit({ action: 'budget.deleted', target: { kind: 'budget', id: before.id }, before })
  return null
}
