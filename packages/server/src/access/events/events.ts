import { formatId } from '../../values/id.ts'
import { namesOf } from '../../values/records.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type EventKind, eventKinds } from './catalog.ts'

export { announceDeprecations, announceDeprecationsJob } from './announcements.ts'
export { type EventData, type EventKind, eventKinds } from './catalog.ts'
export { eventWebhooks } from './openapi.ts'
export { emit, emitAll, eventsStatement, type NewEvent } from './outbox.ts'
export { optInsOf, setOptIns } from './queries.ts'
export { createEventSampler } from './sampler.ts'

interface WrittenEvent {
  readonly org_id: string
  readonly id: string
  readonly kind: string
  readonly body: unknown
  readonly created_at: Date
}

/** Returns the payload of an event, built once: every attempt, replay and redelivery sends these bytes. */
export const payloadOf = ({ org_id, id, kind, body, created_at }: WrittenEvent): string =>
  JSON.stringify({
    id: formatId('event', id),
    type: kind,
    created_at: timestamp(created_at),
    org_id: formatId('org', org_id),
    data: body,
  })

const isOptIn = (kind: string) => 'optIn' in (eventKinds[kind as EventKind] ?? {})

/** True when a subscription's filter matches a kind: by name, by `group.*`, or, if empty, every kind that needs no opt-in. */
export const matchesFilter = (filter: readonly string[], kind: string): boolean =>
  filter.length === 0
    ? !isOptIn(kind)
    : filter.some((pattern) => pattern === kind || (pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1))))

/** Returns the opt-in kinds that some filters name. */
export const optInKinds = (filters: readonly (readonly string[])[]): EventKind[] =>
  namesOf(eventKinds).filter((kind) => isOptIn(kind) && filters.some((filter) => matchesFilter(filter, kind)))
