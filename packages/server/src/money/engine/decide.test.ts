import { describe, expect, test } from 'vitest'
import { Books, drawing, limit, on } from '../../../test/support/example-books.ts'
import { emptyBalance } from '../ledger/ledger.ts'

/** The rules in plain examples. Amounts are nano-dollars; small numbers show the edges as well as large ones. */

describe('a hold', () => {
  test('passes exactly up to the limit, and not by one more', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    books.hold(7n, [budget])
    expect(books.verdictOn(books.ask(4n, [budget]))).toMatchObject({
      type: 'refused',
      refusal: { attempted: 4n, available: 3n, balance: { held: 7n, spent: 0n } },
    })
    books.hold(3n, [budget])
    expect(books.verdictOn(books.ask(1n, [budget]))).toMatchObject({ type: 'refused', refusal: { available: 0n } })
    expect(books.of('budget')).toEqual({ ...emptyBalance, held: 10n })
  })

  test('of nothing passes a limit of nothing, and one that is used up; anything priced is refused there', () => {
    const books = new Books()
    const none = on(limit('none', 0n))
    books.hold(0n, [none])
    expect(books.verdictOn(books.ask(1n, [none])).type).toBe('refused')
    const full = on(limit('full', 5n))
    books.hold(5n, [full])
    books.hold(0n, [full])
  })

  test('is counted and never refused where there is no limit', () => {
    const books = new Books()
    const counted = on(limit('counted', null))
    books.hold(1_000_000_000_000_000n, [counted])
    books.hold(1_000_000_000_000_000n, [counted])
    expect(books.of('counted').held).toBe(2_000_000_000_000_000n)
  })

  test('is not refused by a limit that only alerts, which counts what it would have refused', () => {
    const books = new Books()
    const alert = on(limit('alert', 5n, { enforcement: 'alert' }))
    books.hold(5n, [alert])
    expect(books.of('alert').wouldRefuse).toBe(0n)
    books.hold(1n, [alert])
    books.hold(0n, [alert])
    expect(books.of('alert')).toEqual({ ...emptyBalance, held: 6n, wouldRefuse: 1n })
  })

  test('that is refused changes no counter, although earlier limits fitted', () => {
    const books = new Books()
    const alert = limit('alert', 0n, { enforcement: 'alert' })
    const claims = [on(limit('wide', 100n)), on(alert), drawing(limit('pack', 50n)), on(limit('narrow', 1n))]
    const decision = books.run(books.ask(2n, claims))
    expect(decision.outcomes).toMatchObject([{ type: 'refused', refusal: { allowance: { key: 'narrow' } } }])
    expect(decision).toMatchObject({ movements: [], newHolds: [], changedHolds: [], crossings: [] })
    expect(decision.deltas.size + decision.after.size).toBe(0)
  })

  test('of a dry run is told the same and takes nothing', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    const dry = books.run(books.ask(4n, [budget], { isDryRun: true }))
    expect(dry.outcomes).toMatchObject([{ type: 'held', remaining: 6n }])
    expect([dry.movements, dry.newHolds]).toEqual([[], []])
    expect(books.verdictOn(books.ask(11n, [budget], { isDryRun: true })).type).toBe('refused')
  })

  test('counts each unit for itself: a free call is still a run', () => {
    const books = new Books()
    const runs = on(limit('runs', 1n, { unit: 'runs' }))
    const dollars = on(limit('dollars', 0n))
    books.hold(0n, [dollars, runs])
    expect(books.verdictOn(books.ask(0n, [dollars, runs]))).toMatchObject({ refusal: { allowance: { key: 'runs' } } })
  })

  test('finds the room that the same batch gives, and then it is first come, first served', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    const id = books.hold(10n, [budget])
    const asks = [books.ask(6n, [budget]), books.ask(6n, [budget]), books.ask(4n, [budget])]
    const { outcomes } = books.run(...asks, { type: 'release', holdId: id })
    expect(outcomes.map(({ type }) => type)).toEqual(['held', 'refused', 'held', 'ended'])
    expect(books.of('budget')).toEqual({ ...emptyBalance, held: 10n })
  })

  test('is told what the tightest limit leaves; alerts and counters leave nothing to tell', () => {
    const books = new Books()
    const claims = [
      on(limit('wide', 100n)),
      on(limit('tight', 10n)),
      on(limit('alert', 1n, { enforcement: 'alert' })),
      on(limit('runs', 2n, { unit: 'runs' })),
    ]
    expect(books.verdictOn(books.ask(4n, claims))).toMatchObject({ remaining: 6n })
    expect(books.verdictOn(books.ask(4n, claims))).toMatchObject({ remaining: 2n })
    expect(books.verdictOn(books.ask(4n, [on(limit('counted', null))]))).toMatchObject({ remaining: null })
  })
})

