import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { operatorsOrgId } from '../../values/id.ts'
import type { Destination } from '../destinations/destination.ts'
import { maxPendingCounted } from './schema.ts'

/**
 * Locks an organization's subscriptions until the transaction ends: changes of subscriptions and their secrets are serialised, so
 * that what depends on all of them is never derived from half a change.
 */
export async function lockSubscriptions(tx: Tx, orgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('orgs')
    .select('id')
    .where('id', '=', orgId)
    .where('id', '<>', operatorsOrgId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** True while a subscription receives events: it is enabled, and the grant under which it was created has not ended. */
export const isActive = raw<boolean>`(enabled and (ends_at is null or ends_at > clock_timestamp()))`

const own = [
  's.org_id',
  's.id',
  's.url',
  raw<Destination | null>`s.destination`.as('destination'),
  's.destination_sealed',
  's.events',
  's.description',
  's.ordered',
  's.enabled',
  's.disabled_reason',
  's.disabled_at',
  's.created_by_grant',
  's.ends_at',
  's.generation',
  's.rotated_at',
  's.previous_until',
  's.created_at',
  's.updated_at',
] as const

const pendingOf = raw`webhook_pending p where p.org_id = s.org_id and p.subscription_id = s.id`

/** Selects subscriptions with the health of their endpoints; secrets are read only where they are used. */
const subscriptions = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('webhook_subscriptions as s')
    .leftJoin('webhook_queues as q', (join) =>
      join.onRef('q.org_id', '=', 's.org_id').onRef('q.subscription_id', '=', 's.id'),
    )
    .select([
      ...own,
      'q.failures',
      'q.failing_since',
      'q.last_attempt_at',
      'q.last_success_at',
      'q.latency_ms',
      raw<string[]>`array(
        select m.address from mail_addresses m
         where m.org_id = s.org_id and m.confirmed_at is null and s.destination -> 'recipients' ? m.address order by 1)`.as(
        'unconfirmed',
      ),
      raw<bigint>`(select count(*) from (select from ${pendingOf} limit ${maxPendingCounted}) counted)`.as('pending'),
      raw<Date | null>`(select p.created_at from ${pendingOf} order by p.id limit 1)`.as('oldest_pending_at'),
    ])
    .where('s.org_id', '=', orgId)

export const findSubscription = (tx: Tx, orgId: string, id: string) =>
  subscriptions(tx, orgId).where('s.id', '=', id).executeTakeFirst()

export type SubscriptionRow = NonNullable<Awaited<ReturnType<typeof findSubscription>>>

export async function listSubscriptions(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  filters: { enabled?: boolean },
) {
  let query = subscriptions(tx, orgId).select(raw<string>`s.created_at::text`.as('sort_value'))
  if (filters.enabled !== undefined) query = query.where('s.enabled', '=', filters.enabled)
  // The page is selected by the query's columns; the builder's type does not carry the aliases.
  return keysetPage(query as never, { sort: 's.created_at', id: 's.id' }, page).execute() as ReturnType<
    typeof query.execute
  >
}

export async function countSubscriptions(tx: Tx, orgId: string): Promise<{ all: number; signing: number }> {
  const { all, signing } = await tx
    .selectFrom('webhook_subscriptions')
    .select([raw<bigint>`count(*)`.as('all'), raw<bigint>`count(sealed)`.as('signing')])
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return { all: Number(all), signing: Number(signing) }
}

export const enabledFilters = async (tx: Tx, orgId: string): Promise<string[][]> =>
  (
    await tx.selectFrom('webhook_subscriptions').select('events').where('org_id', '=', orgId).where(isActive).execute()
  ).map(({ events }) => events)

export interface SubscriptionFields {
  readonly url: string
  /** null for JSON in our own format. */
  readonly destination?: Destination | null
  readonly destination_sealed?: Buffer | null
  readonly description: string
  readonly events: readonly string[]
  readonly ordered: boolean
  readonly enabled: boolean
  /** The end of the grant under which the subscription was created; null when it stays. */
  readonly ends_at: Date | null
}

const enabledColumns = (enabled: boolean) => ({
  enabled,
  disabled_reason: enabled ? null : 'requested',
  disabled_at: enabled ? null : raw<Date>`clock_timestamp()`,
})

export const insertSubscription = (
  tx: Tx,
  orgId: string,
  id: string,
  { enabled, events, destination, ...fields }: SubscriptionFields & { readonly created_by_grant: string | null },
) =>
  tx
    .insertInto('webhook_subscriptions')
    .values({
      ...fields,
      org_id: orgId,
      id,
      destination: destination ? JSON.stringify(destination) : null,
      events: [...events],
      ...enabledColumns(enabled),
    })
    .execute()

export const updateSubscription = (
  tx: Tx,
  orgId: string,
  id: string,
  { enabled, events, destination, ...fields }: Partial<SubscriptionFields>,
) =>
  tx
    .updateTable('webhook_subscriptions')
    .set({
      ...fields,
      ...(destination !== undefined && { destination: destination && JSON.stringify(destination) }),
      ...(events && { events: [...events] }),
      ...(enabled !== undefined && enabledColumns(enabled)),
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()

/** Disables the subscriptions that were created under a grant, except those that the organization has decided to keep. */
export const disableByGrant = (tx: Tx, orgId: string, grantId: string) =>
  tx
    .updateTable('webhook_subscriptions')
    .set({
      enabled: false,
      disabled_reason: 'grant_ended',
      disabled_at: raw`clock_timestamp()`,
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('created_by_grant', '=', grantId)
    .where('ends_at', 'is not', null)
    .where('enabled', '=', true)
    .returning(['id', 'url', raw<Date>`disabled_at`.as('disabled_at')])
    .execute()

/**
 * Deletes a subscription with its pending deliveries; finished ones stay until their partition is dropped. Deliveries are locked
 * before queues, as workers do; deliveries added meanwhile are deleted last, except those that a worker is ending anyway.
 */
export async function deleteSubscription(tx: Tx, orgId: string, id: string) {
  const waiting = raw`org_id = ${orgId} and subscription_id = ${id}`
  await raw`delete from webhook_pending where ${waiting}`.execute(tx)
  // Whoever continues a replay holds its lock while waking the queue, so it is deleted before the queue.
  await raw`delete from webhook_replays where ${waiting}`.execute(tx)
  await tx.deleteFrom('webhook_subscriptions').where('org_id', '=', orgId).where('id', '=', id).execute()
  // As workers do: they lock what mail has used once they keep the subscription from being deleted.
  await tx.deleteFrom('mail_uses').where('org_id', '=', orgId).where('subject', '=', id).execute()
  await raw`
    delete from webhook_pending where ${waiting}
       and id in (select id from webhook_pending where ${waiting} for update skip locked)`.execute(tx)
}

/**
 * Serialises the derivation of an organization's opt-in kinds, so that each sees all changes that earlier ones were derived from.
 */
export async function lockOptIns(tx: Tx, orgId: string) {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`event opt-ins ${orgId}`}, 0))`.execute(tx)
}

/** Replaces a subscription's own secret; the previous one stays valid beside it for the overlap, if there is one. */
export const replaceOwnSecret = (tx: Tx, orgId: string, id: string, sealed: Buffer, overlapSeconds: number) => {
  const isKept = raw`${overlapSeconds}::integer > 0 and sealed is not null`
  return tx
    .updateTable('webhook_subscriptions')
    .set({
      sealed,
      generation: raw`generation + 1`,
      rotated_at: raw`clock_timestamp()`,
      sealed_previous: raw`case when ${isKept} then sealed end`,
      previous_until: raw`case when ${isKept} then clock_timestamp() + make_interval(secs => ${overlapSeconds}) end`,
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()
}

export const insertOrgSecret = (tx: Tx, orgId: string, sealed: Buffer) =>
  tx
    .insertInto('webhook_org_secrets')
    .values({ org_id: orgId, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findOrgSecret = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('webhook_org_secrets')
    .select(['sealed', 'created_at', 'rotated_at'])
    .where('org_id', '=', orgId)
    .executeTakeFirst()

export const replaceOrgSecret = (tx: Tx, orgId: string, sealed: Buffer) =>
  tx
    .updateTable('webhook_org_secrets')
    .set({ sealed, rotated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .execute()
