import type { Allowance, LimitRefusal } from './allowances.ts'
import { type Pack } from './allowances.ts'
import { countingKind } from './counter-bounds.ts'
import { packAllowance } from './packs.ts'

/** A threshold that was reached, in percent of the limit; 0 is the limit itself, exceeded by a cost that could not be refused. */
export interface Crossing {
  readonly allowance: Allowance
  readonly threshold: number
  readonly spent: bigint
  /** The held and the attempted amount when the limit refused. */
  readonly refused?: { readonly held: bigint; readonly attempted: bigint }
}

/** Takes the place of a threshold for the first call that a limit refused in a period. */
export const stoppedThreshold = -1

/**
 * Returns the limit that a refusal has exhausted; undefined for an approval, a bound on depth or a full counter, which are never
 * exhausted. A draw on several packs is attributed to the newest of them, so that it emits again after each new pack.
 */
export function stopOf({ claim, allowance, total, attempted, isKnown }: LimitRefusal): Crossing | undefined {
  if (!isKnown || claim.mode === 'fixed' || claim.kind === countingKind || claim.kind.kind === 'approval')
    return undefined
  const bound = claim.mode === 'draw' ? { ...newestOf(claim.allowances), limit: total.limit } : allowance
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

/**
 * Returns the thresholds crossed by the sum of an organization's top-ups. They are percentages of the newest top-up: of the sum
 * of all that there ever were, almost everything is always spent. So they emit again after each top-up.
 */
export function quotaCrossings(
  topUps: readonly Pack[],
  spentBefore: (id: string) => bigint,
  spentNow: (id: string) => bigint,
): Crossing[] {
  if (topUps.length === 0) return []
  const now = sum(topUps.map(({ id }) => spentNow(id)))
  if (now <= 0n) return []
  const before = sum(topUps.map(({ id }) => spentBefore(id)))
  const limit = sum(topUps.map(({ amount }) => amount))
  const newest = topUps.reduce((a, b) =>
    a.createdAtMs > b.createdAtMs || (a.createdAtMs === b.createdAtMs && a.id > b.id) ? a : b,
  )
  const allowance = { ...packAllowance(newest, 'quota', ''), limit }
  return [80, 100].flatMap((threshold) => {
    const mark = limit * 100n - newest.amount * BigInt(100 - threshold)
    const isReached = before * 100n < mark && (before + now) * 100n >= mark
    return isReached ? [{ allowance, threshold, spent: before + now }] : []
  })
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
