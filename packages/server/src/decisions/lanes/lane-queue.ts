import type { LaneTask } from './operations.ts'
import { type BatchSize, FairQueue, type QueuedTask } from './queue.ts'

const quarantineMs = 60_000
const maxQuarantined = 10_000

/**
 * The tasks that wait in front of a lane, and the order in which they go. Failed tasks are tried apart from the others: parts of
 * a failed batch, and organizations with a recent request that could not be written, take every second turn at most.
 */
export class LaneQueue<T extends LaneTask, A> {
  private readonly queue: FairQueue<T, A>
  private readonly quarantine: FairQueue<T, A>
  private readonly quarantinedUntil = new Map<string, number>()
  private readonly bisected: (readonly QueuedTask<T, A>[])[] = []
  /** Organizations that another process had locked: each goes alone next, and waits for its lock. */
  private readonly contendedOrgs = new Set<string>()
  private wasRetry = false

  constructor(batchSize: BatchSize, workOf: (task: T) => number) {
    this.queue = new FairQueue(batchSize, workOf)
    this.quarantine = new FairQueue(batchSize, workOf)
  }

  get isEmpty() {
    return this.queue.size === 0 && !this.hasRetries()
  }

  add(waiting: QueuedTask<T, A>) {
    this.queueOf(waiting.task.orgId).add(waiting)
  }

  putBack(all: readonly QueuedTask<T, A>[]) {
    for (const [orgId, own] of Map.groupBy(all, ({ task }) => task.orgId)) this.queueOf(orgId).putBack(own)
  }

  /**
   * True when the organization's own backlog would make a new task wait too long; the backlog of others never closes the queue to
   * it.
   */
  isFullFor(orgId: string, maxWaiting: number, maxBatches: number): boolean {
    const queue = this.queueOf(orgId)
    if (queue.size >= maxWaiting || queue.sizeOf(orgId) >= maxWaiting / 2) return true
    return queue.batchesBefore(orgId) > maxBatches
  }

  /** Lets an organization go alone in one of the next batches. */
  runAlone(orgId: string) {
    this.contendedOrgs.add(orgId)
  }

  next(): readonly QueuedTask<T, A>[] {
    this.wasRetry = this.hasRetries() && (this.queue.size === 0 || !this.wasRetry)
    if (this.wasRetry) return this.bisected.shift() ?? this.quarantine.takeOne()
    const [orgId] = this.contendedOrgs
    if (orgId !== undefined) this.contendedOrgs.delete(orgId)
    return this.queue.take(orgId)
  }

  /** Splits a batch that cannot be written; returns true for a single task, which is left to the caller. */
  split(batch: readonly QueuedTask<T, A>[]): boolean {
    const [orgId, ...others] = new Set(batch.map(({ task }) => task.orgId))
    if (others.length === 0) this.quarantineFor(orgId!)
    if (batch.length === 1) return true
    const middle = Math.ceil(batch.length / 2)
    this.bisected.push(batch.slice(0, middle), batch.slice(middle))
    return false
  }

  private quarantineFor(orgId: string) {
    if (this.quarantinedUntil.size >= maxQuarantined) this.quarantinedUntil.clear()
    this.quarantinedUntil.set(orgId, performance.now() + quarantineMs)
    while (this.queue.sizeOf(orgId) > 0) for (const waiting of this.queue.take(orgId)) this.quarantine.add(waiting)
  }

  private hasRetries() {
    return this.bisected.length > 0 || this.quarantine.size > 0
  }

  private queueOf(orgId: string) {
    const untilMs = this.quarantinedUntil.get(orgId)
    if (untilMs === undefined) return this.queue
    if (performance.now() < untilMs || this.quarantine.sizeOf(orgId) > 0) return this.quarantine
    this.quarantinedUntil.delete(orgId)
    return this.queue
  }
}
