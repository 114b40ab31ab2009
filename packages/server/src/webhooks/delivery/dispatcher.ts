import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpOutcome } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { DeliverySigning } from '../signing/signature.ts'
import { type DueRow, type EndpointRow, leaseQueues } from './dispatch-queries.ts'
import { type DueContext, type DueWork, readDueWork } from './due-work.ts'
import { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'
import type { EventPayload, PayloadCache } from './payload-cache.ts'
import { type QueueAllotment, shareCapacity } from './queue-allotments.ts'
import { ResultRecorder } from './result-recorder.ts'
import { parseRetryAfter } from './retry-after.ts'
import { retryAfterSeconds } from './schedule.ts'
import { createWays, type Way, type WayOptions, type Ways } from './ways.ts'

const pollEveryMs = 200
const maxQueuesPerPoll = 100
/** The share of the concurrency that slow and failing endpoints may use together. */
const degradedShare = 0.25
/** The lease time beyond the timeout of an attempt, for the work before and after it. */
const leaseReserveSeconds = 15

export interface DispatcherOptions extends WayOptions {
  readonly metrics: DeliveryMetrics
  readonly recent: PayloadCache
}

/** An attempt in progress. An event that is no longer stored cannot be sent. */
interface AttemptInProgress {
  readonly row: DueRow
  readonly at: Date
  readonly version: DeliverySigning['version']
  readonly payload: EventPayload | undefined
}

/**
 * Sends the due deliveries of all subscriptions concurrently, until it is closed: it leases queues, shares its slots among them,
 * reads and sends their deliveries, and hands the outcomes to the recorder, which also releases the queues.
 */
export class Dispatcher {
  private readonly platform: Platform
  private readonly options: DispatcherOptions
  private readonly leaseSeconds: number
  private readonly minShare: number
  private readonly degradedSlots: number
  private readonly longestRetrySeconds: number
  private readonly ways: Ways
  private readonly recorder: ResultRecorder
  private readonly leased = new Set<LeasedQueue>()
  /** Number of deliveries in progress. */
  private busy = 0
  private isClosed = false
  private wakeUp = () => {}
  private readonly running: Promise<void>

  constructor(platform: Platform, options: DispatcherOptions) {
    const { webhookConcurrency, webhookRetrySeconds, webhookTimeoutSeconds } = platform.config
    this.platform = platform
    this.options = options
    this.leaseSeconds = webhookTimeoutSeconds + leaseReserveSeconds
    this.minShare = Math.max(1, Math.floor(webhookConcurrency / 32))
    this.degradedSlots = Math.max(1, Math.floor(webhookConcurrency * degradedShare))
    this.longestRetrySeconds = Math.max(0, ...webhookRetrySeconds)
    this.ways = createWays(platform, options)
    this.recorder = new ResultRecorder(platform, options.metrics, {
      onRecorded: (queue, id) => {
        queue.sending.delete(id)
        this.busy--
        this.wake()
      },
      onReleased: (queue) => this.leased.delete(queue),
    })
    this.running = this.run()
  }

  /** Looks for work at once instead of at the next poll. */
  wake() {
    this.wakeUp()
  }

  /** Stops, once attempts in progress have ended and each queue is released with its last result. */
  async close() {
    this.isClosed = true
    this.wake()
    await this.running
    while (this.leased.size > 0) {
      for (const queue of this.leased) {
        queue.drain('closing')
        this.recorder.settle(queue)
      }
      await this.recorder.written()
    }
  }

  private async run() {
    while (!this.isClosed) {
      const woken = new Promise<void>((resolve) => {
        this.wakeUp = resolve
      })
      const isBusy = await this.dispatchOnce().catch(async (error: unknown) => {
        this.platform.log.warn({ error }, 'polling for deliveries failed and will be retried')
        await sleep(pollEveryMs)
        return false
      })
      if (!isBusy || this.free <= 0) await Promise.race([woken, sleep(pollEveryMs)])
    }
  }

  private get free() {
    return this.platform.config.webhookConcurrency - this.busy
  }

  /** Leases queues and starts deliveries once. Returns true when there may be more to do immediately. */
  private async dispatchOnce(): Promise<boolean> {
    const { free } = this
    if (free > 0) {
      await this.leaseMore(false, free - [...this.leased].filter(({ sending }) => sending.size === 0).length)
      await this.leaseMore(true, Math.min(free, this.degradedFree(1)))
    }
    for (const queue of this.leased) queue.endTurnIfOver()
    const wanting = this.isClosed ? [] : [...this.leased].filter((queue) => queue.wantsMore)
    const allotments = shareCapacity(wanting, { free, degradedFree: this.degradedFree(0), minShare: this.minShare })
    if (allotments.length > 0) await this.fillQueues(allotments)
    for (const queue of this.leased) this.recorder.settle(queue)
    return allotments.length > 0
  }

  private async leaseMore(onlyTroubled: boolean, free: number) {
    if (free <= 0) return
    const { leaseSeconds } = this
    const leasedAtMs = performance.now()
    const most = Math.min(maxQueuesPerPoll, free)
    for (const row of await leaseQueues(this.platform.sql, { leaseSeconds, onlyTroubled, most }))
      this.leased.add(new LeasedQueue(row, { isInDegradedPool: onlyTroubled, leasedAtMs, leaseSeconds }))
  }

  /** Returns the free slots of degraded queues. With `least` 1, every leased queue counts, even if it has started nothing yet. */
  private degradedFree(least: 0 | 1) {
    let used = 0
    for (const queue of this.leased) if (queue.isInDegradedPool) used += Math.max(least, queue.sending.size)
    return this.degradedSlots - used
  }

  private async fillQueues(allotments: readonly QueueAllotment[]) {
    for (const { queue } of allotments) queue.beginRead()
    try {
      const work = await readDueWork(this.platform.sql, this.options.recent, allotments)
      for (const allotment of allotments) this.startAttempts(allotment, work)
    } finally {
      for (const { queue } of allotments) queue.endRead()
    }
  }

  private startAttempts({ queue, room }: QueueAllotment, { endpoints, due, payloads, ...context }: DueWork) {
    const endpoint = endpoints.get(queue.subscriptionId)
    const rows = endpoint?.enabled === true ? (due.get(queue.subscriptionId) ?? []) : []
    const way = endpoint && rows.length > 0 && queue.mayStart ? this.wayTo(queue, endpoint, context) : undefined
    if (way)
      for (const row of rows) if (!queue.isStarted(row.id)) this.send(queue, way, row, payloads.get(row.event_id))
    queue.recordRead(rows.length, room)
  }

  /**
   * Returns the way to an endpoint, with its secrets. A secret that cannot be unsealed, because its master key is gone, affects only
   * its own queue.
   */
  private wayTo(queue: LeasedQueue, endpoint: EndpointRow, context: DueContext): Way | undefined {
    try {
      return this.ways.to(endpoint, context)
    } catch (error) {
      const { log } = this.platform
      log.error({ error, subscription_id: queue.subscriptionId }, 'the secret of a subscription cannot be unsealed')
      queue.drain('stuck')
      return undefined
    }
  }

  private send(queue: LeasedQueue, way: Way, row: DueRow, payload: EventPayload | undefined) {
    queue.sending.add(row.id)
    this.busy++
    const attempt = { row, at: this.platform.clock.now(), version: way.version, payload }
    void this.attempt(way, attempt).then((outcome) => this.recordOutcome(queue, attempt, outcome))
  }

  /** Makes an attempt. A fault of ours in making a message is a failed attempt of its own queue. */
  private async attempt(way: Way, { row, at, payload }: AttemptInProgress): Promise<HttpOutcome> {
    if (!payload) return { error: 'protocol', message: 'The event is no longer stored.', latencyMs: 0 }
    try {
      return await way.attempt(row, at, payload.payload)
    } catch (error) {
      this.platform.log.error({ error, delivery_id: row.id }, 'a delivery could not be attempted')
      return { error: 'protocol', message: 'The message could not be made.', latencyMs: 0 }
    }
  }

  private recordOutcome(queue: LeasedQueue, { row, at, version, payload }: AttemptInProgress, outcome: HttpOutcome) {
    const { config, clock } = this.platform
    const status = 'status' in outcome ? outcome.status : 0
    const ok = status >= 200 && status < 300
    const isGone = status === 410
    const waitSeconds = this.requestedWaitSeconds(outcome)
    if (payload) queue.recordAttempt({ ok, latencyMs: outcome.latencyMs, isGone, waitSeconds })
    const retry = retryAfterSeconds(config.webhookRetrySeconds, row.attempt_count + 1, Math.random())
    const isLast = retry === undefined || isGone || !payload
    const lagMs = payload && clock.now().getTime() - payload.createdAt.getTime()
    this.options.metrics.observe(outcome, {
      version,
      isDelivered: ok,
      isLast,
      ...(row.attempt_count === 0 && lagMs !== undefined && { lagMs }),
    })
    this.recorder.add(queue, {
      orgId: queue.orgId,
      subscriptionId: queue.subscriptionId,
      id: row.id,
      state: ok ? 'delivered' : isLast ? 'failed' : 'pending',
      retrySeconds: Math.max(retry ?? 0, waitSeconds),
      attempt: attemptView(at, outcome, ok),
    })
  }

  /** Returns the time for which the endpoint asks to be left alone, up to the longest pause of the retry schedule. */
  private requestedWaitSeconds(outcome: HttpOutcome): number {
    if (!('status' in outcome) || (outcome.status !== 429 && outcome.status !== 503)) return 0
    const seconds = parseRetryAfter(outcome.retryAfter, this.platform.clock.now().getTime())
    return Math.min(seconds, this.longestRetrySeconds)
  }
}

const attemptView = (at: Date, outcome: HttpOutcome, isDelivered: boolean) => ({
  at: timestamp(at),
  status: 'status' in outcome ? outcome.status : null,
  error: 'error' in outcome ? outcome.error : null,
  error_message: 'error' in outcome ? outcome.message : null,
  latency_ms: Math.round(outcome.latencyMs),
  response: isDelivered || 'error' in outcome ? null : outcome.excerpt,
})
