import { CompiledQuery, sql as raw } from 'kysely'
import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import type { Tx } from '../../platform/infra/sql.ts'

interface NewRow {
  readonly org_id: string
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly body: unknown
  readonly at?: string
}

const insert = statement(
  'insert_events',
  `insert into outbox (org_id, id, kind, subject, body, created_at)
   select org_id, id, kind, subject, body, coalesce(at, now())
     from json_to_recordset($1) as e (org_id uuid, id uuid, kind text, subject text, body jsonb, at timestamptz)`,
)

export const outboxStatement = (rows: readonly NewRow[]): BoundStatement => ({
  statement: insert,
  values: [JSON.stringify(rows)],
})

export async function insertIntoOutbox(tx: Tx, rows: readonly NewRow[]) {
  if (rows.length > 0) await tx.executeQuery(CompiledQuery.raw(insert.text, [JSON.stringify(rows)]))
}

export async function optInsOf(tx: Tx, orgId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.selectFrom('event_opt_ins').select('kind').where('org_id', '=', orgId).execute()
  return new Set(rows.map(({ kind }) => kind))
}

/** Returns those of the organizations that have opted in to a kind. */
export async function findOptedInOrgs(tx: Tx, orgIds: readonly string[], kind: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('event_opt_ins')
    .select('org_id')
    .where('org_id', 'in', orgIds)
    .where('kind', '=', kind)
    .execute()
  return new Set(rows.map(({ org_id }) => org_id))
}

/** Sets the opt-ins; returns true when that was a change: then caches about the organization must be reloaded. */
export async function setOptIns(tx: Tx, orgId: string, kinds: readonly string[]): Promise<boolean> {
  const known = await optInsOf(tx, orgId)
  if (known.size === kinds.length && kinds.every((kind) => known.has(kind))) return false
  await tx.deleteFrom('event_opt_ins').where('org_id', '=', orgId).execute()
  if (kinds.length > 0)
    await tx
      .insertInto('event_opt_ins')
      .values(kinds.map((kind) => ({ org_id: orgId, kind })))
      .execute()
  return true
}

export interface PendingAnnouncementRow {
  readonly org_id: string
  readonly deprecation_ids: string[]
}

/** Returns organizations with pending announcements, in order of id after the given one. */
export async function listPendingAnnouncements(
  tx: Tx,
  announcements: readonly { readonly id: string; readonly since: string }[],
  after: string,
  most: number,
): Promise<PendingAnnouncementRow[]> {
  const { rows } = await raw<PendingAnnouncementRow>`
    select org_id, deprecation_ids
      from orgs_to_tell(${announcements.map(({ id }) => id)}, ${announcements.map(({ since }) => since)}, ${after}, ${most})`.execute(
    tx,
  )
  return rows
}

/** Marks announcements as sent to an organization; returns those that were new to it. */
export async function markAnnounced(tx: Tx, { org_id, deprecation_ids }: PendingAnnouncementRow): Promise<string[]> {
  const rows = await tx
    .insertInto('deprecation_announcements')
    .values(deprecation_ids.map((id) => ({ org_id, deprecation_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('deprecation_id')
    .execute()
  return rows.map(({ deprecation_id }) => deprecation_id)
}
