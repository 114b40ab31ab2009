import { type FurtherCheck, findAllowances, type LedgerFault } from '../../money/ledger/ledger.ts'
import { loadPriceBook, pricesChangedAt } from '../../money/prices/prices.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { getPolicy } from '../../records/retention/retention.ts'
import { bucketMs, isRunHold } from '../../records/run-log/run-log.ts'
import { formatId, timeOfUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { dayMs, hourMs } from '../../values/time.ts'
import {
  readCustomerDifferences,
  readSettlements,
  readUsageDifferences,
  type SettlementRow,
  type UsageDifference,
} from './queries.ts'
import { differencesOf } from './settlements.ts'

const settlementsPerPage = 500
/** Days for which holds are still there: they are dropped after eight days, and rows of runs after seven at the soonest. */
const heldDays = 8
const storedDays = 6

/**
 * Checks runs and usage against the ledger: every settlement has its run, with the account, tokens and price that were charged;
 * and usage is the sum of the runs. It reads in pages of one short statement each, skips what may have been dropped by now, and
 * checks either everything or what was booked since the last check.
 */
export const checkRuns =
  (sql: Sql, clock: { readonly now: () => Date }): FurtherCheck =>
  async (orgId, { after, isComplete }) => {
    const nowMs = clock.now().getTime()
    const faults = await settlementFaults(sql, orgId, after, nowMs)
    const windows = isComplete ? await completeWindows(sql, orgId, nowMs) : [lastHour(nowMs)]
    for (const window of windows) faults.push(...(await usageFaults(sql, orgId, window)))
    return faults
  }

async function settlementFaults(sql: Sql, orgId: string, after: bigint, nowMs: number): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = []
  const since = new Date(nowMs - heldDays * dayMs)
  // Numbers of movements begin with 0, and those of the last batch were checked.
  let position: { seq: bigint; idx: number } | undefined = { seq: after + 1n, idx: -1 }
  while (position) {
    const { rows, last } = await readSettlements(sql, orgId, position, since, settlementsPerPage)
    const surroundings = await settlementContext(sql, orgId, rows)
    for (const row of rows) {
      const fault = (what: string, driftNano: bigint) =>
        faults.push({ orgId, batch: row.seq, key: formatId('run', present(row.run_id)), what, driftNano })
      if (row.run_id === null) continue
      if (row.run) {
        for (const { what, driftNano } of differencesOf(row, row.run, surroundings(row))) fault(what, driftNano)
      } else if (mustExist(row, nowMs)) fault('a settlement has no run', row.charged_nano + 1n)
    }
    position = last
  }
  return faults
}

/** True when a run must exist: that of a settled reservation may never have been stored if it started more than a day ago. */
const mustExist = (row: SettlementRow, nowMs: number) =>
  timeOfUuid(present(row.run_id)) > nowMs - (isRunHold(row) ? storedDays : 1) * dayMs + hourMs

async function settlementContext(sql: Sql, orgId: string, rows: readonly SettlementRow[]) {
  const [allowances, prices, changedAt] = await sql.asOrgs([orgId], async (tx) => [
    await findAllowances(
      tx,
      orgId,
      rows.flatMap(({ keys }) => keys),
    ),
    await loadPriceBook(tx, orgId),
    await pricesChangedAt(tx, orgId),
  ])
  const tokenKeys = new Set([...allowances.values()].filter(({ unit }) => unit === 'tokens').map(({ key }) => key))
  return ({ ended_at }: SettlementRow) => ({
    tokenKeys,
    prices: changedAt === undefined || changedAt < ended_at ? prices : undefined,
  })
}

interface Window {
  readonly fromMs: number
  readonly toMs: number
}

const floor = (ms: number, unitMs: number) => ms - (ms % unitMs)

const lastHour = (nowMs: number): Window => ({
  fromMs: floor(nowMs - hourMs, bucketMs),
  toMs: floor(nowMs, bucketMs) + bucketMs,
})

/**
 * Returns the days of which every run is still there. A run recorded longer after its start than runs are kept was never stored.
 */
async function completeWindows(sql: Sql, orgId: string, nowMs: number): Promise<Window[]> {
  const { raw_days, updated_at } = await sql.asOrgs([orgId], (tx) => getPolicy(tx, orgId))
  const isSettled = updated_at === null || Date.parse(updated_at) < nowMs - (storedDays + 1) * dayMs
  const days = isSettled ? Math.min(raw_days, storedDays) : 1
  const fromMs = floor(nowMs - days * dayMs, hourMs) + hourMs
  const windows: Window[] = []
  // Clocks differ a little, and so may the start times that callers report.
  for (let at = fromMs; at < nowMs + hourMs; at = floor(at, dayMs) + dayMs)
    windows.push({ fromMs: at, toMs: floor(at, dayMs) + dayMs })
  return windows
}

async function usageFaults(sql: Sql, orgId: string, { fromMs, toMs }: Window): Promise<LedgerFault[]> {
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const isDay = toMs - fromMs === dayMs
  try {
    const found = await readUsageDifferences(sql, orgId, from, to)
    const ofCustomers = isDay ? await readCustomerDifferences(sql, orgId, from, to) : []
    return [
      ...found.map((difference) => faultOf(orgId, from, 'usage', difference)),
      ...ofCustomers.map((difference) => faultOf(orgId, from, 'usage of customer', difference)),
    ]
  } catch (error) {
    const unitMs = isDay ? hourMs : bucketMs
    if (errorCode(error) !== queryCanceled || toMs - fromMs <= unitMs) throw error
    const faults: LedgerFault[] = []
    for (let at = fromMs; at < toMs; at += unitMs)
      faults.push(...(await usageFaults(sql, orgId, { fromMs: at, toMs: Math.min(at + unitMs, toMs) })))
    return faults
  }
}

/** SQLSTATE of a statement that took too long: the window has too much for one statement. */
const queryCanceled = '57014'

function faultOf(orgId: string, from: Date, kind: string, { group, runs, cost, tokens }: UsageDifference): LedgerFault {
  const nano = BigInt(cost)
  return {
    orgId,
    batch: null,
    key: `${kind} ${group}`,
    what: `${kind} from ${from.toISOString()} on has ${runs} runs, ${cost} nano-dollars and ${tokens} tokens more than the runs`,
    driftNano: nano === 0n ? 1n : nano < 0n ? -nano : nano,
  }
}
