import { crossingRows, type OrgLimits } from '../../money/ledger/ledger.ts'
import { kindOf, limitKinds } from '../../money/limit-kinds.ts'
import type { OrgWrites } from './org-writes.ts'

/**
 * Rows of the thresholds that one organization's part of a batch has reached, and of the limits that refused in it for the first
 * time.
 */
export function crossingsIn(
  { orgId, at, decision, found, stopped }: Pick<OrgWrites, 'orgId' | 'at' | 'decision' | 'found' | 'stopped'>,
  orgConfig: OrgLimits,
) {
  const joint = limitKinds.flatMap(
    ({ jointCrossings }) =>
      jointCrossings?.(
        orgConfig,
        (key) => found.get(key)?.spent ?? 0n,
        (key) => decision.deltas.get(key)?.spent ?? 0n,
      ) ?? [],
  )
  const stops = decision.stops.filter(({ allowance }) => !stopped.has(allowance.key))
  return crossingRows(orgId, [...decision.crossings, ...joint, ...stops], at, orgConfig, kindOf)
}
