import { type Caller, isPinned } from '../../access/identity/identity.ts'
import { readOncePerPage } from '../../contract/page-reads.ts'
import { refusalsOfChain } from '../../decisions/decisions.ts'
import { chainKey } from '../../money/chains/chains.ts'
import { type Balance, emptyBalance, remainingOf, usdOrNull } from '../../money/ledger/ledger.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { loadRetention } from '../../records/retention/retention.ts'
import { heldTokensOf, maxRunAgeDays, runningRun, tokensOf } from '../../records/run-log/run-log.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { elementAt, lastOf, present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type ChainRow, findChain } from './chain-queries.ts'
import { inTreeOrder, type Placed, type TreeRun } from './chain-tree.ts'
import {
  listRunningRows,
  listRunRows,
  type RunningRow,
  type RunRow,
  type RunSearch,
  readAlongIndexes,
} from './queries.ts'
import { holdOf, recordOf } from './records.ts'
import { clockSkewMs, shownFrom } from './run-history.ts'
import type { Chain, ChainNode } from './schema.ts'

type ChainTree = Omit<Chain, 'refused_count' | 'exhausted_at'>

const maxNodes = 1_000

/**
 * Returns a chain with its tree, from one snapshot; undefined where neither its row nor one of its runs exists. A pinned key sees
 * its own part only, in the tree as in the sums; without a part in it, the chain is not found.
 */
export const getChain = (
  { sql, clock }: Platform,
  { orgId, pins }: Pick<Caller, 'orgId' | 'pins'>,
  chainId: string,
): Promise<Chain | undefined> =>
  sql.asOrgs(
    [orgId],
    async (tx) => {
      const keys = { usd: chainKey(chainId, 'usd'), tokens: chainKey(chainId, 'tokens') }
      const { row, ...counted } = await findChain(tx, orgId, chainId, keys)
      const runs = await runsOf(tx, orgId, { chain_id: chainId, ...pins }, row, clock.now())
      if (runs.length === 0 && (!row || isPinned({ pins }))) return undefined
      const refused = await refusalsOfChain(tx, orgId, chainId, pins, clock.now())
      if (isPinned({ pins })) return { ...partOf(chainId, row, runs), ...refused }
      const sums = {
        usd: { ...emptyBalance, spent: counted.spent_nano, held: counted.held_nano },
        tokens: { ...emptyBalance, spent: counted.spent_tokens, held: counted.held_tokens },
      }
      return { ...viewOf(chainId, row, runs, sums), ...refused }
    },
    { isSnapshot: true },
  )

interface NodeRun extends TreeRun {
  readonly heldNano: bigint
  readonly tokens: bigint
  readonly heldTokens: bigint
  readonly startedAtMs: number
  readonly node: Omit<ChainNode, 'depth' | 'subtree_cost_usd'>
}

/** Returns the chain's first runs, running or ended, in the order of their start, and one more if there are too many. */
async function runsOf(
  tx: Tx,
  orgId: string,
  filters: RunSearch['filters'],
  chain: ChainRow | undefined,
  now: Date,
): Promise<NodeRun[]> {
  const retention = await readOncePerPage(`retention of ${orgId}`, () => loadRetention(tx, orgId))
  const oldestMs = shownFrom(retention, now).getTime()
  // A run that is reported later than others of its chain may have started before them, but not by more than this.
  const firstMs = chain ? chain.created_at.getTime() - maxRunAgeDays * dayMs : oldestMs
  const search: RunSearch = {
    classes: retention.classes,
    window: { from: new Date(Math.max(oldestMs, firstMs)), to: new Date(now.getTime() + clockSkewMs) },
    page: { limit: maxNodes, sort: 'started_at', descending: false, after: undefined },
    filters,
  }
  await readAlongIndexes(tx)
  const running = (await listRunningRows(tx, orgId, search)).map(nodeOfRunning)
  const ended = (await listRunRows(tx, orgId, search)).map(nodeOfEnded)
  return [...running, ...ended].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, maxNodes + 1)
}

const idOrNull = (id: string | undefined) => (id === undefined ? null : formatId('run', id))

