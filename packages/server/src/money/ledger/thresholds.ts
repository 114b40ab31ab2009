import type { Allowance } from './allowances.ts'
import type { Crossing, LimitRefusal } from './limit-kind.ts'

/** Takes the place of a threshold for the first call that a limit refused in a period. */
export const stoppedThreshold = -1

/**
 * Returns the limit that a refusal has exhausted; undefined for a bound on depth, a full counter and other kinds that are never
 * exhausted. A draw on several packs is attributed to the newest of them, so that it emits again after each new pack.
 */
export function stopOf({ claim, allowance, total, attempted, isKnown }: LimitRefusal): Crossing | undefined {
  if (!isKnown || claim.mode === 'fixed' || !claim.kind.eventOf) return undefined
  const bound =
    claim.mode === 'draw'
      ? { ...newestOf(claim.allowances), limit: total.limit }
      : { ...allowance, key: claim.stopKey ?? allowance.key }
  return { allowance: bound, threshold: stoppedThreshold, spent: total.spent, refused: { held: total.held, attempted } }
}

/** Pack keys are UUIDs that sort by creation time. */
const newestOf = (packs: readonly Allowance[]) => packs.reduce((a, b) => (a.key > b.key ? a : b))

/** Returns the thresholds that an allowance's spend has crossed. */
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
