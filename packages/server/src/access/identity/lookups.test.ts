import { expect, test } from 'vitest'
import { createLookups } from './lookups.ts'

/** A reader whose queries end when the test says so; it finds every id. */
function heldReader() {
  const asked: (readonly string[])[] = []
  const ends: (() => void)[] = []
  const read = (ids: readonly string[]) => {
    asked.push(ids)
    return new Promise<Map<string, string>>((resolve) => {
      ends.push(() => resolve(new Map(ids.map((id) => [id, `found ${id}`]))))
    })
  }
  return { asked, read, end: () => ends.shift()!() }
}

test('what is asked while a query is on its way goes together in the next, and sources take turns', async () => {
  const { asked, read, end } = heldReader()
  const lookups = createLookups(read, { queries: 1, idsPerQuery: 4, pauseMs: 0 })
  const first = lookups.find('first', 'a', 1n)
  const flood = ['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => lookups.find(id, 'a', 1n))
  const others = [lookups.find('b1', 'b', 1n), lookups.find('c1', 'c', 1n)]
  end()
  expect(await first).toBe('found first')
  await Promise.resolve()
  end()
  expect(await Promise.all(others)).toEqual(['found b1', 'found c1'])
  await Promise.resolve()
  end()
  expect(await Promise.all(flood)).toHaveLength(5)
  expect(asked).toEqual([['first'], ['a1', 'b1', 'c1', 'a2'], ['a3', 'a4', 'a5']])
})

test('one id is asked for once, however many want it', async () => {
  const { asked, read, end } = heldReader()
  const lookups = createLookups(read, { queries: 4, idsPerQuery: 10, pauseMs: 0 })
  const all = Promise.all(['a', 'b', 'c'].map((source) => lookups.find('same', source, 1n)))
  end()
  expect(await all).toEqual(['found same', 'found same', 'found same'])
  expect(asked).toEqual([['same']])
})

test('a query that fails fails those who wait for it, and the next is asked anew', async () => {
  let isBroken = true
  const lookups = createLookups(
    async (ids) => {
      if (isBroken) throw new Error('away')
      return new Map(ids.map((id) => [id, id]))
    },
    { queries: 1, idsPerQuery: 10, pauseMs: 0 },
  )
  await expect(lookups.find('a', 'x', 1n)).rejects.toThrow('away')
  isBroken = false
  expect(await lookups.find('a', 'x', 1n)).toBe('a')
})

test('whoever asks after a change, or where changes are not known, is not answered by a query from before', async () => {
  const { asked, read, end } = heldReader()
  const lookups = createLookups(read, { queries: 9, idsPerQuery: 10, pauseMs: 0 })
  const all = [1n, 1n, 2n, undefined, undefined].map((version) => lookups.find('same', 'a', version))
  for (let i = 0; i < 4; i++) end()
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'found same'))
  expect(asked).toEqual([['same'], ['same'], ['same'], ['same']])
})
