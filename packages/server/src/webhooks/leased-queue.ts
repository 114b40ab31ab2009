import type { QueueKey, QueueNews, TakenQueue } from './dispatch-queries.ts'
import { type Health, isTroubled, learned, maxPauseSeconds, pauseSeconds, widthOf } from './schedule.ts'

/** So long a queue that does not run dry is worked on before others that wait have their turn. */
const turnMs = 10_000

/** A subscription's queue while this process works on it. */
export class LeasedQueue implements QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
  readonly isAmongTroubled: boolean
  /** Deliveries from the moment they are read until what became of them is recorded. */
  readonly sending = new Set<string>()
  /** Whether the last look may have left some behind. */
  mayHaveMore = true
  /** It is being looked at: what is found will still be sent. */
  isBeingRead = false
  isGone = false
  /** Something of ours is in the way, such as a secret that cannot be opened: nothing is to be learned of its endpoint. */
  isStuck = false
  /** Another has taken it, because the lease had run out. */
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

  /** Looked at again when half of what it bears is free, not for each single one. */
  get wantsMore() {
    return !this.isOver && !this.isGivenBack && this.room * 2 >= widthOf(this.health)
  }

  /** While it fails nothing more is begun: it is given back, to be left alone for a while. */
  get isFailing() {
    return this.hasTried && pauseSeconds(this.health) > 0
  }

  /** Nothing more is begun: it is given back as soon as nothing of it is under way. */
  get isOver() {
    return (
      !this.mayHaveMore ||
      this.isFailing ||
      this.isGone ||
      this.isStuck ||
      this.isLost ||
      // It has become slow among the fast or well among the slow: it is taken again where it belongs.
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
