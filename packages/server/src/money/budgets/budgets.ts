import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, type DetailsOf } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { elementAt, one, present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  allowanceAt,
  ascending,
  type Charge,
  type Claim,
  claimOn,
  crossedAmounts,
  type DefaultLimit,
  defaultSchedule,
  endLimit,
  eventSubject,
  findLimit,
  gateNames,
  insertLimit,
  type LimitKind,
  type LimitRefusal,
  type LimitRow,
  limitIdIn,
  limitOf,
  limitsInForce,
  limitsOn,
  loadUsage,
  lockLedgerForConfigChange,
  mergeSchedule,
  newSchedule,
  newSubjectGateOf,
  noSubject,
  periodView,
  rearm,
  refusalAmounts,
  refusalMessage,
  replaceSchedule,
  requestedSchedule,
  rowTimesView,
  type ScopedLimit,
  stoppedAmounts,
  updateLimit,
  usageView,
  usdOrNull,
  withRequestedSchedule,
} from '../ledger/ledger.ts'
import type { BudgetInput, BudgetKey, BudgetReplacement, BudgetView, ScopedBudgetInput } from './schema.ts'

export { pinnedBudgets, scopeOf } from './pinned-budgets.ts'

/** Scopes from the whole to its parts: where several would refuse, the widest is reported. */
const scopes: readonly [ScopedLimit['scopeKind'], (charge: Charge) => string | undefined][] = [
  ['org', () => ''],
  ['department', ({ departmentId }) => departmentId],
  ['workflow', ({ workflowId }) => workflowId],
  ['deployment', ({ deploymentId }) => deploymentId],
]

interface BudgetClaim extends Claim {
  readonly scopeKind: ScopedLimit['scopeKind']
}

/** The most that the organization or a part of it may spend in a period; a part without a budget of its own has the default. */
export const budgetKind: LimitKind = {
  kind: 'budget',
  journalNames: ['budget', 'budget_default', ...gateNames('department', 'workflow', 'deployment')],
  idKind: 'budget',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: ['budget_exceeded'],
  events: ['budget.threshold_crossed', 'budget.exceeded', 'budget.stopped'],
  thresholds: 'configured',
  source: 'config',
  isForecast: true,
  bind: (charge, org, _customer, nowMs) =>
    scopes.flatMap(([scopeKind, idOf]) => {
      const scopeId = idOf(charge)
      if (scopeId === undefined) return []
      const own = limitsOn(org, 'budget', scopeKind, scopeId)
      if (own.length > 0 || scopeKind === 'org')
        return own.map(
          (limit): BudgetClaim => ({ ...claimOn(budgetKind, allowanceAt(limit, scopeId, nowMs)), scopeKind }),
        )
      return limitsOn(org, 'budget_default', scopeKind).map((limit): BudgetClaim => {
        const newSubjectGate = newSubjectGateOf(limit as DefaultLimit & ScopedLimit, scopeKind, scopeId, nowMs)
        return { ...claimOn(budgetKind, allowanceAt(limit, scopeId, nowMs)), scopeKind, newSubjectGate }
      })
    }),
  refuse: (refusal) => {
    const { scopeKind } = refusal.claim as BudgetClaim
    return budgetExceeded(refusal, limitIdIn(budgetKind, refusal.allowance), scopeKind)
  },
  eventOf: (crossing, { limits }) => {
    const { allowance, threshold } = crossing
    const id = limitIdIn(budgetKind, allowance)
    const data = {
      budget_id: id,
      scope_kind: limits.find((limit) => limit.id === allowance.limitId)!.scopeKind,
      scope_id: allowance.subject === noSubject ? null : allowance.subject,
      ...crossedAmounts(crossing),
      ...periodView(allowance),
    }
    const subject = allowance.kind === budgetKind.kind ? id : eventSubject(id, allowance)
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'budget.stopped', subject, data: { ...data, ...stopped } }
    if (threshold === 0) return { kind: 'budget.exceeded', subject, data }
    return { kind: 'budget.threshold_crossed', subject, data: { threshold_percent: threshold, ...data } }
  },
  adjustment: {
    requires: ['amount_usd'],
    find: async (tx, orgId, limitId, _named, atMs) => {
      const row = await findLimit(tx, orgId, 'budget', limitId)
      return row && allowanceAt(limitOf(row, budgetKind), row.scope_id, atMs)
    },
  },
}

