import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

/** Locks what some have used of the current hour (UTC), in the order of their ids, and returns it. */
export async function lockUses(tx: Tx, subjects: readonly { readonly orgId: string; readonly subject: string }[]) {
  const { rows } = await raw<{ org_id: string; subject: string; used: number }>`
    insert into mail_uses as u (org_id, subject, hour)
    select "orgId", subject, date_trunc('hour', clock_timestamp(), 'UTC')
      from json_to_recordset(${JSON.stringify(subjects)}) as s ("orgId" uuid, subject uuid) order by 1, 2
    on conflict (org_id, subject) do update
       set hour = greatest(u.hour, excluded.hour), used = case when u.hour >= excluded.hour then u.used else 0 end
    returning org_id, subject, used::integer as used`.execute(tx)
  return rows
}

export async function recordUses(
  tx: Tx,
  rows: readonly { readonly orgId: string; readonly subject: string; readonly used: number }[],
) {
  await raw`
    update mail_uses u set used = r.used
      from json_to_recordset(${JSON.stringify(rows)}) as r ("orgId" uuid, subject uuid, used bigint)
     where u.org_id = r."orgId" and u.subject = r.subject`.execute(tx)
}
