import { expect, test } from 'vitest'
import { firstSeed, Random } from '../../../test/support/random.ts'
import { Largest, newTally, Ranking } from './tallies.ts'

const refusal = (savedNano: bigint) => ({ refused: 1, failed: 0, savedNano })

test('the largest are those that adding everything up would find, and nothing is lost beside them', () => {
  const seed = firstSeed()
  console.info(`seed ${seed}`)
  const random = new Random(seed)
  const ranking = new Ranking<string>(200)
  const sums = new Map<string, bigint>()
  let total = 0n
  for (let i = 0; i < 5_000; i++) {
    const [name, saved] = [`team ${random.int(200)}`, random.amount(1_000_000)]
    ranking.add(name, refusal(saved))
    sums.set(name, (sums.get(name) ?? 0n) + saved)
    total += saved
  }
  const { largest, other, isExact } = ranking.ranked(50)
  const expected = [...sums.values()].sort((a, b) => (a < b ? 1 : -1)).slice(0, 50)
  expect(largest.map(([, { savedNano }]) => savedNano)).toEqual(expected)
  for (const [name, { savedNano }] of largest) expect(savedNano).toBe(sums.get(name))
  expect(largest.reduce((sum, [, { savedNano }]) => sum + savedNano, other.savedNano)).toBe(total)
  expect(isExact).toBe(true)
})

test('more than can be told apart are counted together, and it is said', () => {
  const ranking = new Ranking<number>(3)
  for (let i = 0; i < 10; i++) ranking.add(i, refusal(BigInt(i)))
  const { largest, other, isExact } = ranking.ranked(2)
  expect(largest.map(([key]) => key)).toEqual([2, 1])
  expect(other).toEqual({ refused: 8, failed: 0, savedNano: 42n })
  expect(isExact).toBe(false)
  expect(new Ranking().ranked()).toEqual({ largest: [], other: newTally(), isExact: true })
})

test('examples are the largest there were, of equals the first', () => {
  const random = new Random(firstSeed())
  const sizes = Array.from({ length: 500 }, () => random.amount(60))
  const largest = new Largest<number>(20)
  for (const [i, size] of sizes.entries()) largest.offer(size, () => i)
  const expected = sizes
    .map((size, i) => ({ size, i }))
    .sort((a, b) => Number(b.size - a.size) || a.i - b.i)
    .slice(0, 20)
  expect(largest.items()).toEqual(expected.map(({ i }) => i))
})
