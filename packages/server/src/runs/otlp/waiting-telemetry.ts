import type { Lanes } from '../../decisions/lanes/lanes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { newUuid } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { withoutUndefined } from '../../values/records.ts'
import { ingestTask, type RecordedRun, type Recorder } from '../runs.ts'
import { usageFields } from './assistant-runs.ts'
import { Unrecordable } from './run-fields.ts'
import { signalSkewMs, sortCalls } from './second-reports.ts'
import { waitMs } from './telemetry.ts'
import {
  claimPoints,
  closeClaim,
  deleteWaiting,
  dropPoints,
  heldTokens,
  lockClaim,
  lockSessions,
  openClaims,
  orgsWithDueTelemetry,
  type PointRow,
  postponeWaiting,
  quietSessions,
  type StoredAgent,
  setMetricsUntil,
  takeWaiting,
  uncountedPoints,
} from './telemetry-queries.ts'
import { type Ingest, recordRuns } from './trace-ingest.ts'

/** Telemetry that is not recorded as it comes: calls that a gateway may report too, and metrics, which calls make superfluous. */

/** Time without new metrics after which a session is counted by them: events come every few seconds, metrics every minute. */
export const quietMs = 15 * 60_000
const everyMs = 5_000
const perTurn = 200
/** Calls that are recorded within one transaction, which must not be idle for long. */
const callsPerTurn = 50

type Needed = Pick<Platform, 'sql' | 'clock' | 'log'>

/** Records waiting telemetry, again and again, until it is closed. */
export function recordWaitingTelemetry(platform: Needed, lanes: Lanes) {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let working = Promise.resolve()
  function again() {
    if (isClosed) return
    timer = setTimeout(() => {
      working = recordDue(platform, lanes, quietMs)
        .catch((error: unknown) => platform.log.warn({ error }, 'waiting telemetry was not recorded'))
        .then(again)
    }, everyMs)
  }
  again()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}

/** Records what is due of all organizations; one that fails keeps none of the others from it. */
export async function recordDue({ sql, clock, log }: Needed, lanes: Lanes, quietForMs: number) {
  const ingest: Ingest = async (caller, runs) =>
    lanes.ingest(await ingestTask(caller, runs, { mode: 'partial', isRecordedOnly: true }, clock.now().getTime()))
  for (const orgId of await orgsWithDueTelemetry(sql, quietForMs, perTurn))
    try {
      await recordCallsOf(orgId, { sql, log }, ingest)
      await claimQuietSessions(orgId, { sql }, quietForMs)
      await recordClaims(orgId, { sql, log }, ingest)
    } catch (error) {
      log.warn({ error, org: orgId }, 'waiting telemetry of an organization was not recorded')
    }
}

const recorderOf = (orgId: string, agent: StoredAgent): Recorder => ({
  ...agent,
  orgId,
  // The pins of the key were applied when it reported.
  pins: {},
  requiredDimensions: [],
  scopes: new Set(),
})

const recordCallsOf = (orgId: string, { sql, log }: Pick<Needed, 'sql' | 'log'>, ingest: Ingest) =>
  sql.asOrgs([orgId], async (tx) => {
    const due = (await takeWaiting(tx, orgId, callsPerTurn)).map(({ id, call }) => ({
      ...call,
      id,
      requestId: call.requestId ?? undefined,
    }))
    if (due.length === 0) return
    const { fresh, waiting } = await sortCalls(tx, orgId, due)
    for (const { agent, run } of fresh) {
      const refused = await recordRuns(ingest, recorderOf(orgId, agent), [run as Parameters<Ingest>[1][number]])
      for (const { reason } of refused) log.warn({ reason: reason.message }, 'a call that waited was not recorded')
    }
    const later = new Set(waiting.map(({ id }) => id))
    await postponeWaiting(tx, orgId, [...later], waitMs)
    await deleteWaiting(
      tx,
      orgId,
      due.flatMap(({ id }) => (later.has(id) ? [] : [id])),
    )
  })

/**
 * Settles what is counted of sessions that have been quiet: not what is after the first call that is reported by itself, and
 * nothing of a session whose runs a gateway has held for as much. Only then it is recorded, under the id of the claim.
 */
