import { setTimeout as sleep } from 'node:timers/promises'
import { auditKeyring } from '../../access/audit/audit.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { errorCode } from '../../values/thrown.ts'
import { disableDeadEndpoints, recordDisabled } from './dead-endpoints.ts'
import {
  type DeliveryResult,
  deferBlocked,
  forceKeyLookups,
  type LeaseUpdate,
  recordQueues,
  recordResults,
} from './dispatch-queries.ts'
import type { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'

const perBatch = 500
const retryMs = 200

interface Entry {
  readonly queue: LeasedQueue
  readonly result: DeliveryResult
}

type LeaseUpdates = ReadonlyMap<LeasedQueue, LeaseUpdate>

export interface RecorderListener {
  readonly onRecorded: (queue: LeasedQueue, id: string) => void
  /** Called once for each queue, when this process has nothing more to do with it. */
  readonly onReleased: (queue: LeasedQueue) => void
}

/**
 * Records the results of attempts, batching those that gather while the previous batch is written. Nothing is dropped: while
 * PostgreSQL is unavailable the write is retried, and until then the slots stay occupied.
 */
export class ResultRecorder {
  private readonly platform: Platform
  private readonly metrics: DeliveryMetrics
  private readonly listener: RecorderListener
  private readonly keyring: Keyring
  private waiting: Entry[] = []
  private readonly settling = new Set<LeasedQueue>()
  private flushing: Promise<void> | undefined

  constructor(platform: Platform, metrics: DeliveryMetrics, listener: RecorderListener) {
    this.platform = platform
    this.metrics = metrics
    this.listener = listener
    this.keyring = auditKeyring(platform.config.masterKeys())
  }

  add(queue: LeasedQueue, result: DeliveryResult) {
    this.waiting.push({ queue, result })
    this.wake()
  }

  /** Releases a queue without deliveries in progress, or renews its lease when that is due. */
  settle(queue: LeasedQueue) {
    if (queue.isReturned) return
    const isOver = !queue.isActive && queue.sending.size === 0
    if (!isOver && !queue.isRenewalDue) return
    this.settling.add(queue)
    this.wake()
  }

  /** Resolves when nothing is left to write, or shortly after. */
  written(): Promise<void> {
    return this.flushing ?? sleep(10)
  }

  private get hasWork() {
    return this.waiting.length > 0 || this.settling.size > 0
  }

  private wake() {
    this.flushing ??= this.flushAll().finally(() => {
      this.flushing = undefined
      if (this.hasWork) this.wake()
    })
  }

  private async flushAll() {
    // Waits one turn of the event loop, so that responses that arrive together are written together.
    await new Promise(setImmediate)
    while (this.hasWork) {
      const entries = this.waiting.slice(0, perBatch)
      this.waiting = this.waiting.slice(perBatch)
      const queues = new Set([...entries.map(({ queue }) => queue), ...this.settling])
      this.settling.clear()
      const { updates, released } = settleQueues(entries, queues)
      await this.write(entries, updates)
      for (const { queue, result } of entries) this.listener.onRecorded(queue, result.id)
      for (const queue of released) this.listener.onReleased(queue)
    }
  }

  /**
   * Writes a batch; when the database rejects its data, writes it queue by queue, so that one queue's fault does not block the
   * results of all others.
   */
  private async write(entries: readonly Entry[], updates: LeaseUpdates): Promise<void> {
    let written = await this.tryToWrite(entries, updates)
    while (written === 'not_now') {
      await sleep(retryMs)
      written = await this.tryToWrite(entries, updates)
    }
    if (written === 'yes') return
    const queues = new Set([...entries.map(({ queue }) => queue), ...updates.keys()])
    if (queues.size > 1) return this.writeEach(queues, entries, updates)
    // The text of a response is the only unpredictable part: without it, the rest can be written.
    if (entries.some(({ result }) => result.attempt.response !== null || result.attempt.error_message !== null))
      return this.write(entries.map(withoutResponseText), updates)
    for (const queue of queues) {
      queue.drain('stuck')
      this.platform.log.error(
        { subscription_id: formatId('subscription', queue.subscriptionId) },
        'delivery results cannot be written; the deliveries will be sent again',
      )
    }
  }

  private async writeEach(queues: ReadonlySet<LeasedQueue>, entries: readonly Entry[], updates: LeaseUpdates) {
    for (const queue of queues) {
      const update = updates.get(queue)
      await this.write(
        entries.filter((entry) => entry.queue === queue),
        new Map(update ? [[queue, update]] : []),
      )
    }
  }

  private async tryToWrite(entries: readonly Entry[], updates: LeaseUpdates): Promise<'yes' | 'not_now' | 'never'> {
    if (entries.length === 0 && updates.size === 0) return 'yes'
    const startedMs = performance.now()
    try {
      const held = await this.writeTransaction(entries, updates)
      for (const queue of updates.keys()) queue.recordLease(held.has(queue.subscriptionId), startedMs)
      return 'yes'
    } catch (error) {
      this.platform.log.warn(
        { error, results: entries.length },
        'delivery results were not written and will be retried',
      )
      // SQLSTATE classes 22 and 23: the data itself is rejected, however often it is sent.
      return /^2[23]/.test(errorCode(error) ?? '') ? 'never' : 'not_now'
    }
  }

  /** Writes results and lease updates in one transaction; returns the subscriptions whose leases still held. */
  private async writeTransaction(entries: readonly Entry[], updates: LeaseUpdates): Promise<ReadonlySet<string>> {
    const queues = new Set([...entries.map(({ queue }) => queue), ...updates.keys()])
    const orgIds = new Set([...queues].map(({ orgId }) => orgId))
    const results = entries.map(({ result }) => result)
    const news = [...updates.values()]
    const { held, disabled } = await this.platform.sql.asOrgs([...orgIds], async (tx) => {
      await forceKeyLookups(tx)
      await recordResults(tx, results)
      const disabledRows = await disableDeadEndpoints(tx, queues)
      // A queue in which nothing could be sent may contain deliveries that are blocked by an earlier one.
      const unused = news.filter(({ isGivenBack, hasTried }) => isGivenBack && !hasTried)
      if (unused.length > 0) await deferBlocked(tx, unused)
      const leases = news.length > 0 ? await recordQueues(tx, news) : new Set<string>()
      for (const row of disabledRows) await recordDisabled(tx, this.keyring, row)
      return { held: leases, disabled: disabledRows }
    })
    for (const { disabled_reason } of disabled) this.metrics.disabled.inc({ reason: disabled_reason })
    return held
  }
}

/**
 * Determines the lease updates: a queue is released with the last of its results; one that is held for long renews its lease; one
 * that is lost has none.
 */
function settleQueues(entries: readonly Entry[], queues: ReadonlySet<LeasedQueue>) {
  const finished = Map.groupBy(entries, ({ queue }) => queue)
  const updates = new Map<LeasedQueue, LeaseUpdate>()
  const released: LeasedQueue[] = []
  for (const queue of queues) {
    if (queue.isReturned) continue
    const count = finished.get(queue)?.length ?? 0
    const release = queue.release(count)
    if (release || (queue.isLost && queue.isIdle(count))) released.push(queue)
    if (release) updates.set(queue, release)
    else if (!queue.isLost && queue.isRenewalDue) updates.set(queue, queue.renewal())
  }
  return { updates, released }
}

const withoutResponseText = ({ queue, result }: Entry): Entry => ({
  queue,
  result: { ...result, attempt: { ...result.attempt, response: null, error_message: null } },
})
