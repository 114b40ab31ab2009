import type { Caller } from '../../access/identity/identity.ts'
import type { Config } from '../../config.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Urgency } from '../../contract/routes.ts'
import { createLocalWindows } from '../../platform/infra/local-windows.ts'
import { wholeSeconds } from '../../platform/infra/rate-limiter.ts'
import { elementAt } from '../../values/present.ts'

/**
 * Default rates for organizations without limits of their own. Each process counts for itself, in memory: this keeps one
 * organization from monopolizing a process at no cost, whereas exact limits are set per organization and counted in Redis.
 */

type Settings = Pick<
  Config,
  | 'defaultReadsPerMinute'
  | 'defaultDecisionsPerMinute'
  | 'defaultIngestsPerMinute'
  | 'defaultChangesPerMinute'
  | 'readLimitPerMinute'
>

const maxWindows = 20_000
const windowMs = 60_000
const slices = 60

export type DefaultRates = (caller: Caller, routeClass: Urgency, nowMs: number) => ApiError | undefined

export function createDefaultRates(settings: Settings): DefaultRates {
  const windows = createLocalWindows(maxWindows)
  // The deprecated setting takes precedence for reads.
  const reads = settings.readLimitPerMinute === undefined ? settings.defaultReadsPerMinute : undefined
  const limits: Record<Urgency, { readonly kind: string; readonly limit: number | undefined }> = {
    decision: { kind: 'decisions', limit: settings.defaultDecisionsPerMinute },
    ingest: { kind: 'batches', limit: settings.defaultIngestsPerMinute },
    change: { kind: 'changes', limit: settings.defaultChangesPerMinute },
    read: { kind: 'reads', limit: reads },
    export: { kind: 'reads', limit: reads },
  }
  return ({ orgId, role, readRpm }, routeClass, nowMs) => {
    const { kind, limit } = limits[routeClass]
    // A row of limits, even an empty one, is a decision that replaces the defaults.
    if (limit === undefined || readRpm !== undefined || role === 'operator') return undefined
    const { admitted, counts } = windows.take([{ key: `${kind} ${orgId}`, limit, cost: 1, windowMs, slices }], nowMs)
    if (admitted) return undefined
    return new ApiError(
      'rate_limited',
      { retry_after_seconds: wholeSeconds(elementAt(counts, 0).waitMs) },
      { message: `Too many requests: at most ${limit} ${kind} per minute, unless an operator sets other limits.` },
    )
  }
}
