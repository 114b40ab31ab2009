import { describe, expect, test } from 'vitest'
import { Books, costing, drawing, limit, on } from '../../../test/support/example-books.ts'
import { type Claim, emptyBalance } from '../ledger/ledger.ts'
import type { BatchDecision } from './decide.ts'

/** Charges without a hold, in plain examples. */

const refusals = ({ outcomes: [verdict] }: BatchDecision) =>
  verdict?.type === 'charged' ? [...verdict.refusals.keys()] : verdict?.type
const refusalsIn = ({ outcomes: [verdict] }: BatchDecision) =>
  verdict?.type === 'charged' ? [...verdict.refusals.values()] : []
const budget = () => [on(limit('budget', 10n))]

describe('a charge of all or none', () => {
  test('books everything up to the limit, as one movement that no hold bears', () => {
    const books = new Books()
    const decision = books.charge('atomic', budget(), 4n, 0n, 6n)
    expect(refusals(decision)).toEqual([])
    expect(decision.movements).toEqual([
      { kind: 'charge', holdId: null, changes: [{ key: 'budget', delta: { ...emptyBalance, spent: 10n } }] },
    ])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 10n })
    expect(decision.newHolds).toEqual([])
  })

  test('tells the first that does not fit, with what came before it, and leaves no trace', () => {
    const books = new Books()
    const decision = books.charge('atomic', budget(), 4n, 5n, 2n, 9n)
    expect(refusals(decision)).toEqual([2])
    expect(refusalsIn(decision)).toMatchObject([
      { attempted: 2n, available: 1n, balance: { spent: 9n, held: 0n }, isPreFlight: false },
    ])
    expect(decision).toMatchObject({ movements: [], crossings: [] })
    expect(decision.deltas.size + decision.after.size).toBe(0)
  })

  test('that is undone keeps what the same batch did before', () => {
    const books = new Books()
    const claims = budget()
    const { deltas } = books.run(books.ask(3n, claims), {
      type: 'charge',
      mode: 'atomic',
      items: [costing(4n, claims), costing(4n, claims)],
    })
    expect(deltas).toEqual(new Map([['budget', { ...emptyBalance, held: 3n }]]))
  })

  test('that is undone makes nobody known', () => {
    const books = new Books()
    const counter = limit('counter', 1n, { unit: 'runs' })
    const customer = (name: string): Claim => ({
      ...on(limit(name, 5n)),
      newSubjectGate: {
        marker: limit(`${name} is known`, null, { unit: 'runs' }),
        counter,
        fallback: limit('shared', 5n),
      },
    })
    const [a, b] = [[customer('a')], [customer('b')]]
    const { outcomes } = books.run(
      { type: 'charge', mode: 'atomic', items: [costing(1n, a), costing(9n, a)] },
      { type: 'charge', mode: 'atomic', items: [costing(1n, b)] },
      { type: 'charge', mode: 'atomic', items: [costing(1n, a)] },
    )
    expect(outcomes).toMatchObject([{ refusals: { size: 1 } }, { refusals: { size: 0 } }, { refusals: { size: 0 } }])
    expect(['a', 'b', 'shared', 'counter'].map((key) => books.of(key).spent)).toEqual([0n, 1n, 1n, 1n])
  })
})

describe('a charge of each that fits', () => {
  test('refuses the others, in the order in which they came', () => {
    const books = new Books()
    const decision = books.charge('partial', budget(), 6n, 5n, 4n, 1n, 0n)
    expect(refusals(decision)).toEqual([1, 3])
    expect(refusalsIn(decision).map(({ available }) => available)).toEqual([4n, 0n])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 10n })
  })

  test('sees what is held, and the room that the same batch gives', () => {
    const books = new Books()
    const claims = budget()
    const holdId = books.hold(8n, claims)
    expect(refusals(books.charge('partial', claims, 3n, 2n))).toEqual([0])
    const { outcomes } = books.run(
      { type: 'charge', mode: 'partial', items: [costing(8n, claims)] },
      { type: 'release', holdId },
    )
    expect(outcomes).toMatchObject([{ refusals: { size: 0 } }, { type: 'ended' }])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 10n })
  })

  test('takes its turn among the holds of its batch', () => {
    const books = new Books()
    const claims = budget()
    const items = [costing(6n, claims)]
    const { outcomes } = books.run(books.ask(6n, claims), { type: 'charge', mode: 'partial', items })
    expect(outcomes).toMatchObject([{ type: 'held' }, { refusals: { size: 1 } }])
  })

  test('books nothing of what is refused, although earlier limits fitted', () => {
    const books = new Books()
    const claims = [on(limit('wide', 100n)), drawing(limit('pack', 50n)), on(limit('narrow', 1n))]
    books.charge('partial', claims, 2n, 1n)
    expect(['wide', 'pack', 'narrow'].map((key) => books.of(key).spent)).toEqual([1n, 1n, 1n])
  })

  test('counts for each part what a limit that only alerts would have refused', () => {
    const books = new Books()
    const alert = [on(limit('alert', 5n, { enforcement: 'alert' }))]
    expect(refusals(books.charge('partial', alert, 4n, 2n, 0n, 3n))).toEqual([])
    expect(books.of('alert')).toEqual({ ...emptyBalance, spent: 9n, wouldRefuse: 2n })
  })

  test('draws packs in their order, also on different accounts', () => {
    const books = new Books()
    const packs = drawing(limit('first', 3n), limit('second', 4n))
    const [a, b] = [
      [packs, on(limit('a', 100n))],
      [packs, on(limit('b', 100n))],
    ]
    const items = [costing(2n, a), costing(2n, b), costing(2n, a), costing(2n, b), costing(1n, a)]
    expect(refusals(books.run({ type: 'charge', mode: 'partial', items }))).toEqual([3])
    expect(['first', 'second', 'a', 'b'].map((key) => books.of(key).spent)).toEqual([3n, 4n, 5n, 2n])
  })

  test('refuses what cannot be counted, also where nothing limits', () => {
    const books = new Books()
    const counted = [on(limit('counted', null))]
    const half = 2n ** 62n
    expect(refusals(books.charge('partial', counted, half, half, 1n))).toEqual([1])
    expect(books.of('counted').spent).toBe(half + 1n)
  })
})

