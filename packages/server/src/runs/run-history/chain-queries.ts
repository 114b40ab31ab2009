import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'

export interface ChainRow {
  readonly root_run_id: string
  readonly max_cost_nano: bigint | null
  readonly max_tokens: bigint | null
  readonly max_depth: number | null
  readonly last_used_at: Date
  readonly created_at: Date
}

interface ChainCounters {
  readonly spent_nano: bigint
  readonly held_nano: bigint
  readonly spent_tokens: bigint
  readonly held_tokens: bigint
}

/** A chain as far as it has a row, and what its runs have spent and hold together. */
export interface CountedChain extends ChainCounters {
  readonly row: ChainRow | undefined
}

/** Finds a chain with its counters, in one statement; these keys are those of a chain without a row. */
export async function findChain(
  tx: Tx,
  orgId: string,
  chainId: string,
  keys: { readonly usd: string; readonly tokens: string },
): Promise<CountedChain> {
  const { rows } = await raw<ChainCounters & { [K in keyof ChainRow]: ChainRow[K] | null }>`
    select c.root_run_id, c.max_cost_nano, c.max_tokens, c.max_depth, c.last_used_at, c.created_at,
           coalesce(u.spent, 0) as spent_nano, coalesce(u.held, 0) as held_nano,
           coalesce(t.spent, 0) as spent_tokens, coalesce(t.held, 0) as held_tokens
      from (select ${keys.usd}::uuid as usd_key, ${keys.tokens}::uuid as tokens_key) k
      left join lateral (select * from chains where org_id = ${orgId} and chain_id = ${chainId} limit 1) c on true
      left join lateral (
        select spent, held from allowances where org_id = ${orgId} and key = coalesce(c.cost_key, k.usd_key) limit 1) u on true
      left join lateral (
        select spent, held from allowances where org_id = ${orgId} and key = coalesce(c.tokens_key, k.tokens_key) limit 1) t on true`.execute(
    tx,
  )
  const { spent_nano, held_nano, spent_tokens, held_tokens, ...row } = one(rows)
  return {
    row: row.root_run_id === null ? undefined : (row as ChainRow),
    spent_nano,
    held_nano,
    spent_tokens,
    held_tokens,
  }
}
