/**
 * The next retry of a delivery, from the pauses of `SVC_WEBHOOK_RETRY_SECONDS`, and the concurrency of an endpoint. Pure: no clock and no
 * randomness of its own.
 */

/** The health of a subscription's endpoint, as its queue stores it. */
export interface EndpointHealth {
  /** The number of concurrent requests. */
  readonly width: number
  /** The number of consecutive failures. */
  readonly failures: number
  readonly latencyMs: number | null
}

const maxConcurrency = 32
/** The concurrency of a slow endpoint is limited so that its requests together take about this long. */
const targetBusyMs = 4_000
const slowMs = 2_000
/** After this many consecutive failures, an endpoint is tried with one request at a time, with growing pauses. */
export const failuresUntilPause = 3
export const maxPauseSeconds = 60
const jitter = 0.1

/** Updates the health after an attempt: each success raises the concurrency by one, each failure halves it. */
export function updateHealth(
  before: EndpointHealth,
  { ok, latencyMs }: { ok: boolean; latencyMs: number },
): EndpointHealth {
  const latency = before.latencyMs === null ? latencyMs : Math.round(before.latencyMs * 0.7 + latencyMs * 0.3)
  const sustainable = Math.max(2, Math.floor(targetBusyMs / Math.max(1, latency)))
  return {
    width: ok ? Math.min(before.width + 1, sustainable, maxConcurrency) : Math.max(1, before.width >> 1),
    failures: ok ? 0 : before.failures + 1,
    latencyMs: latency,
  }
}

/** True for slow and failing endpoints, which share a limited pool so that they never starve the others. */
export const isDegraded = ({ failures, latencyMs }: EndpointHealth) =>
  failures >= failuresUntilPause || (latencyMs ?? 0) > slowMs

export const concurrencyOf = ({ width, failures }: EndpointHealth) => (failures >= failuresUntilPause ? 1 : width)

/** Returns the pause of an endpoint that keeps failing, whatever is pending. */
export const pauseSeconds = ({ failures }: EndpointHealth) =>
  failures < failuresUntilPause ? 0 : Math.min(maxPauseSeconds, 2 ** (failures - failuresUntilPause))

/** Returns the seconds until the next attempt, or undefined after the last one; `chance` is from 0 to 1. */
export function retryAfterSeconds(schedule: readonly number[], attempts: number, chance: number): number | undefined {
  const seconds = schedule[attempts - 1]
  return seconds === undefined ? undefined : seconds * (1 - jitter + 2 * jitter * chance)
}