describe('a charge of facts', () => {
  test('is never refused: what had no room is overrun', () => {
    const books = new Books()
    books.hold(3n, budget())
    expect(refusals(books.charge('facts', budget(), 4n, 5n, 1n))).toEqual([])
    expect(books.of('budget')).toEqual({ ...emptyBalance, held: 3n, spent: 10n, overrun: 3n })
  })

  test('fills packs in their order, and leaves the rest on the last', () => {
    const books = new Books()
    books.charge('facts', [drawing(limit('first', 3n), limit('second', 4n))], 2n, 4n, 3n)
    expect(books.of('first')).toEqual({ ...emptyBalance, spent: 3n })
    expect(books.of('second')).toEqual({ ...emptyBalance, spent: 6n, overrun: 2n })
  })

  test('meets new customers, and shares beyond the bound of the day', () => {
    const books = new Books()
    const counter = limit('counter', 1n, { unit: 'runs' })
    const customer = (name: string): Claim[] => [
      {
        ...on(limit(name, 5n)),
        newSubjectGate: {
          marker: limit(`${name} is known`, null, { unit: 'runs' }),
          counter,
          fallback: limit('shared', 5n),
        },
      },
    ]
    const [a, b] = [customer('a'), customer('b')]
    books.run({ type: 'charge', mode: 'facts', items: [costing(0n, a), costing(2n, b), costing(7n, a)] })
    expect(['a', 'b', 'shared', 'counter', 'a is known'].map((key) => books.of(key).spent)).toEqual([
      7n,
      0n,
      2n,
      1n,
      1n,
    ])
    expect(books.of('a').overrun).toBe(2n)
  })
})

describe('a charge', () => {
  test('tells every threshold once that its parts pass together', () => {
    const claims = [on(limit('budget', 10n, { thresholds: [50, 80, 100] }))]
    const crossed = ({ crossings }: BatchDecision) => crossings.map(({ threshold, spent }) => [threshold, spent])
    for (const mode of ['atomic', 'partial', 'facts'] as const) {
      const books = new Books()
      expect(crossed(books.charge(mode, claims, 1n, 3n))).toEqual([])
      expect(crossed(books.charge(mode, claims, 1n, 3n))).toEqual([
        [50, 8n],
        [80, 8n],
      ])
      expect(crossed(books.charge(mode, claims, 1n))).toEqual([])
    }
    const books = new Books()
    expect(crossed(books.charge('facts', claims, 5n, 6n)).map(([threshold]) => threshold)).toEqual([50, 80, 100, 0])
  })

  test('of nothing changes nothing', () => {
    for (const mode of ['atomic', 'partial', 'facts'] as const) {
      const decision = new Books().charge(mode, budget())
      expect(refusals(decision)).toEqual([])
      expect(decision.movements).toEqual([])
    }
  })

  test('that was known not to fit is refused, and counts nowhere; as a fact it is booked', () => {
    const depth = { ...on(limit('depth', 3n, { unit: 'runs' })), mode: 'fixed' } as const
    const tooDeep = { ...depth, exceeded: { current: 3n, attempted: 4n } }
    const books = new Books()
    const decision = books.charge('partial', [...budget(), tooDeep], 1n)
    expect(refusalsIn(decision)).toMatchObject([
      { attempted: 4n, available: 0n, balance: { spent: 3n }, allowance: { limit: 3n }, isPreFlight: false },
    ])
    expect(books.verdictOn(books.ask(1n, [tooDeep]))).toMatchObject({
      type: 'refused',
      refusal: { attempted: 4n, isPreFlight: true },
    })
    expect([books.of('budget'), books.of('depth')]).toEqual([emptyBalance, emptyBalance])
    books.charge('facts', [...budget(), tooDeep], 1n)
    expect(refusals(books.charge('atomic', [...budget(), depth], 1n))).toEqual([])
    expect([books.of('budget').spent, books.of('depth')]).toEqual([2n, emptyBalance])
  })
})
