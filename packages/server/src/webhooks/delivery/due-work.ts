import type { Sql, Tx } from '../../platform/infra/sql.ts'
import {
  type DueRow,
  type EndpointRow,
  forceKeyLookups,
  readDue,
  readEndpoints,
  readPayloads,
} from './dispatch-queries.ts'
import type { EventPayload, PayloadCache } from './payload-cache.ts'
import type { QueueAllotment } from './queue-allotments.ts'

/** Due deliveries of some queues, with all that is needed to send them. */
export interface DueWork {
  readonly endpoints: ReadonlyMap<string, EndpointRow>
  /** Deliveries by subscription. */
  readonly due: ReadonlyMap<string, readonly DueRow[]>
  /** Payloads by event; an event that is no longer stored has none. */
  readonly payloads: ReadonlyMap<string, EventPayload>
}

export const readDueWork = (sql: Sql, recent: PayloadCache, allotments: readonly QueueAllotment[]): Promise<DueWork> =>
  sql.asOrgs([...new Set(allotments.map(({ queue }) => queue.orgId))], async (tx) => {
    await forceKeyLookups(tx)
    const queues = allotments.map(({ queue }) => queue)
    const endpoints = await readEndpoints(tx, queues)
    const due = await readDue(
      tx,
      allotments.map(({ queue: { orgId, subscriptionId, sending }, room }) => ({
        orgId,
        subscriptionId,
        most: room + sending.size,
      })),
    )
    return {
      endpoints: new Map(endpoints.map((row) => [row.subscription_id, row])),
      due: Map.groupBy(due, ({ subscription_id }) => subscription_id),
      payloads: await payloadsOf(tx, recent, due),
    }
  })

/** Returns the payloads of deliveries. The cache saves reads; a delivery never depends on an entry still being cached. */
async function payloadsOf(tx: Tx, recent: PayloadCache, due: readonly DueRow[]) {
  const payloads = new Map<string, EventPayload>()
  for (const { event_id } of due) {
    const known = recent.get(event_id)
    if (known) payloads.set(event_id, known)
  }
  const unknown = due.filter(({ event_id }) => !payloads.has(event_id))
  for (const { id, payload, created_at } of unknown.length > 0 ? await readPayloads(tx, unknown) : []) {
    const read = { payload, createdAt: created_at }
    payloads.set(id, read)
    recent.add(id, read)
  }
  return payloads
}
