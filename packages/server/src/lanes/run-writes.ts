import { chainKey } from '../chains/chains.ts'
import type { Sent } from '../infra/pipelined-connection.ts'
import { countUsage, insertRuns, replaceRuns } from '../run-log/run-log.ts'
import { keepChains } from './chain-queries.ts'
import { runEvents } from './run-events.ts'
import type { Outcome } from './write-queries.ts'

/** Statements that write runs and chains. */
export function runWrites(outcomes: readonly Outcome[]): Sent[] {
  const flight: Sent[] = []
  const of = (name: 'inserted' | 'replaced') =>
    outcomes.flatMap(({ orgId, at, runs }) =>
      runs[name].filter(({ retentionClass }) => retentionClass !== null).map((run) => ({ orgId, run, at })),
    )
  const [inserted, replaced] = [of('inserted'), of('replaced')]
  if (inserted.length > 0) flight.push(insertRuns(inserted))
  if (replaced.length > 0) flight.push(replaceRuns(replaced))
  const counted = outcomes.flatMap(({ orgId, runs }) => runs.counted.map((one) => ({ orgId, ...one })))
  if (counted.length > 0) flight.push(countUsage(counted))
  const chains = outcomes.flatMap(writtenChains)
  if (chains.length > 0) flight.push(keepChains(chains))
  flight.push(...runEvents(outcomes))
  return flight
}

const writtenChains = ({ orgId, at, chains }: Outcome) =>
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
