import { type RawBuilder, sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import { partitionBounds } from '../../platform/infra/partitions.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { Digest } from '../destinations/digest.ts'

export interface DeliveryRow {
  readonly digest: Digest | null
  readonly id: string
  readonly event_id: string
  readonly kind: string
  readonly subject: string
  readonly trigger: string
  readonly state: string
  readonly attempts: unknown
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

const pendingColumns = raw`digest, id, event_id, kind, subject, trigger, 'pending' as state, attempts, next_attempt_at, created_at, null::timestamptz as ended_at`
const endedColumns = raw`digest, id, event_id, kind, subject, trigger, state, attempts, null::timestamptz as next_attempt_at, created_at, ended_at`

/** Returns the lowest ID of a time. No ID is from before 1970. */
export const minIdAt = (at: Date) => partitionBounds.uuid(new Date(Math.max(0, at.getTime())))

export interface DeliveryFilters {
  readonly status?: string
  readonly kind?: string
  readonly from?: Date
  readonly to?: Date
}

/**
 * Lists pending and finished deliveries in one statement, so that one that finishes meanwhile is neither missed nor listed twice.
 */
export async function listDeliveries(
  tx: Tx,
  orgId: string,
  subscriptionId: string,
  { descending, after, limit }: PageRequest,
  { status, kind, from, to }: DeliveryFilters,
): Promise<DeliveryRow[]> {
  const place = raw.join(
    [
      raw`org_id = ${orgId}::uuid and subscription_id = ${subscriptionId}::uuid`,
      ...(from ? [raw`id >= ${minIdAt(from)}::uuid`] : []),
      ...(to ? [raw`id < ${minIdAt(to)}::uuid`] : []),
      ...(after ? [raw`id ${raw.raw(descending ? '<' : '>')} ${after.id}::uuid`] : []),
      ...(kind === undefined ? [] : [raw`kind = ${kind}`]),
    ],
    raw` and `,
  )
  const order = raw`order by id ${raw.raw(descending ? 'desc' : 'asc')} limit ${limit + 1}`
  const sides: RawBuilder<unknown>[] = []
  if (status === undefined || status === 'pending')
    sides.push(raw`(select ${pendingColumns} from webhook_pending where ${place} ${order})`)
  if (status !== 'pending') {
    const ofState = status === undefined ? raw`` : raw`and state = ${status}`
    sides.push(raw`(select ${endedColumns} from webhook_deliveries where ${place} ${ofState} ${order})`)
  }
  const { rows } = await raw<DeliveryRow>`select * from (${raw.join(sides, raw` union all `)}) d ${order}`.execute(tx)
  return rows
}

export async function findDelivery(
  tx: Tx,
  orgId: string,
  subscriptionId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  const place = raw`org_id = ${orgId} and subscription_id = ${subscriptionId} and id = ${id}`
  const { rows } = await raw<DeliveryRow>`
    select ${pendingColumns} from webhook_pending where ${place}
    union all
    select ${endedColumns} from webhook_deliveries where ${place}`.execute(tx)
  return rows[0]
}

export const isEventKept = async (tx: Tx, orgId: string, id: string): Promise<boolean> =>
  (await tx.selectFrom('events').select('id').where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()) !==
  undefined

export interface NewEventRow {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly payload: string
  readonly created_at: Date
}

export const insertEvent = (tx: Tx, orgId: string, event: NewEventRow) =>
  tx
    .insertInto('events')
    .values({ ...event, org_id: orgId })
    .execute()

export interface ReplayWindow {
  readonly kinds: readonly string[]
  readonly from: Date
  readonly to: Date
}

/** Counts the events of a replay, up to `most`. */
export async function countEvents(tx: Tx, orgId: string, { kinds, from, to }: ReplayWindow, most: number) {
  const { rows } = await raw<{ count: bigint }>`
    select count(*) from (
      select from events
       where org_id = ${orgId} and id > ${minIdAt(from)}::uuid and id < ${minIdAt(to)}::uuid and kind = any(${kinds}::text[])
       limit ${most}) e`.execute(tx)
  return Number(one(rows).count)
}

export async function countReplays(tx: Tx, orgId: string, subscriptionId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook_replays')
    .select(raw<bigint>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .where('subscription_id', '=', subscriptionId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const replayColumns = [
  'id',
  'subscription_id',
  'from_at',
  'to_at',
  'event_count',
  'told_count',
  'created_at',
  'finished_at',
] as const

export const insertReplay = (
  tx: Tx,
  orgId: string,
  subscriptionId: string,
  id: string,
  { kinds, from, to, events }: ReplayWindow & { readonly events: number },
) =>
  tx
    .insertInto('webhook_replays')
    .values({
      org_id: orgId,
      id,
      subscription_id: subscriptionId,
      kinds: [...kinds],
      after_id: minIdAt(from),
      before_id: minIdAt(to),
      from_at: from,
      to_at: to,
      event_count: events,
      ...(events === 0 && { finished_at: raw<Date>`clock_timestamp()` }),
    })
    .returning(replayColumns)
    .executeTakeFirstOrThrow()

export type StoredReplay = Awaited<ReturnType<typeof insertReplay>>

export const findReplay = (
  tx: Tx,
  orgId: string,
  subscriptionId: string,
  id: string,
): Promise<StoredReplay | undefined> => replays(tx, orgId, subscriptionId).where('id', '=', id).executeTakeFirst()

export function listReplays(
  tx: Tx,
  orgId: string,
  subscriptionId: string,
  page: PageRequest<'created_at'>,
  status: 'waiting' | 'finished' | undefined,
) {
  const all = replays(tx, orgId, subscriptionId).select(raw<string>`created_at::text`.as('sort_value'))
  const asked = status === undefined ? all : all.where('finished_at', status === 'waiting' ? 'is' : 'is not', null)
  return keysetPage(asked, { sort: page.sort, id: 'id' }, page).execute()
}

const replays = (tx: Tx, orgId: string, subscriptionId: string) =>
  tx
    .selectFrom('webhook_replays')
    .select(replayColumns)
    .where('org_id', '=', orgId)
    .where('subscription_id', '=', subscriptionId)
    // Excludes replays that started before their window was stored, about which nothing is known.
    .where('event_count', 'is not', null)
