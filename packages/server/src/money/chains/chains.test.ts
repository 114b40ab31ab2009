import { describe, expect, test } from 'vitest'
import { Books } from '../../../test/support/example-books.ts'
import type { ChargedItem, Command } from '../engine/engine.ts'
import type { ChainBounds, ChainPlace, Charge, LimitRefusal, OrgLimits } from '../ledger/ledger.ts'
import { type BoundsByWorkflow, boundsOfNewChain, chainKey, chainKind, configuredBounds } from './chains.ts'

const unbounded: ChainBounds = { maxCostNano: null, maxTokens: null, maxDepth: null }
const place = (more: Partial<ChainPlace> = {}): ChainPlace => ({ ...unbounded, chainId: 'tree', depth: 1, ...more })
const bind = (charge: Charge) => chainKind.bind(charge, {} as OrgLimits, undefined, 0)

/** A run of a chain as it is requested. */
function run(usd: bigint, tokens: bigint, chain: Partial<ChainPlace>): ChargedItem {
  const charge = { usd, tokens, runs: 1n, chain: place(chain) }
  return { charge, claims: bind(charge) }
}

const hold = (books: Books, { charge, claims }: ChargedItem) => books.ask(0n, claims, { charge })

function refusal(books: Books, ask: Command): LimitRefusal | undefined {
  const verdict = books.verdictOn(ask)
  if (verdict.type === 'refused') return verdict.refusal
  return verdict.type === 'charged' ? verdict.refusals.values().next().value : undefined
}

function told(books: Books, ask: Command) {
  const refused = refusal(books, ask)
  const error = refused && chainKind.refuse(refused)
  return error && { code: error.code, status: error.status, details: error.details }
}

describe('a run in a chain', () => {
  test('that stands in none is bound by none', () => {
    expect(bind({ usd: 1n, tokens: 1n, runs: 1n })).toEqual([])
  })

  test('is counted where nothing bounds it, by what is the chain’s own', () => {
    const claims = bind({ usd: 1n, tokens: 1n, runs: 1n, chain: place({ depth: 10_000 }) })
    expect(claims.map(({ mode, unit, allowances }) => [mode, unit, allowances.map(({ limit }) => limit)])).toEqual([
      ['all', 'usd', [null]],
      ['all', 'tokens', [null]],
    ])
    const keys = claims.map(({ allowances }) => allowances[0]!.key)
    expect(keys).toEqual([chainKey('tree', 'usd'), chainKey('tree', 'tokens')])
    expect(new Set([...keys, chainKey('other', 'usd'), chainKey('other', 'tokens')]).size).toBe(4)
  })

  test('is refused where all runs together would cost more: 402, with what is spent and held, as strings', () => {
    const books = new Books()
    const chain = { maxCostNano: 1_000_000_000n }
    books.run({ type: 'charge', mode: 'atomic', items: [run(500_000_000n, 7n, chain)] })
    expect(books.verdictOn(hold(books, run(480_000_000n, 0n, { ...chain, depth: 2 }))).type).toBe('held')
    const expected = {
      code: 'chain_budget_exceeded',
      status: 402,
      details: { reason: 'cost', current: '0.98', attempted: '0.05', limit: '1' },
    }
    const next = run(50_000_000n, 0n, { ...chain, depth: 9 })
    expect(told(books, hold(books, next))).toEqual(expected)
    expect(told(books, { type: 'charge', mode: 'atomic', items: [next] })).toEqual(expected)
    expect(told(books, hold(books, run(20_000_000n, 0n, chain)))).toBeUndefined()
    expect(told(books, hold(books, run(50_000_000n, 0n, { ...chain, chainId: 'other' })))).toBeUndefined()
  })

  test('is refused where all runs together would use more tokens, although it costs nothing: 429, as integers', () => {
    const books = new Books()
    const chain = { maxTokens: 100n }
    books.verdictOn(hold(books, run(0n, 60n, chain)))
    books.run({ type: 'charge', mode: 'partial', items: [run(0n, 30n, chain)] })
    expect(told(books, hold(books, run(0n, 11n, chain)))).toEqual({
      code: 'chain_budget_exceeded',
      status: 429,
      details: { reason: 'tokens', current: 90, attempted: 11, limit: 100 },
    })
    expect(told(books, hold(books, run(0n, 10n, chain)))).toBeUndefined()
    expect(told(books, hold(books, run(5n, 0n, chain)))).toBeUndefined()
  })

  test('is refused where it stands too deep, whatever it costs: 429, as integers', () => {
    const books = new Books()
    const at = (depth: number) => hold(books, run(0n, 0n, { depth, maxDepth: 3 }))
    expect(told(books, at(3))).toBeUndefined()
    expect(told(books, at(4))).toEqual({
      code: 'chain_budget_exceeded',
      status: 429,
      details: { reason: 'depth', current: 3, attempted: 4, limit: 3 },
    })
    expect(told(books, at(7))).toMatchObject({ details: { current: 6, attempted: 7, limit: 3 } })
    expect(told(books, at(1))).toBeUndefined()
  })

  test('is told the cost first, then the depth, then the tokens', () => {
    const bounds = { maxCostNano: 1n, maxTokens: 1n, maxDepth: 1, depth: 2 }
    const reason = (item: ChargedItem) => {
      const books = new Books()
      return told(books, hold(books, item))?.details
    }
    expect(reason(run(2n, 2n, bounds))).toMatchObject({ reason: 'cost' })
    expect(reason(run(1n, 2n, bounds))).toMatchObject({ reason: 'depth' })
    expect(reason(run(1n, 2n, { ...bounds, depth: 1 }))).toMatchObject({ reason: 'tokens' })
  })

  test('tells in words what it told in numbers', () => {
    const books = new Books()
    const error = chainKind.refuse(refusal(books, hold(books, run(2n, 0n, { maxCostNano: 1n })))!)
    for (const amount of ['0.000000001', '0.000000002']) expect(error.message).toContain(amount)
  })

  test('that has happened is counted however deep and dear it was', () => {
    const books = new Books()
    const item = run(5n, 7n, { maxCostNano: 3n, maxTokens: 3n, maxDepth: 1, depth: 2 })
    expect(books.verdictOn({ type: 'charge', mode: 'facts', items: [item] })).toMatchObject({ refusals: { size: 0 } })
    expect(books.of(chainKey('tree', 'usd'))).toMatchObject({ spent: 5n, overrun: 2n })
    expect(books.of(chainKey('tree', 'tokens'))).toMatchObject({ spent: 7n, overrun: 4n })
    expect(books.of(chainKey('tree', 'runs'))).toMatchObject({ spent: 0n })
  })
})

