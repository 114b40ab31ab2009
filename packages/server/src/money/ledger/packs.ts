import { type Allowance, thresholdsOf } from './allowances.ts'

/** A prepaid amount. Depleted packs still count as owned; void and expired ones do not. */
export interface Pack {
  readonly id: string
  readonly amount: bigint
  readonly priority: number
  readonly expiresAtMs: number | null
  readonly voidedAtMs: number | null
  readonly createdAtMs: number
}

/** The allowance of a pack, which has the pack's own id as its key. */
export const packAllowance = (pack: Pack, kind: string, owner: string): Allowance => ({
  key: pack.id,
  limitId: pack.id,
  kind,
  subject: owner,
  unit: 'usd',
  period: null,
  limit: pack.amount,
  enforcement: 'block',
  thresholds: thresholdsOf(kind),
})

export const isUsable = (pack: Pack, nowMs: number) =>
  pack.voidedAtMs === null && (pack.expiresAtMs === null || nowMs < pack.expiresAtMs)

/** Sorts packs into the order in which they are drawn: by priority, then earliest expiry, then oldest. */
export const sortByDrawOrder = (packs: readonly Pack[]): Pack[] =>
  packs.toSorted(
    (a, b) =>
      a.priority - b.priority ||
      (a.expiresAtMs ?? Number.POSITIVE_INFINITY) - (b.expiresAtMs ?? Number.POSITIVE_INFINITY) ||
      a.createdAtMs - b.createdAtMs ||
      (a.id < b.id ? -1 : 1),
  )
