import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import type { RecordedRun } from '../runs.ts'
import { recorderOf } from './recorder.ts'
import { sortCalls } from './second-reports.ts'
import { type Ingest, recordRuns } from './trace-ingest.ts'
import type { BulkRunInput } from './trace-runs.ts'
import type { WaitingCounter } from './waiting-metrics.ts'
import {
  deleteWaiting,
  dueWaiting,
  postponeWaiting,
  putOff,
  takeOneWaiting,
  takeWaiting,
  type WaitingRow,
} from './waiting-queries.ts'

/** Calls that wait because a gateway has a run open in their session, which may turn out to be the same call. */

/** Time after which it is looked again whether the run has ended. */
export const waitMs = 20_000

/**
 * Longest time that a call waits. A gateway settles a call within seconds of its end, and after a crash when it is up again; a run that
 * is open for longer is kept open, and would defer what is reported of its session for as long as somebody likes.
 */
export const maxWaitMs = 5 * 60_000

/** Calls that are recorded within one transaction, which must not be idle for long. */
export const callsPerTurn = 50

/** Time after which a call that could not be recorded is tried again, and how often: for a day. */
const retryMs = 10 * 60_000
const maxFailures = 144

interface Parts extends Pick<Platform, 'sql' | 'log'> {
  readonly ingest: Ingest
  readonly counter: WaitingCounter
}

/** Records calls of an organization that are due; returns true when more may be. */
export async function recordCallsOf(orgId: string, parts: Parts): Promise<boolean> {
  const { sql } = parts
  try {
    const count = await sql.asOrgs([orgId], async (tx) =>
      recordRows(tx, orgId, await takeWaiting(tx, orgId, callsPerTurn), parts),
    )
    return count === callsPerTurn
  } catch {
    // One of them cannot be recorded: one by one, it keeps only itself waiting.
    for (const id of await sql.asOrgs([orgId], (tx) => dueWaiting(tx, orgId, callsPerTurn)))
      await recordAlone(orgId, id, parts)
    return false
  }
}

async function recordAlone(orgId: string, id: string, parts: Parts) {
  const { sql, log, counter } = parts
  try {
    await sql.asOrgs([orgId], async (tx) => recordRows(tx, orgId, await takeOneWaiting(tx, orgId, id), parts))
  } catch (error) {
    const isGivenUp = await sql.asOrgs([orgId], async (tx) => {
      const [row] = await takeOneWaiting(tx, orgId, id)
      if (row && row.failures >= maxFailures) {
        await deleteWaiting(tx, orgId, [id])
        return true
      }
      await putOff(tx, orgId, id, retryMs)
      return false
    })
    counter.inc({ signal: 'logs', outcome: isGivenUp ? 'rejected' : 'failed' })
    log.warn({ error, org_id: formatId('org', orgId), isGivenUp }, 'a call that waited could not be recorded')
  }
}

async function recordRows(
  tx: Tx,
  orgId: string,
  rows: readonly WaitingRow[],
  { log, ingest, counter }: Parts,
): Promise<number> {
  if (rows.length === 0) return 0
  const due = rows.map(({ call, ...row }) => ({ ...call, ...row, requestId: call.requestId ?? undefined }))
  const { fresh, waiting, known } = await sortCalls(tx, orgId, due)
  const isOver = ({ waited_ms }: Pick<WaitingRow, 'waited_ms'>) => waited_ms >= maxWaitMs
  const later = waiting.filter((call) => !isOver(call))
  const recorded = [...fresh, ...waiting.filter(isOver)]
  let refusals = 0
  for (const { agent, run, reported_at } of recorded) {
    const reported = [run as BulkRunInput & RecordedRun]
    const refused = await recordRuns(ingest, recorderOf(orgId, agent), reported, reported_at.getTime())
    refusals += refused.length
    for (const { reason } of refused)
      log.warn({ org_id: formatId('org', orgId), reason: reason.message }, 'a call that waited was not recorded')
  }
  const isLater = new Set(later.map(({ id }) => id))
  await postponeWaiting(tx, orgId, [...isLater], waitMs)
  await deleteWaiting(
    tx,
    orgId,
    due.flatMap(({ id }) => (isLater.has(id) ? [] : [id])),
  )
  counter.inc({ signal: 'logs', outcome: 'known' }, known)
  counter.inc({ signal: 'logs', outcome: 'rejected' }, refusals)
  counter.inc({ signal: 'logs', outcome: 'recorded' }, recorded.length - refusals)
  return rows.length
}
