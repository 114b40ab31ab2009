import type { Bill } from './bill-files.ts'
import { tokenKinds } from './bill-lines.ts'
import { type BookedRow, billedNano, isWithin, type Pair, pairsOf, placeOf, sumOf, type Tolerance } from './pairs.ts'
import { type Reason, reasonOf } from './reasons.ts'

export interface BillDifference extends Pair {
  readonly reason: Reason
}

export interface BillComparison {
  readonly bookedNano: bigint
  readonly billedNano: bigint
  readonly bookedRuns: number
  /** Models and days that were compared, and those of them that are equal within the tolerance. */
  readonly pairs: number
  readonly equal: number
  /** The sum of differences within the tolerance. */
  readonly equalNano: bigint
  /** Amount of the bill on days outside the window. */
  readonly outsideNano: bigint
  readonly differences: readonly BillDifference[]
}

interface Asked {
  readonly from: number
  readonly to: number
  readonly tolerance: Tolerance
}

/** Compares a bill with the runs of its days. */
export function compareBill(bill: Bill, rows: readonly BookedRow[], { from, to, tolerance }: Asked): BillComparison {
  const isInside = ({ day }: { readonly day: number }) => day >= from && day < to
  const inside = bill.days.filter(isInside)
  const pairs = pairsOf(bill, inside, rows.filter(isInside))
  const isEqual = (pair: Pair) =>
    isWithin(pair.nano ?? 0n, tolerance.nano) &&
    tokenKinds.every((kind) => isWithin(pair.tokens?.[kind] ?? 0n, tolerance.tokens))
  const equal = pairs.filter(isEqual)
  const apart = pairs.filter((pair) => !isEqual(pair))
  const byPlace = new Map(pairs.map((pair) => [placeOf(pair.day, pair.key, pair.billed?.isOther ?? false), pair]))
  const beside = (pair: Pair) =>
    [pair.day - 1, pair.day + 1].flatMap((day) => byPlace.get(placeOf(day, pair.key, false)) ?? [])
  return {
    bookedNano: sumOf(pairs.map(({ booked }) => booked?.nano ?? 0n)),
    billedNano: sumOf(pairs.map(({ billed }) => billedNano(billed))),
    bookedRuns: pairs.reduce((count, { booked }) => count + (booked?.runs ?? 0), 0),
    pairs: pairs.length,
    equal: equal.length,
    equalNano: sumOf(equal.map(({ nano }) => nano ?? 0n)),
    outsideNano: sumOf(bill.days.filter((day) => !isInside(day)).map(billedNano)),
    differences: apart.map((pair) => ({ ...pair, reason: reasonOf(pair, beside(pair), tolerance) })),
  }
}
