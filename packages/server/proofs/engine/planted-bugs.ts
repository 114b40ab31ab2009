import type { Command, Movement, Outcome } from '../../src/money/engine/decide.ts'
import type { Hold } from '../../src/money/engine/hold-endings.ts'
import { emptyBalance } from '../../src/money/ledger/ledger.ts'
import { plantedChargeBugs } from './planted-charge-bugs.ts'
import { type Books, changing, claiming, moving, type Rules } from './planting.ts'

/**
 * Rules broken on purpose, to show that breaking them is noticed. Each keeps its own sums in order, so that what gives it away
 * is the broken promise and not a careless forgery.
 */

/** Shows the rules other books than there are. */
const showing =
  (change: (books: Books, asks: readonly Command[]) => Books) =>
  (decide: Rules): Rules =>
  (books, asks, nowMs) => {
    const decision = decide(change(books, asks), asks, nowMs)
    return moving(decision, books, decision.movements)
  }

const showingHolds = (change: (hold: Hold, asks: readonly Command[]) => Hold) =>
  showing((books, asks) => ({
    ...books,
    holds: new Map(Array.from(books.holds, ([id, hold]) => [id, change(hold, asks)])),
  }))

const isAskedTo = (type: Command['type'], asks: readonly Command[], { id }: Hold) =>
  asks.some((ask) => ask.type === type && 'holdId' in ask && ask.holdId === id)

/** Asks otherwise than was asked. */
const asking =
  (change: (ask: Command) => Command) =>
  (decide: Rules): Rules =>
  (books, asks, nowMs) =>
    decide(books, asks.map(change), nowMs)

type Shrinkable = Extract<Command, { type: 'hold' }>
type Shrink = NonNullable<Shrinkable['shrink']>

/** Asks otherwise for holds that may be smaller. */
const askingSmaller = (change: (ask: Shrinkable, shrink: Shrink) => Partial<Shrinkable>) =>
  asking((ask) => (ask.type === 'hold' && ask.shrink ? { ...ask, ...change(ask, ask.shrink) } : ask))