function nodeOfEnded(row: RunRow): NodeRun {
  const { id, about, depth, costNano, startedAtMs, endedAtMs, ...run } = recordOf(row)
  return {
    id,
    parentId: about.parent_run_id,
    depth,
    costNano,
    heldNano: 0n,
    tokens: tokensOf(run.usage, run.usageDetail),
    heldTokens: 0n,
    startedAtMs,
    node: {
      id: formatId('run', id),
      parent_run_id: idOrNull(about.parent_run_id),
      status: run.status,
      model: about.model,
      operation: about.operation ?? null,
      cost_usd: formatUsd(costNano),
      reserved_usd: usdOrNull(run.reservedNano),
      tokens: Number(tokensOf(run.usage, run.usageDetail)),
      started_at: timestamp(new Date(startedAtMs)),
      ended_at: endedAtMs === null ? null : timestamp(new Date(endedAtMs)),
    },
  }
}

function nodeOfRunning(row: RunningRow): NodeRun {
  const hold = holdOf(row)
  const { id, about, depth, startedAtMs, reservedNano } = runningRun(hold)
  return {
    id,
    parentId: about.parent_run_id,
    depth,
    costNano: 0n,
    heldNano: reservedNano,
    tokens: 0n,
    heldTokens: heldTokensOf(hold),
    startedAtMs,
    node: {
      id: formatId('run', id),
      parent_run_id: idOrNull(about.parent_run_id),
      status: 'running',
      model: about.model,
      operation: about.operation ?? null,
      cost_usd: null,
      reserved_usd: formatUsd(reservedNano),
      tokens: null,
      started_at: timestamp(new Date(startedAtMs)),
      ended_at: null,
    },
  }
}

/** Returns the part of a chain that consists of the given runs. */
function partOf(chainId: string, row: ChainRow | undefined, runs: readonly NodeRun[]): ChainTree {
  const sum = (amount: (run: NodeRun) => bigint) => runs.reduce((all, run) => all + amount(run), 0n)
  const usd = { ...emptyBalance, spent: sum(({ costNano }) => costNano), held: sum(({ heldNano }) => heldNano) }
  const tokens = { ...emptyBalance, spent: sum((run) => run.tokens), held: sum(({ heldTokens }) => heldTokens) }
  const isRootShown = runs.some(({ id }) => id === row?.root_run_id)
  return {
    ...viewOf(chainId, row, runs, { usd, tokens }),
    ...(!isRootShown && { root_run_id: null }),
    // The remaining amount depends on what others have spent.
    remaining_usd: null,
    remaining_tokens: null,
    created_at: timestamp(new Date(elementAt(runs, 0).startedAtMs)),
    updated_at: timestamp(new Date(lastOf(runs).startedAtMs)),
  }
}

function viewOf(
  chainId: string,
  row: ChainRow | undefined,
  runs: readonly NodeRun[],
  { usd, tokens }: { usd: Balance; tokens: Balance },
): ChainTree {
  const tree = inTreeOrder(runs.slice(0, maxNodes))
  const [first] = runs
  const root = row?.root_run_id ?? tree[0]?.run.id
  const { max_cost_nano = null, max_tokens = null, max_depth = null } = row ?? {}
  return {
    chain_id: chainId,
    root_run_id: idOrNull(root),
    max_cost_usd: usdOrNull(max_cost_nano),
    max_tokens: max_tokens === null ? null : Number(max_tokens),
    max_depth,
    spent_usd: formatUsd(usd.spent),
    held_usd: formatUsd(usd.held),
    remaining_usd: max_cost_nano === null ? null : formatUsd(remainingOf(max_cost_nano, usd)),
    spent_tokens: Number(tokens.spent),
    held_tokens: Number(tokens.held),
    remaining_tokens: max_tokens === null ? null : Number(remainingOf(max_tokens, tokens)),
    depth: tree.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    nodes: tree.map(nodeOf),
    truncated: runs.length > maxNodes,
    created_at: timestamp(row?.created_at ?? new Date(present(first).startedAtMs)),
    updated_at: timestamp(row?.last_used_at ?? new Date(lastOf(runs).startedAtMs)),
  }
}

const nodeOf = ({ run: { node }, depth, subtreeNano }: Placed<NodeRun>): ChainNode => ({
  ...node,
  depth,
  subtree_cost_usd: formatUsd(subtreeNano),
})
