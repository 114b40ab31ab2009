import { setTimeout as sleep } from 'node:timers/promises'
import type { DeprecationHeaders } from '../deprecations/deprecations.ts'
import type { Outbound, Outcome } from '../infra/outbound.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import {
  type DueRow,
  type EndpointRow,
  findByKeys,
  readDue,
  readEndpoints,
  readPayloads,
  takeQueues,
} from './dispatch-queries.ts'
import { LeasedQueue } from './leased-queue.ts'
import type { DeliveryMetrics } from './metrics.ts'
import type { RecentPayloads, Told } from './recent-payloads.ts'
import { recordOutcomes } from './recording.ts'
import { retryAfterSeconds } from './schedule.ts'
import { webhookSecrets } from './secrets.ts'
import { type Signing, signedHeaders } from './signature.ts'

const lookEveryMs = 200
const queuesAtOnce = 100
/** Of what a process can do at once, slow and failing endpoints together get at most this share. */
const troubledShare = 0.25
/** Beyond the time an attempt may take: for what comes before it and after. */
const leaseReserveSeconds = 15

/** Sends what is due in the queues of subscriptions, many side by side, until it is closed. */
export function dispatchDeliveries(
  platform: Platform,
  outbound: Outbound,
  metrics: DeliveryMetrics,
  recent: RecentPayloads,
  /** What deliveries say that are signed with an organization's secret. */
  announced: DeprecationHeaders,
) {
  const { sql, clock, config, log } = platform
  const leaseSeconds = config.webhookTimeoutSeconds + leaseReserveSeconds
  const secrets = webhookSecrets(config)
  const leased = new Set<LeasedQueue>()
  let busy = 0
  const closed = new AbortController()
  let wake = () => {}

  const recorder = recordOutcomes(platform, leaseSeconds, {
    onRecorded: (queue, id) => {
      queue.sending.delete(id)
      busy--
      wake()
    },
    onGivenBack: (queue) => leased.delete(queue),
    metrics,
  })

  async function take(onlyTroubled: boolean, free: number) {
    if (free <= 0) return
    const most = Math.min(queuesAtOnce, free)
    const nowMs = performance.now()
    const taken = await takeQueues(sql, { leaseSeconds, onlyTroubled, most })
    for (const queue of taken) leased.add(new LeasedQueue(queue, onlyTroubled, nowMs))
  }

  /** A process that stood still may have lost what it had taken: nothing is begun before it knows. */
  const hasRunOut = ({ leasedAtMs, isLost }: LeasedQueue) =>
    isLost || performance.now() - leasedAtMs > leaseSeconds * 1_000

  const fewest = Math.max(1, Math.floor(config.webhookConcurrency / 32))
  const troubledSlots = Math.max(1, Math.floor(config.webhookConcurrency * troubledShare))
  /** What troubled queues may still begin; for taking another, each that was taken counts although it may have begun nothing. */
  const troubledFree = (least: 0 | 1) => {
    let used = 0
    for (const queue of leased) if (queue.isAmongTroubled) used += Math.max(least, queue.sending.size)
    return troubledSlots - used
  }

  /** One look at everything; says whether there may be more to do at once. */
  async function turn(): Promise<boolean> {
    const free = config.webhookConcurrency - busy
    if (free > 0 && !closed.signal.aborted) {
      await take(false, free - [...leased].filter(({ sending }) => sending.size === 0).length)
      await take(true, Math.min(free, troubledFree(1)))
    }
    const wanting = shared(
      [...leased].filter((queue) => queue.wantsMore && !hasRunOut(queue) && !closed.signal.aborted),
      { free, troubledFree: troubledFree(0), fewest },
    )
    if (wanting.length > 0) await fill(wanting)
    for (const queue of leased) recorder.settle(queue)
    return wanting.length > 0
  }

  async function fill(wanting: Wanting) {
    // What is being recorded while this reads would otherwise look as if nobody had sent it.
    const known = new Map(wanting.map(({ queue }) => [queue, new Set(queue.sending)]))
    for (const { queue } of wanting) queue.isBeingRead = true
    try {
      start(wanting, known, await look(wanting))
    } finally {
      for (const { queue } of wanting) queue.isBeingRead = false
    }
  }

  const look = (wanting: Wanting) =>
    sql.asOrgs([...new Set(wanting.map(({ queue }) => queue.orgId))], async (tx) => {
      await findByKeys(tx)
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

  /** What is remembered saves reading; what is sent never depends on what is still remembered by then. */
  async function payloadsOf(tx: Tx, due: readonly DueRow[]): Promise<ReadonlyMap<string, Told>> {
    const told = new Map<string, Told>()
    for (const { event_id } of due) {
      const known = recent.get(event_id)
      if (known) told.set(event_id, known)
    }
    const unknown = due.filter(({ event_id }) => !told.has(event_id))
    for (const { id, payload, created_at } of unknown.length > 0 ? await readPayloads(tx, unknown) : []) {
      const one = { payload, createdAt: created_at }
      told.set(id, one)
      recent.remember(id, one)
    }
    return told
  }

  function start(
    wanting: Wanting,
    known: ReadonlyMap<LeasedQueue, ReadonlySet<string>>,
    { endpoints, due, told }: Awaited<ReturnType<typeof look>>,
  ) {
    const endpointOf = new Map(endpoints.map((row) => [row.subscription_id, row]))
    const dueOf = Map.groupBy(due, ({ subscription_id }) => subscription_id)
    for (const { queue, room } of wanting) {
      const endpoint = endpointOf.get(queue.subscriptionId)
      const rows = endpoint?.enabled === true ? (dueOf.get(queue.subscriptionId) ?? []) : []
      queue.mayHaveMore = rows.length >= room + known.get(queue)!.size && rows.length > 0
      if (!endpoint || rows.length === 0 || queue.isFailing || queue.isGone || hasRunOut(queue)) continue
      const signing = signingOf(queue, endpoint)
      if (!signing) continue
      for (const row of rows) {
        if (known.get(queue)!.has(row.id) || queue.sending.has(row.id)) continue
        send(queue, endpoint.url, signing, row, told.get(row.event_id))
      }
    }
  }

  /** A secret that cannot be opened, because its key is gone, is trouble of its own queue and of no other. */
  function signingOf(queue: LeasedQueue, endpoint: EndpointRow): Signing | undefined {
    try {
      return secrets.signingAt(clock.now().getTime(), endpoint, announced)
    } catch (error) {
      log.error({ error, subscription_id: queue.subscriptionId }, 'a subscription’s secret cannot be opened')
      queue.isStuck = true
      return undefined
    }
  }

  function send(queue: LeasedQueue, url: string, signing: Signing, row: DueRow, told: Told | undefined) {
    queue.sending.add(row.id)
    busy++
    const sent = { row, at: clock.now(), version: signing.version, told }
    void attempt(url, signing, sent).then((outcome) => note(queue, sent, outcome))
  }

  function note(queue: LeasedQueue, { row, at, version, told }: Sent, outcome: Outcome) {
    const isDelivered = 'status' in outcome && outcome.status >= 200 && outcome.status < 300
    const isGone = 'status' in outcome && outcome.status === 410
    if (told) queue.learn({ ok: isDelivered, latencyMs: outcome.latencyMs })
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

  async function attempt(url: string, signing: Signing, { row, at, told }: Sent): Promise<Outcome> {
    if (!told) return { error: 'protocol', message: 'The event is no longer kept.', latencyMs: 0 }
    const message = { eventId: formatId('event', row.event_id), body: told.payload, nowMs: at.getTime() }
    return outbound.post(url, { ...commonHeaders(platform.version), ...signedHeaders(signing, message) }, told.payload)
  }

  async function run() {
    while (!closed.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const isBusy = await turn().catch(async (error: unknown) => {
        log.warn({ error }, 'looking for deliveries failed; the next look tries again')
        await sleep(lookEveryMs)
        return false
      })
      if (!isBusy || busy >= config.webhookConcurrency) await Promise.race([woken, sleep(lookEveryMs)])
    }
  }
  const running = run()

  return {
    wake: () => wake(),
    close: async () => {
      closed.abort()
      wake()
      await running
      // Looked at until it is true: what is under way is waited for, and each queue is given back with its last result.
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

/** An attempt under way; an event that is no longer kept cannot be told. */
interface Sent {
  readonly row: DueRow
  readonly at: Date
  readonly version: Signing['version']
  readonly told: Told | undefined
}

type Wanting = readonly { readonly queue: LeasedQueue; readonly room: number }[]

/**
 * What is free, shared out evenly, beginning with those that have the least: no queue can use so much that others get nothing. A
 * queue gets a few at once, because looking into it costs the same for one: who gets none has the least next time.
 */
function shared(
  queues: readonly LeasedQueue[],
  { free, troubledFree, fewest }: { free: number; troubledFree: number; fewest: number },
): Wanting {
  const wanting: { queue: LeasedQueue; room: number }[] = []
  let left = free
  let troubledLeft = troubledFree
  for (const [i, queue] of queues.toSorted((a, b) => a.sending.size - b.sending.size).entries()) {
    const fair = Math.max(fewest, Math.ceil(left / (queues.length - i)))
    const room = Math.min(queue.room, fair, queue.isAmongTroubled ? troubledLeft : left)
    if (room <= 0) continue
    wanting.push({ queue, room })
    left -= room
    if (queue.isAmongTroubled) troubledLeft -= room
  }
  return wanting
}

const commonHeaders = (version: string) => ({
  'content-type': 'application/json',
  'user-agent': `weir/${version}`,
})

const attemptView = (at: Date, outcome: Outcome, isDelivered: boolean) => ({
  at: timestamp(at),
  status: 'status' in outcome ? outcome.status : null,
  error: 'error' in outcome ? outcome.error : null,
  error_message: 'error' in outcome ? outcome.message : null,
  latency_ms: Math.round(outcome.latencyMs),
  response: isDelivered || 'error' in outcome ? null : outcome.excerpt,
})
