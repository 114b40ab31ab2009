import { type Static, Type } from 'typebox'
import { payloadOf } from '../access/events/events.ts'
import { ListOf, ListQuery, pageRequest, pageResponse, windowFilters } from '../contract/lists.ts'
import { Id, PathId, Timestamp } from '../contract/wire.ts'
import type { Sql } from '../platform/infra/sql.ts'
import { retainedSince } from './delivery/partitions.ts'
import { type LoggedEventRow, loggedEvents } from './event-log-queries.ts'

export const LoggedEvent = Type.Object(
  {
    id: Id('event'),
    type: Type.String({ examples: ['budget.stopped'] }),
    created_at: Timestamp,
    org_id: Id('org'),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The data that the event catalog defines for the type.',
    }),
    subject: Type.String({
      description: 'The object that the event is about.',
      examples: ['bud_01jbsteb4peb5vskx602h9mw4q'],
    }),
  },
  { title: 'LoggedEvent', description: 'The event.' },
)
export type LoggedEvent = Static<typeof LoggedEvent>

export const EventPath = Type.Object({ id: PathId('org'), event_id: PathId('event') })
export const EventList = ListOf(LoggedEvent)
export const EventQuery = ListQuery(
  { created_at: 'uuid' },
  {
    ...windowFilters,
    type: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[a-z_]+\\.([a-z_]+|\\*)$',
      description: 'A type, or a group of types such as `budget.*`.',
      examples: ['budget.stopped'],
    }),
    subject: Type.String({ minLength: 1, maxLength: 300 }),
  },
)
export type EventQuery = Static<typeof EventQuery>

/** Returns one page of events with the payloads that subscriptions receive, delivered or not. */
export async function listEvents(sql: Sql, orgId: string, query: EventQuery, now: Date) {
  const asked = pageRequest(query, 'created_at')
  const { from, to, type, subject } = query
  const earliestMs = retainedSince(now)
  const search = {
    from: new Date(from === undefined ? earliestMs : Math.max(Date.parse(from), earliestMs)),
    ...(to !== undefined && { to: new Date(to) }),
    ...(type !== undefined && { type }),
    ...(subject !== undefined && { subject }),
  }
  const rows = await sql.asOrgs([orgId], (tx) => loggedEvents(tx, orgId, asked, search))
  const answer = pageResponse(rows, asked, ({ id }) => ({ value: id, id }))
  return { ...answer, data: answer.data.map((row) => viewOf(orgId, row)) }
}

export async function findEvent(sql: Sql, orgId: string, id: string, now: Date): Promise<LoggedEvent | undefined> {
  const one = { limit: 1, sort: 'created_at', descending: false, after: undefined } as const
  const [row] = await sql.asOrgs([orgId], (tx) =>
    loggedEvents(tx, orgId, one, { from: new Date(retainedSince(now)), id }),
  )
  return row && viewOf(orgId, row)
}

/** Returns an event with exactly the payload that subscriptions receive, and its subject. */
const viewOf = (orgId: string, { payload, body, subject, ...row }: LoggedEventRow): LoggedEvent => ({
  ...(JSON.parse(payload ?? payloadOf({ ...row, org_id: orgId, body })) as Omit<LoggedEvent, 'subject'>),
  subject,
})
