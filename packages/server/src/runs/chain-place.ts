import { validationFailed } from '../contract/errors.ts'
import type { PlanContext } from '../decisions/lanes/lanes.ts'
import { boundsOfNewChain, type ChainBoundsInput, configuredBounds } from '../money/chains/chains.ts'
import type { ChainPlace } from '../money/ledger/ledger.ts'
import { formatId } from '../values/id.ts'

/** The fields by which a run names its chain. */
export interface ChainClaim {
  readonly chainId: string | undefined
  /** The parent as named, whether or not such a run can exist. */
  readonly parentRunId: string | undefined
  readonly workflowId: string | undefined
  readonly bounds?: ChainBoundsInput | undefined
}

type Known = Pick<PlanContext, 'orgConfig' | 'chain' | 'parent'>

/**
 * Returns the place of a run: below its parent, in its chain; or at the top of a chain that begins with it. Where the
 * organization bounds chains, a run that names none begins its own, so that leaving it out is no way around the bounds.
 */
export function placeInChain(
  { chainId, parentRunId, workflowId, bounds }: ChainClaim,
  { orgConfig, chain, parent }: Known,
  runId: string,
  prefix = '',
): ChainPlace | undefined {
  if (parentRunId !== undefined) {
    if (!parent) throw notAParent(prefix, 'There is no such run.')
    if (parent.chainId === null) throw notAParent(prefix, 'This run is not part of a chain.')
    if (chainId !== undefined && chainId !== parent.chainId) throw notAParent(prefix, 'This run is in another chain.')
    if (!chain) throw notAParent(prefix, 'The chain of this run is over: it was not used for 45 days.')
    return { ...chain, depth: (parent.depth ?? 1) + 1 }
  }
  if (chain) return { ...chain, depth: 1 }
  const isBounded = bounds !== undefined || configuredBounds(orgConfig.chainBounds, workflowId) !== undefined
  if (chainId === undefined && !isBounded) return undefined
  return {
    chainId: chainId ?? formatId('chain', runId),
    depth: 1,
    ...boundsOfNewChain(orgConfig.chainBounds, workflowId, bounds),
  }
}

const notAParent = (prefix: string, message: string) =>
  validationFailed([{ field: `${prefix}parent_run_id`, code: 'invalid_value', message }])
