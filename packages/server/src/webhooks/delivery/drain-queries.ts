import { type Kysely, sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import type { DB } from '../../platform/infra/tables.ts'
import { one } from '../../values/present.ts'
import type { Destination } from '../destinations/destination.ts'
import { isActive } from '../subscriptions/queries.ts'

/** True when this transaction is the one that drains: events keep their order only if there is a single drainer. */
export async function isDrainer(tx: Tx): Promise<boolean> {
  const { rows } = await raw<{ is: boolean }>`select pg_try_advisory_xact_lock(hashtext('drain events')) as is`.execute(
    tx,
  )
  return one(rows).is
}

export interface OutboxEvent {
  readonly org_id: string
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly body: unknown
  readonly created_at: Date
}

export async function takeOutboxEvents(tx: Tx, most: number): Promise<OutboxEvent[]> {
  const { rows } =
    await raw<OutboxEvent>`select org_id, id, kind, subject, body, created_at from take_events(${most})`.execute(tx)
  return rows
}

export async function insertDrainedEvents(
  tx: Tx,
  events: readonly (Omit<OutboxEvent, 'body'> & { readonly payload: string })[],
) {
  await raw`
    insert into events (org_id, id, kind, subject, payload, created_at)
    select org_id, id, kind, subject, payload, created_at
      from json_to_recordset(${JSON.stringify(events)})
        as e (org_id uuid, id uuid, kind text, subject text, payload text, created_at timestamptz)`.execute(tx)
}

export interface EnabledSubscription {
  readonly org_id: string
  readonly id: string
  readonly events: string[]
  readonly ordered: boolean
  readonly destination: Destination | null
}

/** Returns the enabled subscriptions. The lock keeps them from being deleted before their queues are woken. */
export const findEnabledSubscriptions = (tx: Tx, orgIds: readonly string[]): Promise<EnabledSubscription[]> =>
  tx
    .selectFrom('webhook_subscriptions')
    .select(['org_id', 'id', 'events', 'ordered', raw<Destination | null>`destination`.as('destination')])
    .where('org_id', 'in', orgIds)
    .where(isActive)
    .forKeyShare()
    .execute()

export interface ReplayRow {
  readonly org_id: string
  readonly id: string
}

export async function findWaitingReplays(db: Kysely<DB>, most: number): Promise<ReplayRow[]> {
  const { rows } = await raw<ReplayRow>`select org_id, id from replays_waiting(${most})`.execute(db)
  return rows
}

/** Locks a replay for this transaction; another worker takes another one. */
export const lockReplay = (tx: Tx, { org_id, id }: ReplayRow) =>
  tx
    .selectFrom('webhook_replays as r')
    .innerJoin('webhook_subscriptions as s', (join) =>
      join.onRef('s.org_id', '=', 'r.org_id').onRef('s.id', '=', 'r.subscription_id'),
    )
    .select([
      'r.org_id',
      'r.id',
      'r.subscription_id',
      'r.kinds',
      'r.after_id',
      'r.before_id',
      's.ordered',
      raw<Destination | null>`s.destination`.as('destination'),
    ])
    .where('r.org_id', '=', org_id)
    .where('r.id', '=', id)
    .where('r.finished_at', 'is', null)
    .forUpdate('r')
    .skipLocked()
    .executeTakeFirst()

export type LockedReplay = NonNullable<Awaited<ReturnType<typeof lockReplay>>>

/** Counts the pending deliveries of a replay's subscription, up to `most`. */
export async function countWaiting(tx: Tx, { org_id, subscription_id }: LockedReplay, most: number): Promise<number> {
  const { rows } = await raw<{ count: bigint }>`
    select count(*) from (
      select from webhook_pending where org_id = ${org_id} and subscription_id = ${subscription_id} limit ${most}) p`.execute(
    tx,
  )
  return Number(one(rows).count)
}

/** Returns the next events of a replay, in the order of their IDs. */
export const readReplayEvents = (tx: Tx, { org_id, after_id, before_id, kinds }: LockedReplay, most: number) =>
  tx
    .selectFrom('events')
    .select(['id', 'kind', 'subject', 'payload', 'created_at'])
    .where('org_id', '=', org_id)
    .where('id', '>', after_id)
    .where('id', '<', before_id)
    .where('kind', 'in', kinds)
    .orderBy('id')
    .limit(most)
    .execute()

export type ReplayEvent = Awaited<ReturnType<typeof readReplayEvents>>[number]

/** Records the progress of a replay; without `afterId` it has finished. */
export async function advanceReplay(tx: Tx, { org_id, id }: ReplayRow, enqueued: number, afterId: string | undefined) {
  await tx
    .updateTable('webhook_replays')
    .set({
      told_count: raw`told_count + ${enqueued}`,
      ...(afterId === undefined ? { finished_at: raw`clock_timestamp()` } : { after_id: afterId }),
    })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}

export async function countWaitingEvents(db: Kysely<DB>): Promise<{ waiting: number; oldest: Date | null }> {
  const { rows } = await raw<{
    waiting: bigint
    oldest: Date | null
  }>`select waiting, oldest from events_waiting()`.execute(db)
  return { waiting: Number(one(rows).waiting), oldest: one(rows).oldest }
}
