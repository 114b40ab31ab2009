import { readFileSync } from 'node:fs'
import { Counter } from 'prom-client'
import { elementAt } from '../../values/present.ts'
import { createLocalWindows, type WindowCount, type WindowTake } from './local-windows.ts'
import type { Platform } from './platform.ts'
import { defineScript } from './redis.ts'

/** One rate limit window that a request counts against. */
export interface RateLimitWindow {
  /** Name of the limit, shown to callers; unique among the windows of a request. */
  readonly name: string
  /** Owner of the counter when each of several has its own: a key, a model. */
  readonly subject?: string
  readonly limit: number
  readonly windowSeconds: number
  readonly cost: number
  /** Sliding: at most the limit in any span of this length. Fixed: counted from one multiple of the length to the next. */
  readonly shape: 'sliding' | 'fixed'
}

export interface WindowState extends WindowCount {
  readonly window: RateLimitWindow
  readonly remaining: number
}

export type OnUnavailable = 'local' | 'deny' | 'allow'

export type RateLimitDecision =
  | {
      readonly outcome: 'admitted' | 'refused'
      readonly by: 'redis' | 'local'
      readonly atMs: number
      readonly windows: readonly WindowState[]
    }
  /** Redis is unavailable and nobody counted: the organization chose to admit (`unchecked`) or to refuse (`unavailable`). */
  | { readonly outcome: 'unchecked' | 'unavailable' }

export interface RateLimiter {
  /** Takes the cost from every window or from none. Never throws, and returns in time whatever Redis does. */
  readonly take: (
    orgId: string,
    windows: readonly RateLimitWindow[],
    onUnavailable: OnUnavailable,
  ) => Promise<RateLimitDecision>
  /** Counts one failed verification from an address. */
  readonly countFailure: (
    address: string,
    limitPerMinute: number,
  ) => Promise<{ overLimit: boolean; retryAfterSeconds: number }>
}

/** Number of slices per window: at most 1 in 60 of a sliding limit is unusable because time is sliced. */
const slicesPerWindow = 60
const maxLocalWindows = 20_000
const script = defineScript(readFileSync(new URL('./take-windows.lua', import.meta.url), 'utf8'))

/** Rounds a wait up to whole seconds, at least 1, as `Retry-After` requires. */
export const wholeSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))

/** Creates the rate limiter that all processes share. The clock of Redis decides, so processes need not agree on the time. */
export function createRateLimiter(
  { redis, metrics, clock, log }: Pick<Platform, 'redis' | 'metrics' | 'clock' | 'log'>,
  liveProcesses: () => number,
): RateLimiter {
  const local = createLocalWindows(maxLocalWindows)
  const fallbacks = new Counter({
    name: 'svc_rate_limit_fallback_total',
    help: 'Requests whose rate limits Redis did not decide, by fallback mode.',
    labelNames: ['mode'],
    registers: [metrics],
  })
  for (const mode of ['local', 'deny', 'allow']) fallbacks.inc({ mode }, 0)
  let isAnswering = true

  async function takeInRedis(tag: string, windows: readonly RateLimitWindow[]): Promise<RateLimitDecision> {
    const takes = windows.map((window) => toWindowTake(tag, window))
    const keys = takes.map(({ key }) => key)
    const args = takes.flatMap(({ limit, cost, windowMs, slices }) => [limit, cost, windowMs, slices].map(String))
    const [atMs, admitted, ...numbers] = (await redis.run(script, tag, keys, args)) as [number, number, ...number[]]
    const counts = windows.map((_, n) => {
      const [used, resetMs, waitMs] = numbers.slice(n * 3, n * 3 + 3) as [number, number, number]
      return { used, resetMs, waitMs }
    })
    return rateLimitDecision(windows, counts, admitted === 1, 'redis', atMs)
  }

  /**
   * Limits within this process: it admits its share, but at least the cost of the largest call, which could otherwise never be
   * admitted.
   */
  function takeLocally(tag: string, windows: readonly RateLimitWindow[]): RateLimitDecision {
    const processes = Math.max(1, liveProcesses())
    const shares = windows.map((window) => ({
      ...window,
      limit: Math.max(window.cost, Math.floor(window.limit / processes)),
    }))
    const atMs = clock.now().getTime()
    const { admitted, counts } = local.take(
      shares.map((share) => toWindowTake(tag, share)),
      atMs,
    )
    return rateLimitDecision(shares, counts, admitted, 'local', atMs)
  }

  async function take(
    tag: string,
    windows: readonly RateLimitWindow[],
    onUnavailable: OnUnavailable,
  ): Promise<RateLimitDecision> {
    try {
      const decided = await takeInRedis(tag, windows)
      isAnswering = true
      return decided
    } catch (error) {
      // Logged once per outage; the counter has the rest.
      if (isAnswering) log.warn({ error }, 'redis did not decide a rate limit')
      isAnswering = false
      fallbacks.inc({ mode: onUnavailable })
      if (onUnavailable === 'local') return takeLocally(tag, windows)
      return { outcome: onUnavailable === 'deny' ? 'unavailable' : 'unchecked' }
    }
  }

  return {
    take,
    countFailure: async (address, limitPerMinute) => {
      const window: RateLimitWindow = {
        name: 'auth',
        limit: limitPerMinute,
        windowSeconds: 60,
        cost: 1,
        shape: 'sliding',
      }
      const decided = await take(address, [window], 'local')
      if (decided.outcome !== 'refused') return { overLimit: false, retryAfterSeconds: 0 }
      return { overLimit: true, retryAfterSeconds: wholeSeconds(elementAt(decided.windows, 0).waitMs) }
    },
  }
}

/** Builds the script's arguments. The limit is not part of the key: a changed limit applies to what was already used. */
const toWindowTake = (
  tag: string,
  { name, subject, limit, cost, windowSeconds, shape }: RateLimitWindow,
): WindowTake => ({
  key: `weir:speed:{${tag}}:${name}:${subject ?? ''}`,
  limit,
  cost,
  windowMs: windowSeconds * 1_000,
  slices: shape === 'fixed' ? 0 : slicesPerWindow,
})

const rateLimitDecision = (
  windows: readonly RateLimitWindow[],
  counts: readonly WindowCount[],
  isAdmitted: boolean,
  by: 'redis' | 'local',
  atMs: number,
): RateLimitDecision => ({
  outcome: isAdmitted ? 'admitted' : 'refused',
  by,
  atMs,
  windows: windows.map((window, n) => ({
    window,
    ...elementAt(counts, n),
    remaining: Math.max(0, window.limit - elementAt(counts, n).used),
  })),
})
