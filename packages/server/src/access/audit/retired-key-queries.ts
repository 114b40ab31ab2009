import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'

export const readAuditKeys = ({ db }: Sql) => db.selectFrom('audit_keys').select(['key_id', 'sealed']).execute()

export const storeAuditKey = ({ db }: Sql, keyId: string, sealed: Buffer) =>
  db
    .insertInto('audit_keys')
    .values({ key_id: keyId, sealed })
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ sealed }))
    .execute()

/** Finds organizations whose chains are not handed over to the newest key, or continue under another. */
export const chainsToHandOver = async ({ db }: Sql, newest: string, most: number): Promise<string[]> =>
  (
    await raw<{ org_id: string }>`select org_id from audit_chains_to_hand_over(${newest}, ${most}) as org_id`.execute(
      db,
    )
  ).rows.map(({ org_id }) => org_id)

export const markHandedOver = (tx: Tx, orgId: string, keyId: string) =>
  tx.updateTable('audit_heads').set({ handed_over_to: keyId }).where('org_id', '=', orgId).execute()
