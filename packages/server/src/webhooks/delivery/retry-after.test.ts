import { expect, test } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const nowMs = Date.parse('1994-11-06T08:49:00Z')

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
  ['Sun Nov  6 08:49:37 1994', 37],
  ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
])('an endpoint that says %j is left alone for %i s', (header, seconds) => {
  expect(parseRetryAfter(header, nowMs)).toBe(seconds)
})

test.each(['', '-5', '1.5', '1e9', '9999999999', 'soon', 'Sun, never', '1994-11-06T08:50:00Z'])(
  'an endpoint that says %j has said nothing',
  (header) => {
    expect(parseRetryAfter(header, nowMs)).toBe(0)
  },
)

test('an endpoint without the header has said nothing', () => {
  expect(parseRetryAfter(undefined, nowMs)).toBe(0)
})
