import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

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

export interface ChainUsage {
  readonly chainId: string
  /** Depth of the named parent; 0 without one. */
  readonly parentDepth: number
  /** The amount that the chain has spent and holds. */
  readonly costNano: bigint
}

/** Returns the place of a run that names a chain or a parent in one, as last committed; undefined where neither is known. */
export async function findChainUsage(
  tx: Tx,
  orgId: string,
  { chainId, parentId }: { readonly chainId?: string | undefined; readonly parentId?: string | undefined },
): Promise<ChainUsage | undefined> {
  const { rows } = await raw<{ chain_id: string | null; depth: number | null; cost_nano: bigint | null }>`
    select coalesce(p.chain_id, ${chainId ?? null}::text) as chain_id, p.depth, a.cost_nano
      from (select 1) as one
      left join lateral (
        (select inputs -> 'run' ->> 'chain_id' as chain_id, (inputs -> 'run' ->> 'depth')::integer as depth from holds
          where org_id = ${orgId} and id = ${parentId ?? null}::uuid and inputs -> 'run' is not null limit 1)
        union all
        (select chain_id, depth from runs where org_id = ${orgId} and id = ${parentId ?? null}::uuid limit 1)
        limit 1) p on true
      left join lateral (
        select cost_key from chains
         where org_id = ${orgId} and chain_id = coalesce(p.chain_id, ${chainId ?? null}::text) collate "C" limit 1) c on true
      left join lateral (
        select spent + held as cost_nano from allowances where org_id = ${orgId} and key = c.cost_key limit 1) a on true`.execute(
    tx,
  )
  const [row] = rows as [(typeof rows)[number]]
  if (row.chain_id === null) return undefined
  return { chainId: row.chain_id, parentDepth: row.depth ?? 0, costNano: row.cost_nano ?? 0n }
}
