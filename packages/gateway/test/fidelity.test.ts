import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareRequests, compareStreams } from '../proofs/fidelity/fidelity.ts'
import { differenceOf } from '../proofs/fidelity/members.ts'
import { openRelay, type Relay } from '../proofs/fidelity/relay.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

let relay: Relay
beforeAll(async () => {
  relay = await openRelay()
})
afterAll(() => relay?.close())

test('a request arrives as it was sent but for what bounds its cost, and its answer as the provider wrote it', async () => {
  const { compared, faults } = await compareRequests(relay, seed, 200)
  expect(faults).toEqual([])
  expect(compared).toBeGreaterThan(100)
})

test('a stream arrives as it was sent, and is metered the same, wherever it is cut', async () => {
  const { compared, faults } = await compareStreams(relay, seed, 'every', 1, ['chat'])
  expect(faults).toEqual([])
  expect(compared).toBeGreaterThan(100)
  expect((await compareStreams(relay, seed + 1, 10, 20)).faults).toEqual([])
})

test.each([
  ['another value', '{"a":1,"b":2}', '{"a":1,"b":3}'],
  ['another space', '{"a": 1}', '{"a":1}'],
  ['another order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['a member more', '{"a":1}', '{"b":2,"a":1}'],
  ['a member less', '{"a":1,"b":2}', '{"a":1}'],
  ['another spelling of a text', '{"a":"\\u0041"}', '{"a":"A"}'],
  ['a maximum that is no number', '{"a":1}', '{"max_tokens":"9","a":1}'],
])('the comparison would see %s', (_, sent, arrived) => {
  expect(differenceOf(sent, arrived)).toBeDefined()
  expect(
    differenceOf('{"max_tokens": 5 ,"a":1}', '{"stream_options":{"include_usage":true},"max_tokens": 9 ,"a":1}'),
  ).toBeUndefined()
})
