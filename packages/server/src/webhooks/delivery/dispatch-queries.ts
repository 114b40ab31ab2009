import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import type { Destination } from '../destinations/destination.ts'
import type { Digest } from '../destinations/digest.ts'
import { isActive } from '../subscriptions/queries.ts'
import { retentionDays } from './partitions.ts'
import type { EndpointHealth } from './schedule.ts'

/** The worker's queries on queues. A transaction that locks several queues locks them in the order of their keys. */

export interface QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
}

export interface LeasedQueueRow extends QueueKey, EndpointHealth {
  readonly lease: string
}

/** Leases queues that are due, so that no other process works on them meanwhile; every call has its own lease ID. */
export async function leaseQueues(
  { db }: Sql,
  { leaseSeconds, onlyTroubled, most }: { leaseSeconds: number; onlyTroubled: boolean; most: number },
): Promise<LeasedQueueRow[]> {
  const lease = newUuid()
  const { rows } = await raw<Omit<LeasedQueueRow, 'lease'>>`
    select org_id as "orgId", subscription_id as "subscriptionId", width, failures, latency_ms as "latencyMs"
      from take_webhook_queues(${lease}, make_interval(secs => ${leaseSeconds}), ${onlyTroubled}, ${most})`.execute(db)
  return rows.map((row) => ({ ...row, lease }))
}

/** Makes the planner find rows by their keys, whatever the statistics say about tables that fill and empty all day. */
export async function forceKeyLookups(tx: Tx) {
  await raw`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`.execute(tx)
}

export interface EndpointRow {
  readonly org_id: string
  readonly subscription_id: string
  readonly url: string
  /** True when the subscription is enabled and has not ended. */
  readonly enabled: boolean
  readonly sealed: Buffer | null
  readonly sealed_previous: Buffer | null
  readonly previous_until: Date | null
  readonly org_sealed: Buffer | null
  /** null for JSON to the URL. */
  readonly destination: Destination | null
  readonly destination_sealed: Buffer | null
  /** Recipients of mail who may get some now; found once the endpoint is read. */
  recipients?: readonly string[]
}

/** Returns the URLs of queues and the secrets that their deliveries are signed with at this moment. */
export async function readEndpoints(tx: Tx, queues: readonly QueueKey[]): Promise<EndpointRow[]> {
  const { rows } = await raw<EndpointRow>`
    select s.org_id, s.id as subscription_id, s.url, ${isActive} as enabled, s.sealed, s.sealed_previous, s.previous_until,
           o.sealed as org_sealed, s.destination, s.destination_sealed
      from ${keysOf(queues)}
      join webhook_subscriptions s on s.org_id = k.org_id and s.id = k.subscription_id
      left join webhook_org_secrets o on o.org_id = k.org_id and s.sealed is null`.execute(tx)
  return rows
}

export interface DueRow {
  readonly org_id: string
  readonly subscription_id: string
  readonly id: string
  readonly event_id: string
  readonly kind: string
  readonly subject: string
  /** Events that its message stands for; null for the one. */
  readonly digest: Digest | null
  readonly attempt_count: number
}

/** The number of due deliveries that are examined for sendable ones; blocked ones have been deferred behind them. */
const maxExamined = 1_000

/** Returns the due deliveries of queues, those due longest first; for ordered subscriptions only the first of each subject. */
export async function readDue(tx: Tx, queues: readonly (QueueKey & { readonly most: number })[]): Promise<DueRow[]> {
  const { rows } = await raw<DueRow>`
    select k.org_id, k.subscription_id, p.id, p.event_id, p.kind, p.subject, p.digest, p.attempt_count
      from unnest(${queues.map(({ orgId }) => orgId)}::uuid[], ${queues.map(({ subscriptionId }) => subscriptionId)}::uuid[],
                  ${queues.map(({ most }) => most)}::integer[]) as k (org_id, subscription_id, most)
     cross join lateral (
       select d.id, d.event_id, d.kind, d.subject, d.digest, jsonb_array_length(d.attempts) as attempt_count
         from (select id, event_id, kind, digest, attempts, subject, ordered, seq, next_attempt_at from webhook_pending
                where org_id = k.org_id and subscription_id = k.subscription_id and next_attempt_at <= now()
                order by next_attempt_at, seq limit ${maxExamined}) d
        where not d.ordered or not exists (
          select from webhook_pending f
           where f.org_id = k.org_id and f.subscription_id = k.subscription_id and f.ordered and f.subject = d.subject and f.seq < d.seq)
        order by d.next_attempt_at, d.seq limit k.most) p`.execute(tx)
  return rows
}

