import type { ChangeTools } from '../../access/changes/changes.ts'
import { type EventData, eventKinds, matchesFilter, payloadOf } from '../../access/events/events.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import { pageRequest, pageResponse, readWindow } from '../../contract/lists.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { type MailLimits, openMailUses, secondsUntilNextHour } from '../destinations/mail-uses.ts'
import { findSubscription, type SubscriptionRow } from '../subscriptions/queries.ts'
import { enqueue, type NewDelivery } from '../subscriptions/queue-queries.ts'
import { lockSubscription } from '../subscriptions/subscriptions.ts'
import {
  countEvents,
  countReplays,
  type DeliveryRow,
  findDelivery,
  findReplay,
  insertEvent,
  insertReplay,
  isEventKept,
  listDeliveries,
  listReplays,
  type StoredReplay,
} from './delivery-queries.ts'
import {
  type AttemptView,
  type DeliveryListQuery,
  type DeliveryView,
  newestFirst,
  type ReplayInput,
  type ReplayListQuery,
  type ReplayView,
} from './delivery-schema.ts'

const testKind = 'webhook.test'
const disabledMessage = 'The subscription is disabled. Enable it first.'
/** The most events of one replay, since they enter the queue before everything that follows. */
const maxReplayed = 1_000_000
const maxReplaysWaiting = 10

