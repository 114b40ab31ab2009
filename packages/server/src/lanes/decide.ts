import type { Ask, Decision, Verdict } from './asks.ts'
import type { Book } from './book.ts'
import { Desk } from './desk.ts'
import type { Hold } from './ending.ts'

export type { Ask, ChargedItem, Decision, HoldInputs, Movement, Reading, Verdict } from './asks.ts'
export type { Hold } from './ending.ts'

/** Raised with every change of these rules and stored with every batch, so that an old decision is explained by its own rules. */
export const decideVersion = 2

/**
 * Decides a batch of one organization, against its ledger as read under the lock. Pure: no clock, no I/O, so that live decisions,
 * ingest, replays and tests run the same rules. Commands that free an amount go first (settlements, releases, expiries), then new
 * holds in the order in which they came; each takes all that it needs, or nothing.
 */
export function decide(
  books: { readonly allowances: ReadonlyMap<string, Book>; readonly holds: ReadonlyMap<string, Hold> },
  asks: readonly Ask[],
  nowMs: number,
): Decision {
  const desk = new Desk(books, nowMs)
  const verdicts: Verdict[] = []
  const each = <T extends Ask['type']>(types: readonly T[], judge: (ask: Extract<Ask, { type: T }>) => Verdict) => {
    for (const [i, ask] of asks.entries())
      if ((types as readonly string[]).includes(ask.type)) verdicts[i] = judge(ask as Extract<Ask, { type: T }>)
  }
  each(['settle', 'release', 'extend'], (ask) => desk.end(ask))
  each(['expire'], (ask) => desk.end(ask))
  each(['hold', 'charge'], (ask) => (ask.type === 'hold' ? desk.hold(ask) : desk.charge(ask)))
  return desk.decision(verdicts)
}
