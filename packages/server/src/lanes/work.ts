import type { CustomerFacts, ScopedLimit } from '../ledger/ledger.ts'
import type { Definitions, Task } from './tasks.ts'

/** Rows that a subject under a default limit needs: its allowance, the marker that it is known, the counter of new subjects. */
const defaultRows = 3

const remembered = new WeakMap<Definitions, number>()

/**
 * Estimates the rows that a decision touches: itself, and one allowance for each limit that may apply. Uses what the process has
 * cached; for an organization that is not cached, the least.
 */
export function decisionWork(
  { customerId, needsPacks }: Pick<Task, 'customerId' | 'needsPacks'>,
  definitions: Definitions | undefined,
  customers: ReadonlyMap<string, CustomerFacts>,
): number {
  if (!definitions) return 1
  const packs = customerId === undefined || needsPacks !== true ? 0 : (customers.get(customerId)?.packs.length ?? 0)
  return 1 + allowancesBound(definitions) + (customerId === undefined ? 0 : defaultRows) + packs
}

/** The most limits of an organization that can apply to one call: all limits of a scope, for the fullest scope of each kind. */
function allowancesBound(definitions: Definitions): number {
  const known = remembered.get(definitions)
  if (known !== undefined) return known
  const fullest = new Map<string, number>()
  for (const limits of Map.groupBy(definitions.limits, scopeOf).values()) {
    const { scopeKind, kind } = limits[0]!
    const rows = kind === 'budget_default' ? defaultRows : limits.length
    fullest.set(scopeKind, Math.max(fullest.get(scopeKind) ?? 0, rows))
  }
  const bound = definitions.topUps.length + [...fullest.values()].reduce((sum, count) => sum + count, 0)
  remembered.set(definitions, bound)
  return bound
}

const scopeOf = ({ scopeKind, scopeId }: ScopedLimit) => `${scopeKind} ${scopeId}`