const deliveryView = (row: DeliveryRow): DeliveryView => {
  const attempts = row.attempts as AttemptView[]
  return {
    id: formatId('delivery', row.id),
    event_id: formatId('event', row.event_id),
    type: row.kind,
    status: row.state,
    trigger: row.trigger,
    event_count: row.digest?.count ?? 1,
    attempts: attempts.map((attempt) => ({ ...attempt, at: timestamp(new Date(attempt.at)) })),
    attempt_count: attempts.length,
    next_attempt_at: timestampOrNull(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    ended_at: timestampOrNull(row.ended_at),
  }
}

export async function deliveriesOf(tx: Tx, orgId: string, subscriptionId: string, query: DeliveryListQuery) {
  if (!(await findSubscription(tx, orgId, subscriptionId))) throw new ApiError('not_found')
  const asked = pageRequest({ sort: newestFirst, ...query }, 'created_at')
  const { status, type, from, to } = query
  const rows = await listDeliveries(tx, orgId, subscriptionId, asked, {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { kind: type }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  })
  const answer = pageResponse(rows, asked, ({ id }) => ({ value: id, id }))
  return { ...answer, data: answer.data.map(deliveryView) }
}

export async function getDelivery(tx: Tx, orgId: string, subscriptionId: string, id: string): Promise<DeliveryView> {
  const found =
    (await findSubscription(tx, orgId, subscriptionId)) && (await findDelivery(tx, orgId, subscriptionId, id))
  if (!found) throw new ApiError('not_found')
  return deliveryView(found)
}

async function lockEnabledSubscription(tx: Tx, orgId: string, subscriptionId: string): Promise<SubscriptionRow> {
  const found = await lockSubscription(tx, orgId, subscriptionId)
  if (!found.enabled) throw new ApiError('conflict', {}, { message: disabledMessage })
  return found
}

/** Enqueues a delivery that was requested individually: it waits for no other, even when the subscription is ordered. */
async function enqueueImmediately(tx: Tx, delivery: Omit<NewDelivery, 'ordered'>): Promise<DeliveryView> {
  const [id] = await enqueue(tx, [{ ...delivery, ordered: false }])
  return deliveryView(present(await findDelivery(tx, delivery.orgId, delivery.subscriptionId, present(id))))
}

/** Counts a message that was requested individually, if it is mail; refuses it where a limit is reached. */
async function requireMail(tx: Tx, limits: MailLimits, { org_id, id, destination }: SubscriptionRow, now: Date) {
  if (destination?.kind !== 'email') return
  const user = { orgId: org_id, subscriptionId: id }
  const uses = await openMailUses(tx, limits, [user])
  if (!uses.take(user, destination.recipients?.length ?? 0))
    throw new ApiError(
      'rate_limited',
      { retry_after_seconds: secondsUntilNextHour(now) },
      { message: 'The limit on mail of this hour is reached.' },
    )
  await uses.save()
}

/** Delivers the same event again, with the same ID and bytes, whatever became of the first delivery. */
export async function redeliver(
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  { tx, audit }: ChangeTools,
  orgId: string,
  subscriptionId: string,
  deliveryId: string,
): Promise<DeliveryView> {
  const subscription = await lockSubscription(tx, orgId, subscriptionId)
  const found = await findDelivery(tx, orgId, subscriptionId, deliveryId)
  if (!found) throw new ApiError('not_found')
  if (!subscription.enabled) throw new ApiError('conflict', {}, { message: disabledMessage })
  if (!(await isEventKept(tx, orgId, found.event_id)))
    throw new ApiError('conflict', {}, { message: 'The event is no longer stored.' })
  await requireMail(tx, config, subscription, clock.now())
  const made = await enqueueImmediately(tx, {
    orgId,
    subscriptionId,
    eventId: found.event_id,
    kind: found.kind,
    subject: found.subject,
    trigger: 'redelivery',
    ...(found.digest && { digest: found.digest }),
  })
  audit({
    action: 'webhook.redelivered',
    target: { kind: 'subscription', id: formatId('subscription', subscriptionId) },
    after: { delivery_id: made.id, event_id: made.event_id },
  })
  return made
}

/** Sends a test event to this subscription only. It bypasses the outbox, through which other subscriptions would receive it. */
export async function sendTest(
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  { tx, audit }: ChangeTools,
  orgId: string,
  subscriptionId: string,
): Promise<DeliveryView> {
  const now = clock.now()
  await requireMail(tx, config, await lockEnabledSubscription(tx, orgId, subscriptionId), now)
  const subject = formatId('subscription', subscriptionId)
  const body: EventData<typeof testKind> = { subscription_id: subject }
  const event = { id: newUuid(), kind: testKind, created_at: now }
  await insertEvent(tx, orgId, { ...event, subject, payload: payloadOf({ ...event, org_id: orgId, body }) })
  const made = await enqueueImmediately(tx, {
    orgId,
    subscriptionId,
    eventId: event.id,
    kind: testKind,
    subject,
    trigger: 'test',
  })
  audit({
    action: 'webhook.tested',
    target: { kind: 'subscription', id: subject },
    after: { delivery_id: made.id, event_id: made.event_id },
  })
  return made
}

/** Returns the kinds that a replay includes. Test events were for one subscription and are never replayed. */
const kindsFor = (filter: readonly string[]) =>
  Object.keys(eventKinds).filter((kind) => kind !== testKind && matchesFilter(filter, kind))

const replayView = (row: StoredReplay): ReplayView => ({
  id: formatId('replay', row.id),
  subscription_id: formatId('subscription', row.subscription_id),
  status: row.finished_at === null ? 'waiting' : 'finished',
  from: timestamp(present(row.from_at)),
  to: timestamp(present(row.to_at)),
  event_count: present(row.event_count),
  told_count: row.told_count,
  created_at: timestamp(row.created_at),
  finished_at: timestampOrNull(row.finished_at),
})

export async function getReplay(tx: Tx, orgId: string, subscriptionId: string, id: string): Promise<ReplayView> {
  const row = await findReplay(tx, orgId, subscriptionId, id)
  if (!row) throw new ApiError('not_found')
  return replayView(row)
}

export async function replaysOf(tx: Tx, orgId: string, subscriptionId: string, query: ReplayListQuery) {
  if (!(await findSubscription(tx, orgId, subscriptionId))) throw new ApiError('not_found')
  const asked = pageRequest(query, 'created_at')
  const rows = await listReplays(tx, orgId, subscriptionId, asked, query.status)
  const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
  return { ...answer, data: answer.data.map(replayView) }
}

/** Starts a replay of a past window; a worker enqueues it piece by piece. */
export async function startReplay(
  { tx, audit }: ChangeTools,
  orgId: string,
  subscriptionId: string,
  now: Date,
  input: ReplayInput,
): Promise<ReplayView> {
  const asked = readWindow(input, { from: now, to: now })
  if (asked.from >= now)
    throw validationFailed([{ field: 'from', code: 'out_of_range', message: 'This must not be in the future.' }])
  const subscription = await lockEnabledSubscription(tx, orgId, subscriptionId)
  // Future events will be delivered anyway.
  const window = { from: asked.from, to: asked.to < now ? asked.to : now }
  const kinds = kindsFor(input.events ?? subscription.events)
  const events = await countEvents(tx, orgId, { ...window, kinds }, maxReplayed + 1)
  if (events > maxReplayed)
    throw validationFailed([
      {
        field: 'to',
        code: 'out_of_range',
        message: `This window has more than ${maxReplayed} events. Choose a shorter one.`,
      },
    ])
  if ((await countReplays(tx, orgId, subscriptionId)) >= maxReplaysWaiting)
    throw new ApiError(
      'conflict',
      {},
      { message: `At most ${maxReplaysWaiting} replays can wait for one subscription.` },
    )
  const id = newUuid()
  const made = replayView(await insertReplay(tx, orgId, subscriptionId, id, { ...window, kinds, events }))
  audit({
    action: 'webhook.replayed',
    target: { kind: 'subscription', id: formatId('subscription', subscriptionId) },
    after: { ...made, kinds },
  })
  return made
}
