import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { type DesiredState, notSet } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { normalForm } from '../../values/normal-form.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  amountView,
  ascending,
  defaultSchedule,
  endLimit,
  insertLimit,
  type LimitRow,
  limitOf,
  limitsInForce,
  lockLedgerForConfigChange,
  mergeSchedule,
  newSchedule,
  rearmAllSubjects,
  replaceSchedule,
  rowTimesView,
  scheduleView,
  updateLimit,
  usdOrNull,
  withRequestedSchedule,
} from '../ledger/ledger.ts'
import { budgetKind } from './budgets.ts'
import {
  BudgetDefault,
  type BudgetDefaultInput,
  type BudgetDefaultView,
  type DefaultScope,
  type DefaultUsage,
} from './default-schema.ts'
import { usageOfDefault } from './queries.ts'

const defaultMaxNewPerDay = 1_000

const viewOf = (row: LimitRow, nowMs: number): BudgetDefaultView => ({
  id: formatId('budget', row.id),
  scope_kind: row.scope_kind,
  limit_usd: usdOrNull(row.amount),
  ...scheduleView(limitOf(row, budgetKind).schedule, nowMs),
  enforcement: row.enforcement,
  thresholds: row.thresholds,
  max_new_per_day: present(row.max_new_per_day),
  ...rowTimesView(row),
})

export async function listBudgetDefaults(tx: Tx, orgId: string, nowMs: number) {
  return { data: (await limitsInForce(tx, orgId, 'budget_default')).map((row) => viewOf(row, nowMs)) }
}

const findDefault = async (tx: Tx, orgId: string, scopeKind: DefaultScope) =>
  (await limitsInForce(tx, orgId, 'budget_default')).find((row) => row.scope_kind === scopeKind)

export async function getBudgetDefault(tx: Tx, orgId: string, nowMs: number, scopeKind: DefaultScope) {
  const row = await findDefault(tx, orgId, scopeKind)
  return row ? viewOf(row, nowMs) : absentDefault(scopeKind)
}

const absentDefault = (scopeKind: DefaultScope) => ({ ...notSet(BudgetDefault), scope_kind: scopeKind })

/** Sets the default. The spend under the former default goes on counting, for each of its subjects. */
export async function putBudgetDefault(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  scopeKind: DefaultScope,
  wanted: DesiredState<BudgetDefaultInput>,
  keepsNext: boolean,
): Promise<BudgetDefaultView> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findDefault(tx, orgId, scopeKind)
  const before = found && viewOf(found, nowMs)
  replaces(before, absentDefault(scopeKind))
  const input = wanted(found && withRequestedSchedule(present(before), found))
  const fields = {
    amount: input.limit_usd === null ? null : parseUsd(input.limit_usd),
    enforcement: input.enforcement ?? 'block',
    thresholds: ascending(input.thresholds ?? []),
    max_new_per_day: input.max_new_per_day ?? defaultMaxNewPerDay,
  } as const
  const row = found
    ? await updateLimit(tx, orgId, found.id, { ...fields, ...replaceSchedule(found, input, { nowMs, keepsNext }) })
    : await insertLimit(tx, orgId, {
        id: newUuid(),
        kind: 'budget_default',
        name: '',
        scope_kind: scopeKind,
        scope_id: '',
        unit: 'usd',
        ...fields,
        ...newSchedule(mergeSchedule(input, defaultSchedule)),
      })
  if (found && found.amount !== row.amount) await rearmAllSubjects(tx, orgId, row.id, row.amount)
  const after = viewOf(row, nowMs)
  audit({ action: 'budget_default.set', target: { kind: 'budget_default', id: after.id }, before, after })
  return after
}

export async function deleteBudgetDefault(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  scopeKind: DefaultScope,
): Promise<null> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findDefault(tx, orgId, scopeKind)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found, nowMs)
  replaces(before)
  await endLimit(tx, orgId, found.id)
  audit({ action: 'budget_default.deleted', target: { kind: 'budget_default', id: before.id }, before })
  return null
}

/** Returns the usage of each subject that the default has limited in its running period. */
export async function listDefaultUsage(
  tx: Tx,
  orgId: string,
  nowMs: number,
  scopeKind: DefaultScope,
  query: Parameters<typeof pageRequest>[0] & { readonly scope_id?: string },
) {
  const limit = await findDefault(tx, orgId, scopeKind)
  if (!limit) return { data: [], next_cursor: null }
  const asked = pageRequest(query, 'scope_id')
  const sought = query.scope_id === undefined ? undefined : normalForm(query.scope_id)
  const rows = await usageOfDefault(tx, orgId, limit.id, new Date(nowMs), asked, sought)
  const answer = pageResponse(rows, asked, ({ subject, key }) => ({ value: subject, id: key }))
  return {
    ...answer,
    data: answer.data.map(
      ({ subject, would_refuse, exhausted_at, period_start, period_end, ...counters }): DefaultUsage => ({
        scope_id: subject,
        limit_usd: usdOrNull(limit.amount),
        ...amountView(limit.amount, { ...counters, wouldRefuse: would_refuse, exhaustedAt: exhausted_at }),
        period_start: timestamp(period_start),
        period_end: timestamp(period_end),
      }),
    ),
  }
}
