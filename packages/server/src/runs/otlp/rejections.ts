import type { Clock } from '../../platform/infra/clock.ts'
import type { Log } from '../../platform/infra/log.ts'
import { formatId } from '../../values/id.ts'
import { Lru } from '../../values/lru.ts'
import type { PartialSuccess } from './answers.ts'
import type { RejectedRun } from './trace-ingest.ts'

const maxReasons = 10

/** Items that could not be converted to runs: their number, and the reasons for the first few. */
export interface Rejected {
  readonly count: number
  readonly messages: readonly string[]
}

/** Returns OTLP's partial success of a request; undefined for one that was accepted as a whole. */
export function partialSuccess(rejected: Rejected, refused: readonly RejectedRun[]): PartialSuccess | undefined {
  const all = rejected.count + refused.length
  if (all === 0) return undefined
  const reasons = [
    ...rejected.messages,
    ...refused.map(({ run, reason }) => `${run.external_id.replace(/^otlp:/, '')}: ${reason.code}: ${reason.message}`),
  ].slice(0, maxReasons)
  const more = all - reasons.length
  return { rejected: all, errorMessage: reasons.join('; ') + (more > 0 ? `; and ${more} more` : '') }
}

const logEveryMs = 60_000
const maxTracked = 1_000

/** Creates a log of what was rejected: exporters rarely show a partial success. At most one line per minute and organization. */
export function createRejectionLog(
  log: Log,
  clock: Clock,
  what: string,
): (orgId: string, partial: PartialSuccess) => void {
  const loggedAtMs = new Lru<string, number>(maxTracked)
  return (orgId, partial) => {
    const nowMs = clock.now().getTime()
    if (nowMs - (loggedAtMs.get(orgId) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return
    loggedAtMs.set(orgId, nowMs)
    log.warn({ org_id: formatId('org', orgId), ...partial }, `${what} were not recorded`)
  }
}
