import { crossingRows, type OrgLimits, quotaCrossings } from '../ledger/ledger.ts'
import type { Outcome } from './write-queries.ts'

/** The rows of what one organization's part of a batch has reached. */
export function crossingsIn(
  { orgId, at, decision, found }: Pick<Outcome, 'orgId' | 'at' | 'decision' | 'found'>,
  definitions: OrgLimits,
) {
  const quota = quotaCrossings(
    definitions.topUps,
    (key) => found.get(key)?.spent ?? 0n,
    (key) => decision.deltas.get(key)?.spent ?? 0n,
  )
  return crossingRows(orgId, [...decision.crossings, ...quota], at, definitions)
}
