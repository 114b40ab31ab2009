import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditRecord, auditKeyring, record } from '../audit/audit.ts'
import { emit } from '../events/events.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { newTraceId } from '../infra/trace.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import {
  type DisabledRow,
  disableSubscriptions,
  findByKeys,
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
  { sql, log, config }: Platform,
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
  const keyring = auditKeyring(config.masterKeys())
  let waiting: Entry[] = []
  const settling = new Set<LeasedQueue>()
  let flushing: Promise<void> | undefined

  /** Renewed long before it runs out. */
  const isOld = ({ leasedAtMs }: LeasedQueue) => performance.now() - leasedAtMs > (leaseSeconds * 1_000) / 3
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
      await write(entries, news)
      for (const { queue, result } of entries) onRecorded(queue, result.id)
      for (const [queue, { isGivenBack }] of news) if (isGivenBack) onGivenBack(queue)
    }
  }

  /** One queue's trouble with the database must not keep the results of all others: they are then written queue by queue. */
  async function write(entries: readonly Entry[], news: ReadonlyMap<LeasedQueue, QueueNews>) {
    for (;;) {
      const written = await tryToWrite(entries, news)
      if (written === 'yes') return
      if (written === 'not_now') await sleep(tryAgainMs)
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
    // What a stranger has answered is all that nobody can foresee: without it the rest is written.
    if (entries.some(({ result }) => result.attempt.response !== null || result.attempt.error_message !== null))
      return write(entries.map(withoutWords), news)
    for (const queue of queues) {
      queue.isStuck = true
      log.error(
        { subscription_id: formatId('subscription', queue.subscriptionId) },
        'what became of deliveries cannot be written; they will be sent again',
      )
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
      if (isGivenBack || isOld(queue)) news.set(queue, queue.news(isGivenBack, leaseSeconds))
      if (isGivenBack) queue.isGivenBack = true
    }
    return news
  }

  async function tryToWrite(entries: readonly Entry[], news: ReadonlyMap<LeasedQueue, QueueNews>) {
    if (entries.length === 0 && news.size === 0) return 'yes'
    const queues = new Set([...entries.map(({ queue }) => queue), ...news.keys()])
    const startedMs = performance.now()
    try {
      const held = await sql.asOrgs([...new Set([...queues].map(({ orgId }) => orgId))], async (tx) => {
        await findByKeys(tx)
        await recordResults(
          tx,
          entries.map(({ result }) => result),
        )
        const disabled = await disable(tx, [...queues])
        // Who took a queue and found nothing to send in it may have found what waits for another.
        const unused = [...news.values()].filter(({ isGivenBack, hasTried }) => isGivenBack && !hasTried)
        if (unused.length > 0) await putOffBlocked(tx, unused)
        const leases = news.size > 0 ? await recordQueues(tx, [...news.values()]) : new Set<string>()
        // The chain of entries is everybody's last lock.
        for (const row of disabled) await record(tx, keyring, row.org_id, disabledEntry(row))
        return leases
      })
      for (const queue of news.keys()) {
        queue.isLost = !held.has(queue.subscriptionId)
        if (!queue.isLost) queue.leasedAtMs = startedMs
      }
      return 'yes'
    } catch (error) {
      log.warn({ error, results: entries.length }, 'what became of deliveries was not written; it is tried again')
      // 22 and 23: there is something in it that the database does not take, however often it is sent.
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
    // Each takes the lock of its organization: in one order, as everybody does who takes several.
    const sorted = disabled.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))
    for (const { org_id, id, url, disabled_reason, disabled_at } of sorted) {
      const subject = formatId('subscription', id)
      await emit(tx, org_id, [
        {
          kind: 'subscription.disabled',
          subject,
          data: {
            subscription_id: subject,
            // The rest of a URL is a secret of its endpoint often enough.
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
    add: (queue: LeasedQueue, result: Result) => {
      waiting.push({ queue, result })
      wake()
    },
    /** Gives a queue back where nothing of it is under way, or renews its lease where that is due. */
    settle: (queue: LeasedQueue) => {
      if (queue.isGivenBack || (!isOld(queue) && (queue.sending.size > 0 || !queue.isOver))) return
      settling.add(queue)
      wake()
    },
    /** When there is nothing left to write, or a moment later. */
    written: () => flushing ?? sleep(10),
  }
}

const withoutWords = ({ queue, result }: Entry): Entry => ({
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
