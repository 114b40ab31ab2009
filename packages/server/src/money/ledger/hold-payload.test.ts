import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { decodeHold, encodeHold, type HoldInputs, HoldPayload, readingsOf } from './hold-payload.ts'

const inputs: HoldInputs = {
  customer_id: 'c',
  surface: 'start',
  version: 1,
  request: { model: 'gpt-4o', input_tokens: 12, customer_id: 'c', workflow_id: undefined },
  basis: 'computed',
  tokens: 512,
  price: { id: 'p', input_pico: '1', output_pico: '2', cache_read_pico: '3', cache_write_pico: '4' },
  run: { chain_id: 'tree', depth: 2, tags: ['a'], metadata: { nested: [1] } },
}
const readings = [
  { limit: 5n, spent: 2n, held: 1n, thresholds: [80, 100] },
  { limit: null, spent: 9_000_000_000_000_000_000n, held: 0n, thresholds: [] },
]

/** The payload as PostgreSQL gives it back. */
const stored = (payload: HoldPayload): unknown => JSON.parse(JSON.stringify(payload))

test('what is encoded fits the schema, and is decoded as it was', () => {
  const json = stored(encodeHold(inputs, readings))
  expect([...Value.Errors(HoldPayload, json)]).toEqual([])
  const { read: _read, ...decoded } = decodeHold(json)
  expect(decoded).toEqual({ ...inputs, request: { model: 'gpt-4o', input_tokens: 12, customer_id: 'c' } })
  expect(readingsOf(decodeHold(json))).toEqual(readings)
})

test('thresholds are written only where there are some', () => {
  expect(encodeHold(inputs, readings).read.map((reading) => reading.length)).toEqual([4, 3])
})

test.each([null, 'text', {}])('%j is no payload', (json) => {
  expect(() => decodeHold(json)).toThrow('a hold has no payload')
})

test('a field of another type does not fit the schema', () => {
  const json = stored(encodeHold(inputs, readings)) as Record<string, unknown>
  expect(Value.Check(HoldPayload, { ...json, tokens: '512' })).toBe(false)
  expect(Value.Check(HoldPayload, { ...json, run: { depth: 'two' } })).toBe(false)
})