describe('a settlement', () => {
  test('above the hold is overrun, counted into what is spent at once', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    const id = books.hold(4n, [budget])
    expect(books.settle(id, 12n).outcomes).toMatchObject([
      { hold: { chargedNano: 12n, overrunNano: 8n }, isLate: false },
    ])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 12n, overrun: 8n })
    expect(books.verdictOn(books.ask(1n, [budget])).type).toBe('refused')
  })

  test('below the hold gives the rest back; an explicit nothing gives all of it back', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    books.settle(books.hold(10n, [budget]), 3n)
    books.settle(books.hold(7n, [budget]), 0n)
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 3n })
  })

  test('asked for twice returns the first result', () => {
    const books = new Books()
    const id = books.hold(4n, [on(limit('budget', 10n))])
    books.settle(id, 3n)
    const again = books.settle(id, 9n)
    expect(again.outcomes).toMatchObject([
      { type: 'ended', isRepeat: true, hold: { state: 'settled', chargedNano: 3n } },
    ])
    expect(again.movements).toEqual([])
    expect(books.of('budget').spent).toBe(3n)
  })

  test('twice in one batch counts once', () => {
    const books = new Books()
    const holdId = books.hold(4n, [on(limit('budget', 10n))])
    const settle = { type: 'settle', holdId, actual: { usd: 2n, tokens: 0n, runs: 1n }, unheld: [] } as const
    const { outcomes } = books.run(settle, { ...settle, actual: { usd: 3n, tokens: 0n, runs: 1n } })
    expect(outcomes).toMatchObject([
      { isRepeat: false, hold: { chargedNano: 2n } },
      { isRepeat: true, hold: { chargedNano: 2n } },
    ])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 2n })
  })

  test('after a release is late, and a release after a settlement is a conflict', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n))
    const released = books.hold(4n, [budget])
    books.run({ type: 'release', holdId: released })
    expect(books.settle(released, 3n).outcomes).toMatchObject([
      { type: 'ended', isLate: true, hold: { state: 'settled', chargedNano: 3n, overrunNano: 0n } },
    ])
    const settled = books.hold(4n, [budget])
    books.settle(settled, 4n)
    expect(books.verdictOn({ type: 'release', holdId: settled })).toMatchObject({ type: 'conflict' })
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 7n, late: 3n })
  })

  test('of what was never held is not found', () => {
    expect(new Books().settle('nobody', 1n).outcomes).toEqual([{ type: 'not_found' }])
  })

  test('draws down what was not held, and what does not fit shows as overrun', () => {
    const books = new Books()
    const plan = on(limit('plan', 0n, { unit: 'runs' }))
    const packs = drawing(limit('first', 3n), limit('second', 4n))
    const budget = on(limit('budget', 100n))
    books.settle(books.hold(5n, [budget]), 5n, [plan, packs])
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 3n })
    expect(books.of('second')).toEqual({ ...emptyBalance, spent: 2n })
    expect(books.of('plan')).toEqual({ ...emptyBalance, spent: 1n, overrun: 1n })
    books.settle(books.hold(5n, [budget]), 5n, [packs])
    expect(books.of('second')).toEqual({ ...emptyBalance, spent: 7n, overrun: 3n })
  })

  test('tells a threshold once, at the crossing, and the limit when it is passed', () => {
    const books = new Books()
    const budget = on(limit('budget', 10n, { thresholds: [50, 80, 100] }))
    const crossed = (usd: bigint, actual = usd) =>
      books.settle(books.hold(usd, [budget]), actual).crossings.map(({ threshold, spent }) => [threshold, spent])
    expect(crossed(4n)).toEqual([])
    expect(crossed(1n)).toEqual([[50, 5n]])
    expect(crossed(1n)).toEqual([])
    expect(crossed(4n)).toEqual([
      [80, 10n],
      [100, 10n],
    ])
    expect(crossed(0n, 1n)).toEqual([[0, 11n]])
    expect(crossed(0n, 1n)).toEqual([])
  })
})

