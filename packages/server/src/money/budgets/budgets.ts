import type { ChangeTools } from '../../access/changes/changes.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { isSameForm } from '../../values/normal-form.ts'
import { elementAt, one } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  ascending,
  countLimitsInForce,
  defaultSchedule,
  endLimit,
  findLimit,
  insertLimit,
  type LimitRow,
  limitOf,
  limitsNear,
  lockLedgerForConfigChange,
  mergeSchedule,
  newSchedule,
  rearm,
  replaceSchedule,
  requestedSchedule,
  rowTimesView,
  shownUsage,
  updateLimit,
  usageView,
  usdOrNull,
  withRequestedSchedule,
} from '../ledger/ledger.ts'
import { budgetKind } from './budget-kind.ts'
import { fillFromUsage, type SpentSince } from './past-spend.ts'
import type { BudgetInput, BudgetKey, BudgetReplacement, BudgetView, ScopedBudgetInput } from './schema.ts'
import { storedScopeId } from './scope.ts'

export { budgetExceeded, budgetKind } from './budget-kind.ts'
export type { SpentSince } from './past-spend.ts'
export { pinnedBudgets, scopeOf } from './pinned-budgets.ts'
export { type BudgetInput, type BudgetView, ProposableBudget } from './schema.ts'
export { ScopeId, scopeFaults, soughtScopeIds, storedScopeId } from './scope.ts'

export async function budgetViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly LimitRow[],
): Promise<BudgetView[]> {
  const asked = rows.map((row) => [limitOf(row, budgetKind), row.scope_id] as const)
  const found = await shownUsage(tx, orgId, nowMs, asked)
  return rows.map((row, i) => ({
    id: formatId('budget', row.id),
    name: row.name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === '' ? null : row.scope_id,
    and_scope_kind: row.and_kind,
    and_scope_id: row.and_id,
    limit_usd: usdOrNull(row.amount),
    ...usageView(elementAt(found, i), nowMs),
    enforcement: row.enforcement,
    thresholds: row.thresholds,
    would_refuse_count: Number(elementAt(found, i).balance.wouldRefuse),
    counts_from: timestamp(row.counts_from ?? row.created_at),
    ...rowTimesView(row),
  }))
}

const viewOf = async (tx: Tx, orgId: string, nowMs: number, row: LimitRow) =>
  one(await budgetViews(tx, orgId, nowMs, [row]))

export async function getBudget(tx: Tx, orgId: string, nowMs: number, id: string): Promise<BudgetView | undefined> {
  const row = await findLimit(tx, orgId, 'budget', id)
  return row && viewOf(tx, orgId, nowMs, row)
}

const amountOf = (usd: string | null) => (usd === null ? null : parseUsd(usd))

/** Means of making a budget, beside its input. */
export interface BudgetMeans {
  readonly spentSince: SpentSince
  /** Most budgets of an organization: every process caches all of them. */
  readonly budgetsPerOrg: number
}

/** Most budgets on one scope: each is a row that every decision in the scope reads and writes under the organization's lock. */
const maxBudgetsOnScope = 20

const tooMany = (message: string) => new ApiError('conflict', {}, { message })

/** Returns the scope, or both scopes, of a budget as they are stored. */
async function storedScope(tx: Tx, orgId: string, input: Omit<BudgetKey, 'period'>) {
  const { scope_kind, and_scope_kind, and_scope_id } = input
  const and = and_scope_kind && { scope_kind: and_scope_kind, scope_id: and_scope_id }
  return {
    scope_kind,
    scope_id: await storedScopeId(tx, orgId, input),
    and_kind: and_scope_kind ?? null,
    and_id: and ? await storedScopeId(tx, orgId, and, 'and_scope_id') : null,
  }
}

type ScopeColumns = Pick<LimitRow, 'scope_kind' | 'scope_id' | 'and_kind' | 'and_id'>

const isOn = (row: ScopeColumns, scope: ScopeColumns) =>
  row.scope_kind === scope.scope_kind &&
  isSameForm(row.scope_id, scope.scope_id) &&
  row.and_kind === scope.and_kind &&
  isSameForm(row.and_id ?? '', scope.and_id ?? '')

export async function createBudget(
  { tx, audit }: ChangeTools,
  caller: Caller,
  input: BudgetInput,
  { spentSince, budgetsPerOrg }: BudgetMeans,
): Promise<BudgetView> {
  const { orgId } = caller
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const scope = await storedScope(tx, orgId, input)
  if ((await countLimitsInForce(tx, orgId, 'budget')) >= budgetsPerOrg)
    throw tooMany(`An organization has at most ${budgetsPerOrg} budgets, unless an operator sets SVC_BUDGETS_PER_ORG.`)
  const near = await limitsNear(tx, orgId, 'budget', scope)
  if (near.filter((row) => isOn(row, scope)).length >= maxBudgetsOnScope)
    throw tooMany(`One scope has at most ${maxBudgetsOnScope} budgets.`)
  const row = await insertLimit(tx, orgId, {
    id: newUuid(),
    kind: 'budget',
    name: input.name,
    ...scope,
    unit: 'usd',
    amount: amountOf(input.limit_usd),
    ...newSchedule(mergeSchedule(input, defaultSchedule)),
    enforcement: input.enforcement ?? 'block',
    thresholds: ascending(input.thresholds ?? []),
    counts_from: input.counts_from === undefined ? null : new Date(input.counts_from),
  })
  if (row.counts_from) await fillFromUsage(tx, caller, row, row.counts_from, { nowMs, spentSince })
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'budget.created', target: { kind: 'budget', id: after.id }, after })
  return after
}

