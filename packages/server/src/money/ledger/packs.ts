import type { Allowance, Pack } from './allowances.ts'
import { type LimitKind, thresholdsOf } from './limit-kind.ts'

/** The allowance of a pack, which has the pack's own id as its key. */
export const packAllowance = (pack: Pack, kind: LimitKind): Allowance => ({
  key: pack.id,
  limitId: pack.id,
  kind: kind.kind,
  subject: pack.owner,
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
