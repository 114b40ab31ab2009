import type { Tx } from '../../platform/infra/sql.ts'

export const findChain = (tx: Tx, orgId: string, chainId: string) =>
  tx
    .selectFrom('chains')
    .select([
      'root_run_id',
      'max_cost_nano',
      'max_tokens',
      'max_depth',
      'cost_key',
      'tokens_key',
      'last_used_at',
      'created_at',
    ])
    .where('org_id', '=', orgId)
    .where('chain_id', '=', chainId)
    .executeTakeFirst()
export type ChainRow = NonNullable<Awaited<ReturnType<typeof findChain>>>
