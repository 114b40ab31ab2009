import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import type { Digest } from '../destinations/digest.ts'

export type Trigger = 'event' | 'redelivery' | 'replay' | 'test'

export interface NewDelivery {
  readonly orgId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly kind: string
  readonly subject: string
  readonly trigger: Trigger
  readonly ordered: boolean
  /** Events that its message stands for, if not the one. */
  readonly digest?: Digest
}

/** Appends deliveries to the queues of their subscriptions and wakes the queues. Returns their IDs. */
export async function enqueue(tx: Tx, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return []
  const rows = deliveries.map((delivery) => ({ ...delivery, id: newUuid() }))
  await raw`
    insert into webhook_pending (org_id, subscription_id, id, event_id, kind, subject, trigger, ordered, digest, next_attempt_at, created_at)
    select "orgId", "subscriptionId", id, "eventId", kind, subject, trigger, ordered, digest, now(), now()
      from json_to_recordset(${JSON.stringify(rows)})
        as d ("orgId" uuid, "subscriptionId" uuid, id uuid, "eventId" uuid, kind text, subject text, trigger text, ordered boolean, digest jsonb)`.execute(
    tx,
  )
  await wake(tx, rows)
  return rows.map(({ id }) => id)
}

interface QueueKey {
  readonly orgId: string
  readonly subscriptionId: string
}

/**
 * Makes queues due now. A process that has leased one checks it again before releasing it; a queue whose endpoint keeps failing
 * stays paused. Queues are locked in the order of their keys, as everywhere.
 */
async function wake(tx: Tx, queues: readonly QueueKey[]) {
  await raw`
    insert into webhook_queues (org_id, subscription_id, due_at)
    select distinct "orgId", "subscriptionId", now()
      from json_to_recordset(${JSON.stringify(queues)}) as q ("orgId" uuid, "subscriptionId" uuid) order by 1, 2
    on conflict (org_id, subscription_id) do update
       set due_at = greatest(least(webhook_queues.due_at, excluded.due_at), webhook_queues.not_before)
     where webhook_queues.leased_by is null`.execute(tx)
}

/**
 * Resets the queue of a subscription that is enabled again or has a new URL: everything pending is due now. A process that has
 * leased the queue checks it again before releasing it.
 */
export async function reopenQueue(tx: Tx, orgId: string, subscriptionId: string) {
  await raw`
    update webhook_pending set next_attempt_at = now()
     where org_id = ${orgId} and subscription_id = ${subscriptionId} and next_attempt_at > now()`.execute(tx)
  await raw`
    update webhook_queues
       set due_at = case when leased_by is null then now() else due_at end, not_before = null, troubled = false, failures = 0, failing_since = null
     where org_id = ${orgId} and subscription_id = ${subscriptionId}`.execute(tx)
}
