import { systemClock } from '../../src/platform/infra/clock.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import { createRateLimiter, type RateLimitWindow } from '../../src/platform/infra/rate-limiter.ts'
import { openRedis } from '../../src/platform/infra/redis.ts'
import { secret } from '../../src/values/secret.ts'

/** A process that takes from one window as fast as it is told to, and says what it was admitted and when. */

export interface TakerTask {
  readonly redisUrl: string
  readonly orgId: string
  readonly limit: number
  readonly windowSeconds: number
  readonly maxCost: number
  /** Ends after so many takes, or after this long, whichever is first. */
  readonly takes: number
  readonly forMs: number
  readonly concurrency: number
  readonly maxPauseMs: number
}

export interface TakerReport {
  readonly takes: number
  readonly admitted: readonly Take[]
  /** The first of them. */
  readonly refused: readonly Take[]
  readonly notByRedis: number
}

export type Take = readonly [atMs: number, cost: number]

if (import.meta.main) {
  const task = JSON.parse(process.argv[2]!) as TakerTask
  const log = createLog({ level: 'fatal', role: 'test' })
  // A busy machine is no reason to give up: what is proved here is the count.
  const redis = openRedis({ url: secret(task.redisUrl), log, commandTimeoutMs: 10_000 })
  const metrics = createMetrics({ version: '0', role: 'test' })
  const limits = createRateLimiter({ redis, metrics, clock: systemClock, log }, () => 1)
  while (!(await redis.isReachable())) await new Promise((resolve) => setTimeout(resolve, 5))

  const admitted: Take[] = []
  const refused: Take[] = []
  let takes = 0
  let notByRedis = 0
  const endMs = performance.now() + task.forMs
  const workers = Array.from({ length: task.concurrency }, async () => {
    while (takes < task.takes && performance.now() < endMs) {
      takes++
      const cost = 1 + Math.floor(Math.random() * task.maxCost)
      const window: RateLimitWindow = {
        name: 'w',
        limit: task.limit,
        windowSeconds: task.windowSeconds,
        cost,
        shape: 'sliding',
      }
      const verdict = await limits.take(task.orgId, [window], 'allow')
      if (!('by' in verdict)) notByRedis++
      else if (verdict.outcome === 'admitted') admitted.push([verdict.atMs, cost])
      else if (refused.length < 2_000) refused.push([verdict.atMs, cost])
      const pauseMs = Math.random() * task.maxPauseMs
      if (pauseMs >= 1) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  })
  await Promise.all(workers)
  process.stdout.write(JSON.stringify({ takes, admitted, refused, notByRedis } satisfies TakerReport))
  await redis.close()
}
