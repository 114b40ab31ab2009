import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { present } from '../../values/present.ts'
import { recordIn } from '../../values/records.ts'
import type { Rotation } from '../../values/rotation.ts'
import { timestamp } from '../../values/timestamp.ts'
import { takesMessages } from '../destinations/destination.ts'
import { defaultDigestSeconds } from '../destinations/digest.ts'
import { endingKinds } from '../destinations/event-words.ts'
import { type MailLimits, type OpenMailUses, openMailUses, secondsUntilNextHour } from '../destinations/mail-uses.ts'
import { hasOwnEnd, topicOf } from '../destinations/topics.ts'
import { enqueue, type NewDelivery } from '../subscriptions/queue-queries.ts'
import {
  closingMail,
  countIntoDigests,
  countUntold,
  type DigestRow,
  deleteDigest,
  endTopics,
  lockClosing,
  orgsWithClosing,
  postponeDigest,
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
export interface Told {
  readonly event: OutboxEvent
  readonly listener: EnabledSubscription
}

/** Opens what the mail among some messages uses; before anything else that workers lock. */
export const usesOfTold = (tx: Tx, limits: MailLimits, told: readonly Told[]): Promise<OpenMailUses> =>
  openMailUses(
    tx,
    limits,
    told.filter(isMail).map(({ event, listener }) => ({ orgId: event.org_id, subscriptionId: listener.id })),
  )

/** Returns the deliveries of events to subscriptions that take messages, in their order. Mail above its limits is told in digests. */
export async function digested(tx: Tx, told: readonly Told[], uses: OpenMailUses): Promise<NewDelivery[]> {
  const deliveries: NewDelivery[] = []
  const topics = Map.groupBy(told, ({ event, listener }) => `${listener.id} ${topicFor(event)}`)
  const isEnded = new Set(
    [...topics].filter(([, same]) => same.some(isEnd) && mayTell(uses, same, same.length + 1)).map(([key]) => key),
  )
  const ended = [...topics].filter(([key]) => isEnded.has(key))
  const rows = await endTopics(
    tx,
    ended.map(([, same]) => topicEvents(same)),
  )
  const more = new Set(rows.map(({ subscription_id, topic }) => `${subscription_id} ${topic}`))
  for (const row of rows) deliveries.push(deliveryOf(row, digestOf(row)))
  for (const [key, same] of ended) {
    // What begins and ends within one batch is told event by event: a request, and the decision on it.
    deliveries.push(...same.map(deliveryFor))
    if (!more.has(key)) giveBack(uses, present(same[0]))
  }
  const counted = [...topics].filter(([key]) => !isEnded.has(key))
  const opened = await openIntervals(tx, counted)
  const untold: TopicEvents[] = []
  for (const [key, same] of counted) {
    if (!opened.has(key)) continue
    if (mayTell(uses, same, 1)) deliveries.push(deliveryFor(present(same[0])))
    else untold.push(topicEvents(same))
  }
  await countUntold(tx, untold)
  return deliveries
}

const openIntervals = async (tx: Tx, topics: readonly (readonly [string, readonly Told[]])[]) =>
  topics.length === 0
    ? new Set<string>()
    : countIntoDigests(
        tx,
        topics.map(([, same]) => topicEvents(same)),
      )

/** Returns those replayed events that mail may tell now; the others are counted into digests. */
export async function replayedMail(tx: Tx, told: readonly Told[], uses: OpenMailUses): Promise<readonly Told[]> {
  const later = new Set(told.filter((one) => !mayTell(uses, [one], 1)))
  const topics = Map.groupBy(later, ({ event, listener }) => `${listener.id} ${topicFor(event)}`)
  const opened = await openIntervals(tx, [...topics])
  await countUntold(
    tx,
    [...topics].filter(([key]) => opened.has(key)).map(([, same]) => topicEvents(same)),
  )
  return told.filter((one) => !later.has(one))
}

const isMail = ({ listener }: Told) => listener.destination?.kind === 'email'

const recipientsOf = ({ listener }: Told) => listener.destination?.recipients?.length ?? 0

/** Counts so many messages about the same, if they are mail; false, and none is counted, where they are too many. */
function mayTell(uses: OpenMailUses, same: readonly Told[], messages: number): boolean {
  const one = present(same[0])
  if (!isMail(one)) return true
  for (let taken = 0; taken < messages; taken++)
    if (!uses.take(mailUser(one), recipientsOf(one))) {
      for (; taken > 0; taken--) giveBack(uses, one)
      return false
    }
  return true
}

const mailUser = ({ event, listener }: Told) => ({ orgId: event.org_id, subscriptionId: listener.id })

function giveBack(uses: OpenMailUses, one: Told) {
  if (isMail(one)) uses.giveBack(mailUser(one), recipientsOf(one))
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

type DigestPlatform = Pick<Platform, 'sql' | 'config' | 'clock' | 'log'>

/**
 * Closes intervals whose time is over, of the organizations whose turn it is; returns the number of messages that this makes. An
 * organization where this fails keeps none of the others from it.
 */
export async function closeDigests(platform: DigestPlatform, turns: Rotation): Promise<number> {
  const { sql, log } = platform
  let made = 0
  for (const orgId of await turns.next((after, most) => orgsWithClosing(sql, after, most), orgsAtOnce))
    try {
      made += await sql.asOrgs([orgId], (tx) => closeDigestsOf(platform, tx, orgId))
    } catch (error) {
      log.warn({ error, org: orgId }, 'intervals of messages of an organization were not closed')
    }
  return made
}

async function closeDigestsOf({ config, clock }: DigestPlatform, tx: Tx, orgId: string): Promise<number> {
  const users = (await closingMail(tx, orgId)).map((subscriptionId) => ({ orgId, subscriptionId }))
  const uses = await openMailUses(tx, config, users)
  const deliveries: NewDelivery[] = []
  for (const row of await lockClosing(tx, orgId, perOrg)) {
    if (mayClose(uses, row)) deliveries.push(...(await closeDigest(tx, row)))
    else await postponeDigest(tx, row, secondsUntilNextHour(clock.now()))
  }
  await uses.save()
  await enqueue(tx, deliveries)
  return deliveries.length
}

/** False for an interval whose message would be mail above its limits. */
const mayClose = (uses: OpenMailUses, { org_id, subscription_id, destination, event_count }: DigestRow): boolean =>
  destination?.kind !== 'email' ||
  event_count === '0' ||
  uses.take({ orgId: org_id, subscriptionId: subscription_id }, destination.recipients?.length ?? 0)

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
