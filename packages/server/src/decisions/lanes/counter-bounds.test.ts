import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Books, costing, drawing, hour, limit, on } from '../../../test/support/example-books.ts'
import type { BatchDecision, Command, Outcome } from '../../money/engine/engine.ts'
import { type Claim, emptyBalance, maxAdmitted, maxCounter } from '../../money/ledger/ledger.ts'
import { maxChargeNano } from '../../values/money.ts'

/** Amounts close to the largest that counters hold. */

const int8 = 2n ** 63n - 1n
const unlimited = () => [
  on(limit('counter', null)),
  drawing(limit('first', maxAdmitted / 2n), limit('last', maxAdmitted / 2n)),
]

/** Allowances that are a little below the largest amount that is admitted. */
function atTheBrink(claims: readonly Claim[], left: bigint): Books {
  const books = new Books()
  const most = (maxAdmitted - left) / maxChargeNano
  const items = Array.from({ length: Number(most) }, () => costing(maxChargeNano, claims))
  books.run({
    type: 'charge',
    mode: 'facts',
    items: [costing((maxAdmitted - left) % maxChargeNano, claims), ...items],
  })
  return books
}

const counters = ({ after, deltas }: BatchDecision) =>
  [...after.values(), ...deltas.values()].flatMap(({ spent, held, overrun, late }) => [spent, held, overrun, late])

interface Step {
  readonly type: 'hold' | 'settle' | 'expire' | 'charge'
  readonly amount: bigint
  readonly of: number
  readonly mode: 'atomic' | 'partial' | 'facts' | 'atomic_facts'
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('hold', 'hold', 'settle', 'settle', 'expire', 'charge'),
  amount: fc.oneof(fc.constantFrom(0n, 1n, maxChargeNano), fc.bigInt({ min: 0n, max: maxChargeNano })),
  of: fc.nat({ max: 40 }),
  mode: fc.constantFrom('atomic', 'partial', 'facts', 'atomic_facts'),
})

describe('at the brink of what can be counted', () => {
  test('whatever is asked, no counter leaves its range, and what was admitted is always booked', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.bigInt({ min: 0n, max: 3n * maxChargeNano }),
        fc.constantFrom<'release' | 'charge'>('release', 'charge'),
        (steps, left, onExpiry) => {
          const claims = unlimited()
          const books = atTheBrink(claims, left)
          const admitted: string[] = []
          for (const { type, amount, of, mode } of steps) {
            const holdId = admitted[of % Math.max(1, admitted.length)]
            const asks: Command[] = []
            if (type === 'hold') asks.push(books.ask(amount, claims, { onExpiry }))
            else if (type === 'charge')
              asks.push({ type, mode, items: [costing(amount, claims), costing(maxChargeNano, claims)] })
            else if (holdId !== undefined && type === 'settle')
              asks.push({ type, holdId, actual: { usd: amount, tokens: 0n, runs: 1n }, unheld: [] })
            else if (holdId !== undefined && type === 'expire') asks.push({ type, holdId })
            if (type === 'expire') books.nowMs += hour
            if (asks.length === 0) continue
            const before = books.of('counter')
            const decision = books.run(...asks)
            const verdict = decision.outcomes[0]!
            for (const counter of counters(decision)) expect(counter <= int8 && counter >= -int8).toBe(true)
            const { spent, held } = books.of('counter')
            expect(spent <= maxCounter && spent >= 0n && held >= 0n).toBe(true)
            if (verdict.type === 'held' && asks[0]!.type === 'hold') admitted.push(asks[0]!.id)
            const isCounted = spent + held <= maxAdmitted || spent + held === before.spent + before.held
            const isKept =
              type === 'settle' ? verdict.type === 'ended' : type === 'expire' || isRefused(verdict) || isCounted
            expect({ type, isKept }).toEqual({ type, isKept: true })
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a thousand held calls may each cost the most there is, and every nano-dollar is counted', () => {
    const claims = [on(limit('counter', null))]
    const books = atTheBrink(claims, 1_000n)
    const holds = Array.from({ length: 1_000 }, () => books.hold(0n, claims))
    const before = books.of('counter').spent
    for (const holdId of holds)
      expect(books.verdictOn(settle(holdId, maxChargeNano - 1n))).toMatchObject({ type: 'ended', isRepeat: false })
    expect(books.of('counter').spent - before).toBe(1_000n * (maxChargeNano - 1n))
  })

  test('a counter that is full stays full, and the journal says what the row says', () => {
    const claims = [on(limit('counter', null))]
    const books = atTheBrink(claims, 0n)
    const holds = Array.from({ length: 1_100 }, () => books.hold(0n, claims))
    let journal = books.of('counter').spent
    for (const holdId of holds) {
      const { movements } = books.run(settle(holdId, maxChargeNano))
      journal += movements.flatMap(({ changes }) => changes).reduce((sum, { delta }) => sum + delta.spent, 0n)
    }
    expect(books.of('counter').spent).toBe(maxCounter)
    expect(journal).toBe(maxCounter)
  })

  test.each(['facts', 'atomic_facts', 'partial', 'atomic'] as const)(
    '%s that cannot be counted are refused as out of range, and leave no trace',
    (mode) => {
      const claims = [on(limit('counter', null))]
      const books = atTheBrink(claims, 10n)
      const before = books.of('counter')
      const decision = books.run({
        type: 'charge',
        mode,
        items: [costing(4n, claims), costing(20n, claims), costing(5n, claims)],
      })
      const [verdict] = decision.outcomes as [Extract<Outcome, { type: 'charged' }>]
      expect([...verdict.refusals.keys()]).toEqual([1])
      const refusal = verdict.refusals.get(1)!
      expect(refusal.claim.kind.refuse(refusal)).toMatchObject({
        status: 422,
        details: { fields: [{ field: 'cost_usd', code: 'out_of_range' }] },
      })
      const isAll = mode === 'facts' || mode === 'partial'
      expect(books.of('counter')).toEqual(isAll ? { ...before, spent: before.spent + 9n } : before)
    },
  )

  test('a limit that refuses anyway says so itself', () => {
    const claims = [on(limit('budget', 100n))]
    const books = new Books()
    const verdict = books.verdictOn(books.ask(101n, claims))
    expect(verdict).toMatchObject({ type: 'refused', refusal: { claim: { kind: { kind: 'any' } } } })
    expect(books.of('budget')).toEqual(emptyBalance)
  })
})

const settle = (holdId: string, usd: bigint): Command => ({
  type: 'settle',
  holdId,
  actual: { usd, tokens: 0n, runs: 1n },
  unheld: [],
})

const isRefused = (verdict: Outcome) =>
  verdict.type === 'refused' || (verdict.type === 'charged' && verdict.refusals.size > 0)