describe('packs', () => {
  const packs = () => drawing(limit('first', 3n), limit('second', 4n))

  test('share one amount in their order, and are settled from the first', () => {
    const books = new Books()
    const id = books.hold(5n, [packs()])
    expect([books.of('first').held, books.of('second').held]).toEqual([3n, 2n])
    books.settle(id, 4n)
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 3n })
    expect(books.of('second')).toEqual({ ...emptyBalance, spent: 1n })
  })

  test('settled for less than the first held give back all of the others', () => {
    const books = new Books()
    books.settle(books.hold(5n, [packs()]), 2n)
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 2n })
    expect(books.of('second')).toEqual(emptyBalance)
  })

  test('refuse what they do not hold together, and say how much they do', () => {
    const books = new Books()
    books.hold(5n, [packs()])
    const verdict = books.verdictOn(books.ask(3n, [packs()]))
    expect(verdict).toMatchObject({
      type: 'refused',
      refusal: { attempted: 3n, available: 2n, total: { limit: 7n, held: 5n, spent: 0n } },
    })
    books.hold(2n, [packs()])
  })

  test('that are depleted go on limiting', () => {
    const books = new Books()
    books.settle(books.hold(7n, [packs()]), 7n)
    expect(books.verdictOn(books.ask(1n, [packs()])).type).toBe('refused')
    books.hold(0n, [packs()])
  })

  test('settle what they hold after they have expired, and give back what is left to nobody', () => {
    const books = new Books()
    const id = books.hold(5n, [packs()])
    // The first is no longer in force: new holds do not name it, but the old one still stands there.
    const rest = drawing(limit('second', 4n))
    expect(books.verdictOn(books.ask(3n, [rest])).type).toBe('refused')
    books.settle(id, 4n)
    expect([books.of('first').spent, books.of('second').spent]).toEqual([3n, 1n])
    books.hold(3n, [rest])
  })

  test('bear what is above their hold on the last of them, as overrun', () => {
    const books = new Books()
    books.settle(books.hold(5n, [packs()]), 9n)
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 3n })
    expect(books.of('second')).toEqual({ ...emptyBalance, spent: 6n, overrun: 4n })
  })

  test('find where to book a cost although nothing was held', () => {
    const books = new Books()
    books.settle(books.hold(0n, [packs()]), 2n)
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 2n, overrun: 2n })
  })

  test('leave what all of them have, also those that a hold did not need', () => {
    const books = new Books()
    expect(books.verdictOn(books.ask(1n, [packs()]))).toMatchObject({ remaining: 6n })
    expect(books.verdictOn(books.ask(3n, [packs()]))).toMatchObject({ remaining: 3n })
  })
})

describe('new customers', () => {
  const counter = limit('counter', 2n, { unit: 'runs' })
  const fallback = limit('shared', 5n)
  const customer = (name: string) => ({
    ...on(limit(name, 10n)),
    newSubjectGate: { marker: limit(`${name} is known`, null, { unit: 'runs' }), counter, fallback },
  })

  test('have a limit each up to the bound of the day, and share one beyond it', () => {
    const books = new Books()
    for (const name of ['a', 'b', 'c', 'd', 'a']) books.hold(2n, [customer(name)])
    expect(['a', 'b', 'c', 'd', 'shared'].map((key) => books.of(key).held)).toEqual([4n, 2n, 0n, 0n, 4n])
    expect(books.of('counter').spent).toBe(2n)
    expect(books.verdictOn(books.ask(2n, [customer('e')]))).toMatchObject({ refusal: { allowance: { key: 'shared' } } })
    books.hold(6n, [customer('b')])
  })

  test('are bounded within one batch too', () => {
    const books = new Books()
    books.run(...['a', 'b', 'c'].map((name) => books.ask(2n, [customer(name)])))
    expect(['a', 'b', 'c', 'shared'].map((key) => books.of(key).held)).toEqual([2n, 2n, 0n, 2n])
  })

  test('do not count when they are refused, or only asked about', () => {
    const books = new Books()
    books.run(books.ask(11n, [customer('a')]), books.ask(1n, [customer('a')], { isDryRun: true }))
    expect(books.of('counter').spent).toBe(0n)
  })
})
