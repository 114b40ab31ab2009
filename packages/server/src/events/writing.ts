import type { Sent } from '../infra/pipelined-connection.ts'
import type { Tx } from '../infra/sql.ts'
import { newUuid } from '../values/id.ts'
import type { EventData, EventKind } from './catalog.ts'
import { insertEvents, sentEvents } from './queries.ts'

/** Something that happened; `subject` is the id of what it happened to, and the unit in which order can be asked for. */
export type NewEvent = {
  [K in EventKind]: { readonly kind: K; readonly subject: string; readonly data: EventData<K> }
}[EventKind]

interface EventOfOrg {
  readonly orgId: string
  readonly event: NewEvent
  /** When it happened; by default with the transaction. */
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

/** Writes events in the transaction of what they report: they are told if it commits, and only then. */
export const emit = (tx: Tx, orgId: string, events: readonly NewEvent[]) =>
  emitAll(
    tx,
    events.map((event) => ({ orgId, event })),
  )

/** The same for several organizations. */
export const emitAll = (tx: Tx, events: readonly EventOfOrg[]) => insertEvents(tx, events.map(rowOf))

/** The same for a lane, as one statement of its flight. */
export const writtenEvents = (events: readonly EventOfOrg[]): Sent => sentEvents(events.map(rowOf))
