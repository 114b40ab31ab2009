import type { Lanes } from '../../decisions/lanes/lanes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { repeat } from '../../platform/infra/repeat.ts'
import { formatId } from '../../values/id.ts'
import { Rotation } from '../../values/rotation.ts'
import { claimQuietSessions, recordClaims } from './session-metrics.ts'
import { createIngest } from './trace-ingest.ts'
import { recordCallsOf } from './waiting-calls.ts'
import { createWaitingCounter } from './waiting-metrics.ts'
import { orgsWithDueTelemetry } from './waiting-queries.ts'

/** Telemetry that is not recorded as it comes: calls that a gateway may report too, and metrics, which calls make superfluous. */

/** Time without new metrics after which a session is counted by them: events come every few seconds, metrics every minute. */
export const quietMs = 15 * 60_000
const everyMs = 5_000
const orgsPerRound = 200

type Needed = Pick<Platform, 'sql' | 'clock' | 'log' | 'metrics'>

/** Records waiting telemetry, again and again, until it is closed. */
export function recordWaitingTelemetry(platform: Needed, lanes: Lanes) {
  return repeat(createRounds(platform, lanes, quietMs), {
    everyMs,
    onError: (error) => platform.log.warn({ error }, 'waiting telemetry was not recorded'),
  })
}

/**
 * Returns a function that records what is due of organizations, a bounded part of each: those whose turn it is, which is everybody's
 * in the course of some rounds. One that fails keeps none of the others from it. The function returns true when more may be due.
 */
export function createRounds(platform: Needed, lanes: Lanes, quietForMs: number): () => Promise<boolean> {
  const { sql, log, metrics } = platform
  const parts = { sql, log, ingest: createIngest(platform, lanes), counter: createWaitingCounter(metrics) }
  const turns = new Rotation()
  return async () => {
    const orgIds = await turns.next((after, most) => orgsWithDueTelemetry(sql, quietForMs, after, most), orgsPerRound)
    let isMore = orgIds.length === orgsPerRound
    for (const orgId of orgIds)
      try {
        if (await recordCallsOf(orgId, parts)) isMore = true
        if (await claimQuietSessions(orgId, parts, quietForMs)) isMore = true
        await recordClaims(orgId, parts)
      } catch (error) {
        log.warn({ error, org_id: formatId('org', orgId) }, 'waiting telemetry of an organization was not recorded')
      }
    return isMore
  }
}