export interface PayloadRow {
  readonly id: string
  readonly payload: string
  readonly created_at: Date
}

export async function readPayloads(tx: Tx, deliveries: readonly DueRow[]): Promise<PayloadRow[]> {
  const { rows } = await raw<PayloadRow>`
    select e.* from unnest(${deliveries.map(({ org_id }) => org_id)}::uuid[], ${deliveries.map(({ event_id }) => event_id)}::uuid[]) as k (org_id, id)
     cross join lateral (select id, payload, created_at from events where org_id = k.org_id and id = k.id limit 1) e`.execute(
    tx,
  )
  return rows
}

/** The stored record of an attempt. */
export interface DeliveryAttempt {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly error_message: string | null
  readonly latency_ms: number
  readonly response: string | null
}

export interface DeliveryResult extends QueueKey {
  readonly id: string
  readonly state: 'delivered' | 'failed' | 'pending'
  readonly attempt: DeliveryAttempt
  readonly retrySeconds: number
}

/**
 * Records the results of attempts. A delivery that another process has ended meanwhile stays as it is; one that is older than the
 * retention is deleted without a trace, since its partition may be gone.
 */
export async function recordResults(tx: Tx, results: readonly DeliveryResult[]) {
  const over = results.filter(({ state }) => state !== 'pending')
  const again = results.filter(({ state }) => state === 'pending')
  if (over.length > 0)
    await raw`
      with ended as (
        delete from webhook_pending p using ${resultsOf(over)}
         where p.org_id = r."orgId" and p.subscription_id = r."subscriptionId" and p.id = r.id
        returning p.org_id, p.subscription_id, p.id, p.event_id, p.kind, p.subject, p.trigger, r.state, p.attempts || r.attempt, p.created_at, clock_timestamp(), p.digest)
      insert into webhook_deliveries (org_id, subscription_id, id, event_id, kind, subject, trigger, state, attempts, created_at, ended_at, digest)
      select * from ended where created_at > clock_timestamp() - make_interval(days => ${retentionDays})`.execute(tx)
  if (again.length > 0)
    await raw`
      with retried as (
        update webhook_pending p
           set attempts = p.attempts || r.attempt, next_attempt_at = clock_timestamp() + make_interval(secs => r."retrySeconds")
          from ${resultsOf(again)}
         where p.org_id = r."orgId" and p.subscription_id = r."subscriptionId" and p.id = r.id
        returning p.org_id, p.subscription_id, p.id, p.subject, p.seq, p.ordered, p.next_attempt_at)
      update webhook_pending f set next_attempt_at = r.next_attempt_at
        from retried r
       where r.ordered and f.org_id = r.org_id and f.subscription_id = r.subscription_id and f.subject = r.subject
         and f.ordered and f.seq > r.seq and f.next_attempt_at < r.next_attempt_at`.execute(tx)
}

/**
 * Defers due deliveries that wait for an earlier one of their subject which is not due, until that one is. Otherwise deliveries
 * that were added after the failure would keep their queue due all the time, with nothing to send in it.
 */
export async function deferBlocked(tx: Tx, queues: readonly QueueKey[]) {
  await raw`
    with blocked as (
      select k.org_id, k.subscription_id, d.id, f.next_attempt_at
        from ${keysOf(queues)}
       cross join lateral (
         select id, subject, seq, ordered from webhook_pending
          where org_id = k.org_id and subscription_id = k.subscription_id and next_attempt_at <= clock_timestamp()
          order by next_attempt_at, seq limit ${maxExamined}) d
       cross join lateral (
         select seq, next_attempt_at from webhook_pending
          where org_id = k.org_id and subscription_id = k.subscription_id and ordered and subject = d.subject
          order by seq limit 1) f
       where d.ordered and f.seq < d.seq and f.next_attempt_at > clock_timestamp())
    update webhook_pending p set next_attempt_at = b.next_attempt_at
      from blocked b
     where p.org_id = b.org_id and p.subscription_id = b.subscription_id and p.id = b.id`.execute(tx)
}

export interface LeaseUpdate extends QueueKey {
  readonly lease: string
  readonly isGivenBack: boolean
  readonly leaseSeconds: number
  readonly pauseSeconds: number
  readonly width: number
  readonly troubled: boolean
  readonly failures: number
  readonly latencyMs: number | null
  readonly hasTried: boolean
  readonly hasSucceeded: boolean
}

