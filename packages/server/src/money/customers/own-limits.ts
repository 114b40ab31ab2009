import { Lru } from '../../values/lru.ts'
import { noSubject, type OwnLimit, plannedOf, type ScheduleColumns } from '../ledger/ledger.ts'

/** A customer's limit as it is stored. */
type OwnLimitRow = ScheduleColumns & {
  readonly id: string
  readonly customer_id: string
  readonly amount: bigint | null
  readonly thresholds: readonly number[]
}

/** Limits as they were last read, by id. Every decision reads its customer's limit again, and hardly ever finds a change. */
const lastRead = new Lru<string, { readonly row: OwnLimitRow; readonly limit: OwnLimit }>(20_000)

/**
 * Builds a customer's limit from its row. A limit that is read again unchanged is the same object: what was derived from it, its
 * periods and the keys of its allowances, is not computed again.
 */
export function customerLimitOf(row: OwnLimitRow): OwnLimit {
  const known = lastRead.get(row.id)
  if (known && isSameLimit(known.row, row)) return known.limit
  const limit: OwnLimit = {
    id: row.id,
    ...(row.customer_id !== noSubject && { countedAs: row.customer_id }),
    kind: 'customer',
    unit: 'usd',
    amount: row.amount,
    schedule: plannedOf(row),
    enforcement: 'block',
    thresholds: row.thresholds,
  }
  lastRead.set(row.id, { row, limit })
  return limit
}

/** True when two rows say the same in every column from which a limit is built. */
const isSameLimit = (a: OwnLimitRow, b: OwnLimitRow) =>
  a.customer_id === b.customer_id &&
  a.amount === b.amount &&
  a.period === b.period &&
  a.anchor === b.anchor &&
  a.timezone === b.timezone &&
  a.next_period === b.next_period &&
  a.next_anchor === b.next_anchor &&
  a.next_timezone === b.next_timezone &&
  a.next_from?.getTime() === b.next_from?.getTime() &&
  a.thresholds.length === b.thresholds.length &&
  a.thresholds.every((threshold, i) => threshold === b.thresholds[i])
