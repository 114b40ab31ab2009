import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { FreezeRow } from '../ledger/ledger.ts'

/** True when a limit of a kind is in force: one of the organization's, or one of a customer. */
export async function limitExists(tx: Tx, orgId: string, kind: string, id: string): Promise<boolean> {
  const { rows } = await raw`
    select from limits where org_id = ${orgId} and id = ${id} and ended_at is null and kind in (${kind}, ${`${kind}_default`})
    union all select from customer_limits where org_id = ${orgId} and id = ${id} and ${kind} = 'customer'`.execute(tx)
  return rows.length > 0
}

export async function upsertFreeze(
  tx: Tx,
  orgId: string,
  freeze: Pick<FreezeRow, 'id' | 'target_kind' | 'target_id' | 'target' | 'reason'>,
): Promise<FreezeRow> {
  return one(
    await tx
      .insertInto('freezes')
      .values({ ...freeze, org_id: orgId })
      .onConflict((c) => c.columns(['org_id', 'target_kind', 'target_id']).doUpdateSet({ reason: freeze.reason }))
      .returning(['id', 'target_kind', 'target_id', 'target', 'reason', 'created_at'])
      .execute(),
  )
}

export const deleteFreeze = (tx: Tx, orgId: string, id: string) =>
  tx.deleteFrom('freezes').where('org_id', '=', orgId).where('id', '=', id).execute()
