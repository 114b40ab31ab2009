import { actorOf, type ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, makerColumns, makerOf } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { decideVersion } from '../engine/engine.ts'
import { entryOf, type JournalEntry } from '../journal/journal.ts'
import {
  type Allowance,
  balancesOf,
  bookAdjustment,
  crossingsOf,
  emitCrossings,
  findAllowanceAt,
  findAllowances,
  lastBatch,
  lockLedger,
  maxAdmitted,
} from '../ledger/ledger.ts'
import { parseLimitId } from '../limit-kinds.ts'
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
  const limit = parseLimitId(input.limit_id)
  const bySchedule = await limit?.kind.adjustment?.find(tx, orgId, limit.id, input, atMs)
  if (!limit || !bySchedule) throw new ApiError('not_found')
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
  if (delta > 0n) {
    const joint = limit.kind.adjustment?.crossings?.(tx, orgId, allowance, delta)
    await emitCrossings(tx, orgId, limit.kind, (await joint) ?? crossingsOf(allowance, spent, spent + delta), row.at)
  }
  const entry = entryOf(row, await findAllowances(tx, orgId, [allowance.key]))
  audit({ action: 'ledger.adjusted', target: { kind: allowance.kind, id: input.limit_id }, after: entry })
  return entry
}

async function inItsPeriod(tx: Tx, orgId: string, allowance: Allowance, atMs: number): Promise<Allowance> {
  const row = allowance.period && (await findAllowanceAt(tx, orgId, allowance, new Date(atMs)))
  if (!row) return allowance
  const period = { label: row.period_label, startMs: row.period_start.getTime(), endMs: row.period_end.getTime() }
  return { ...allowance, key: row.key, period }
}
