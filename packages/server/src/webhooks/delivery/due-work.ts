import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { takesMessages } from '../destinations/destination.ts'
import { standingsOf } from '../destinations/recipients.ts'
import {
  type DueRow,
  type EndpointRow,
  forceKeyLookups,
  readDue,
  readEndpoints,
  readPayloads,
} from './dispatch-queries.ts'
import { namesIn, refusalsToday } from './name-queries.ts'
import type { EventPayload, PayloadCache } from './payload-cache.ts'
import type { QueueAllotment } from './queue-allotments.ts'

/** Facts that messages need beside their events. */
export interface DueContext {
  /** Names by organization and public id. */
  readonly names: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Refusals of the day (UTC) by organization and error code. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Due deliveries of some queues, with all that is needed to send them. */
export interface DueWork extends DueContext {
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
    const payloads = await payloadsOf(tx, recent, due)
    await findRecipients(tx, endpoints)
    return {
      endpoints: new Map(endpoints.map((row) => [row.subscription_id, row])),
      due: Map.groupBy(due, ({ subscription_id }) => subscription_id),
      payloads,
      ...(await contextOf(tx, endpoints, due, payloads)),
    }
  })

/** Finds those recipients of the endpoints' mail who may get some now, with one query for all. */
async function findRecipients(tx: Tx, endpoints: readonly EndpointRow[]) {
  const wanted = endpoints.flatMap((endpoint) =>
    (endpoint.destination?.recipients ?? []).map((address) => ({ endpoint, orgId: endpoint.org_id, address })),
  )
  const standings = await standingsOf(tx, wanted)
  const own = wanted.filter((_, i) => standings[i] === 'own')
  for (const [endpoint, found] of Map.groupBy(own, ({ endpoint }) => endpoint))
    endpoint.recipients = found.map(({ address }) => address)
}

/** Returns what messages need, organization by organization. */
async function contextOf(
  tx: Tx,
  endpoints: readonly EndpointRow[],
  due: readonly DueRow[],
  payloads: ReadonlyMap<string, EventPayload>,
): Promise<DueContext> {
  const takers = new Set(endpoints.filter(takesMessages).map(({ subscription_id }) => subscription_id))
  const told = due.filter(({ subscription_id }) => takers.has(subscription_id))
  const names = new Map<string, ReadonlyMap<string, string>>()
  const refusals = new Map<string, ReadonlyMap<string, number>>()
  for (const [orgId, rows] of Map.groupBy(told, ({ org_id }) => org_id)) {
    const texts = rows.flatMap(({ event_id }) => payloads.get(event_id)?.payload ?? [])
    names.set(orgId, await namesIn(tx, orgId, texts))
    if (rows.some(({ kind }) => kind === 'decision.refused')) refusals.set(orgId, await refusalsToday(tx, orgId))
  }
  return { names, refusals }
}

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
