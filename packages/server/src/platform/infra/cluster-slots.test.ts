import { expect, test } from 'vitest'
import { hashSlot, parseRedirection, parseSlots } from './cluster-slots.ts'

test('slots are those of the specification', () => {
  expect(hashSlot('123456789')).toBe(0x31c3)
  expect(hashSlot('foo')).toBe(12_182)
  expect(hashSlot('')).toBe(0)
})

test('a node that does not know its own name is the one that was asked', () => {
  const holders = parseSlots(
    [
      [0, 99, ['', 7001, 'id', []]],
      [200, 16_383, ['10.0.0.2', 7002, 'id', []], ['10.0.0.3', 7003, 'id', []]],
    ],
    'redis.example:6379',
  )
  expect([holders[0], holders[99], holders[100], holders[200], holders[16_383]]).toEqual([
    'redis.example:7001',
    'redis.example:7001',
    undefined,
    '10.0.0.2:7002',
    '10.0.0.2:7002',
  ])
})

test('redirections are read, other errors are none', () => {
  const asked = '10.0.0.1:7001'
  expect(parseRedirection(new Error('MOVED 3999 127.0.0.1:6381'), asked)).toEqual({
    address: '127.0.0.1:6381',
    isTemporary: false,
  })
  expect(parseRedirection(new Error('ASK 3999 :6381'), asked)).toEqual({ address: '10.0.0.1:6381', isTemporary: true })
  expect(parseRedirection(new Error('CLUSTERDOWN Hash slot not served'), asked)).toBeUndefined()
  expect(parseRedirection('MOVED', asked)).toBeUndefined()
})
