import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../platform/infra/clock.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { runCooperatively } from '../../platform/infra/time-slice.ts'
import { newUuid } from '../../values/id.ts'
import { maxBulkRuns } from '../runs.ts'
import { convertLogs, type ReportedCall } from './assistant-events.ts'
import { convertMetrics, maxPoints } from './assistant-metrics.ts'
import type { Reporter } from './assistant-runs.ts'
import type { LogsRequest } from './logs.ts'
import { loadMapping } from './mapping.ts'
import type { MetricsRequest } from './metrics-request.ts'
import type { Rejected } from './rejections.ts'
import { sessionDigest, signalSkewMs, sortCalls } from './second-reports.ts'
import { callsSince, lockSessions, noteCalls, upsertPoints } from './telemetry-queries.ts'
import { type Ingest, type RejectedRun, recordRuns } from './trace-ingest.ts'
import { convertTraces } from './trace-runs.ts'
import { waitMs } from './waiting-calls.ts'
import { insertWaiting } from './waiting-queries.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** Records what coding assistants report of themselves, so that nothing is counted twice. */

export interface Recorded {
  readonly rejected: Rejected
  readonly refused: readonly RejectedRun[]
  readonly counts: Readonly<Record<'recorded' | 'known' | 'waiting' | 'ignored' | 'rejected', number>>
}

interface Parts {
  readonly sql: Sql
  readonly clock: Clock
  readonly ingest: Ingest
  readonly room: WaitingRoom
}

async function reporterOf({ sql, clock }: Parts, { orgId, lineageId, pins }: Caller): Promise<Reporter> {
  const mapping = await sql.asOrgs([orgId], (tx) => loadMapping(tx, orgId))
  return { lineageId, pins, mapping, nowMs: clock.now().getTime() }
}

export async function recordLogs(parts: Parts, caller: Caller, request: LogsRequest): Promise<Recorded> {
  const { sql, ingest, room } = parts
  const { orgId, lineageId } = caller
  const reporter = await reporterOf(parts, caller)
  const { calls, spans, rejected, ignored } = await runCooperatively(convertLogs(request, reporter))
  const traced = await runCooperatively(convertTraces(spans, reporter.nowMs, reporter.mapping))
  if (calls.length + traced.runs.length > maxBulkRuns)
    throw new ApiError('payload_too_large', {}, { message: `A request may have at most ${maxBulkRuns} model calls.` })
  const { fresh, waiting, known } = await sql.asOrgs([orgId], async (tx) => {
    const digests = [...new Set(calls.flatMap(({ session }) => (session === undefined ? [] : sessionDigest(session))))]
    const rows = digests.length === 0 ? [] : await lockSessions(tx, orgId, lineageId, digests)
    const untilOf = new Map(rows.map(({ session, metrics_until }) => [session, metrics_until?.getTime() ?? 0]))
    // Until then the session was counted by its metrics.
    const later = calls.filter(
      ({ session, endMs }) =>
        session === undefined || endMs > (untilOf.get(sessionDigest(session)) ?? 0) + signalSkewMs,
    )
    await noteCalls(tx, orgId, lineageId, sessionsOf(later))
    const sorted = await sortCalls(tx, orgId, later)
    // What there is no room for is recorded now: it may be counted twice then, which hides nothing.
    const admitted = await room.calls(tx, orgId, sorted.waiting.length)
    const held = sorted.waiting.slice(0, admitted)
    if (held.length > 0)
      await insertWaiting(
        tx,
        orgId,
        held.map((call) => waitingOf(call, caller)),
        waitMs,
      )
    return {
      fresh: [...sorted.fresh, ...sorted.waiting.slice(admitted)],
      waiting: held,
      known: sorted.known + calls.length - later.length,
    }
  })
  const runs = [...fresh.map(({ run }) => run), ...traced.runs]
  const refused = await recordRuns(ingest, caller, runs)
  const all = {
    count: rejected.count + traced.rejected.count,
    messages: [...rejected.messages, ...traced.rejected.messages],
  }
  return {
    rejected: all,
    refused,
    counts: {
      recorded: runs.length - refused.length,
      known,
      waiting: waiting.length,
      ignored: ignored + traced.ignored,
      rejected: all.count + refused.length,
    },
  }
}

/** Returns the sessions of calls, each with its first call. */
function sessionsOf(calls: readonly ReportedCall[]): { digest: string; sinceMs: number }[] {
  const first = new Map<string, number>()
  for (const { session, endMs } of calls) {
    if (session === undefined) continue
    const digest = sessionDigest(session)
    first.set(digest, Math.min(endMs, first.get(digest) ?? endMs))
  }
  return Array.from(first, ([digest, sinceMs]) => ({ digest, sinceMs }))
}

const waitingOf = ({ run, requestId, session = '', endMs }: ReportedCall, { kind, id, lineageId, pins }: Caller) => ({
  id: newUuid(),
  call: { agent: { kind, id, lineageId }, run: { ...run, ...pins }, requestId: requestId ?? null, session, endMs },
})

const noRoom = 'as much of the metrics of this key or its organization waits to be counted as may wait'

export async function recordMetrics(parts: Parts, caller: Caller, request: MetricsRequest): Promise<Recorded> {
  const { orgId, lineageId, kind, id, pins } = caller
  const reporter = await reporterOf(parts, caller)
  const { points, rejected, ignored } = await runCooperatively(convertMetrics(request, reporter))
  if (points.length > maxPoints)
    throw new ApiError(
      'payload_too_large',
      {},
      { message: `A request may have at most ${maxPoints} data points of usage.` },
    )
  // Of a series that is reported twice in one request only the higher value can be stored.
  const highest = new Map<string, (typeof points)[number]>()
  for (const point of points) if (point.value >= (highest.get(point.id)?.value ?? 0)) highest.set(point.id, point)
  const all = [...highest.values()].map((point) => ({
    ...point,
    call: { ...point.call, ...pins },
    digest: sessionDigest(point.session),
  }))
  const { known, kept, full } = await parts.sql.asOrgs([orgId], async (tx) => {
    const since = await callsSince(tx, orgId, lineageId, [...new Set(all.map(({ digest }) => digest))])
    const open = all.filter(
      ({ digest, endMs }) => endMs + signalSkewMs < (since.get(digest) ?? Number.POSITIVE_INFINITY),
    )
    const admitted = await parts.room.points(tx, orgId, lineageId, open.length)
    if (admitted > 0) await upsertPoints(tx, orgId, { kind, id, lineageId }, open.slice(0, admitted))
    return { known: points.length - open.length, kept: admitted, full: open.length - admitted }
  })
  const rejections = rejected.count + full
  return {
    rejected: {
      count: rejections,
      messages: [...rejected.messages, ...(full > 0 ? [noRoom] : [])],
    },
    refused: [],
    counts: { recorded: 0, known, waiting: kept, ignored, rejected: rejections },
  }
}
