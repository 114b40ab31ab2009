import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { type DesiredState, notSet } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { elementAt } from '../../values/present.ts'
import {
  allowanceAt,
  claimOn,
  defaultSchedule,
  endLimit,
  insertLimit,
  type LimitKind,
  type LimitRow,
  type LimitUsage,
  limitIdIn,
  limitOf,
  limitsInForce,
  limitsOn,
  loadUsage,
  lockLedgerForConfigChange,
  newSchedule,
  periodView,
  rearm,
  remainingOf,
  rowTimesView,
  stopView,
  updateLimit,
} from '../ledger/ledger.ts'
import { type Entitlement, Plan, type PlanInput, type PlanView } from './schema.ts'

/** The units that a plan counts, in the order in which they refuse. */
const units = ['runs', 'tokens'] as const
type PlanUnit = (typeof units)[number]
const rankOf = (unit: string) => units.findIndex((one) => one === unit)

/** The usage that the organization's plan includes each month. */
export const planKind: LimitKind = {
  kind: 'plan',
  journalNames: ['plan'],
  idKind: 'plan',
  guide: 'limits',
  surfaces: ['route', 'start', 'record'],
  errors: ['plan_limit_exceeded'],
  events: ['plan.exceeded', 'plan.stopped'],
  thresholds: 'configured',
  source: 'config',
  isForecast: true,
  bind: (_charge, org, _customer, nowMs) =>
    limitsOn(org, 'plan')
      .toSorted((a, b) => rankOf(a.unit) - rankOf(b.unit))
      .map((limit) => claimOn(planKind, allowanceAt(limit, '', nowMs))),
  refuse: ({ allowance, balance }) =>
    new ApiError('plan_limit_exceeded', {
      limit_kind: allowance.unit as PlanUnit,
      limit: Number(allowance.limit),
      used: Number(balance.spent + balance.held),
    }),
  eventOf: ({ allowance, spent, refused }, { limits }) => {
    // The plan's two limits are one plan, identified by the first.
    const runs = limits.find(({ kind, unit }) => kind === planKind.kind && unit === 'runs')!
    const id = limitIdIn(planKind, { limitId: runs.id })
    const counts = { plan_id: id, unit: allowance.unit, limit: Number(allowance.limit), used: Number(spent) }
    const data = { ...counts, ...periodView(allowance) }
    if (!refused) return { kind: 'plan.exceeded', subject: id, data }
    const { held, attempted } = refused
    return { kind: 'plan.stopped', subject: id, data: { ...data, held: Number(held), attempted: Number(attempted) } }
  },
  adjustment: {
    requires: ['amount', 'unit'],
    find: async (tx, orgId, limitId, { unit }, atMs) => {
      const rows = await limitsInForce(tx, orgId, 'plan')
      const row = rows.some(({ id }) => id === limitId) ? rows.find((one) => one.unit === unit) : undefined
      return row && allowanceAt(limitOf(row, planKind), '', atMs)
    },
  },
}

type PlanRows = Readonly<Record<PlanUnit, LimitRow>>

/** Returns both limits of a plan, or neither: they are only ever written together. */
async function findPlan(tx: Tx, orgId: string): Promise<PlanRows | undefined> {
  const rows = await limitsInForce(tx, orgId, 'plan')
  const [runs, tokens] = units.map((wanted) => rows.find(({ unit }) => unit === wanted))
  return runs && tokens && { runs, tokens }
}

async function viewOf(tx: Tx, orgId: string, nowMs: number, { runs, tokens }: PlanRows): Promise<PlanView> {
  const found = await loadUsage(tx, orgId, nowMs, [
    [limitOf(runs, planKind), ''],
    [limitOf(tokens, planKind), ''],
  ])
  return {
    id: formatId('plan', runs.id),
    name: runs.name,
    runs_per_month: countOf(runs.amount),
    tokens_per_month: countOf(tokens.amount),
    overage_policy: runs.enforcement === 'block' ? 'block' : 'allow',
    runs: entitlementOf(elementAt(found, 0)),
    tokens: entitlementOf(elementAt(found, 1)),
    ...periodView(elementAt(found, 0).allowance),
    ...rowTimesView(runs),
  }
}

const countOf = (amount: bigint | null) => (amount === null ? null : Number(amount))

const entitlementOf = ({ limit: { amount }, balance }: LimitUsage): Entitlement => ({
  used: Number(balance.spent),
  held: Number(balance.held),
  remaining: amount === null ? null : Number(remainingOf(amount, balance)),
  ...stopView(balance),
})

export async function getPlan(tx: Tx, orgId: string, nowMs: number) {
  const rows = await findPlan(tx, orgId)
  return rows ? viewOf(tx, orgId, nowMs, rows) : notSet(Plan)
}

/** Sets the plan. Usage of the running month goes on counting under it. */
export async function putPlan(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  wanted: DesiredState<PlanInput>,
): Promise<PlanView> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findPlan(tx, orgId)
  const before = found && (await viewOf(tx, orgId, nowMs, found))
  replaces(before, notSet(Plan))
  const input = wanted(before)
  const amounts = { runs: input.runs_per_month, tokens: input.tokens_per_month }
  const put = async (unit: PlanUnit) => {
    const fields = {
      name: input.name,
      amount: amounts[unit] === null ? null : BigInt(amounts[unit]),
      enforcement: input.overage_policy === 'block' ? ('block' as const) : ('alert' as const),
    }
    const known = found?.[unit]
    if (!known) return insertLimit(tx, orgId, { ...newEntitlement(unit), ...fields })
    const row = await updateLimit(tx, orgId, known.id, fields)
    if (row.amount !== known.amount) await rearm(tx, orgId, nowMs, planKind, limitOf(row, planKind), '')
    return row
  }
  const after = await viewOf(tx, orgId, nowMs, { runs: await put('runs'), tokens: await put('tokens') })
  audit({ action: 'plan.set', target: { kind: 'plan', id: after.id }, before, after })
  return after
}

export async function deletePlan({ tx, audit, replaces }: ChangeTools, orgId: string): Promise<null> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findPlan(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  replaces(before)
  for (const unit of units) await endLimit(tx, orgId, found[unit].id)
  audit({ action: 'plan.deleted', target: { kind: 'plan', id: before.id }, before })
  return null
}

const newEntitlement = (unit: PlanUnit) => ({
  id: newUuid(),
  kind: 'plan' as const,
  scope_kind: 'org',
  scope_id: '',
  unit,
  ...newSchedule({ ...defaultSchedule, unit: 'month' }),
  thresholds: [],
})
