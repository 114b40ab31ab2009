import type { Balance } from '../../src/money/ledger/ledger.ts'

export const columns = ['spent', 'held', 'overrun', 'late', 'wouldRefuse'] as const

export function plus(a: Balance, b: Balance): Balance {
  const sum = { ...a }
  for (const column of columns) sum[column] += b[column]
  return sum
}

export const isSame = (a: Balance | undefined, b: Balance | undefined) =>
  a === b || (a !== undefined && b !== undefined && columns.every((column) => a[column] === b[column]))

/** What is above a limit without being accounted for. */
export const excess = ({ spent, held, overrun, late }: Balance, limit: bigint | undefined) => {
  const above = limit === undefined ? 0n : spent + held - limit - overrun - late
  return above > 0n ? above : 0n
}
