import { asksFor, payloadOf } from '../events/events.ts'
import type { Sql, Tx } from '../infra/sql.ts'
import { seeOrgs } from '../infra/sql.ts'
import {
  advanceReplay,
  insertEvents,
  isDrainer,
  listenersOf,
  lockReplay,
  replayedEvents,
  replaysWaiting,
  takeEvents,
} from './drain-queries.ts'
import { enqueue } from './queue-queries.ts'

const perBatch = 500
const replaysAtOnce = 20

/** Turns events that were written into deliveries, a batch in one transaction; says how many events it took. */
export const drainEvents = ({ db }: Sql): Promise<number> =>
  db.transaction().execute(async (tx) => {
    if (!(await isDrainer(tx))) return 0
    const events = await takeEvents(tx, perBatch)
    if (events.length === 0) return 0
    const orgIds = [...new Set(events.map(({ org_id }) => org_id))]
    await seeOrgs(tx, orgIds)
    await insertEvents(
      tx,
      events.map(({ body, ...event }) => ({ ...event, payload: payloadOf({ ...event, body }) })),
    )
    const listeners = Map.groupBy(await listenersOf(tx, orgIds), ({ org_id }) => org_id)
    await enqueue(
      tx,
      events.flatMap(({ org_id, id, kind, subject }) =>
        (listeners.get(org_id) ?? [])
          .filter((listener) => asksFor(listener.events, kind))
          .map((listener) => ({
            orgId: org_id,
            subscriptionId: listener.id,
            eventId: id,
            kind,
            subject,
            trigger: 'event' as const,
            ordered: listener.ordered,
          })),
      ),
    )
    return events.length
  })

/** Works off a part of each replay that waits; says how many deliveries that made. */
export async function continueReplays(sql: Sql): Promise<number> {
  let made = 0
  for (const replay of await replaysWaiting(sql.db, replaysAtOnce))
    made += await sql.asOrgs([replay.org_id], (tx) => continueReplay(tx, replay))
  return made
}

async function continueReplay(tx: Tx, waiting: { org_id: string; id: string }): Promise<number> {
  const replay = await lockReplay(tx, waiting)
  if (!replay) return 0
  const events = await replayedEvents(tx, replay, perBatch)
  await enqueue(
    tx,
    events.map(({ id, kind, subject }) => ({
      orgId: replay.org_id,
      subscriptionId: replay.subscription_id,
      eventId: id,
      kind,
      subject,
      trigger: 'replay' as const,
      ordered: replay.ordered,
    })),
  )
  await advanceReplay(tx, replay, events.length < perBatch ? undefined : events.at(-1)!.id)
  return events.length
}
