import { CompiledQuery } from 'kysely'
import { statement } from '../../platform/infra/pipelined-connection.ts'
import type { Tx } from '../../platform/infra/sql.ts'

/** Writes events of limits, each once per allowance and threshold. */
export const crossingsStatement = statement(
  'insert_crossings',
  `with crossed as (
     insert into threshold_events (org_id, key, threshold, at)
     select org_id, key, threshold, at from json_to_recordset($1) as c (org_id uuid, key uuid, threshold smallint, at timestamptz)
     on conflict do nothing returning org_id, key, threshold, at)
   insert into outbox (org_id, id, kind, subject, body, created_at)
   select x.org_id, x.event_id, x.event, x.subject, x.body, x.at
     from json_to_recordset($1) as x (org_id uuid, key uuid, threshold smallint, at timestamptz, event_id uuid, event text, subject text, body jsonb)
     join crossed c on c.org_id = x.org_id and c.key = x.key and c.threshold = x.threshold`,
)

export async function insertCrossings(tx: Tx, rows: readonly object[]) {
  if (rows.length > 0) await tx.executeQuery(CompiledQuery.raw(crossingsStatement.text, [JSON.stringify(rows)]))
}
