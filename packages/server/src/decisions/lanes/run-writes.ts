import { chainKey } from '../../money/chains/chains.ts'
import type { BoundStatement } from '../../platform/infra/pipelined-connection.ts'
import { countUsage, deleteRuns, insertRuns, replaceRuns } from '../../records/run-log/run-log.ts'
import { storeChains } from './chain-queries.ts'
import type { OrgWrites } from './org-writes.ts'
import { runEvents } from './run-events.ts'

/** Statements that write runs and chains. */
export function runWrites(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const statements: BoundStatement[] = []
  const runsOf = (name: 'inserted' | 'replaced' | 'removed') =>
    outcomes.flatMap(({ orgId, at, runs }) =>
      runs[name].filter(({ retentionClass }) => retentionClass !== null).map((run) => ({ orgId, run, at })),
    )
  const [inserted, replaced, removed] = [runsOf('inserted'), runsOf('replaced'), runsOf('removed')]
  if (inserted.length > 0) statements.push(insertRuns(inserted))
  if (replaced.length > 0) statements.push(replaceRuns(replaced))
  if (removed.length > 0) statements.push(deleteRuns(removed.map(({ orgId, run }) => ({ orgId, id: run.id }))))
  const counted = outcomes.flatMap(({ orgId, runs }) => runs.counted.map((one) => ({ orgId, ...one })))
  if (counted.length > 0) statements.push(countUsage(counted))
  const chains = outcomes.flatMap(writtenChains)
  if (chains.length > 0) statements.push(storeChains(chains))
  statements.push(...runEvents(outcomes))
  return statements
}

const writtenChains = ({ orgId, at, chains }: OrgWrites) =>
  Array.from(chains.values(), ({ chain, runId }) => ({
    org_id: orgId,
    chain_id: chain.chainId,
    root_run_id: runId,
    max_cost_nano: chain.maxCostNano?.toString() ?? null,
    max_tokens: chain.maxTokens?.toString() ?? null,
    max_depth: chain.maxDepth,
    cost_key: chainKey(chain.chainId, 'usd'),
    tokens_key: chainKey(chain.chainId, 'tokens'),
    at,
  }))
