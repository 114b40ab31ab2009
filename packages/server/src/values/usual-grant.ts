import { nanoPerUsd } from './money.ts'

const headroomPercent = 110n

/**
 * Returns the amount that a grant made with one tap is bounded by: a tenth more than the estimate, in whole cents; undefined without an
 * estimate. Attempts that differ only in their tokens are equal, so without an amount a grant for a small call would admit a large one.
 */
export function usualAmount(estimateNano: bigint): bigint | undefined {
  const cent = nanoPerUsd / 100n
  const wanted = (estimateNano * headroomPercent) / 100n
  const cents = (wanted + cent - 1n) / cent
  return cents === 0n ? undefined : cents * cent
}
