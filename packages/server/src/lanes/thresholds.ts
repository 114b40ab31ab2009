import type { Allowance } from '../ledger/ledger.ts'

/** A threshold reached, in percent of the limit; 0 is the limit itself, passed by cost that could not be refused. */
export interface Crossing {
  readonly allowance: Allowance
  readonly threshold: number
  readonly spent: bigint
}

/** What an allowance's spending passes on its way up. */
export function crossingsOf(allowance: Allowance, before: bigint, after: bigint): Crossing[] {
  const { limit, thresholds } = allowance
  if (limit === null) return []
  const reached = thresholds.filter((threshold) => {
    const mark = BigInt(threshold) * limit
    return before * 100n < mark && after * 100n >= mark
  })
  const isPassed = before <= limit && after > limit
  return [...reached, ...(isPassed ? [0] : [])].map((threshold) => ({ allowance, threshold, spent: after }))
}
