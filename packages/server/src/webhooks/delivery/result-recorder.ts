import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditRecord, auditKeyring, record } from '../../access/audit/audit.ts'
import { emit } from '../../access/events/events.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { refreshOptIns } from '../subscriptions/subscriptions.ts'
import {
  type DeliveryResult,
  type DisabledRow,
  deferBlocked,
  disableSubscriptions,
  forceKeyLookups,
  type LeaseUpdate,
  recordQueues,
  recordResults,
} from './dispatch-queries.ts'
import type { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'

const perBatch = 500
const retryMs = 200
/** The number of days for which every delivery must fail before the subscription is disabled. */
const failingDays = 5

interface Entry {
  readonly queue: LeasedQueue
  readonly result: DeliveryResult
}

/**
 * Records the results of attempts, batching those that gather while the previous batch is written. Nothing is dropped: while
 * PostgreSQL is unavailable the write is retried, and until then the slots stay occupied.
 */
export function createResultRecorder(
  { sql, log, config }: Platform,
  leaseSeconds: number,
  {
    onRecorded,
    onReleased,
    metrics,
  }: {
    onRecorded: (queue: LeasedQueue, id: string) => void
    onReleased: (queue: LeasedQueue) => void
    metrics: DeliveryMetrics
  },
) {
  const keyring = auditKeyring(config.masterKeys())
  let waiting: Entry[] = []
  const settling = new Set<LeasedQueue>()
  let flushing: Promise<void> | undefined

  /** True when a third of the lease has passed, so that it is renewed long before it expires. */
  const isOld = ({ leasedAtMs }: LeasedQueue) => performance.now() - leasedAtMs > (leaseSeconds * 1_000) / 3
  const hasWork = () => waiting.length > 0 || settling.size > 0
  const wake = () => {
    flushing ??= flushAll().finally(() => {
      flushing = undefined
      if (hasWork()) wake()
    })
  }

  async function flushAll() {
    // Waits one turn of the event loop, so that responses that arrive together are written together.
    await new Promise(setImmediate)
    while (hasWork()) {
      const entries = waiting.slice(0, perBatch)
      waiting = waiting.slice(perBatch)
      const queues = new Set([...entries.map(({ queue }) => queue), ...settling])
      settling.clear()
      const news = leaseUpdatesOf(entries, queues)
      await write(entries, news)
      for (const { queue, result } of entries) onRecorded(queue, result.id)
      for (const [queue, { isGivenBack }] of news) if (isGivenBack) onReleased(queue)
    }
  }

  /**
   * Writes a batch; when the database rejects its data, writes it queue by queue, so that one queue's fault does not block the
   * results of all others.
   */
  async function write(entries: readonly Entry[], news: ReadonlyMap<LeasedQueue, LeaseUpdate>) {
    for (;;) {
      const written = await tryToWrite(entries, news)
      if (written === 'yes') return
      if (written === 'not_now') await sleep(retryMs)
      else break
    }
    const queues = new Set([...entries.map(({ queue }) => queue), ...news.keys()])
    if (queues.size > 1) {
      for (const queue of queues) {
        const own = news.get(queue)
        await write(
          entries.filter((entry) => entry.queue === queue),
          new Map(own ? [[queue, own]] : []),
        )
      }
      return
    }
    // The text of a response is the only unpredictable part: without it, the rest can be written.
    if (entries.some(({ result }) => result.attempt.response !== null || result.attempt.error_message !== null))
      return write(entries.map(withoutResponseText), news)
    for (const queue of queues) {
      queue.isStuck = true
      log.error(
        { subscription_id: formatId('subscription', queue.subscriptionId) },
        'delivery results cannot be written; the deliveries will be sent again',
      )
    }
  }

  /**
   * Determines the lease updates: a queue is released with the last of its results; one that is held for long renews its lease.
   */
  function leaseUpdatesOf(entries: readonly Entry[], queues: ReadonlySet<LeasedQueue>) {
    const done = Map.groupBy(entries, ({ queue }) => queue)
    const news = new Map<LeasedQueue, LeaseUpdate>()
    for (const queue of queues) {
      const isIdle = queue.sending.size === (done.get(queue)?.length ?? 0)
      if (queue.isGivenBack) continue
      const isGivenBack = isIdle && !queue.isBeingRead && queue.isDone
      if (isGivenBack || isOld(queue)) news.set(queue, queue.leaseUpdate(isGivenBack, leaseSeconds))
      if (isGivenBack) queue.isGivenBack = true
    }
    return news
  }

  async function tryToWrite(entries: readonly Entry[], news: ReadonlyMap<LeasedQueue, LeaseUpdate>) {
    if (entries.length === 0 && news.size === 0) return 'yes'
    const queues = new Set([...entries.map(({ queue }) => queue), ...news.keys()])
    const startedMs = performance.now()
    try {
      const held = await sql.asOrgs([...new Set([...queues].map(({ orgId }) => orgId))], async (tx) => {
        await forceKeyLookups(tx)
        await recordResults(
          tx,
          entries.map(({ result }) => result),
        )
        const disabled = await disable(tx, [...queues])
        // A queue in which nothing could be sent may contain deliveries that are blocked by an earlier one.
        const unused = [...news.values()].filter(({ isGivenBack, hasTried }) => isGivenBack && !hasTried)
        if (unused.length > 0) await deferBlocked(tx, unused)
        const leases = news.size > 0 ? await recordQueues(tx, [...news.values()]) : new Set<string>()
        // The audit chain is the last lock of every transaction.
        for (const row of disabled) await record(tx, keyring, row.org_id, disabledEntry(row))
        return leases
      })
      for (const queue of news.keys()) {
        queue.isLost = !held.has(queue.subscriptionId)
        if (!queue.isLost) queue.leasedAtMs = startedMs
      }
      return 'yes'
    } catch (error) {
      log.warn({ error, results: entries.length }, 'delivery results were not written and will be retried')
      // SQLSTATE classes 22 and 23: the data itself is rejected, however often it is sent.
      return /^2[23]/.test((error as { code?: string }).code ?? '') ? 'never' : 'not_now'
    }
  }

  async function disable(tx: Tx, queues: readonly LeasedQueue[]) {
    const suspects = queues.filter(({ isGone, isFailing }) => isGone || isFailing)
    if (suspects.length === 0) return []
    const keys = suspects.map(({ orgId, subscriptionId, isGone }) => ({
      orgId,
      subscriptionId,
      reason: isGone ? ('gone' as const) : ('failing' as const),
    }))
    const disabled = await disableSubscriptions(tx, keys, failingDays)
    // Each takes the lock of its organization, in one order, as everywhere.
    const sorted = disabled.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))
    for (const { org_id, id, url, disabled_reason, disabled_at } of sorted) {
      const subject = formatId('subscription', id)
      await emit(tx, org_id, [
        {
          kind: 'subscription.disabled',
          subject,
          data: {
            subscription_id: subject,
            // The path of a URL often contains a secret of the endpoint.
            origin: new URL(url).origin,
            reason: disabled_reason,
            disabled_at: timestamp(disabled_at),
          },
        },
      ])
      await refreshOptIns(tx, org_id)
      metrics.disabled.inc({ reason: disabled_reason })
    }
    return sorted
  }

  return {
    add: (queue: LeasedQueue, result: DeliveryResult) => {
      waiting.push({ queue, result })
      wake()
    },
    /** Releases a queue without deliveries in progress, or renews its lease when that is due. */
    settle: (queue: LeasedQueue) => {
      if (queue.isGivenBack || (!isOld(queue) && (queue.sending.size > 0 || !queue.isDone))) return
      settling.add(queue)
      wake()
    },
    /** Resolves when nothing is left to write, or shortly after. */
    written: () => flushing ?? sleep(10),
  }
}

const withoutResponseText = ({ queue, result }: Entry): Entry => ({
  queue,
  result: { ...result, attempt: { ...result.attempt, response: null, error_message: null } },
})

const disabledEntry = ({ id, disabled_reason, disabled_at }: DisabledRow): AuditRecord => ({
  actor: { kind: 'system', id: 'webhooks', role: 'operator' },
  action: 'webhook.disabled',
  target: { kind: 'subscription', id: formatId('subscription', id) },
  after: { reason: disabled_reason, disabled_at: timestamp(disabled_at) },
  address: null,
  traceId: newTraceId(),
})
