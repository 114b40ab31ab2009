import type { CustomerFacts, ScopedLimit } from '../../money/ledger/ledger.ts'
import type { Operation, OrgConfig } from './operations.ts'

/** Rows that a subject under a default limit needs: its allowance, the marker that it is known, the counter of new subjects. */
const defaultRows = 3

const limitCounts = new WeakMap<OrgConfig, number>()

/**
 * Estimates the rows that a decision touches: itself, and one allowance for each limit that may apply. Uses what the process has
 * cached; for an organization that is not cached, the least.
 */
export function estimateRows(
  { customerId, needsPacks }: Pick<Operation, 'customerId' | 'needsPacks'>,
  orgConfig: OrgConfig | undefined,
  customers: ReadonlyMap<string, CustomerFacts>,
): number {
  if (!orgConfig) return 1
  const packs = customerId === undefined || needsPacks !== true ? 0 : (customers.get(customerId)?.packs.length ?? 0)
  return 1 + maxAllowances(orgConfig) + (customerId === undefined ? 0 : defaultRows) + packs
}

/** The most limits of an organization that can apply to one call: all limits of a scope, for the fullest scope of each kind. */
function maxAllowances(orgConfig: OrgConfig): number {
  const known = limitCounts.get(orgConfig)
  if (known !== undefined) return known
  const fullest = new Map<string, number>()
  for (const limits of Map.groupBy(orgConfig.limits, scopeOf).values()) {
    const { scopeKind, maxNewPerDay } = limits[0]!
    const rows = maxNewPerDay === undefined ? limits.length : defaultRows
    fullest.set(scopeKind, Math.max(fullest.get(scopeKind) ?? 0, rows))
  }
  const bound = orgConfig.topUps.length + [...fullest.values()].reduce((sum, count) => sum + count, 0)
  limitCounts.set(orgConfig, bound)
  return bound
}

const scopeOf = ({ scopeKind, scopeId }: ScopedLimit) => `${scopeKind} ${scopeId}`
