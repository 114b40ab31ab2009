import { expect, test } from 'vitest'
import { canonicalSchema } from './canonical.ts'
import type { Schema } from './document.ts'
import { type Direction, narrowings } from './narrowing.ts'

const faults = (direction: Direction, released: Schema, current: Schema) =>
  narrowings(canonicalSchema(released), canonicalSchema(current), direction, 'it')

const text = { type: 'string' }
const list = { type: 'array', items: text }
const shape = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: kind } } })
const object = { type: 'object', properties: { a: text } }

/** Each pair loosens from left to right: a request may go that way only, a response only the other. */
const looser: [what: string, tight: Schema, loose: Schema][] = [
  ['maximum', { type: 'integer', maximum: 5 }, { type: 'integer', maximum: 9 }],
  ['absent maximum', { type: 'integer', maximum: 5 }, { type: 'integer' }],
  ['exclusiveMaximum', { type: 'integer', exclusiveMaximum: 5 }, { type: 'integer', exclusiveMaximum: 9 }],
  ['minimum', { type: 'integer', minimum: 5 }, { type: 'integer', minimum: 1 }],
  ['absent minimum', { type: 'integer', minimum: -5 }, { type: 'integer' }],
  ['exclusiveMinimum', { type: 'integer', exclusiveMinimum: 5 }, { type: 'integer', exclusiveMinimum: 1 }],
  ['maxLength', { ...text, maxLength: 5 }, text],
  ['minLength', { ...text, minLength: 5 }, text],
  ['maxItems', { ...list, maxItems: 5 }, { ...list, maxItems: 9 }],
  ['minItems', { ...list, minItems: 5 }, list],
  ['maxProperties', { ...object, maxProperties: 5 }, object],
  ['minProperties', { ...object, minProperties: 5 }, object],
  ['pattern', { ...text, pattern: 'a' }, text],
  ['format', { ...text, format: 'date' }, text],
  ['multipleOf', { type: 'integer', multipleOf: 5 }, { type: 'integer' }],
  ['uniqueItems', { ...list, uniqueItems: true }, list],
  ['not', { ...text, not: { const: 'a' } }, text],
  ['number', { type: 'integer' }, { type: 'number' }],
  ['null', text, { anyOf: [text, { type: 'null' }] }],
  ['another type', text, { anyOf: [text, { type: 'integer' }] }],
  ['a third type', { anyOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }, { type: 'integer' }] }],
  ['any type', text, {}],
  ['any value', { enum: ['a'] }, text],
  ['optional field', { ...object, required: ['a'] }, object],
  ['items', list, { type: 'array' }],
  ['typed fields', { type: 'object', additionalProperties: text }, { type: 'object', additionalProperties: {} }],
]

test.each(looser)('a looser schema (%s) widens a request and breaks a response', (_, tight, loose) => {
  expect(faults('request', tight, loose)).toEqual([])
  expect(faults('response', tight, loose)).not.toEqual([])
})

test.each(looser)('a tighter schema (%s) breaks a request and is kept by a response', (_, tight, loose) => {
  expect(faults('request', loose, tight)).not.toEqual([])
  expect(faults('response', loose, tight)).toEqual([])
})

test.each([
  ['a removed field', { type: 'object', properties: { a: text, b: text } }, object],
  ['a removed enum value', { enum: ['a', 'b'] }, { enum: ['a'] }],
  ['a changed literal', { const: 'a' }, { const: 'b' }],
  ['a changed pattern', { ...text, pattern: 'a' }, { ...text, pattern: 'b' }],
  ['a changed format', { ...text, format: 'date' }, { ...text, format: 'date-time' }],
  ['a changed type', text, { type: 'integer' }],
  ['a removed shape', { anyOf: [shape('a'), shape('b'), shape('c')] }, { anyOf: [shape('a'), shape('b')] }],
])('%s breaks requests and responses', (_, released, current) => {
  expect(faults('request', released, current)).not.toEqual([])
  expect(faults('response', released, current)).not.toEqual([])
})

test('a fault is found however deep it lies', () => {
  const wrap = (schema: Schema): Schema => ({
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: { anyOf: [{ type: 'object', properties: { deep: schema } }, { type: 'null' }] },
    },
  })
  expect(faults('request', wrap({ enum: ['a', 'b'] }), wrap({ enum: ['a'] }))).toEqual([
    'it.*[].deep lost the value "b"',
  ])
})

test('a closed request object breaks those who sent more where that was allowed, a closed response does not', () => {
  const closed = { ...object, additionalProperties: false }
  expect(faults('request', { ...object, additionalProperties: true }, closed)).not.toEqual([])
  expect(faults('request', object, closed)).toEqual([])
  expect(faults('response', object, closed)).toEqual([])
})

test('values of answers that may grow may grow, and never go', () => {
  const known = (...values: string[]) => ({ type: 'string', 'x-extensible-enum': values })
  expect(faults('response', text, known('a', 'b'))).toEqual([])
  expect(faults('response', { ...text, enum: ['a', 'b'] }, known('a', 'b'))).toEqual([])
  expect(faults('response', known('a', 'b'), known('a', 'b', 'c'))).toEqual([])
  expect(faults('response', known('a', 'b'), known('a'))).not.toEqual([])
})

test('an object that takes every field may say so', () => {
  expect(faults('request', object, { ...object, additionalProperties: {} })).toEqual([])
})

test('a union in a union is one union', () => {
  const nested = { anyOf: [{ anyOf: [text, { type: 'integer' }] }, { type: 'null' }] }
  expect(canonicalSchema(nested)).toEqual(canonicalSchema({ anyOf: [text, { type: 'integer' }, { type: 'null' }] }))
})

test('objects that add up are one object', () => {
  const parts = { allOf: [object, { type: 'object', required: ['b'], properties: { b: text } }] }
  const whole = { type: 'object', required: ['b'], properties: { a: text, b: text } }
  expect(canonicalSchema(parts)).toEqual(canonicalSchema(whole))
})