export const plantedBugs: Readonly<Record<string, (decide: Rules) => Rules>> = {
  'what is held is forgotten in the check': showing((books) => ({
    ...books,
    allowances: new Map(
      Array.from(books.allowances, ([key, book]) => [key, { ...book, balance: { ...book.balance, held: 0n } }]),
    ),
  })),

  'a smaller hold is not the largest that fits': askingSmaller((_ask, shrink) => ({
    shrink: (room) => shrink({ ...room, usd: room.usd === null ? null : room.usd / 2n }),
  })),

  'a smaller hold is admitted by dollars alone': askingSmaller((ask, shrink) => ({
    claims: ask.claims.filter(({ unit }) => unit !== 'tokens'),
    shrink: ({ usd }) => shrink({ usd, tokens: null }),
  })),

  'a raise is not asked of the limits': asking((ask) => {
    if (ask.type !== 'raise') return ask
    const claims = ask.claims.map((claim) =>
      claim.mode === 'all'
        ? { ...claim, allowances: claim.allowances.map((allowance) => ({ ...allowance, limit: null })) }
        : claim,
    )
    return { ...ask, claims }
  }),

  'a refused raise gives its hold back': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const freed = asks.flatMap((ask, i): Movement[] => {
      const hold = ask.type === 'raise' ? books.holds.get(ask.holdId) : undefined
      const isEnded = decision.changedHolds.some(({ id }) => id === hold?.id)
      if (!hold || isEnded || decision.outcomes[i]!.type !== 'refused') return []
      const changes = hold.keys.map((key, j) => ({ key, delta: { ...emptyBalance, held: -hold.amounts[j]! } }))
      return [{ kind: 'hold', holdId: hold.id, changes }]
    })
    return moving(decision, books, [...decision.movements, ...freed])
  },

  'a raise holds its charge beside what it held': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const movements = decision.movements.map((movement) => {
      const raised = decision.raisedHolds.find(({ id }) => id === movement.holdId)
      const before = movement.holdId === null ? undefined : books.holds.get(movement.holdId)
      if (movement.kind !== 'hold' || !raised || !before) return movement
      const own = (key: string) =>
        before.keys.reduce((sum, each, i) => (each === key ? sum + before.amounts[i]! : sum), 0n)
      const changes = movement.changes.map(({ key, delta }) => ({
        key,
        delta: { ...delta, held: delta.held + own(key) },
      }))
      return { ...movement, changes }
    })
    return moving(decision, books, movements)
  },

  'an exact settlement adds to its estimate': showingHolds((hold) =>
    hold.estimate ? { ...hold, estimate: { ...hold.estimate, costs: hold.keys.map(() => 0n) } } : hold,
  ),

  'a settlement does not give its hold back': changing(['settle'], ({ key, delta }) => ({
    key,
    delta: { ...delta, held: 0n },
  })),

  'a second settlement counts again': showingHolds((hold, asks) =>
    hold.state === 'settled' && isAskedTo('settle', asks, hold)
      ? { ...hold, state: 'expired', onExpiry: 'release' }
      : hold,
  ),

  'a settlement after the lease is ignored': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const isLate = ({ holdId }: Movement) => holdId !== null && books.holds.get(holdId)?.state === 'expired'
    return moving(
      decision,
      books,
      decision.movements.map((movement) =>
        movement.kind === 'settle' && isLate(movement) ? { ...movement, changes: [] } : movement,
      ),
    )
  },

  'a depleted pack no longer limits': claiming((claims, { allowances }) =>
    claims.flatMap((claim) => {
      if (claim.mode !== 'draw') return [claim]
      const left = claim.allowances.filter(({ key, limit }) => allowances.get(key)!.balance.spent < limit!)
      return left.length === 0 ? [] : [{ ...claim, allowances: left }]
    }),
  ),

  'a lease ends without grace': (decide) => (books, asks, nowMs) => {
    const isEarly = (hold: Hold) => isAskedTo('expire', asks, hold) && !isAskedTo('extend', asks, hold)
    const early = (hold: Hold) => (isEarly(hold) ? { ...hold, expiresAtMs: hold.expiresAtMs - 5_000 } : hold)
    const holds = new Map(Array.from(books.holds, ([id, hold]) => [id, early(hold)]))
    const decision = decide({ ...books, holds }, asks, nowMs)
    const changedHolds = decision.changedHolds.map((hold) =>
      isEarly(hold) ? { ...hold, expiresAtMs: books.holds.get(hold.id)!.expiresAtMs } : hold,
    )
    return { ...decision, changedHolds }
  },

  'one new customer more than the bound': claiming((claims) =>
    claims.map((claim) => {
      if (!claim.newSubjectGate) return claim
      const { counter } = claim.newSubjectGate
      return {
        ...claim,
        newSubjectGate: { ...claim.newSubjectGate, counter: { ...counter, limit: counter.limit! + 1n } },
      }
    }),
  ),

  'a refused request leaves what fitted held': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const left = asks.flatMap((ask, i): Movement[] => {
      const verdict = decision.outcomes[i]!
      if (ask.type !== 'hold' || verdict.type !== 'refused') return []
      const fitted = verdict.checks.filter(({ draw, wouldRefuse }) => draw === 0 && !wouldRefuse)
      const changes = fitted.map(({ allowance, amount }) => ({
        key: allowance.key,
        delta: { ...emptyBalance, held: amount },
      }))
      return changes.length === 0 ? [] : [{ kind: 'hold', holdId: ask.id, changes }]
    })
    return moving(decision, books, [...decision.movements, ...left])
  },

  'cost above the hold is not counted': changing(['settle'], ({ key, delta }) => ({
    key,
    delta: { ...delta, spent: delta.spent - delta.overrun, overrun: 0n },
  })),

  'releasing what is settled gives room back': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const freed: Movement[] = []
    const outcomes = decision.outcomes.map((verdict, i): Outcome => {
      const ask = asks[i]!
      if (ask.type !== 'release' || verdict.type !== 'conflict') return verdict
      const { hold } = verdict
      const changes = hold.keys.map((key, j) => ({ key, delta: { ...emptyBalance, spent: -hold.amounts[j]! } }))
      freed.push({ kind: 'release', holdId: hold.id, changes })
      return verdict
    })
    return moving({ ...decision, outcomes }, books, [...decision.movements, ...freed])
  },

  'an expiry that charges only gives back': changing(['expire'], ({ key, delta }) => ({
    key,
    delta: { ...delta, spent: 0n },
  })),

  'overrun is spent but not told': changing(['settle'], ({ key, delta }) => ({
    key,
    delta: { ...delta, overrun: 0n },
  })),

  'a free call is refused where nothing is left': (decide) => (books, asks, nowMs) => {
    const isFree = (ask: Command) => ask.type === 'hold' && ask.charge.usd === 0n
    const charged = asks.map((ask) => {
      if (ask.type !== 'hold' || !isFree(ask)) return ask
      return { ...ask, charge: { ...ask.charge, usd: 1n }, isDryRun: true }
    })
    const asIfCharged = decide(books, charged, nowMs)
    const decision = decide(books, asks, nowMs)
    const refused = new Set(
      asks.flatMap((ask, i) =>
        isFree(ask) && asIfCharged.outcomes[i]!.type === 'refused' ? [(ask as { id: string }).id] : [],
      ),
    )
    const outcomes = decision.outcomes.map((verdict, i) => {
      const ask = asks[i]!
      return ask.type === 'hold' && refused.has(ask.id) ? asIfCharged.outcomes[i]! : verdict
    })
    const newHolds = decision.newHolds.filter(({ id }) => !refused.has(id))
    const movements = decision.movements.filter(({ holdId }) => holdId === null || !refused.has(holdId))
    return moving({ ...decision, outcomes, newHolds }, books, movements)
  },

  ...plantedChargeBugs,
}
