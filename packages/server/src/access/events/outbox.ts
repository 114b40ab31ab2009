import type { BoundStatement } from '../../platform/infra/pipelined-connection.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import type { EventData, EventKind } from './catalog.ts'
import { insertIntoOutbox, outboxStatement } from './queries.ts'

/** An event to be written; `subject` is the id of its resource, and the unit within which receivers can ask for order. */
export type NewEvent = {
  [K in EventKind]: { readonly kind: K; readonly subject: string; readonly data: EventData<K> }
}[EventKind]

interface EventOfOrg {
  readonly orgId: string
  readonly event: NewEvent
  /** Time of the event; by default that of the transaction. */
  readonly at?: string
}

const rowOf = ({ orgId, event: { kind, subject, data }, at }: EventOfOrg) => ({
  org_id: orgId,
  id: newUuid(),
  kind,
  subject,
  body: data,
  ...(at !== undefined && { at }),
})

/** Writes events in the transaction of what they report: they are published if it commits, and only then. */
export const emit = (tx: Tx, orgId: string, events: readonly NewEvent[]) =>
  emitAll(
    tx,
    events.map((event) => ({ orgId, event })),
  )

/** Writes events of several organizations. */
export const emitAll = (tx: Tx, events: readonly EventOfOrg[]) => insertIntoOutbox(tx, events.map(rowOf))

/** Returns events as one statement of a lane's pipeline. */
export const eventsStatement = (events: readonly EventOfOrg[]): BoundStatement => outboxStatement(events.map(rowOf))