describe('a chain that begins', () => {
  const general: ChainBounds = { maxCostNano: 5_000_000_000n, maxTokens: 1_000n, maxDepth: 10 }
  const own: ChainBounds = { maxCostNano: 2_000_000_000n, maxTokens: null, maxDepth: 4 }
  const set: BoundsByWorkflow = new Map([
    ['', general],
    ['search', own],
  ])

  test('is bound by what is set for its workflow, or else for all', () => {
    expect(boundsOfNewChain(set, 'search', undefined)).toEqual(own)
    expect(boundsOfNewChain(set, 'other', undefined)).toEqual(general)
    expect(boundsOfNewChain(set, undefined, undefined)).toEqual(general)
    expect(boundsOfNewChain(new Map([['search', own]]), 'other', undefined)).toEqual(unbounded)
    expect(configuredBounds(set, 'search')).toBe(own)
    expect(configuredBounds(new Map(), 'search')).toBeUndefined()
  })

  test('can be tightened by its first run, each bound for itself', () => {
    expect(boundsOfNewChain(set, 'other', { max_cost_usd: '1.5', max_tokens: 999, max_depth: 9 })).toEqual({
      maxCostNano: 1_500_000_000n,
      maxTokens: 999n,
      maxDepth: 9,
    })
    expect(boundsOfNewChain(set, 'other', { max_depth: 2 })).toEqual({ ...general, maxDepth: 2 })
    expect(boundsOfNewChain(set, 'other', { max_cost_usd: '0', max_tokens: 0 })).toEqual({
      ...general,
      maxCostNano: 0n,
      maxTokens: 0n,
    })
  })

  test('cannot be loosened by it', () => {
    const looser = { max_cost_usd: '5.000000001', max_tokens: 1_001, max_depth: 11 }
    expect(boundsOfNewChain(set, 'other', looser)).toEqual(general)
    expect(boundsOfNewChain(set, 'other', { max_cost_usd: null, max_tokens: null, max_depth: null })).toEqual(general)
    expect(boundsOfNewChain(set, 'other', {})).toEqual(general)
  })

  test('is bound by its first run where nothing is set', () => {
    expect(boundsOfNewChain(set, 'search', { max_tokens: 7 })).toEqual({ ...own, maxTokens: 7n })
    expect(boundsOfNewChain(new Map(), undefined, { max_cost_usd: '1' })).toEqual({
      ...unbounded,
      maxCostNano: 1_000_000_000n,
    })
    expect(boundsOfNewChain(new Map(), 'search', undefined)).toEqual(unbounded)
  })
})
