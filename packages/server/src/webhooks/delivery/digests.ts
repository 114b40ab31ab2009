import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { present } from '../../values/present.ts'
import { recordIn } from '../../values/records.ts'
import type { Rotation } from '../../values/rotation.ts'
import { timestamp } from '../../values/timestamp.ts'
import { takesMessages } from '../destinations/destination.ts'
import { defaultDigestSeconds } from '../destinations/digest.ts'
import { endingKinds } from '../destinations/event-words.ts'
import { hasOwnEnd, topicOf } from '../destinations/topics.ts'
import { enqueue, type NewDelivery } from '../subscriptions/queue-queries.ts'
import {
  countIntoDigests,
  type DigestRow,
  deleteDigest,
  endTopics,
  lockClosing,
  orgsWithClosing,
  reopenDigest,
  type TopicEvents,
} from './digest-queries.ts'
import type { EnabledSubscription, OutboxEvent } from './drain-queries.ts'

/**
 * Messages in place of floods: of a topic the first event is told at once, what follows is counted, and told as one message when the
 * interval closes, with the next one open. Each event is counted in the transaction that takes it from the outbox, so counts are exact.
 */

const orgsAtOnce = 100
const perOrg = 200

/** An event that a subscription to messages asks for. */
interface Told {
  readonly event: OutboxEvent
  readonly listener: EnabledSubscription
}

/** Returns the deliveries of events to subscriptions that take messages, in their order. */
export async function digested(tx: Tx, told: readonly Told[]): Promise<NewDelivery[]> {
  const deliveries: NewDelivery[] = []
  const topics = Map.groupBy(told, ({ event, listener }) => `${listener.id} ${topicFor(event)}`)
  const ended = [...topics.values()].filter((same) => same.some(isEnd))
  for (const row of await endTopics(tx, ended.map(topicEvents))) deliveries.push(deliveryOf(row, digestOf(row)))
  // What begins and ends within one batch is told event by event: a request, and the decision on it.
  for (const same of ended) for (const one of same) deliveries.push(deliveryFor(one))
  const counted = new Map([...topics].filter(([, same]) => !same.some(isEnd)))
  if (counted.size === 0) return deliveries
  const opened = await countIntoDigests(tx, [...counted.values()].map(topicEvents))
  for (const [key, [first]] of counted) if (opened.has(key)) deliveries.push(deliveryFor(present(first)))
  return deliveries
}

const isEnd = ({ event }: Told) => endingKinds.has(event.kind)

const topicFor = ({ kind, subject, body }: OutboxEvent) => topicOf(kind, subject, recordIn(body))

function topicEvents(same: readonly Told[]): TopicEvents {
  const { event, listener } = present(same.at(-1))
  const until = recordIn(event.body)['period_end']
  return {
    orgId: event.org_id,
    subscriptionId: listener.id,
    topic: topicFor(event),
    eventId: event.id,
    kind: event.kind,
    count: same.length,
    digestSeconds: listener.destination?.digest_seconds ?? defaultDigestSeconds,
    lastsUntil: typeof until === 'string' ? until : null,
  }
}

const deliveryFor = ({ event, listener }: Told): NewDelivery => ({
  orgId: event.org_id,
  subscriptionId: listener.id,
  eventId: event.id,
  kind: event.kind,
  subject: topicFor(event),
  trigger: 'event',
  // What ends a matter must not overtake what began it.
  ordered: true,
})

const digestOf = ({ event_count, since }: DigestRow) => ({
  count: Number(event_count),
  since: timestamp(since),
  isOver: false,
})

const deliveryOf = (row: DigestRow, digest: NewDelivery['digest']): NewDelivery => ({
  orgId: row.org_id,
  subscriptionId: row.subscription_id,
  eventId: row.event_id,
  kind: row.kind,
  subject: row.topic,
  trigger: 'event',
  ordered: true,
  digest: present(digest),
})

/**
 * Closes intervals whose time is over, of the organizations whose turn it is; returns the number of messages that this makes. An
 * organization where this fails keeps none of the others from it.
 */
export async function closeDigests({ sql, log }: Pick<Platform, 'sql' | 'log'>, turns: Rotation): Promise<number> {
  let made = 0
  for (const orgId of await turns.next((after, most) => orgsWithClosing(sql, after, most), orgsAtOnce))
    try {
      made += await sql.asOrgs([orgId], (tx) => closeDigestsOf(tx, orgId))
    } catch (error) {
      log.warn({ error, org: orgId }, 'intervals of messages of an organization were not closed')
    }
  return made
}

async function closeDigestsOf(tx: Tx, orgId: string): Promise<number> {
  const deliveries: NewDelivery[] = []
  for (const row of await lockClosing(tx, orgId, perOrg)) deliveries.push(...(await closeDigest(tx, row)))
  await enqueue(tx, deliveries)
  return deliveries.length
}

async function closeDigest(tx: Tx, row: DigestRow): Promise<NewDelivery[]> {
  if (!takesMessages(row)) {
    await deleteDigest(tx, row)
    return []
  }
  if (row.event_count !== '0') {
    await reopenDigest(tx, row, true)
    return [deliveryOf(row, digestOf(row))]
  }
  // An incident stays open for as long as its matter lasts.
  const isIncident = row.destination?.kind === 'pagerduty' && !hasOwnEnd(row.kind)
  if (isIncident && row.lasts) {
    await reopenDigest(tx, row, false)
    return []
  }
  await deleteDigest(tx, row)
  return isIncident ? [deliveryOf(row, { count: 0, since: timestamp(row.since), isOver: true })] : []
}
