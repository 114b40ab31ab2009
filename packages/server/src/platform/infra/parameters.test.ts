import { expect, test } from 'vitest'
import { encodeParameter } from './parameters.ts'

test.each([
  ['text as it is', 'a "b" \\', 'a "b" \\'],
  ['nothing as null', undefined, null],
  ['a bigint in full', 9_007_199_254_740_993n, '9007199254740993'],
  ['a boolean as its name', true, 'true'],
  ['a time in UTC', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an object as JSON', { a: [1] }, '{"a":[1]}'],
  ['an empty array', [], '{}'],
  [
    'an array with quoted text, NULL and numbers',
    ['a', 'b"c', 'd\\e', '', 'NULL', null, 1, 2n],
    '{"a","b\\"c","d\\\\e","","NULL",NULL,1,2}',
  ],
  ['an array of times and truth values', [new Date(0), false, undefined], '{"1970-01-01T00:00:00.000Z","false",NULL}'],
  ['an array of bytes', [Buffer.from([0, 255])], '{"\\\\x00ff"}'],
  ['an array of arrays', [[1], [2]], '{{1},{2}}'],
])('a parameter encodes %s', (_what, value, encoded) => {
  expect(encodeParameter(value)).toEqual(encoded)
})

test('a parameter of bytes stays bytes', () => {
  const bytes = Buffer.from([1, 2])
  expect(encodeParameter(bytes)).toBe(bytes)
})
