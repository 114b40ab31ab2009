import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assembleValue, splitValue } from './value-pieces.ts'

const weightIn = (value: unknown): number =>
  value === null || typeof value !== 'object'
    ? 1
    : Object.values(value).reduce<number>((sum, inner) => sum + weightIn(inner) + (Array.isArray(value) ? 0 : 1), 1)

test('a value that was cut is the same when it is put together, whatever its shape', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 1, max: 50 }), async (value, most) => {
      const text = JSON.stringify(value)
      const pieces = splitValue(JSON.parse(text), most)
      const whole = await assembleValue(pieces, (piece) => structuredClone(piece))
      expect(JSON.stringify(whole)).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test('no piece is much larger than asked for, where arrays and objects are', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, Array.from({ length: 30 }, () => 1)]))
  const deep = { a: { b: { c: Array.from({ length: 2_000 }, (_, i) => ({ i, list: [i, i] })) } } }
  for (const value of [wide, deep, [wide, deep, wide]])
    for (const piece of splitValue(value, 100)) expect(weightIn(piece.value)).toBeLessThanOrEqual(250)
})

test('names that objects have by nature are names like others', async () => {
  const text = `{"__proto__":[0,1,2],"constructor":[1,2,3],"toString":{"valueOf":[4,5,6]},"length":[7,8,9]}`
  expect(JSON.stringify(await assembleValue(splitValue(JSON.parse(text), 2), (piece) => piece))).toBe(text)
})
