import { actorOf, type ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, makerColumns, makerOf } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { findPack, packOf } from '../credits/credits.ts'
import { findLimitOfCustomer } from '../customers/customers.ts'
import { decideVersion } from '../engine/engine.ts'
import {
  type Allowance,
  allowanceAt,
  balancesOf,
  bookAdjustment,
  crossingsOf,
  emitCrossings,
  entryOf,
  findAllowanceAt,
  findAllowances,
  findLimit,
  type JournalEntry,
  lastBatch,
  limitOf,
  limitsInForce,
  lockLedger,
  maxAdmitted,
  packAllowance,
  parseLimitId,
  quotaCrossings,
} from '../ledger/ledger.ts'
import { loadTopUps } from '../quota/quota.ts'
import type { AdjustmentInput } from './schema.ts'

/** Time after the end of a period at which its balances are deleted. */
const keptMs = 400 * dayMs

/**
 * Corrects the spend of a limit in one period, with a reason, on the record. It is a movement like any other, so the journal
 * still sums to the rows; it never refuses later what was admitted before.
 */
export async function adjust(
  { tx, audit }: ChangeTools,
  caller: Caller,
  input: AdjustmentInput,
): Promise<JournalEntry> {
  const { orgId } = caller
  const nowMs = await lockLedger(tx, orgId)
  const last = await lastBatch(tx, orgId)
  const atMs = input.at === undefined ? nowMs : Date.parse(input.at)
  const bySchedule = await allowanceToAdjust(tx, orgId, input, atMs)
  if (!bySchedule) throw new ApiError('not_found')
  // Its schedule may have changed since: the spend of that time is in the row of that time.
  const allowance = await inItsPeriod(tx, orgId, bySchedule, atMs)
  if (allowance.period && allowance.period.endMs < nowMs - keptMs)
    throw validationFailed([
      { field: 'at', code: 'out_of_range', message: 'This period ended more than 400 days ago: it is no longer kept.' },
    ])
  const asked = input.amount_usd === undefined ? BigInt(present(input.amount)) : parseUsd(input.amount_usd)
  const { spent, held } = present((await balancesOf(tx, orgId, [allowance.key])).get(allowance.key))
  const delta = spent + asked < 0n ? -spent : asked
  if (delta > 0n && spent + held + delta > maxAdmitted)
    throw validationFailed([
      {
        field: input.amount === undefined ? 'amount_usd' : 'amount',
        code: 'out_of_range',
        message: 'The total would exceed the largest amount that can be counted.',
      },
    ])
  const row = await bookAdjustment(tx, orgId, allowance, {
    delta,
    lastBatch: last,
    madeBy: makerColumns(makerOf(caller)),
    actor: actorOf(caller),
    reason: input.reason,
    version: decideVersion,
  })
  await emitCrossings(tx, orgId, await crossingsOfAdjustment(tx, orgId, allowance, spent, delta), row.at)
  const entry = entryOf(row, await findAllowances(tx, orgId, [allowance.key]))
  audit({ action: 'ledger.adjusted', target: { kind: allowance.kind, id: input.limit_id }, after: entry })
  return entry
}

/** Returns the thresholds that an adjustment crosses; called when it is booked. */
async function crossingsOfAdjustment(tx: Tx, orgId: string, allowance: Allowance, spent: bigint, delta: bigint) {
  if (delta <= 0n) return []
  if (allowance.kind !== 'quota') return crossingsOf(allowance, spent, spent + delta)
  const topUps = await loadTopUps(tx, orgId)
  const keys = topUps.map(({ id }) => id)
  const balances = await balancesOf(tx, orgId, keys)
  const by = (id: string) => (id === allowance.key ? delta : 0n)
  return quotaCrossings(topUps, (id) => present(balances.get(id)).spent - by(id), by)
}

async function inItsPeriod(tx: Tx, orgId: string, allowance: Allowance, atMs: number): Promise<Allowance> {
  const row = allowance.period && (await findAllowanceAt(tx, orgId, allowance, new Date(atMs)))
  if (!row) return allowance
  const period = { label: row.period_label, startMs: row.period_start.getTime(), endMs: row.period_end.getTime() }
  return { ...allowance, key: row.key, period }
}

async function allowanceToAdjust(
  tx: Tx,
  orgId: string,
  { limit_id, unit, customer_id }: AdjustmentInput,
  atMs: number,
): Promise<Allowance | undefined> {
  const limit = parseLimitId(limit_id)
  if (!limit) return undefined
  if (limit.kind === 'creditPack' || limit.kind === 'topUp') {
    const row = await findPack(tx, orgId, limit.id)
    const kind = limit.kind === 'topUp' ? 'quota' : 'credits'
    return row && (row.owner === '') === (kind === 'quota') ? packAllowance(packOf(row), kind, row.owner) : undefined
  }
  if (limit.kind === 'customerLimit') {
    const found = await findLimitOfCustomer(tx, orgId, customer_id!)
    return found?.id === limit.id ? allowanceAt(found, customer_id!, atMs) : undefined
  }
  if (limit.kind === 'plan') {
    const rows = await limitsInForce(tx, orgId, 'plan')
    const row = rows.some(({ id }) => id === limit.id) ? rows.find((one) => one.unit === unit) : undefined
    return row && allowanceAt(limitOf(row), '', atMs)
  }
  const row = await findLimit(tx, orgId, limit.kind === 'budget' ? 'budget' : 'spend_cap', limit.id)
  return row && allowanceAt(limitOf(row), row.scope_id, atMs)
}
