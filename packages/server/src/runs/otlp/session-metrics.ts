import { baseName } from '../../money/prices/prices.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { withoutUndefined } from '../../values/records.ts'
import type { RecordedRun } from '../runs.ts'
import { usageFields } from './assistant-runs.ts'
import { recorderOf } from './recorder.ts'
import { Unrecordable } from './run-fields.ts'
import { heldUsage } from './second-report-queries.ts'
import { isCovered, signalSkewMs } from './second-reports.ts'
import {
  claimPoints,
  closeClaim,
  dropPoints,
  lockClaim,
  lockSessions,
  openClaims,
  type PointRow,
  quietSessions,
  setMetricsUntil,
  uncountedPoints,
} from './telemetry-queries.ts'
import { type Ingest, recordRuns } from './trace-ingest.ts'
import type { WaitingCounter } from './waiting-metrics.ts'

/** Sums that assistants report as metrics, counted once their session has been quiet. */

const perTurn = 200

interface Parts extends Pick<Platform, 'sql' | 'log'> {
  readonly ingest: Ingest
  readonly counter: WaitingCounter
}

/** Claims the sums of sessions that have been quiet; one that fails keeps no other from it. Returns true when more may be due. */
export async function claimQuietSessions(orgId: string, parts: Parts, quietForMs: number): Promise<boolean> {
  const { sql, log, counter } = parts
  const sessions = await sql.asOrgs([orgId], (tx) => quietSessions(tx, orgId, quietForMs, perTurn))
  let failures = 0
  for (const { lineage_id: lineageId, session } of sessions)
    try {
      await sql.asOrgs([orgId], (tx) => claimSession(tx, orgId, lineageId, session))
    } catch (error) {
      failures += 1
      counter.inc({ signal: 'metrics', outcome: 'failed' })
      log.warn({ error, org_id: formatId('org', orgId) }, 'metrics of a session could not be counted')
    }
  return failures === 0 && sessions.length === perTurn
}

/**
 * Settles what is counted of a session: not what is after the first call that is reported by itself, and nothing of a model for which
 * a gateway has held as much in the session. Only then it is recorded, under the id of the claim.
 */
async function claimSession(tx: Tx, orgId: string, lineageId: string, session: string) {
  const [known] = await lockSessions(tx, orgId, lineageId, [session])
  const points = await uncountedPoints(tx, orgId, lineageId, session)
  const [first] = points
  if (!first) return
  const since = known?.calls_since?.getTime() ?? Number.POSITIVE_INFINITY
  const held = await heldUsage(tx, orgId, first.call.session)
  const byModel = Map.groupBy(points, ({ call }) => baseName(call.run.model ?? ''))
  const counted = [...byModel].flatMap(([model, same]) =>
    isCovered(held, { model, ...tokensIn(same) })
      ? []
      : same.filter(({ ended_at }) => ended_at.getTime() + signalSkewMs < since),
  )
  const isCounted = new Set(counted)
  const dropped = points.filter((point) => !isCounted.has(point))
  await dropPoints(tx, orgId, lineageId, namesOf(dropped))
  for (const group of Map.groupBy(counted, ({ call }) => JSON.stringify([call.agent, call.run])).values())
    await claimPoints(tx, orgId, lineageId, namesOf(group), newUuid())
  const until = Math.max(0, ...counted.map(({ ended_at }) => ended_at.getTime()))
  if (until > 0) await setMetricsUntil(tx, orgId, lineageId, session, new Date(until))
}

const namesOf = (points: readonly PointRow[]) => points.map(({ point }) => point)

/** Returns the tokens that points have reported, whether they are counted yet or not. */
function tokensIn(points: readonly PointRow[]) {
  const sum = (isOf: (kind: PointRow['kind']) => boolean) =>
    points.filter(({ kind }) => isOf(kind)).reduce((all, { value }) => all + Number(value), 0)
  return { input: sum((kind) => kind !== 'output' && kind !== 'cost'), output: sum((kind) => kind === 'output') }
}

/** Records what is claimed; a claim that fails keeps no other from it. */
export async function recordClaims(orgId: string, parts: Parts) {
  const { sql, log, counter } = parts
  for (const claim of await sql.asOrgs([orgId], (tx) => openClaims(tx, orgId, perTurn)))
    try {
      await recordClaim(orgId, claim, parts)
    } catch (error) {
      counter.inc({ signal: 'metrics', outcome: 'failed' })
      log.warn({ error, org_id: formatId('org', orgId) }, 'metrics of a session could not be recorded')
    }
}

const recordClaim = (orgId: string, claim: string, { sql, log, ingest, counter }: Parts) =>
  sql.asOrgs([orgId], async (tx) => {
    const points = await lockClaim(tx, orgId, claim)
    const [first] = points
    if (!first) return
    const reject = (reason: string) => {
      counter.inc({ signal: 'metrics', outcome: 'rejected' })
      log.warn({ org_id: formatId('org', orgId), reason }, 'metrics of a session were not recorded')
    }
    const run = recordable(() => runOf(points, claim), reject)
    if (run) {
      const reportedAtMs = Math.max(...points.map(({ touched_at }) => touched_at.getTime()))
      const refused = await recordRuns(ingest, recorderOf(orgId, first.call.agent), [run], reportedAtMs)
      for (const { reason } of refused) reject(reason.message)
      counter.inc({ signal: 'metrics', outcome: 'recorded' }, 1 - refused.length)
    }
    await closeClaim(tx, orgId, claim)
  })

/** Returns undefined where no run can be made: what is claimed is closed all the same, and keeps nothing else from being counted. */
function recordable<T>(make: () => T, reject: (reason: string) => void): T | undefined {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof Unrecordable)) throw error
    reject(error.message)
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
