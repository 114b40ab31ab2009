import { expect, test } from 'vitest'
import { PayloadCache } from './payload-cache.ts'

const createdAt = new Date(0)
const told = (payload: string) => ({ payload, createdAt })

test('the oldest go first, by number and by size', () => {
  const recent = new PayloadCache({ events: 3, characters: 10 })
  for (const id of ['a', 'b', 'c', 'd']) recent.add(id, told('xx'))
  expect(['a', 'b', 'c', 'd'].map((id) => recent.get(id)?.payload)).toEqual([undefined, 'xx', 'xx', 'xx'])
  recent.add('e', told('y'.repeat(8)))
  expect(['b', 'c', 'd', 'e'].map((id) => recent.get(id)?.payload)).toEqual([undefined, undefined, 'xx', 'yyyyyyyy'])
})

test('an event of several subscriptions takes its room once, however often it is read', () => {
  const recent = new PayloadCache({ events: 100, characters: 10 })
  for (let times = 0; times < 50; times++) recent.add('a', told('xx'))
  recent.add('b', told('yy'))
  expect([recent.get('a')?.payload, recent.get('b')?.payload]).toEqual(['xx', 'yy'])
})