async function claimQuietSessions(orgId: string, { sql }: Pick<Needed, 'sql'>, quietForMs: number) {
  const sessions = await sql.asOrgs([orgId], (tx) => quietSessions(tx, orgId, quietForMs, perTurn))
  for (const { lineage_id: lineageId, session } of sessions)
    await sql.asOrgs([orgId], async (tx) => {
      const [known] = await lockSessions(tx, orgId, lineageId, [session])
      const points = await uncountedPoints(tx, orgId, lineageId, session)
      const [first] = points
      if (!first) return
      const since = known?.calls_since?.getTime() ?? Number.POSITIVE_INFINITY
      const tokens = points.filter(({ kind }) => kind !== 'cost').reduce((sum, { value }) => sum + Number(value), 0)
      const isHeld = tokens > 0 && (await heldTokens(tx, orgId, first.call.session)) >= tokens
      const counted = isHeld ? [] : points.filter(({ ended_at }) => ended_at.getTime() + signalSkewMs < since)
      const isCounted = new Set(counted)
      await dropPoints(
        tx,
        orgId,
        lineageId,
        points.flatMap((point) => (isCounted.has(point) ? [] : [point.point])),
      )
      for (const group of Map.groupBy(counted, ({ call }) => JSON.stringify([call.agent, call.run])).values())
        await claimPoints(
          tx,
          orgId,
          lineageId,
          group.map(({ point }) => point),
          newUuid(),
        )
      const until = Math.max(0, ...counted.map(({ ended_at }) => ended_at.getTime()))
      if (until > 0) await setMetricsUntil(tx, orgId, lineageId, session, new Date(until))
    })
}

async function recordClaims(orgId: string, { sql, log }: Pick<Needed, 'sql' | 'log'>, ingest: Ingest) {
  for (const claim of await sql.asOrgs([orgId], (tx) => openClaims(tx, orgId, perTurn)))
    await sql.asOrgs([orgId], async (tx) => {
      const points = await lockClaim(tx, orgId, claim)
      const [first] = points
      if (!first) return
      const run = recordable(() => runOf(points, claim), log)
      if (run) {
        const refused = await recordRuns(ingest, recorderOf(orgId, first.call.agent), [run])
        for (const { reason } of refused) log.warn({ reason: reason.message }, 'metrics of a session were not recorded')
      }
      await closeClaim(tx, orgId, claim)
    })
}

/** Returns undefined where no run can be made: what is claimed is closed all the same, and keeps nothing else from being counted. */
function recordable<T>(make: () => T, log: Needed['log']): T | undefined {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof Unrecordable)) throw error
    log.warn({ reason: error.message }, 'metrics of a session were not recorded')
    return undefined
  }
}

/** Returns the run of points that were claimed together; undefined where they have a cost and no tokens. */
function runOf(points: readonly PointRow[], claim: string): Parameters<Ingest>[1][number] | undefined {
  const sum = (kind: PointRow['kind']) =>
    points
      .filter((point) => point.kind === kind)
      .reduce((all, { counting, counted }) => all + Number(counting ?? counted) - Number(counted), 0)
  const [cacheRead, cacheCreation, output] = [sum('cache_read'), sum('cache_creation'), sum('output')]
  const input = sum('input') + cacheRead + cacheCreation
  const [first] = points
  if (!first || input + output === 0) return undefined
  const { run, session } = first.call
  const { telemetry = { billing: 'metered' } } = run
  const cost = sum('cost')
  return withoutUndefined<RecordedRun & { external_id: string; model: string; chain_id: string; started_at: string }>({
    ...run,
    external_id: `otlp:metrics:${claim}`,
    model: run.model ?? '',
    chain_id: session,
    started_at: new Date(Math.min(...points.map(({ started_at }) => started_at.getTime()))).toISOString(),
    ended_at: new Date(Math.max(...points.map(({ ended_at }) => ended_at.getTime()))).toISOString(),
    status: 'succeeded',
    ...usageFields({ input, output, cacheRead, cacheCreation }),
    telemetry: { ...telemetry, ...(cost > 0 && { reported_cost_usd: formatUsd(BigInt(cost)) }) },
  })
}
