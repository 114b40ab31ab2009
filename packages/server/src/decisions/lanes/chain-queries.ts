import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import { counterColumns } from './queries.ts'

/** Chains are read like customers: one by one through their keys, together with the allowances that count them. */

export interface SnapshotChainRow {
  readonly org_id: string
  readonly chain_id: string
  readonly max_cost_nano: bigint | null
  readonly max_tokens: bigint | null
  readonly max_depth: number | null
  readonly last_used_at: Date
}

export interface ParentRow {
  readonly org_id: string
  readonly id: string
  readonly chain_id: string | null
  readonly depth: number | null
}

const theParents = `from unnest($1::uuid[], $2::uuid[]) as t (org_id, wanted) cross join lateral (
     (select inputs -> 'run' ->> 'chain_id' as chain_id, (inputs -> 'run' ->> 'depth')::integer as depth from holds
       where org_id = t.org_id and id = t.wanted and inputs -> 'run' is not null limit 1)
     union all
     (select chain_id, depth from runs where org_id = t.org_id and id = t.wanted limit 1)
     limit 1) p`
const theChains = `from unnest($1::uuid[], $2::text[]) as t (org_id, wanted)`
const chainOf = (name: string) => `cross join lateral (
     select chain_id, max_cost_nano, max_tokens, max_depth, last_used_at, cost_key, tokens_key from chains
      where org_id = t.org_id and chain_id = ${name} collate "C" limit 1) c`
const chainColumns = `t.org_id, c.chain_id, c.max_cost_nano, c.max_tokens, c.max_depth, c.last_used_at`
const countersOf = `cross join lateral unnest(array[c.cost_key, c.tokens_key]) as k cross join lateral (
     select ${counterColumns} from allowances where org_id = t.org_id and key = k limit 1) a`

const chainsStatement = statement('chains', `select ${chainColumns} ${theChains} ${chainOf('t.wanted')}`)
const chainAllowancesStatement = statement(
  'chain_allowances',
  `select t.org_id, a.* ${theChains} ${chainOf('t.wanted')} ${countersOf}`,
)
const parentsStatement = statement('parents', `select t.org_id, t.wanted as id, p.chain_id, p.depth ${theParents}`)
const parentChainsStatement = statement(
  'parent_chains',
  `select ${chainColumns} ${theParents} ${chainOf('p.chain_id')}`,
)
const parentChainAllowancesStatement = statement(
  'parent_chain_allowances',
  `select t.org_id, a.* ${theParents} ${chainOf('p.chain_id')} ${countersOf}`,
)

export const readChains = (wanted: readonly { orgId: string; chainId: string }[]): BoundStatement[] =>
  [chainsStatement, chainAllowancesStatement].map((to) => ({
    statement: to,
    values: [wanted.map(({ orgId }) => orgId), wanted.map(({ chainId }) => chainId)],
  }))

/** Reads runs that are named as parents, running or ended, and their chains. */
export const readParents = (wanted: readonly { orgId: string; parentId: string }[]): BoundStatement[] =>
  [parentsStatement, parentChainsStatement, parentChainAllowancesStatement].map((to) => ({
    statement: to,
    values: [wanted.map(({ orgId }) => orgId), wanted.map(({ parentId }) => parentId)],
  }))

export interface ChainWrite {
  readonly org_id: string
  readonly chain_id: string
  readonly root_run_id: string
  readonly max_cost_nano: string | null
  readonly max_tokens: string | null
  readonly max_depth: number | null
  readonly cost_key: string
  readonly tokens_key: string
  readonly at: string
}

const storeChainsStatement = statement(
  'keep_chains',
  `insert into chains (org_id, chain_id, root_run_id, max_cost_nano, max_tokens, max_depth, cost_key, tokens_key, last_used_at, created_at)
   select org_id, chain_id, root_run_id, max_cost_nano, max_tokens, max_depth, cost_key, tokens_key, at, at
     from json_to_recordset($1) as c (org_id uuid, chain_id text, root_run_id uuid, max_cost_nano bigint, max_tokens bigint,
       max_depth integer, cost_key uuid, tokens_key uuid, at timestamptz)
   on conflict (org_id, chain_id) do update set last_used_at = excluded.last_used_at`,
)
/** Stores chains that have begun, and those that are used again after a while. */
export const storeChains = (chains: readonly ChainWrite[]): BoundStatement => ({
  statement: storeChainsStatement,
  values: [JSON.stringify(chains)],
})