/**
 * Records the health of queues and when they are due again. The queues are locked first, so that the following read includes
 * every delivery that was added while the queue was leased. Returns the leases that still held: a queue that another process has
 * leased meanwhile is left to it.
 */
export async function recordQueues(tx: Tx, updates: readonly LeaseUpdate[]): Promise<ReadonlySet<string>> {
  await raw`
    select from webhook_queues q join ${keysOf(updates)} on q.org_id = k.org_id and q.subscription_id = k.subscription_id
     order by q.org_id, q.subscription_id for update of q`.execute(tx)
  const { rows } = await raw<{ subscription_id: string }>`
    update webhook_queues q
       set width = n.width, troubled = n.troubled, failures = n.failures, latency_ms = n."latencyMs",
           failing_since = case when n.failures = 0 then null
                                when n."hasSucceeded" then clock_timestamp()
                                else coalesce(q.failing_since, clock_timestamp()) end,
           last_attempt_at = case when n."hasTried" then clock_timestamp() else q.last_attempt_at end,
           last_success_at = case when n."hasSucceeded" then clock_timestamp() else q.last_success_at end,
           not_before = case when n."pauseSeconds" > 0 then clock_timestamp() + make_interval(secs => n."pauseSeconds") end,
           leased_by = case when n."isGivenBack" then null else n.lease end,
           due_at = case
             when not n."isGivenBack" then clock_timestamp() + make_interval(secs => n."leaseSeconds")
             when ${isActive} then (
               select greatest(p.next_attempt_at, clock_timestamp() + make_interval(secs => n."pauseSeconds")) from webhook_pending p
                where p.org_id = q.org_id and p.subscription_id = q.subscription_id order by p.next_attempt_at limit 1) end
      from json_to_recordset(${JSON.stringify(updates)}) as n (lease uuid, "orgId" uuid, "subscriptionId" uuid, "isGivenBack" boolean,
             "leaseSeconds" float, "pauseSeconds" float, width smallint, troubled boolean, failures integer, "latencyMs" integer,
             "hasTried" boolean, "hasSucceeded" boolean)
      join webhook_subscriptions s on s.org_id = n."orgId" and s.id = n."subscriptionId"
     where q.org_id = n."orgId" and q.subscription_id = n."subscriptionId" and q.leased_by = n.lease
    returning q.subscription_id`.execute(tx)
  return new Set(rows.map(({ subscription_id }) => subscription_id))
}

export interface DisabledRow {
  readonly org_id: string
  readonly id: string
  readonly url: string
  readonly disabled_reason: 'gone' | 'failing'
  readonly disabled_at: Date
}

/** Disables subscriptions whose endpoint is gone or keeps failing. Returns each once, with the reason. */
export async function disableSubscriptions(
  tx: Tx,
  queues: readonly (QueueKey & { readonly reason: 'gone' | 'failing' })[],
  failingDays: number,
) {
  const { rows } = await raw<DisabledRow>`
    update webhook_subscriptions s
       set enabled = false, disabled_reason = k.reason, disabled_at = clock_timestamp(), updated_at = clock_timestamp()
      from json_to_recordset(${JSON.stringify(queues)}) as k ("orgId" uuid, "subscriptionId" uuid, reason text)
      join webhook_queues q on q.org_id = k."orgId" and q.subscription_id = k."subscriptionId"
     where s.org_id = k."orgId" and s.id = k."subscriptionId" and s.enabled
       and (k.reason = 'gone' or q.failing_since < clock_timestamp() - make_interval(days => ${failingDays}))
    returning s.org_id, s.id, s.url, s.disabled_reason, s.disabled_at`.execute(tx)
  return rows
}

function keysOf(queues: readonly QueueKey[]) {
  const orgs = queues.map(({ orgId }) => orgId)
  const subscriptions = queues.map(({ subscriptionId }) => subscriptionId)
  return raw`unnest(${orgs}::uuid[], ${subscriptions}::uuid[]) as k (org_id, subscription_id)`
}

const resultsOf = (results: readonly DeliveryResult[]) =>
  raw`json_to_recordset(${JSON.stringify(results)}) as r ("orgId" uuid, "subscriptionId" uuid, id uuid, state text, attempt jsonb, "retrySeconds" float)`
