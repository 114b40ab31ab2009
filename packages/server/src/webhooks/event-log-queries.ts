import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { partitionBounds } from '../platform/infra/partitions.ts'
import type { Tx } from '../platform/infra/sql.ts'

export interface LoggedEventRow {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly created_at: Date
  /** Null for an event that is not drained yet; then `body` is set. */
  readonly payload: string | null
  readonly body: unknown
}

interface Search {
  readonly from: Date
  readonly to?: Date
  readonly type?: string
  readonly subject?: string
  readonly id?: string
}

/**
 * Reads events that were drained and those still in the outbox. Draining moves an event in one transaction, so it is in exactly
 * one of them.
 */
export async function loggedEvents(
  tx: Tx,
  orgId: string,
  { limit, descending, after }: PageRequest,
  { from, to, type, subject, id }: Search,
): Promise<LoggedEventRow[]> {
  const isGroup = type?.endsWith('.*') === true
  const conditions = [
    raw`org_id = ${orgId}`,
    raw`id >= ${partitionBounds.uuid(from)}::uuid`,
    ...(to === undefined ? [] : [raw`id < ${partitionBounds.uuid(to)}::uuid`]),
    ...(id === undefined ? [] : [raw`id = ${id}::uuid`]),
    ...(subject === undefined ? [] : [raw`subject = ${subject}`]),
    ...(type === undefined ? [] : [isGroup ? raw`starts_with(kind, ${type.slice(0, -1)})` : raw`kind = ${type}`]),
    ...(after ? [descending ? raw`id < ${after.id}::uuid` : raw`id > ${after.id}::uuid`] : []),
  ]
  const where = raw.join(conditions, raw` and `)
  const order = descending ? raw`desc` : raw`asc`
  const { rows } = await raw<LoggedEventRow>`
    (select id, kind, subject, created_at, payload, null::jsonb as body from events where ${where} order by id ${order} limit ${limit + 1})
    union all
    (select id, kind, subject, created_at, null, body from outbox where ${where} order by id ${order} limit ${limit + 1})
    order by id ${order} limit ${limit + 1}`.execute(tx)
  return rows
}
