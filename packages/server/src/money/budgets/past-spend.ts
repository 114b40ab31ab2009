import { actorOf } from '../../access/changes/changes.ts'
import { type Caller, makerColumns, makerOf } from '../../access/identity/identity.ts'
import { validationFailed } from '../../contract/errors.ts'
import type { TimeWindow } from '../../contract/lists.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { decideVersion } from '../engine/engine.ts'
import {
  allowanceAt,
  bookAdjustment,
  crossingsOf,
  emitCrossings,
  type LimitRow,
  type LimitScope,
  lastBatch,
  limitOf,
  maxAdmitted,
} from '../ledger/ledger.ts'
import { budgetKind } from './budget-kind.ts'

/** Reads what runs have cost that started within a window, in all of some scopes; usage is read by the rooms below. */
export type SpentSince = (tx: Tx, orgId: string, scopes: readonly LimitScope[], window: TimeWindow) => Promise<bigint>

/** Days for which usage is kept by quarters of an hour; before that it is kept by days in UTC. */
const fineDays = 90

const outOfRange = (message: string) => validationFailed([{ field: 'counts_from', code: 'out_of_range', message }])

/**
 * Fills a new budget from the usage of its scope since a time in its running period: an adjustment in the journal, under the
 * ledger lock under which the budget is made. Runs that go on are not among it: their holds are on the limits that they met.
 */
export async function fillFromUsage(
  tx: Tx,
  caller: Caller,
  row: LimitRow,
  from: Date,
  { nowMs, spentSince }: { readonly nowMs: number; readonly spentSince: SpentSince },
) {
  const { orgId } = caller
  const limit = limitOf(row, budgetKind)
  const allowance = allowanceAt(limit, row.scope_id, nowMs)
  const { startMs, endMs } = present(allowance.period)
  const fromMs = from.getTime()
  if (fromMs > nowMs) throw outOfRange('Must not be in the future.')
  if (fromMs < startMs)
    throw outOfRange(`Must not be before the running period, which began at ${timestamp(new Date(startMs))}.`)
  if (fromMs < nowMs - fineDays * dayMs && fromMs % dayMs !== 0)
    throw outOfRange(`More than ${fineDays} days ago usage is kept by days: must be midnight in UTC.`)
  const scopes = [{ scopeKind: limit.scopeKind, scopeId: limit.scopeId }, ...(limit.and ? [limit.and] : [])]
  const spent = await spentSince(tx, orgId, scopes, { from, to: new Date(endMs) })
  if (spent <= 0n) return
  if (spent > maxAdmitted) throw outOfRange('The total would exceed the largest amount that can be counted.')
  const { at } = await bookAdjustment(tx, orgId, allowance, {
    delta: spent,
    lastBatch: await lastBatch(tx, orgId),
    madeBy: makerColumns(makerOf(caller)),
    actor: actorOf(caller),
    reason: `Usage since ${timestamp(from)}, counted at the creation of the budget.`,
    version: decideVersion,
  })
  await emitCrossings(tx, orgId, budgetKind, crossingsOf(allowance, 0n, spent), at)
}
