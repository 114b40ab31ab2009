import { expect, test } from 'vitest'
import { Rotation } from './rotation.ts'

const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter.repeat(8)}-0000-7000-8000-000000000000`)

test('everybody gets a turn, and nobody two of one round', async () => {
  const rotation = new Rotation()
  const next = (present: readonly string[], most: number) =>
    rotation.next((after, limit) => Promise.resolve(present.filter((id) => id > after).slice(0, limit)), most)
  expect(await next(ids, 2)).toEqual(ids.slice(0, 2))
  expect(await next(ids, 2)).toEqual(ids.slice(2, 4))
  expect(await next(ids, 2)).toEqual([ids[4], ids[0]])
  expect(await next(ids, 9)).toEqual([...ids.slice(1), ids[0]])
  expect(await next([], 2)).toEqual([])
  expect(await next(ids.slice(0, 1), 2)).toEqual(ids.slice(0, 1))
  expect(await next(ids.slice(0, 1), 2)).toEqual(ids.slice(0, 1))
})
