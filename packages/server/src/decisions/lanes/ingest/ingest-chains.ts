import { type BoundedChain, tightestBounds } from '../../../money/chains/chains.ts'
import type { OrgConfig } from '../operations.ts'
import type { OrgSnapshot } from '../snapshot.ts'
import type { PreparedTask } from './ingest-plan.ts'

/**
 * Returns the chains that exist and those that begin with runs of these tasks. Which run begins a chain is known only once all
 * are decided, so a chain that several begin gets the tightest bounds of any of them.
 */
export function chainsOf(
  tasks: readonly PreparedTask[],
  { chains }: Pick<OrgSnapshot, 'chains'>,
  orgConfig: OrgConfig,
  nowMs: number,
): ReadonlyMap<string, BoundedChain> {
  const begun = new Map<string, BoundedChain>()
  for (const { items } of tasks) {
    for (const { item, draft, parent } of items) {
      if (item.chainId === undefined || item.parentId !== undefined || chains.has(item.chainId)) continue
      const { chain } = item.chargeInChain(draft, undefined, { orgConfig, parent, nowMs })
      const known = begun.get(item.chainId)
      if (chain) begun.set(item.chainId, { ...chain, ...(known && tightestBounds(known, chain)), lastUsedAtMs: nowMs })
    }
  }
  return begun.size === 0 ? chains : new Map([...chains, ...begun])
}
