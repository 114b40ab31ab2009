import { formatUsd } from '../../values/money.ts'
import { nanoOfFine } from './amounts.ts'
import { type Bill, dateOf } from './bill-files.ts'
import { tokenKinds } from './bill-lines.ts'
import type { BillComparison, BillDifference } from './comparison.ts'
import { sumOf } from './pairs.ts'
import { reasons } from './reasons.ts'
import type { ReconciliationDifference } from './schema.ts'

const maxListed = 1_000

const amountOrNull = (nano: bigint | undefined) => (nano === undefined ? null : formatUsd(nano))
const differenceSum = (differences: readonly BillDifference[]) =>
  formatUsd(sumOf(differences.map(({ nano }) => nano ?? 0n)))

/** Returns what a comparison found, without its differences. */
export function summaryView(
  { biller, measures }: Bill,
  comparison: BillComparison,
  { from, to }: { readonly from: number; readonly to: number },
) {
  const { differences } = comparison
  const hasAmounts = measures.some(({ measure }) => measure === 'amount')
  return {
    provider: biller,
    from: dateOf(from),
    to: dateOf(to),
    has_amounts: hasAmounts,
    has_tokens: measures.some(({ measure }) => measure === 'tokens'),
    runs: comparison.bookedRuns,
    compared: comparison.pairs,
    equal: comparison.equal,
    booked_usd: formatUsd(comparison.bookedNano),
    billed_usd: hasAmounts ? formatUsd(comparison.billedNano) : null,
    difference_usd: hasAmounts
      ? formatUsd(comparison.equalNano + sumOf(differences.map(({ nano }) => nano ?? 0n)))
      : null,
    within_tolerance_usd: formatUsd(comparison.equalNano),
    outside_usd: formatUsd(comparison.outsideNano),
    difference_count: differences.length,
    by_reason: reasons.flatMap((reason) => {
      const own = differences.filter((difference) => difference.reason === reason)
      return own.length === 0 ? [] : [{ reason, count: own.length, difference_usd: differenceSum(own) }]
    }),
  }
}

const size = (amount: bigint) => (amount < 0n ? -amount : amount)
/** Largest amounts first, then in the order of days and models. */
const inOrder = (a: BillDifference, b: BillDifference) => {
  const [sizeA, sizeB] = [size(a.nano ?? 0n), size(b.nano ?? 0n)]
  if (sizeA !== sizeB) return sizeA > sizeB ? -1 : 1
  return a.day - b.day || (a.key < b.key ? -1 : 1)
}

/** Returns the largest differences, and what the others add up to. */
export function differencesView({ differences }: BillComparison) {
  const sorted = differences.toSorted(inOrder)
  const others = sorted.slice(maxListed)
  return {
    differences: sorted.slice(0, maxListed).map(differenceView),
    unlisted: { count: others.length, difference_usd: differenceSum(others) },
  }
}

const differenceView = (difference: BillDifference): ReconciliationDifference => {
  const { day, key, names, reason, booked, billed, nano, tokens } = difference
  return {
    date: dateOf(day),
    model: key,
    names: [...names],
    reason,
    runs: booked?.runs ?? 0,
    booked_usd: formatUsd(booked?.nano ?? 0n),
    billed_usd: nano === undefined ? null : formatUsd(billed?.fine === undefined ? 0n : nanoOfFine(billed.fine)),
    difference_usd: amountOrNull(nano),
    tokens:
      tokens === undefined
        ? null
        : Object.fromEntries(
            tokenKinds.map((kind) => [
              kind,
              {
                booked: Number(booked?.tokens[kind] ?? 0n),
                billed: Number(billed?.tokens?.[kind] ?? 0n),
                difference: Number(tokens[kind] ?? 0n),
              },
            ]),
          ),
    tiers: [...(billed?.tiers ?? [])],
  }
}
