import type { LeasedQueueRow, LeaseUpdate, QueueKey } from './dispatch-queries.ts'
import {
  concurrencyOf,
  type EndpointHealth,
  isDegraded,
  maxPauseSeconds,
  pauseSeconds,
  updateHealth,
} from './schedule.ts'

/** The time after which a busy queue is released, so that other waiting queues get their turn. */
const maxHoldMs = 10_000

/** A subscription's queue while this process has it on lease. */
export class LeasedQueue implements QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
  readonly isInDegradedPool: boolean
  /** Deliveries in progress: from when they are read until their result is recorded. */
  readonly sending = new Set<string>()
  /** True when the last read may have left due deliveries behind. */
  mayHaveMore = true
  /** True while the queue is being read: deliveries found will still be sent. */
  isBeingRead = false
  isGone = false
  /**
   * True when a fault of this service blocks the queue, such as a secret that cannot be unsealed: it says nothing about the
   * endpoint.
   */
  isStuck = false
  /** True when another process has leased the queue after this lease expired. */
  isLost = false
  isGivenBack = false
  readonly lease: string
  leasedAtMs: number
  private readonly takenAtMs: number
  private health: EndpointHealth
  private hasTried = false
  private hasSucceeded = false

  constructor(
    { orgId, subscriptionId, lease, ...health }: LeasedQueueRow,
    isInDegradedPool: boolean,
    leasedAtMs: number,
  ) {
    this.orgId = orgId
    this.subscriptionId = subscriptionId
    this.isInDegradedPool = isInDegradedPool
    this.lease = lease
    this.leasedAtMs = leasedAtMs
    this.takenAtMs = leasedAtMs
    this.health = health
  }

  recordAttempt(outcome: { ok: boolean; latencyMs: number }) {
    this.health = updateHealth(this.health, outcome)
    this.hasTried = true
    this.hasSucceeded ||= outcome.ok
  }

  get capacity() {
    return Math.max(0, concurrencyOf(this.health) - this.sending.size)
  }

  /** True when at least half of the queue's concurrency is free, so that it is not read for every single slot. */
  get wantsMore() {
    return !this.isDone && !this.isGivenBack && this.capacity * 2 >= concurrencyOf(this.health)
  }

  /** True while the endpoint fails: nothing more is started, and the queue is released to pause for a while. */
  get isFailing() {
    return this.hasTried && pauseSeconds(this.health) > 0
  }

  /** True when nothing more is started: the queue is released as soon as no delivery is in progress. */
  get isDone() {
    return (
      !this.mayHaveMore ||
      this.isFailing ||
      this.isGone ||
      this.isStuck ||
      this.isLost ||
      // Its class has changed between healthy and degraded: it is leased again in the right pool.
      (this.hasTried && isDegraded(this.health) !== this.isInDegradedPool) ||
      performance.now() - this.takenAtMs > maxHoldMs
    )
  }

  private get pauseSeconds() {
    if (this.isStuck) return maxPauseSeconds
    return this.hasTried ? pauseSeconds(this.health) : 0
  }

  leaseUpdate(isGivenBack: boolean, leaseSeconds: number): LeaseUpdate {
    const { width, failures, latencyMs } = this.health
    const { orgId, subscriptionId, lease, hasTried, hasSucceeded } = this
    return {
      lease,
      orgId,
      subscriptionId,
      isGivenBack,
      leaseSeconds,
      pauseSeconds: this.pauseSeconds,
      width,
      troubled: isDegraded(this.health),
      failures,
      latencyMs,
      hasTried,
      hasSucceeded,
    }
  }
}
