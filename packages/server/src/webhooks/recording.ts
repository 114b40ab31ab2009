import { setTimeout as sleep } from 'node:timers/promises'
import { emit } from '../events/events.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import {
  disableSubscriptions,
  putOffBlocked,
  type QueueNews,
  type Result,
  recordQueues,
  recordResults,
} from './dispatch-queries.ts'
import type { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'
import { refreshOptIns } from './subscriptions.ts'

const perBatch = 500
const tryAgainMs = 200
/** So long every delivery of a subscription has to fail before it is told nothing more. */
const failingDays = 5

interface Entry {
  readonly queue: LeasedQueue
  readonly result: Result
}

/**
 * Writes down what became of attempts, as many together as have gathered while the last were written. Nothing is dropped: while
 * PostgreSQL is away it is tried again, and as long no slot of it is free for another attempt.
 */
export function recordOutcomes(
  { sql, log }: Platform,
  leaseSeconds: number,
  {
    onRecorded,
    onGivenBack,
    metrics,
  }: {
    onRecorded: (queue: LeasedQueue, id: string) => void
    onGivenBack: (queue: LeasedQueue) => void
    metrics: DeliveryMetrics
  },
) {
  let waiting: Entry[] = []
  const settling = new Set<LeasedQueue>()
  let flushing: Promise<void> | undefined

  const hasWork = () => waiting.length > 0 || settling.size > 0
  const wake = () => {
    flushing ??= flushAll().finally(() => {
      flushing = undefined
      if (hasWork()) wake()
    })
  }

  async function flushAll() {
    // One turn of the event loop, so that answers which arrive together are written together.
    await new Promise(setImmediate)
    while (hasWork()) {
      const entries = waiting.slice(0, perBatch)
      waiting = waiting.slice(perBatch)
      const queues = new Set([...entries.map(({ queue }) => queue), ...settling])
      settling.clear()
      const news = newsOf(entries, queues)
      while (!(await isWritten(entries, news))) await sleep(tryAgainMs)
      for (const { queue, result } of entries) onRecorded(queue, result.id)
      for (const [queue, { isGivenBack }] of news) if (isGivenBack) onGivenBack(queue)
    }
  }

  /** A queue is given back with the last of its results; one that is kept long renews its lease. */
  function newsOf(entries: readonly Entry[], queues: ReadonlySet<LeasedQueue>) {
    const done = Map.groupBy(entries, ({ queue }) => queue)
    const news = new Map<LeasedQueue, QueueNews>()
    for (const queue of queues) {
      const isIdle = queue.sending.size === (done.get(queue)?.length ?? 0)
      if (queue.isGivenBack) continue
      const isGivenBack = isIdle && !queue.isBeingRead && queue.isOver
      const isOld = performance.now() - queue.leasedAtMs > (leaseSeconds * 1_000) / 3
      if (isGivenBack || isOld) news.set(queue, queue.news(isGivenBack, leaseSeconds))
      if (isGivenBack) queue.isGivenBack = true
    }
    return news
  }

  async function isWritten(entries: readonly Entry[], news: ReadonlyMap<LeasedQueue, QueueNews>): Promise<boolean> {
    if (entries.length === 0 && news.size === 0) return true
    const queues = new Set([...entries.map(({ queue }) => queue), ...news.keys()])
    const startedMs = performance.now()
    try {
      const held = await sql.asOrgs([...new Set([...queues].map(({ orgId }) => orgId))], async (tx) => {
        await recordResults(
          tx,
          entries.map(({ result }) => result),
        )
        await disable(tx, [...queues])
        // Who took a queue and found nothing to send in it may have found what waits for another.
        const unused = [...news.values()].filter(({ isGivenBack, hasTried }) => isGivenBack && !hasTried)
        if (unused.length > 0) await putOffBlocked(tx, unused)
        return news.size > 0 ? await recordQueues(tx, [...news.values()]) : new Set<string>()
      })
      for (const queue of news.keys()) {
        queue.isLost = !held.has(queue.subscriptionId)
        if (!queue.isLost) queue.leasedAtMs = startedMs
      }
      return true
    } catch (error) {
      log.warn({ error, results: entries.length }, 'what became of deliveries was not written; it is tried again')
      return false
    }
  }

  async function disable(tx: Tx, queues: readonly LeasedQueue[]) {
    const suspects = queues.filter(({ isGone, isFailing }) => isGone || isFailing)
    if (suspects.length === 0) return
    const keys = suspects.map(({ orgId, subscriptionId, isGone }) => ({
      orgId,
      subscriptionId,
      reason: isGone ? ('gone' as const) : ('failing' as const),
    }))
    const disabled = await disableSubscriptions(tx, keys, failingDays)
    // Each takes the lock of its organization: in one order, as everybody does who takes several.
    for (const row of disabled.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))) {
      const { org_id, id, url, disabled_reason, disabled_at } = row
      const subject = formatId('subscription', id)
      await emit(tx, org_id, [
        {
          kind: 'subscription.disabled',
          subject,
          data: { subscription_id: subject, url, reason: disabled_reason, disabled_at: timestamp(disabled_at) },
        },
      ])
      await refreshOptIns(tx, org_id)
      metrics.disabled.inc({ reason: disabled_reason })
    }
  }

  return {
    add: (queue: LeasedQueue, result: Result) => {
      waiting.push({ queue, result })
      wake()
    },
    /** Gives a queue back where nothing of it is under way, or renews its lease where that is due. */
    settle: (queue: LeasedQueue) => {
      const isOld = performance.now() - queue.leasedAtMs > (leaseSeconds * 1_000) / 3
      if (queue.isGivenBack || (!isOld && (queue.sending.size > 0 || !queue.isOver))) return
      settling.add(queue)
      wake()
    },
    /** When there is nothing left to write, or a moment later. */
    written: () => flushing ?? sleep(10),
  }
}
