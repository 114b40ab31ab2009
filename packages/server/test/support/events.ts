import { Ajv } from 'ajv'
import type pg from 'pg'
import { eventKinds } from '../../src/access/events/events.ts'
import type { EventDefinition } from '../../src/access/events/kind.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
const kinds: Readonly<Record<string, EventDefinition>> = eventKinds
const checks = new Map(
  Object.entries(kinds).map(([kind, { data }]) => [kind, ajv.compile({ ...data, additionalProperties: false })]),
)

/** In what an event's data differ from what its kind promises: a field that is not documented is a fault too. */
export function faultsOfEvent(kind: string, data: unknown): string[] {
  const check = checks.get(kind)
  if (!check) return [`${kind} is not in the catalog`]
  return check(data) ? [] : check.errors!.map(({ instancePath, message }) => `${kind}${instancePath} ${message}`)
}

export interface TestedEvent {
  readonly kind: string
  readonly subject: string
  readonly data: Record<string, unknown>
}

/** What an organization's subscriptions are to be told, in order; throws where the catalog promises something else. */
export async function eventsOf(superuser: pg.Client, orgUuid: string): Promise<TestedEvent[]> {
  const { rows } = await superuser.query<TestedEvent>(
    'select kind, subject, body as data from outbox where org_id = $1 order by seq',
    [orgUuid],
  )
  const faults = rows.flatMap(({ kind, data }) => faultsOfEvent(kind, data))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return rows
}
