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

/** Reasons why nothing more is started from a queue, in ascending order of weight: a later one replaces an earlier one. */
const drainReasons = [
  /** The last read left no due delivery behind. */
  'empty',
  /** The queue was held for long, and others wait for their turn. */
  'turn_over',
  /** The process stops. */
  'closing',
  /** The endpoint has become degraded or healthy: its queue is leased again in the right pool. */
  'reclassified',
  /** The endpoint fails: its queue pauses for a while. */
  'failing',
  /** The endpoint has said when it wants to be asked again. */
  'asked_to_wait',
  /** A fault of this service, such as a secret that cannot be unsealed: it says nothing about the endpoint. */
  'stuck',
  /** The endpoint has said that it is gone for good. */
  'gone',
] as const

type DrainReason = (typeof drainReasons)[number]

type QueueState =
  | { readonly name: 'active' }
  | { readonly name: 'draining' | 'returned'; readonly reason: DrainReason }
  | { readonly name: 'lost'; readonly reason: DrainReason | undefined }

/** The outcome of an attempt, as far as it says something about the endpoint. */
export interface EndpointOutcome {
  readonly ok: boolean
  readonly latencyMs: number
  readonly isGone: boolean
  /** The time for which the endpoint has asked to be left alone. */
  readonly waitSeconds: number
}

/**
 * A subscription's queue while this process has it on lease. Its state is one of:
 *
 * - `active`: deliveries are read and sent;
 * - `draining`: nothing more is started, for a reason; once no delivery is in progress the queue is released;
 * - `returned`: released with its last result, and due again when the database says so;
 * - `lost`: another process has leased the queue after this lease expired; only results in progress are still recorded.
 *
 * `active` → `draining` → `returned`; a renewal that fails makes it `lost` from either of the first two.
 */
export class LeasedQueue implements QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
  readonly isInDegradedPool: boolean
  /** Deliveries in progress: from when they are read until their result is recorded. */
  readonly sending = new Set<string>()
  readonly lease: string
  private state: QueueState = { name: 'active' }
  /** Deliveries in progress when the current read began; undefined while none is under way. */
  private sendingAtRead: ReadonlySet<string> | undefined
  private leasedAtMs: number
  private readonly leaseSeconds: number
  private readonly takenAtMs: number
  private health: EndpointHealth
  private waitUntilMs = 0
  private hasTried = false
  private hasSucceeded = false

  constructor(
    { orgId, subscriptionId, lease, ...health }: LeasedQueueRow,
    {
      isInDegradedPool,
      leasedAtMs,
      leaseSeconds,
    }: { isInDegradedPool: boolean; leasedAtMs: number; leaseSeconds: number },
  ) {
    this.orgId = orgId
    this.subscriptionId = subscriptionId
    this.isInDegradedPool = isInDegradedPool
    this.lease = lease
    this.leasedAtMs = leasedAtMs
    this.leaseSeconds = leaseSeconds
    this.takenAtMs = leasedAtMs
    this.health = health
  }

  get isActive() {
    return this.state.name === 'active'
  }

  get isReturned() {
    return this.state.name === 'returned'
  }

  get isLost() {
    return this.state.name === 'lost'
  }

  get isGone() {
    return this.reason === 'gone'
  }

  /** True while the endpoint fails so often that its queue pauses. */
  get isFailing() {
    return this.hasTried && pauseSeconds(this.health) > 0
  }

  get capacity() {
    return Math.max(0, concurrencyOf(this.health) - this.sending.size)
  }

  /** True when at least half of the queue's concurrency is free, so that it is not read for every single slot. */
  get wantsMore() {
    return this.mayStart && this.capacity * 2 >= concurrencyOf(this.health)
  }

  /** True when a delivery may be started: not while the lease may have expired, as in a process that was suspended. */
  get mayStart() {
    return this.isActive && this.leaseAgeMs <= this.leaseSeconds * 1_000
  }

  /** True when a third of the lease has passed, so that it is renewed long before it expires. */
  get isRenewalDue() {
    return this.leaseAgeMs > (this.leaseSeconds * 1_000) / 3
  }

  /** Begins a read. Deliveries whose result is recorded meanwhile must not look as if nobody had sent them. */
  beginRead() {
    this.sendingAtRead = new Set(this.sending)
  }

  endRead() {
    this.sendingAtRead = undefined
  }

  /** True when a delivery that was read is one that had been started before. */
  isStarted(id: string) {
    return this.sending.has(id) || (this.sendingAtRead?.has(id) ?? false)
  }

  /** Records how many deliveries a read found: with fewer than there was room for, none is left behind. */
  recordRead(found: number, room: number) {
    if (found === 0 || found < room + (this.sendingAtRead?.size ?? 0)) this.drain('empty')
  }

  endTurnIfOver() {
    if (performance.now() - this.takenAtMs > maxHoldMs) this.drain('turn_over')
  }

  recordAttempt({ ok, latencyMs, isGone, waitSeconds }: EndpointOutcome) {
    this.health = updateHealth(this.health, { ok, latencyMs })
    this.hasTried = true
    this.hasSucceeded ||= ok
    if (waitSeconds > 0) {
      this.waitUntilMs = Math.max(this.waitUntilMs, performance.now() + waitSeconds * 1_000)
      this.drain('asked_to_wait')
    }
    if (isGone) this.drain('gone')
    else if (this.isFailing) this.drain('failing')
    else if (isDegraded(this.health) !== this.isInDegradedPool) this.drain('reclassified')
  }

  drain(reason: DrainReason) {
    const { state } = this
    if (state.name === 'returned' || state.name === 'lost') return
    if (state.name === 'draining' && drainReasons.indexOf(reason) <= drainReasons.indexOf(state.reason)) return
    this.state = { name: 'draining', reason }
  }

  /** Releases a drained queue when no delivery is in progress but those whose results are about to be recorded. */
  release(finished: number): LeaseUpdate | undefined {
    if (this.state.name !== 'draining' || !this.isIdle(finished)) return undefined
    const update = this.leaseUpdate(true)
    this.state = { name: 'returned', reason: this.state.reason }
    return update
  }

  renewal(): LeaseUpdate {
    return this.leaseUpdate(false)
  }

  /** Records whether the lease still held when it was updated. */
  recordLease(isHeld: boolean, atMs: number) {
    if (isHeld) this.leasedAtMs = atMs
    else if (!this.isReturned) this.state = { name: 'lost', reason: this.reason }
  }

  /** True when no delivery is in progress but those that have finished, and none is about to be. */
  isIdle(finished: number) {
    return this.sending.size === finished && this.sendingAtRead === undefined
  }

  private get reason() {
    return this.state.name === 'active' ? undefined : this.state.reason
  }

  private get leaseAgeMs() {
    return performance.now() - this.leasedAtMs
  }

  private get pauseSeconds() {
    if (this.reason === 'stuck') return maxPauseSeconds
    const askedSeconds = Math.max(0, this.waitUntilMs - performance.now()) / 1_000
    return Math.max(askedSeconds, this.hasTried ? pauseSeconds(this.health) : 0)
  }

  private leaseUpdate(isGivenBack: boolean): LeaseUpdate {
    const { width, failures, latencyMs } = this.health
    const { orgId, subscriptionId, lease, leaseSeconds, hasTried, hasSucceeded } = this
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
