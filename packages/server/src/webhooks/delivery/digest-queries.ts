import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { Destination } from '../destinations/destination.ts'
import { defaultDigestSeconds } from '../destinations/digest.ts'

/** Events of one topic for one subscription that are drained together. */
export interface TopicEvents {
  readonly orgId: string
  readonly subscriptionId: string
  readonly topic: string
  /** The last of them. */
  readonly eventId: string
  readonly kind: string
  readonly count: number
  readonly digestSeconds: number
  /** The end of the period that they are about, as RFC 3339. */
  readonly lastsUntil: string | null
}

/** The longest that a matter lasts: its end is told with its last event, which is stored for 30 days. */
const longest = '29 days'

const rowsOf = (topics: readonly TopicEvents[]) => raw`
  json_to_recordset(${JSON.stringify(topics)}) as t ("orgId" uuid, "subscriptionId" uuid, topic text, "eventId" uuid, kind text,
    count bigint, "digestSeconds" float, "lastsUntil" timestamptz)`

/**
 * Counts events into the open intervals of their topics, and opens those that are missing. Returns the keys of the latter: their first
 * event is told at once.
 */
export async function countIntoDigests(tx: Tx, topics: readonly TopicEvents[]): Promise<ReadonlySet<string>> {
  const { rows } = await raw<{ key: string }>`
    with made as (
      insert into webhook_digests as d (org_id, subscription_id, topic, event_id, kind, event_count, closes_at, lasts_until)
      select "orgId", "subscriptionId", topic, "eventId", kind, count - 1, clock_timestamp() + make_interval(secs => "digestSeconds"),
             case when "lastsUntil" is not null then least("lastsUntil", clock_timestamp() + ${longest}::interval) end
        from ${rowsOf(topics)} order by 1, 2, 3
      on conflict (org_id, subscription_id, topic) do update
         set event_id = excluded.event_id, kind = excluded.kind, event_count = d.event_count + excluded.event_count + 1,
             lasts_until = coalesce(excluded.lasts_until, d.lasts_until), closes_at = least(d.closes_at, excluded.closes_at)
      returning d.subscription_id, d.topic, d.xmax = 0 as is_new)
    select subscription_id || ' ' || topic as key from made where is_new`.execute(tx)
  return new Set(rows.map(({ key }) => key))
}

/** Counts the first event of intervals that were opened for topics of which nothing can be told at once. */
export async function countUntold(tx: Tx, topics: readonly TopicEvents[]) {
  if (topics.length === 0) return
  await raw`
    update webhook_digests d set event_count = d.event_count + 1
      from ${rowsOf(topics)} where d.org_id = t."orgId" and d.subscription_id = t."subscriptionId" and d.topic = t.topic`.execute(
    tx,
  )
}

export interface DigestRow {
  readonly org_id: string
  readonly subscription_id: string
  readonly topic: string
  readonly event_id: string
  readonly kind: string
  readonly event_count: string
  readonly since: Date
  readonly destination: Destination | null
  readonly lasts: boolean
}

const digestColumns = raw`d.org_id, d.subscription_id, d.topic, d.event_id, d.kind, d.event_count::text as event_count, d.since, s.destination,
  coalesce(d.lasts_until > clock_timestamp(), false) as lasts`

/** Ends the intervals of topics that an event has ended; returns those in which something was counted. */
export async function endTopics(
  tx: Tx,
  topics: readonly Pick<TopicEvents, 'orgId' | 'subscriptionId' | 'topic'>[],
): Promise<DigestRow[]> {
  const { rows } = await raw<DigestRow>`
    delete from webhook_digests d
     using json_to_recordset(${JSON.stringify(topics)}) as t ("orgId" uuid, "subscriptionId" uuid, topic text), webhook_subscriptions s
     where d.org_id = t."orgId" and d.subscription_id = t."subscriptionId" and d.topic = t.topic
       and s.org_id = d.org_id and s.id = d.subscription_id
    returning ${digestColumns}`.execute(tx)
  return rows.filter(({ event_count }) => event_count !== '0')
}

/** Finds organizations with intervals that close, in the order of their ids after one of them. */
export const orgsWithClosing = async ({ db }: Sql, after: string, most: number): Promise<string[]> =>
  (
    await raw<{ id: string }>`select id from orgs_with_closing_digests(${after}::uuid, ${most}) as id`.execute(db)
  ).rows.map(({ id }) => id)

/**
 * Locks intervals of an organization that close, and their subscriptions against being deleted meanwhile; another worker takes others.
 * Whoever deletes a subscription locks it before its intervals and its queue.
 */
export async function lockClosing(tx: Tx, orgId: string, most: number): Promise<DigestRow[]> {
  const { rows } = await raw<DigestRow>`
    select ${digestColumns} from webhook_digests d
      join webhook_subscriptions s on s.org_id = d.org_id and s.id = d.subscription_id
     where d.org_id = ${orgId} and d.closes_at <= clock_timestamp()
     order by d.org_id, d.subscription_id, d.topic limit ${most} for update of d skip locked for key share of s skip locked`.execute(
    tx,
  )
  return rows
}

/** Returns the subscriptions of an organization to mail whose intervals close. */
export async function closingMail(tx: Tx, orgId: string): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    select distinct d.subscription_id as id from webhook_digests d
      join webhook_subscriptions s on s.org_id = d.org_id and s.id = d.subscription_id
     where d.org_id = ${orgId} and d.closes_at <= clock_timestamp() and s.destination ->> 'kind' = 'email'`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Leaves an interval open until the limits on mail begin anew. */
export async function postponeDigest(tx: Tx, { org_id, subscription_id, topic }: DigestRow, seconds: number) {
  await raw`
    update webhook_digests set closes_at = clock_timestamp() + make_interval(secs => ${seconds})
     where org_id = ${org_id} and subscription_id = ${subscription_id} and topic = ${topic}`.execute(tx)
}

/** Opens the next interval of a topic: one of its own length, or until the matter is over. */
export async function reopenDigest(tx: Tx, row: DigestRow, isCounted: boolean) {
  const seconds = row.destination?.digest_seconds ?? defaultDigestSeconds
  await raw`
    update webhook_digests
       set event_count = 0, since = clock_timestamp(),
           closes_at = case when ${isCounted} then clock_timestamp() + make_interval(secs => ${seconds})
                            else coalesce(lasts_until, clock_timestamp()) end
     where org_id = ${row.org_id} and subscription_id = ${row.subscription_id} and topic = ${row.topic}`.execute(tx)
}

export const deleteDigest = (tx: Tx, { org_id, subscription_id, topic }: DigestRow) =>
  tx
    .deleteFrom('webhook_digests')
    .where('org_id', '=', org_id)
    .where('subscription_id', '=', subscription_id)
    .where('topic', '=', topic)
    .execute()
