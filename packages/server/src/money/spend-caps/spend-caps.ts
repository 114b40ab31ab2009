import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { type DesiredState, notSet } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import {
  allowanceAt,
  amountView,
  claimOn,
  crossedAmounts,
  defaultSchedule,
  endLimit,
  findLimit,
  insertLimit,
  type LimitKind,
  type LimitRow,
  limitIdIn,
  limitOf,
  limitsInForce,
  limitsOn,
  lockLedgerForConfigChange,
  mergeSchedule,
  newSchedule,
  periodView,
  rearm,
  refusalAmounts,
  refusalMessage,
  replaceSchedule,
  rowTimesView,
  scheduleView,
  shownLimits,
  shownUsage,
  stoppedAmounts,
  updateLimit,
  withRequestedSchedule,
} from '../ledger/ledger.ts'
import { SpendCap, type SpendCapInput } from './schema.ts'

/** The most that the whole organization may spend in a day. */
export const spendCapKind: LimitKind = {
  kind: 'spend_cap',
  journalNames: ['spend_cap'],
  idKind: 'spendCap',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: ['spend_cap_exceeded'],
  events: ['spend_cap.threshold_crossed', 'spend_cap.exceeded', 'spend_cap.stopped'],
  thresholds: [80, 100],
  source: 'config',
  isForecast: true,
  bind: (_charge, org, _customer, nowMs) =>
    limitsOn(org, 'spend_cap').map((limit) => claimOn(spendCapKind, allowanceAt(limit, '', nowMs))),
  refuse: (refusal) =>
    new ApiError(
      'spend_cap_exceeded',
      {
        cap_usd: formatUsd(present(refusal.allowance.limit)),
        resets_at: periodView(refusal.allowance).period_end,
        ...(refusal.isPreFlight && { reason: 'pre_flight' }),
        ...refusalAmounts(refusal),
      },
      { message: refusalMessage((limit) => `the daily cap of ${limit}`, refusal) },
    ),
  eventOf: (crossing) => {
    const id = limitIdIn(spendCapKind, crossing.allowance)
    const data = { spend_cap_id: id, ...crossedAmounts(crossing), ...periodView(crossing.allowance) }
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'spend_cap.stopped', subject: id, data: { ...data, ...stopped } }
    if (crossing.threshold === 0) return { kind: 'spend_cap.exceeded', subject: id, data }
    return {
      kind: 'spend_cap.threshold_crossed',
      subject: id,
      data: { threshold_percent: crossing.threshold, ...data },
    }
  },
  adjustment: {
    requires: ['amount_usd'],
    find: async (tx, orgId, limitId, _named, atMs) => {
      const row = await findLimit(tx, orgId, 'spend_cap', limitId)
      return row && allowanceAt(limitOf(row, spendCapKind), row.scope_id, atMs)
    },
  },
}

async function viewOf(tx: Tx, orgId: string, nowMs: number, row: LimitRow): Promise<SpendCap> {
  const [standing] = await shownUsage(tx, orgId, nowMs, [[limitOf(row, spendCapKind), '']])
  const { limit, allowance, balance } = present(standing)
  const { timezone, next_schedule } = scheduleView(limit.schedule, nowMs)
  const period = periodView(allowance)
  return {
    id: formatId('spendCap', row.id),
    cap_usd: formatUsd(present(row.amount)),
    timezone,
    ...amountView(row.amount, balance),
    resets_at: period.period_end,
    ...period,
    next_schedule,
    ...rowTimesView(row),
  }
}

const findCap = async (tx: Tx, orgId: string) => (await limitsInForce(tx, orgId, 'spend_cap'))[0]

export async function getSpendCap(tx: Tx, orgId: string, nowMs: number) {
  const [row] = await shownLimits(tx, orgId, 'spend_cap')
  return row ? viewOf(tx, orgId, nowMs, row) : notSet(SpendCap)
}

export async function putSpendCap(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  wanted: DesiredState<SpendCapInput>,
  keepsNext: boolean,
): Promise<SpendCap> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findCap(tx, orgId)
  const before = found && (await viewOf(tx, orgId, nowMs, found))
  replaces(before, notSet(SpendCap))
  const { cap_usd, ...schedule } = wanted(found && withRequestedSchedule(present(before), found))
  const amount = parseUsd(cap_usd)
  const row = found
    ? await updateLimit(tx, orgId, found.id, { amount, ...replaceSchedule(found, schedule, { nowMs, keepsNext }) })
    : await insertLimit(tx, orgId, {
        id: newUuid(),
        kind: 'spend_cap',
        name: 'Daily spend cap',
        scope_kind: 'org',
        scope_id: '',
        unit: 'usd',
        amount,
        ...newSchedule(mergeSchedule(schedule, defaultSchedule)),
        enforcement: 'block',
        thresholds: [],
      })
  if (found && found.amount !== amount) await rearm(tx, orgId, nowMs, spendCapKind, limitOf(row, spendCapKind), '')
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'spend_cap.set', target: { kind: 'spend_cap', id: after.id }, before, after })
  return after
}

export async function deleteSpendCap({ tx, audit, replaces }: ChangeTools, orgId: string): Promise<null> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findCap(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  replaces(before)
  await endLimit(tx, orgId, found.id)
  audit({ action: 'spend_cap.deleted', target: { kind: 'spend_cap', id: before.id }, before })
  return null
}
