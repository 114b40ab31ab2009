import { setTimeout as sleep } from 'node:timers/promises'
import type { DeprecationHeaders } from '../../contract/deprecations/deprecations.ts'
import type { HttpOutcome, Outbound } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { createWebhookSecrets } from '../signing/secrets.ts'
import { type DeliverySigning, signedHeaders } from '../signing/signature.ts'
import {
  type DueRow,
  type EndpointRow,
  forceKeyLookups,
  leaseQueues,
  readDue,
  readEndpoints,
  readPayloads,
} from './dispatch-queries.ts'
import { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'
import type { EventPayload, PayloadCache } from './payload-cache.ts'
import { createResultRecorder } from './result-recorder.ts'
import { retryAfterSeconds } from './schedule.ts'

const pollEveryMs = 200
const maxQueuesPerPoll = 100
/** The share of the concurrency that slow and failing endpoints may use together. */
const degradedShare = 0.25
/** The lease time beyond the timeout of an attempt, for the work before and after it. */
const leaseReserveSeconds = 15

/** Sends the due deliveries of all subscriptions concurrently, until it is closed. */
export function createDispatcher(
  platform: Platform,
  outbound: Outbound,
  metrics: DeliveryMetrics,
  recent: PayloadCache,
  /** Deprecation headers of deliveries that are signed with an organization's secret. */
  deprecationHeaders: DeprecationHeaders,
) {
  const { sql, clock, config, log } = platform
  const leaseSeconds = config.webhookTimeoutSeconds + leaseReserveSeconds
  const secrets = createWebhookSecrets(config)
  const leased = new Set<LeasedQueue>()
  let busy = 0
  const closed = new AbortController()
  let wake = () => {}

  const recorder = createResultRecorder(platform, leaseSeconds, {
    onRecorded: (queue, id) => {
      queue.sending.delete(id)
      busy--
      wake()
    },
    onReleased: (queue) => leased.delete(queue),
    metrics,
  })

  async function leaseMore(onlyTroubled: boolean, free: number) {
    if (free <= 0) return
    const most = Math.min(maxQueuesPerPoll, free)
    const nowMs = performance.now()
    const taken = await leaseQueues(sql, { leaseSeconds, onlyTroubled, most })
    for (const queue of taken) leased.add(new LeasedQueue(queue, onlyTroubled, nowMs))
  }

  /** True when the lease may have expired, as in a process that was suspended: then nothing is started. */
  const hasLeaseExpired = ({ leasedAtMs, isLost }: LeasedQueue) =>
    isLost || performance.now() - leasedAtMs > leaseSeconds * 1_000

  const minShare = Math.max(1, Math.floor(config.webhookConcurrency / 32))
  const degradedSlots = Math.max(1, Math.floor(config.webhookConcurrency * degradedShare))
  /** Returns the free slots of degraded queues. With `least` 1, every leased queue counts, even if it has started nothing yet. */
  const degradedFree = (least: 0 | 1) => {
    let used = 0
    for (const queue of leased) if (queue.isInDegradedPool) used += Math.max(least, queue.sending.size)
    return degradedSlots - used
  }

  /** Leases queues and starts deliveries once. Returns true when there may be more to do immediately. */
  async function dispatchOnce(): Promise<boolean> {
    const free = config.webhookConcurrency - busy
    if (free > 0 && !closed.signal.aborted) {
      await leaseMore(false, free - [...leased].filter(({ sending }) => sending.size === 0).length)
      await leaseMore(true, Math.min(free, degradedFree(1)))
    }
    const wanting = shareCapacity(
      [...leased].filter((queue) => queue.wantsMore && !hasLeaseExpired(queue) && !closed.signal.aborted),
      { free, degradedFree: degradedFree(0), minShare },
    )
    if (wanting.length > 0) await fillQueues(wanting)
    for (const queue of leased) recorder.settle(queue)
    return wanting.length > 0
  }

  async function fillQueues(wanting: QueueAllotments) {
    // Deliveries whose result is recorded during the read must not look as if nobody had sent them.
    const known = new Map(wanting.map(({ queue }) => [queue, new Set(queue.sending)]))
    for (const { queue } of wanting) queue.isBeingRead = true
    try {
      startAttempts(wanting, known, await readWork(wanting))
    } finally {
      for (const { queue } of wanting) queue.isBeingRead = false
    }
  }

  const readWork = (wanting: QueueAllotments) =>
    sql.asOrgs([...new Set(wanting.map(({ queue }) => queue.orgId))], async (tx) => {
      await forceKeyLookups(tx)
      const endpoints = await readEndpoints(
        tx,
        wanting.map(({ queue }) => queue),
      )
      const due = await readDue(
        tx,
        wanting.map(({ queue, room }) => ({
          orgId: queue.orgId,
          subscriptionId: queue.subscriptionId,
          most: room + queue.sending.size,
        })),
      )
      return { endpoints, due, told: await payloadsOf(tx, due) }
    })

  /** Returns the payloads of deliveries. The cache saves reads; a delivery never depends on an entry still being cached. */
  async function payloadsOf(tx: Tx, due: readonly DueRow[]): Promise<ReadonlyMap<string, EventPayload>> {
    const told = new Map<string, EventPayload>()
    for (const { event_id } of due) {
      const known = recent.get(event_id)
      if (known) told.set(event_id, known)
    }
    const unknown = due.filter(({ event_id }) => !told.has(event_id))
    for (const { id, payload, created_at } of unknown.length > 0 ? await readPayloads(tx, unknown) : []) {
      const one = { payload, createdAt: created_at }
      told.set(id, one)
      recent.add(id, one)
    }
    return told
  }

  function startAttempts(
    wanting: QueueAllotments,
    known: ReadonlyMap<LeasedQueue, ReadonlySet<string>>,
    { endpoints, due, told }: Awaited<ReturnType<typeof readWork>>,
  ) {
    const endpointOf = new Map(endpoints.map((row) => [row.subscription_id, row]))
    const dueOf = Map.groupBy(due, ({ subscription_id }) => subscription_id)
    for (const { queue, room } of wanting) {
      const endpoint = endpointOf.get(queue.subscriptionId)
      const rows = endpoint?.enabled === true ? (dueOf.get(queue.subscriptionId) ?? []) : []
      queue.mayHaveMore = rows.length >= room + known.get(queue)!.size && rows.length > 0
      if (!endpoint || rows.length === 0 || queue.isFailing || queue.isGone || hasLeaseExpired(queue)) continue
      const signing = signingOf(queue, endpoint)
      if (!signing) continue
      for (const row of rows) {
        if (known.get(queue)!.has(row.id) || queue.sending.has(row.id)) continue
        send(queue, endpoint.url, signing, row, told.get(row.event_id))
      }
    }
  }

  /**
   * Returns the signing secrets. A secret that cannot be unsealed, because its master key is gone, affects only its own queue.
   */
  function signingOf(queue: LeasedQueue, endpoint: EndpointRow): DeliverySigning | undefined {
    try {
      return secrets.signingAt(clock.now().getTime(), endpoint, deprecationHeaders)
    } catch (error) {
      log.error({ error, subscription_id: queue.subscriptionId }, 'the secret of a subscription cannot be unsealed')
      queue.isStuck = true
      return undefined
    }
  }

  function send(
    queue: LeasedQueue,
    url: string,
    signing: DeliverySigning,
    row: DueRow,
    told: EventPayload | undefined,
  ) {
    queue.sending.add(row.id)
    busy++
    const sent = { row, at: clock.now(), version: signing.version, told }
    void attempt(url, signing, sent).then((outcome) => recordOutcome(queue, sent, outcome))
  }

  function recordOutcome(queue: LeasedQueue, { row, at, version, told }: AttemptInProgress, outcome: HttpOutcome) {
    const isDelivered = 'status' in outcome && outcome.status >= 200 && outcome.status < 300
    const isGone = 'status' in outcome && outcome.status === 410
    if (told) queue.recordAttempt({ ok: isDelivered, latencyMs: outcome.latencyMs })
    queue.isGone ||= isGone
    const retry = retryAfterSeconds(config.webhookRetrySeconds, row.attempt_count + 1, Math.random())
    const isLast = retry === undefined || isGone || !told
    const lagMs = told && clock.now().getTime() - told.createdAt.getTime()
    metrics.observe(outcome, {
      version,
      isDelivered,
      isLast,
      ...(row.attempt_count === 0 && lagMs !== undefined && { lagMs }),
    })
    recorder.add(queue, {
      orgId: queue.orgId,
      subscriptionId: queue.subscriptionId,
      id: row.id,
      state: isDelivered ? 'delivered' : isLast ? 'failed' : 'pending',
      retrySeconds: retry ?? 0,
      attempt: attemptView(at, outcome, isDelivered),
    })
  }

  async function attempt(
    url: string,
    signing: DeliverySigning,
    { row, at, told }: AttemptInProgress,
  ): Promise<HttpOutcome> {
    if (!told) return { error: 'protocol', message: 'The event is no longer stored.', latencyMs: 0 }
    const message = { eventId: formatId('event', row.event_id), body: told.payload, nowMs: at.getTime() }
    return outbound.post(url, { ...commonHeaders(platform.version), ...signedHeaders(signing, message) }, told.payload)
  }

  async function run() {
    while (!closed.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const isBusy = await dispatchOnce().catch(async (error: unknown) => {
        log.warn({ error }, 'polling for deliveries failed and will be retried')
        await sleep(pollEveryMs)
        return false
      })
      if (!isBusy || busy >= config.webhookConcurrency) await Promise.race([woken, sleep(pollEveryMs)])
    }
  }
  const running = run()

  return {
    wake: () => wake(),
    close: async () => {
      closed.abort()
      wake()
      await running
      // Repeats until no queue is leased: attempts in progress are awaited, and each queue is released with its last result.
      while (leased.size > 0) {
        for (const queue of leased) {
          queue.mayHaveMore = false
          recorder.settle(queue)
        }
        await recorder.written()
      }
    },
  }
}

/** An attempt in progress. An event that is no longer stored cannot be sent. */
interface AttemptInProgress {
  readonly row: DueRow
  readonly at: Date
  readonly version: DeliverySigning['version']
  readonly told: EventPayload | undefined
}

type QueueAllotments = readonly { readonly queue: LeasedQueue; readonly room: number }[]

/**
 * Shares the free slots evenly, starting with the queues that have the fewest, so that no queue starves others. A queue gets
 * several at once, because reading it costs the same for one; a queue that gets none has the fewest next time.
 */
function shareCapacity(
  queues: readonly LeasedQueue[],
  { free, degradedFree, minShare }: { free: number; degradedFree: number; minShare: number },
): QueueAllotments {
  const wanting: { queue: LeasedQueue; room: number }[] = []
  let left = free
  let degradedLeft = degradedFree
  for (const [i, queue] of queues.toSorted((a, b) => a.sending.size - b.sending.size).entries()) {
    const fair = Math.max(minShare, Math.ceil(left / (queues.length - i)))
    const room = Math.min(queue.capacity, fair, queue.isInDegradedPool ? degradedLeft : left)
    if (room <= 0) continue
    wanting.push({ queue, room })
    left -= room
    if (queue.isInDegradedPool) degradedLeft -= room
  }
  return wanting
}

const commonHeaders = (version: string) => ({
  'content-type': 'application/json',
  'user-agent': `weir/${version}`,
})

const attemptView = (at: Date, outcome: HttpOutcome, isDelivered: boolean) => ({
  at: timestamp(at),
  status: 'status' in outcome ? outcome.status : null,
  error: 'error' in outcome ? outcome.error : null,
  error_message: 'error' in outcome ? outcome.message : null,
  latency_ms: Math.round(outcome.latencyMs),
  response: isDelivered || 'error' in outcome ? null : outcome.excerpt,
})