/** Names the limit that refused: `the $20.00 limit of customer c-1`. */
function nameOf(limit: string, scopeKind: string, subject: string): string {
  const noun = scopeKind === 'customer' ? 'limit' : 'budget'
  if (scopeKind === 'org') return `the ${limit} budget of the organization`
  return subject === noSubject
    ? `the ${limit} ${noun} that new ${scopeKind}s share`
    : `the ${limit} ${noun} of ${scopeKind} ${subject}`
}

/** The refusal of a budget, also used for a customer's limit. */
export const budgetExceeded = (
  refusal: LimitRefusal,
  id: string,
  scopeKind: DetailsOf<'budget_exceeded'>['scope_kind'],
): ApiError =>
  new ApiError(
    'budget_exceeded',
    {
      budget_id: id,
      scope_kind: scopeKind,
      limit_usd: formatUsd(present(refusal.allowance.limit)),
      ...refusalAmounts(refusal),
      ...periodView(refusal.allowance),
    },
    { message: refusalMessage((limit) => nameOf(limit, scopeKind, refusal.allowance.subject), refusal) },
  )

export async function budgetViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly LimitRow[],
): Promise<BudgetView[]> {
  const asked = rows.map((row) => [limitOf(row, budgetKind), row.scope_id] as const)
  const found = await loadUsage(tx, orgId, nowMs, asked)
  return rows.map((row, i) => ({
    id: formatId('budget', row.id),
    name: row.name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === '' ? null : row.scope_id,
    limit_usd: usdOrNull(row.amount),
    ...usageView(elementAt(found, i), nowMs),
    enforcement: row.enforcement,
    thresholds: row.thresholds,
    would_refuse_count: Number(elementAt(found, i).balance.wouldRefuse),
    counts_from: timestamp(row.created_at),
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

/** Most budgets of an organization: every process caches all of them, and searches them for each decision. */
const maxBudgets = 1_000
/** Most budgets on one scope: each is a row that every decision in the scope reads and writes under the organization's lock. */
const maxBudgetsOnScope = 20

const tooMany = (message: string) => new ApiError('conflict', {}, { message })

export async function createBudget({ tx, audit }: ChangeTools, orgId: string, input: BudgetInput): Promise<BudgetView> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const scopeId = input.scope_id ?? ''
  const live = await limitsInForce(tx, orgId, 'budget')
  if (live.length >= maxBudgets) throw tooMany(`An organization has at most ${maxBudgets} budgets.`)
  if (live.filter((row) => row.scope_kind === input.scope_kind && row.scope_id === scopeId).length >= maxBudgetsOnScope)
    throw tooMany(`One scope has at most ${maxBudgetsOnScope} budgets.`)
  const row = await insertLimit(tx, orgId, {
    id: newUuid(),
    kind: 'budget',
    name: input.name,
    scope_kind: input.scope_kind,
    scope_id: scopeId,
    unit: 'usd',
    amount: amountOf(input.limit_usd),
    ...newSchedule(mergeSchedule(input, defaultSchedule)),
    enforcement: input.enforcement ?? 'block',
    thresholds: ascending(input.thresholds ?? []),
  })
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
async function findScoped(tx: Tx, orgId: string, { scope_kind, scope_id = '', period }: BudgetKey) {
  const [found, ...others] = (await limitsInForce(tx, orgId, 'budget')).filter(
    (row) => row.scope_kind === scope_kind && row.scope_id === scope_id && requestedSchedule(row).unit === period,
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
  orgId: string,
  key: BudgetKey,
  { enforcement = 'block', thresholds = [], ...input }: ScopedBudgetInput,
): Promise<{ budget: BudgetView; isNew: boolean }> {
  await lockLedgerForConfigChange(tools.tx, orgId)
  const found = await findScoped(tools.tx, orgId, key)
  if (found) {
    const wanted = { ...input, period: key.period, enforcement, thresholds }
    return { budget: await replaceBudget(tools, orgId, found.id, () => wanted, false), isNew: false }
  }
  tools.replaces(undefined)
  return { budget: await createBudget(tools, orgId, { ...key, ...input, enforcement, thresholds }), isNew: true }
}

export async function deleteScopedBudget(tools: ChangeTools, orgId: string, key: BudgetKey): Promise<null> {
  await lockLedgerForConfigChange(tools.tx, orgId)
  const found = await findScoped(tools.tx, orgId, key)
  if (!found) throw new ApiError('not_found')
  return deleteBudget(tools, orgId, found.id)
}
