import { expect, test } from 'vitest'
import { Lru } from './lru.ts'

const keysOf = (lru: Lru<string, number>) => Array.from(lru.entries(), ([key]) => key)

test('a full LRU gives up the entry that was used longest ago, and no other', () => {
  const lru = new Lru<string, number>(3)
  for (const [i, key] of ['a', 'b', 'c'].entries()) lru.set(key, i)
  expect(lru.get('a')).toBe(0)
  lru.set('d', 3)
  expect(keysOf(lru)).toEqual(['c', 'a', 'd'])
  expect(lru.get('b')).toBeUndefined()
  expect(lru.has('c')).toBe(true)
  lru.set('e', 4)
  expect(keysOf(lru)).toEqual(['d', 'c', 'e'])
  expect(lru.size).toBe(3)
})

test('an LRU that is full replaces the value of a key without giving up another', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.set('a', 3)
  expect([lru.get('a'), lru.get('b')]).toEqual([3, 2])
  lru.delete('a')
  expect(keysOf(lru)).toEqual(['b'])
  lru.clear()
  expect(lru.size).toBe(0)
})
