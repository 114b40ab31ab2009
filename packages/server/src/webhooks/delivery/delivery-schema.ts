import { type Static, Type } from 'typebox'
import { eventKinds } from '../../access/events/events.ts'
import { ListOf, ListQuery, windowFaults, windowFilters } from '../../contract/lists.ts'
import { checkOf, withCheck } from '../../contract/semantic-check.ts'
import { Count, Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { present } from '../../values/present.ts'
import { namesOf } from '../../values/records.ts'
import { EventPatterns, patternFaults } from '../subscriptions/schema.ts'

const Attempt = Type.Object(
  {
    at: Timestamp,
    status: Nullable({
      ...Count,
      description: 'The HTTP status of the response; `null` without a response.',
      examples: [503],
    }),
    error: Nullable(
      Type.String({
        description:
          'The reason that there was no response: `dns`, `connection`, `tls`, `timeout`, `refused_address` or `protocol`; `null` with a response.',
        examples: ['connection'],
      }),
    ),
    error_message: Nullable(Type.String({ description: 'The reason in words.' })),
    latency_ms: Count,
    response: Nullable(Type.String({ description: 'The beginning of the body of an unsuccessful response.' })),
  },
  { title: 'Attempt' },
)
export type AttemptView = Static<typeof Attempt>

export const Delivery = Type.Object(
  {
    id: Id('delivery'),
    event_id: Id('event'),
    type: Type.String({ description: 'The kind of event.', examples: ['key.created'] }),
    status: OneOf(['pending', 'delivered', 'failed'], { examples: ['delivered'] }),
    trigger: OneOf(['event', 'redelivery', 'replay', 'test']),
    event_count: {
      ...Count,
      description: 'The events that it stands for: more than 1 for a digest, 0 for a message that they have ceased.',
      examples: [1],
    },
    attempts: Type.Array(Attempt),
    attempt_count: Count,
    next_attempt_at: Nullable(Timestamp),
    created_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: 'Delivery', description: 'The delivery, with its attempts.' },
)
export type DeliveryView = Static<typeof Delivery>

export const DeliveryPath = Type.Object({
  id: PathId('org'),
  sub_id: PathId('subscription'),
  delivery_id: PathId('delivery'),
})
export const DeliveryList = ListOf(Delivery)

/** IDs are ordered by time, so that no two deliveries share a position in the list. */
export const newestFirst = '-created_at'
const kinds = namesOf(eventKinds)
const listed = ListQuery(
  { created_at: 'uuid' },
  { ...windowFilters, status: Type.Enum(['pending', 'delivered', 'failed']), type: Type.Enum(kinds) },
)
export type DeliveryListQuery = Static<typeof listed>
const checkList = present(checkOf(listed))

/** The list query with newest first as its default, since the latest deliveries are usually wanted. */
export const DeliveryListQuery = withCheck(
  Type.Object(
    { ...listed.properties, sort: Type.Optional({ ...listed.properties.sort, default: newestFirst }) },
    { 'x-filter': true },
  ),
  (query: DeliveryListQuery) => checkList({ sort: newestFirst, ...query }),
)

const replay = Type.Object(
  {
    from: windowFilters.from,
    to: Type.Optional({ ...windowFilters.to, description: 'The end of the window; by default now.' }),
    events: Type.Optional({
      ...EventPatterns,
      minItems: 1,
      description: 'Kinds of events, or `group.*`; by default those that the subscription selects.',
      examples: [['budget.*']],
    }),
  },
  { title: 'ReplayInput', examples: [{ from: '2026-11-01T00:00:00+00:00', to: '2026-11-15T00:00:00+00:00' }] },
)
export type ReplayInput = Static<typeof replay>
export const ReplayInput = withCheck(replay, (body: ReplayInput) => [
  ...windowFaults(body).map((fault) =>
    fault.code === 'invalid_filter' ? { ...fault, code: 'invalid_format' as const } : fault,
  ),
  ...patternFaults(body.events),
])

export const Replay = Type.Object(
  {
    id: Id('replay'),
    subscription_id: Id('subscription'),
    status: OneOf(['waiting', 'finished'], { description: '`waiting` until all of its events are in the queue.' }),
    from: Timestamp,
    to: Timestamp,
    event_count: { ...Count, description: 'The number of events to deliver again.' },
    told_count: { ...Count, description: 'The number of these events that are enqueued or delivered.' },
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  },
  { title: 'Replay', description: 'The replay.' },
)
export const ReplayList = ListOf(Replay)
export const ReplayListQuery = ListQuery({ created_at: 'time' }, { status: Type.Enum(['waiting', 'finished']) })
export type ReplayListQuery = Static<typeof ReplayListQuery>
export const ReplayPath = Type.Object({
  id: PathId('org'),
  sub_id: PathId('subscription'),
  replay_id: PathId('replay'),
})
export type ReplayView = Static<typeof Replay>
