import type { QueueKey, QueueNews, TakenQueue } from './dispatch-queries.ts'
import { type Health, isTroubled, learned, maxPauseSeconds, pauseSeconds, widthOf } from './schedule.ts'

/** The time after which a busy queue is released, so that other waiting queues get their turn. */
const turnMs = 10_000

/** A subscription's queue while this process has it on lease. */
export class LeasedQueue implements QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
  readonly isAmongTroubled: boolean
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
  private health: Health
  private hasTried = false
  private hasSucceeded = false

  constructor({ orgId, subscriptionId, lease, ...health }: TakenQueue, isAmongTroubled: boolean, leasedAtMs: number) {
    this.orgId = orgId
    this.subscriptionId = subscriptionId
    this.isAmongTroubled = isAmongTroubled
    this.lease = lease
    this.leasedAtMs = leasedAtMs
    this.takenAtMs = leasedAtMs
    this.health = health
  }

  learn(outcome: { ok: boolean; latencyMs: number }) {
    this.health = learned(this.health, outcome)
    this.hasTried = true
    this.hasSucceeded ||= outcome.ok
  }

  get room() {
    return Math.max(0, widthOf(this.health) - this.sending.size)
  }

  /** True when at least half of the queue's concurrency is free, so that it is not read for every single slot. */
  get wantsMore() {
    return !this.isOver && !this.isGivenBack && this.room * 2 >= widthOf(this.health)
  }

  /** True while the endpoint fails: nothing more is started, and the queue is released to pause for a while. */
  get isFailing() {
    return this.hasTried && pauseSeconds(this.health) > 0
  }

  /** True when nothing more is started: the queue is released as soon as no delivery is in progress. */
  get isOver() {
    return (
      !this.mayHaveMore ||
      this.isFailing ||
      this.isGone ||
      this.isStuck ||
      this.isLost ||
      // Its class has changed between healthy and degraded: it is leased again in the right pool.
      (this.hasTried && isTroubled(this.health) !== this.isAmongTroubled) ||
      performance.now() - this.takenAtMs > turnMs
    )
  }

  private get pauseSeconds() {
    if (this.isStuck) return maxPauseSeconds
    return this.hasTried ? pauseSeconds(this.health) : 0
  }

  news(isGivenBack: boolean, leaseSeconds: number): QueueNews {
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
      troubled: isTroubled(this.health),
      failures,
      latencyMs,
      hasTried,
      hasSucceeded,
    }
  }
}