export async function replaceBudget(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<BudgetReplacement>,
  keepsNext: boolean,
): Promise<BudgetView> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findLimit(tx, orgId, 'budget', id)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  replaces(before)
  const { name, limit_usd, enforcement, thresholds, ...schedule } = wanted(withRequestedSchedule(before, found))
  const row = await updateLimit(tx, orgId, id, {
    name,
    amount: amountOf(limit_usd),
    ...replaceSchedule(found, schedule, { nowMs, keepsNext }),
    enforcement: enforcement ?? 'block',
    thresholds: ascending(thresholds ?? []),
  })
  if (row.amount !== found.amount) await rearm(tx, orgId, nowMs, budgetKind, limitOf(row, budgetKind), row.scope_id)
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'budget.updated', target: { kind: 'budget', id: after.id }, before, after })
  return after
}

/** The state of a budget when a proposal was made: its limit, and when anything about it was last set. */
export type BudgetStanding = Pick<BudgetView, 'limit_usd' | 'updated_at'>

/** Sets another limit on a budget that stands as it did; 409 where anybody has changed it meanwhile. */
export async function changeBudgetLimit(
  tools: ChangeTools,
  orgId: string,
  id: string,
  { standing, limit_usd }: { readonly standing: BudgetStanding; readonly limit_usd: string },
): Promise<BudgetView> {
  const requireUnchanged = (current: object | null | undefined) => {
    const { limit_usd: limit, updated_at: at } = (current ?? {}) as Partial<BudgetStanding>
    if (limit === standing.limit_usd && at === standing.updated_at) return
    throw new ApiError('conflict', {}, { message: 'The budget has changed since this was proposed.' })
  }
  const wanted: DesiredState<BudgetReplacement> = (current) => {
    const { name, period, timezone, anchor, enforcement, thresholds } = current as BudgetReplacement
    return { name, period, timezone, anchor, enforcement, thresholds, limit_usd } as BudgetReplacement
  }
  return replaceBudget({ ...tools, replaces: requireUnchanged }, orgId, id, wanted, true)
}

export async function deleteBudget({ tx, audit, replaces }: ChangeTools, orgId: string, id: string): Promise<null> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const before = await getBudget(tx, orgId, nowMs, id)
  if (!before) throw new ApiError('not_found')
  replaces(before)
  await endLimit(tx, orgId, id)
  audit({ action: 'budget.deleted', target: { kind: 'budget', id: before.id }, before })
  return null
}

/** Finds the budget of a scope and a period, as last requested. Where there are several, only their ids tell them apart. */
async function findScoped(tx: Tx, orgId: string, key: BudgetKey) {
  const scope = await storedScope(tx, orgId, key)
  const [found, ...others] = (await limitsNear(tx, orgId, 'budget', scope)).filter(
    (row) => isOn(row, scope) && requestedSchedule(row).unit === key.period,
  )
  if (!found || others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => formatId('budget', id)).join(', ')
  throw new ApiError('conflict', {}, { message: `Several budgets have this scope and period: ${ids}.` })
}

export async function getScopedBudget(
  tx: Tx,
  orgId: string,
  nowMs: number,
  key: BudgetKey,
): Promise<BudgetView | undefined> {
  const row = await findScoped(tx, orgId, key)
  return row && viewOf(tx, orgId, nowMs, row)
}

/** Replaces the budget of a scope and a period, and creates it if there is none. */
export async function putScopedBudget(
  tools: ChangeTools,
  caller: Caller,
  key: BudgetKey,
  { enforcement = 'block', thresholds = [], ...input }: ScopedBudgetInput,
  means: BudgetMeans,
): Promise<{ budget: BudgetView; isNew: boolean }> {
  const { orgId } = caller
  await lockLedgerForConfigChange(tools.tx, orgId)
  const found = await findScoped(tools.tx, orgId, key)
  if (found) {
    const wanted = { ...input, period: key.period, enforcement, thresholds }
    return { budget: await replaceBudget(tools, orgId, found.id, () => wanted, false), isNew: false }
  }
  tools.replaces(undefined)
  return {
    budget: await createBudget(tools, caller, { ...key, ...input, enforcement, thresholds }, means),
    isNew: true,
  }
}

export async function deleteScopedBudget(tools: ChangeTools, orgId: string, key: BudgetKey): Promise<null> {
  await lockLedgerForConfigChange(tools.tx, orgId)
  const found = await findScoped(tools.tx, orgId, key)
  if (!found) throw new ApiError('not_found')
  return deleteBudget(tools, orgId, found.id)
}
