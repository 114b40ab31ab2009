/**
 * When a delivery is tried again, and how much an endpoint is asked to bear at once. Pure: no clock, no chance of its own.
 */

/** What a subscription's queue remembers of its endpoint. */
export interface Health {
  /** Requests that may be under way at once. */
  readonly width: number
  /** In a row. */
  readonly failures: number
  readonly latencyMs: number | null
}

const maxWidth = 32
/** So many requests a slow endpoint is given at once that together they take about this long. */
const patienceMs = 4_000
const slowMs = 2_000
/** After so many failures in a row an endpoint is asked once, and then left alone for longer and longer. */
export const failuresUntilPause = 3
export const maxPauseSeconds = 60
const jitter = 0.1

/** An endpoint that answers is trusted with more, step by step; one that fails with half. */
export function learned(before: Health, { ok, latencyMs }: { ok: boolean; latencyMs: number }): Health {
  const latency = before.latencyMs === null ? latencyMs : Math.round(before.latencyMs * 0.7 + latencyMs * 0.3)
  const bearable = Math.max(2, Math.floor(patienceMs / Math.max(1, latency)))
  return {
    width: ok ? Math.min(before.width + 1, bearable, maxWidth) : Math.max(1, before.width >> 1),
    failures: ok ? 0 : before.failures + 1,
    latencyMs: latency,
  }
}

/** Slow and failing endpoints wait among themselves, so that what they take is never missing to the others. */
export const isTroubled = ({ failures, latencyMs }: Health) =>
  failures >= failuresUntilPause || (latencyMs ?? 0) > slowMs

export const widthOf = ({ width, failures }: Health) => (failures >= failuresUntilPause ? 1 : width)

/** How long an endpoint that keeps failing is left alone, whatever waits for it. */
export const pauseSeconds = ({ failures }: Health) =>
  failures < failuresUntilPause ? 0 : Math.min(maxPauseSeconds, 2 ** (failures - failuresUntilPause))

/** Seconds until the next attempt after so many, or nothing where that was the last; `chance` is from 0 to 1. */
export function retryAfterSeconds(schedule: readonly number[], attempts: number, chance: number): number | undefined {
  const seconds = schedule[attempts - 1]
  return seconds === undefined ? undefined : seconds * (1 - jitter + 2 * jitter * chance)
}
