import { matchesFilter, payloadOf } from '../../access/events/events.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { restrictToOrgs } from '../../platform/infra/sql.ts'
import { timeOfUuid } from '../../values/id.ts'
import { lastOf } from '../../values/present.ts'
import { recordIn } from '../../values/records.ts'
import { takesMessages } from '../destinations/destination.ts'
import type { MailLimits } from '../destinations/mail-uses.ts'
import { enqueue } from '../subscriptions/queue-queries.ts'
import { digested, replayedMail, type Told, usesOfTold } from './digests.ts'
import type { PayloadRow } from './dispatch-queries.ts'
import {
  advanceReplay,
  countWaiting,
  type EnabledSubscription,
  findEnabledSubscriptions,
  findWaitingReplays,
  insertDrainedEvents,
  isDrainer,
  type LockedReplay,
  lockReplay,
  type ReplayEvent,
  readReplayEvents,
  takeOutboxEvents,
} from './drain-queries.ts'
import { retainedSince } from './partitions.ts'
import type { PayloadCache } from './payload-cache.ts'

const perBatch = 500
const replaysAtOnce = 20
const replaysLookedAt = 10_000
/** A replay continues when no more than this many deliveries are pending, so that new events do not queue behind all of it. */
const maxPendingForReplay = 5_000

/** Somebody else who follows events: is told of each batch in the transaction that takes it from the outbox. */
export type EventFollower = (
  tx: Tx,
  events: readonly { readonly org_id: string; readonly kind: string; readonly subject: string }[],
) => Promise<void>

/** Turns a batch of written events into deliveries, in one transaction. Returns the number of events taken. */
export async function drainEvents(
  { sql: { db }, config, clock, log }: Pick<Platform, 'sql' | 'config' | 'clock' | 'log'>,
  recent: PayloadCache,
  follow: EventFollower = async () => {},
): Promise<number> {
  const drained: (PayloadRow & { readonly org_id: string })[] = []
  const count = await db.transaction().execute(async (tx) => {
    if (!(await isDrainer(tx))) return 0
    const taken = await takeOutboxEvents(tx, perBatch)
    if (taken.length === 0) return 0
    const since = retainedSince(clock.now())
    const events = taken.filter(({ id }) => timeOfUuid(id) >= since)
    if (events.length < taken.length)
      log.error(
        { events: taken.length - events.length },
        'events older than the retention were dropped before delivery',
      )
    const orgIds = [...new Set(events.map(({ org_id }) => org_id))]
    await restrictToOrgs(tx, orgIds)
    const rows = events.map(({ body, ...event }) => ({ ...event, payload: payloadOf({ ...event, body }) }))
    drained.push(...rows)
    await insertDrainedEvents(tx, rows)
    const listeners = Map.groupBy(await findEnabledSubscriptions(tx, orgIds), ({ org_id }) => org_id)
    const told = events.flatMap((event) =>
      (listeners.get(event.org_id) ?? [])
        .filter((listener) => matchesFilter(listener.events, event.kind))
        .map((listener) => ({ event, listener })),
    )
    const [messages, posts] = [told.filter(isMessage), told.filter((one) => !isMessage(one))]
    const uses = await usesOfTold(tx, config, messages)
    const made = await digested(tx, messages, uses)
    await uses.save()
    await enqueue(tx, [
      ...posts.map(({ event: { org_id, id, kind, subject }, listener }) => ({
        orgId: org_id,
        subscriptionId: listener.id,
        eventId: id,
        kind,
        subject,
        trigger: 'event' as const,
        ordered: listener.ordered,
      })),
      ...made,
    ])
    await follow(tx, events)
    return taken.length
  })
  // Only committed events are cached: one that was rolled back may be written again with another payload.
  for (const { id, payload, created_at } of drained) recent.add(id, { payload, createdAt: created_at })
  return count
}

const isMessage = ({ listener }: { readonly listener: EnabledSubscription }) => takesMessages(listener)

/**
 * Continues some of the waiting replays and returns the number of deliveries that were enqueued. They are picked at random, so
 * that an organization with many replays, or with one that cannot continue, does not block the others.
 */
export async function continueReplays({ sql, config }: Pick<Platform, 'sql' | 'config'>): Promise<number> {
  let made = 0
  for (const replay of randomSlice(await findWaitingReplays(sql.db, replaysLookedAt), replaysAtOnce))
    made += await sql.asOrgs([replay.org_id], (tx) => continueReplay(tx, config, replay))
  return made
}

function randomSlice<T>(all: readonly T[], most: number): T[] {
  const from = Math.floor(Math.random() * all.length)
  return [...all.slice(from), ...all.slice(0, from)].slice(0, most)
}

async function continueReplay(tx: Tx, limits: MailLimits, waiting: { org_id: string; id: string }): Promise<number> {
  const replay = await lockReplay(tx, waiting)
  if (!replay || (await countWaiting(tx, replay, maxPendingForReplay)) === maxPendingForReplay) return 0
  const events = await readReplayEvents(tx, replay, perBatch)
  const isByMail = replay.destination?.kind === 'email'
  const told = isByMail ? await mailedNow(tx, limits, replay, events) : events
  await enqueue(
    tx,
    told.map(({ id, kind, subject }) => ({
      orgId: replay.org_id,
      subscriptionId: replay.subscription_id,
      eventId: id,
      kind,
      subject,
      trigger: 'replay' as const,
      ordered: replay.ordered,
    })),
  )
  await advanceReplay(tx, replay, events.length, events.length < perBatch ? undefined : lastOf(events).id)
  return events.length
}

/** Returns those of a replay's events that mail may tell now. The others are counted into digests. */
async function mailedNow(
  tx: Tx,
  limits: MailLimits,
  { org_id, subscription_id: id, destination, ordered, kinds }: LockedReplay,
  events: readonly ReplayEvent[],
) {
  const listener = { org_id, id, events: kinds, ordered, destination }
  const told = events.map(({ payload, ...event }): Told => {
    const body = recordIn(recordIn(JSON.parse(payload))['data'])
    return { event: { ...event, org_id, body }, listener }
  })
  const uses = await usesOfTold(tx, limits, told)
  const now = await replayedMail(tx, told, uses)
  await uses.save()
  return now.map(({ event }) => event)
}
