import type { CustomerFacts, ScopedLimit } from '../ledger/ledger.ts'
import type { Definitions, Task } from './tasks.ts'

/** The rows that a subject of no limit of its own needs: its allowance, the mark that it is known, the count of new ones. */
const defaultRows = 3

const remembered = new WeakMap<Definitions, number>()

/**
 * The rows that a decision is expected to touch: itself, and an allowance for each limit that may bind it. Told from what the
 * process remembers; for an organization that it does not know yet, the least.
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

/** The most limits of an organization that can bind one call: all of a scope's, for the fullest scope of each kind. */
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
