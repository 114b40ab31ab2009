import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import { columns, heldColumns, isRunning, type RunningRow, type RunRow } from './queries.ts'

export async function findRunningRow(tx: Tx, orgId: string, id: string): Promise<RunningRow | undefined> {
  const { rows } = await raw<RunningRow>`
    select ${heldColumns} from holds where org_id = ${orgId}::uuid and id = ${id}::uuid and ${isRunning}`.execute(tx)
  return rows[0]
}

/** Finds a run, running or ended, in one statement. */
export async function findEitherRow(
  tx: Tx,
  orgId: string,
  id: string,
): Promise<{ readonly held: RunningRow | undefined; readonly ended: RunRow | undefined }> {
  type HeldText = Omit<RunningRow, 'expires_at' | 'amount_nano'> & Record<'expires_at' | 'amount_nano', string>
  const { rows } = await raw<Omit<RunRow, 'id'> & { readonly id: string | null; readonly held: HeldText | null }>`
    select ${columns}, held from (
      select (select json_build_object('id', id, 'expires_at', expires_at, 'amount_nano', amount_nano::text, 'inputs', inputs,
                'key_id', key_id, 'grant_id', grant_id)
                from holds where org_id = ${orgId}::uuid and id = ${id}::uuid and ${isRunning}) as held) as running
      left join (select ${columns} from runs where org_id = ${orgId}::uuid and id = ${id}::uuid) as run on true`.execute(
    tx,
  )
  const { held, ...row } = one(rows)
  return {
    held: held ? { ...held, expires_at: new Date(held.expires_at), amount_nano: BigInt(held.amount_nano) } : undefined,
    ended: row.id === null ? undefined : (row as RunRow),
  }
}

/** Finds a run in any retention class: in each, the id determines the partition. */
export async function findRunRow(tx: Tx, orgId: string, id: string): Promise<RunRow | undefined> {
  const { rows } = await raw<RunRow>`
    select ${columns} from runs where org_id = ${orgId}::uuid and id = ${id}::uuid`.execute(tx)
  return rows[0]
}
