import { describe, expect, test } from 'vitest'
import { Books, hour, limit, minute, on } from '../../../test/support/example-books.ts'
import { emptyBalance } from '../ledger/ledger.ts'
import { expiryGraceMs } from './hold-endings.ts'

const budget = on(limit('budget', 10n))

describe('a lease', () => {
  test('is over a little after its time, not at it', () => {
    const books = new Books()
    const holdId = books.hold(4n, [budget])
    books.nowMs += 10 * minute + expiryGraceMs - 1
    expect(books.verdictOn({ type: 'expire', holdId })).toMatchObject({ isRepeat: true, hold: { state: 'open' } })
    expect(books.of('budget').held).toBe(4n)
    books.nowMs += 1
    expect(books.verdictOn({ type: 'expire', holdId })).toMatchObject({ isRepeat: false, hold: { state: 'expired' } })
    expect(books.of('budget')).toEqual(emptyBalance)
  })

  test('that is over gives its room to the next hold of the same batch', () => {
    const books = new Books()
    const holdId = books.hold(10n, [budget])
    books.nowMs += hour
    const { outcomes } = books.run(books.ask(10n, [budget]), { type: 'expire', holdId })
    expect(outcomes.map(({ type }) => type)).toEqual(['held', 'ended'])
  })

  test('does not take what is settled in the same batch', () => {
    const books = new Books()
    const holdId = books.hold(4n, [budget])
    books.nowMs += hour
    const actual = { usd: 3n, tokens: 0n, runs: 1n }
    const { outcomes } = books.run({ type: 'expire', holdId }, { type: 'settle', holdId, actual, unheld: [] })
    expect(outcomes).toMatchObject([
      { isRepeat: true, hold: { state: 'settled' } },
      { isRepeat: false, isLate: false },
    ])
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 3n })
  })

  test('that has ended twice has ended once', () => {
    const books = new Books()
    const holdId = books.hold(4n, [budget])
    books.expire(holdId)
    expect(books.expire(holdId)).toMatchObject({ isRepeat: true, hold: { state: 'expired' } })
    expect(books.verdictOn({ type: 'release', holdId })).toMatchObject({ isRepeat: true, hold: { state: 'expired' } })
    expect(books.of('budget')).toEqual(emptyBalance)
  })
})

describe('a settlement after the lease', () => {
  test('is recorded once, as late, even above the limit', () => {
    const books = new Books()
    const id = books.hold(8n, [budget])
    books.expire(id)
    books.hold(10n, [budget])
    expect(books.settle(id, 9n).outcomes).toMatchObject([
      { isLate: true, isRepeat: false, hold: { state: 'settled', chargedNano: 9n, overrunNano: 0n } },
    ])
    expect(books.of('budget')).toEqual({ ...emptyBalance, held: 10n, spent: 9n, late: 9n })
    expect(books.settle(id, 9n).outcomes).toMatchObject([{ isLate: false, isRepeat: true, hold: { chargedNano: 9n } }])
    expect(books.of('budget').late).toBe(9n)
  })

  test.each([
    [3n, { spent: 3n }],
    [8n, { spent: 8n }],
    [12n, { spent: 12n, overrun: 4n }],
  ])('replaces what was charged in its place (%s)', (usd, left) => {
    const books = new Books()
    const id = books.hold(8n, [budget], { onExpiry: 'charge' })
    expect(books.expire(id)).toMatchObject({ hold: { state: 'expired', chargedNano: 8n } })
    expect(books.of('budget')).toEqual({ ...emptyBalance, spent: 8n })
    expect(books.settle(id, usd).outcomes).toMatchObject([{ isLate: false, hold: { chargedNano: usd } }])
    expect(books.of('budget')).toEqual({ ...emptyBalance, ...left })
  })
})

describe('an extension', () => {
  const extended = (books: Books, holdId: string, leaseMs: number) => {
    const verdict = books.verdictOn({ type: 'extend', holdId, leaseMs })
    return verdict.type === 'extended' ? verdict.hold.expiresAtMs - verdict.hold.heldAtMs : verdict.type
  }

  test('never shortens, and a hold stands 24 hours at most', () => {
    const books = new Books()
    const id = books.hold(1n, [budget])
    expect(extended(books, id, minute)).toBe(10 * minute)
    books.nowMs += 5 * minute
    expect(extended(books, id, 10 * minute)).toBe(15 * minute)
    books.nowMs += 20 * hour
    expect(extended(books, id, 24 * hour)).toBe(24 * hour)
    expect(extended(books, id, minute)).toBe(24 * hour)
  })

  test('is for what is open', () => {
    const books = new Books()
    const id = books.hold(1n, [budget])
    books.settle(id, 1n)
    expect(extended(books, id, minute)).toBe('conflict')
    expect(extended(books, 'nobody', minute)).toBe('not_found')
  })

  test('saves a hold from an expiry in the same batch', () => {
    const books = new Books()
    const holdId = books.hold(1n, [budget])
    books.nowMs += hour
    const { outcomes } = books.run({ type: 'expire', holdId }, { type: 'extend', holdId, leaseMs: minute })
    expect(outcomes).toMatchObject([{ isRepeat: true, hold: { state: 'open' } }, { type: 'extended' }])
  })
})
