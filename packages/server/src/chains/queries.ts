import type { Tx } from '../infra/sql.ts'

export interface ChainLimitRow {
  readonly workflow_id: string
  readonly max_cost_nano: bigint | null
  readonly max_tokens: bigint | null
  readonly max_depth: number | null
}

export const listChainLimits = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('chain_limits')
    .select(['workflow_id', 'max_cost_nano', 'max_tokens', 'max_depth', 'updated_at'])
    .where('org_id', '=', orgId)
    .orderBy('workflow_id')
    .execute()

export async function replaceChainLimits(tx: Tx, orgId: string, rows: readonly ChainLimitRow[]) {
  await tx.deleteFrom('chain_limits').where('org_id', '=', orgId).execute()
  if (rows.length === 0) return
  await tx
    .insertInto('chain_limits')
    .values(rows.map((row) => ({ org_id: orgId, ...row })))
    .execute()
}
