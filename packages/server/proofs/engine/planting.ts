import type { BatchDecision, decide as Decide, Movement } from '../../src/money/engine/decide.ts'
import { type Balance, type Claim, emptyBalance } from '../../src/money/ledger/ledger.ts'
import { plus } from './balances.ts'

/** Tools to break rules with. Each keeps its own sums in order. */

export type Rules = typeof Decide
export type Books = Parameters<Rules>[0]
type Change = Movement['changes'][number]

/** The decision with other movements, and the sums that follow from them. */
export function moving(decision: BatchDecision, books: Books, movements: readonly Movement[]): BatchDecision {
  const deltas = new Map<string, Balance>()
  for (const { key, delta } of movements.flatMap(({ changes }) => changes))
    deltas.set(key, plus(deltas.get(key) ?? emptyBalance, delta))
  const after = new Map(Array.from(deltas, ([key, delta]) => [key, plus(books.allowances.get(key)!.balance, delta)]))
  return { ...decision, movements, deltas, after }
}

/** Rewrites the changes of some movements. */
export const changing =
  (kinds: readonly Movement['kind'][], rewrite: (change: Change) => Change) =>
  (decide: Rules): Rules =>
  (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const movements = decision.movements.map((movement) =>
      kinds.includes(movement.kind) ? { ...movement, changes: movement.changes.map(rewrite) } : movement,
    )
    return moving(decision, books, movements)
  }

export const claiming =
  (change: (claims: readonly Claim[], books: Books) => readonly Claim[]) =>
  (decide: Rules): Rules =>
  (books, asks, nowMs) =>
    decide(
      books,
      asks.map((ask) => (ask.type === 'hold' ? { ...ask, claims: change(ask.claims, books) } : ask)),
      nowMs,
    )
