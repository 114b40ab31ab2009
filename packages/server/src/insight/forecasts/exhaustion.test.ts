import { expect, test } from 'vitest'
import { findExhaustion, type ProjectedLimit } from './exhaustion.ts'

/** Ten a day, known to within two for each day of the sum: 12 at most and 8 at least, a day. */
const course = {
  mean: new Float64Array(30).fill(10),
  halfWidths: (from: number, to: number) => [1, 2 * (to - from + 1), 3] as const,
}
const reached = (limit: Partial<ProjectedLimit>) => {
  const { day, earliest, latest } = findExhaustion(course, { limit: 100, used: 0, ends: [], ...limit })
  return [earliest, day, latest]
}

test.each<[string, Partial<ProjectedLimit>, (number | null)[]]>([
  ['without a period: 9 days of 12, 10 of 10, 13 of 8', {}, [8, 9, 12]],
  ['with some of it used', { used: 60 }, [3, 3, 4]],
  ['used up already', { used: 100 }, [0, 0, 0]],
  ['lowered below what is used', { used: 300 }, [0, 0, 0]],
  ['never within the horizon', { limit: 1_000 }, [null, null, null]],
  ['only if much is used', { limit: 330 }, [27, null, null]],
  ['expected, but not for sure', { limit: 290 }, [24, 28, null]],
  ['in the running period, of which three days are left', { used: 75, ends: [3, 13, 23, 33] }, [2, 2, null]],
  ['not in the running period, but in the next', { used: 10, ends: [3, 20, 37] }, [11, 12, 15]],
  ['in no period, because each is too short', { ends: [5, 10, 15, 20, 25, 30] }, [null, null, null]],
  ['in short periods, if much is used', { limit: 55, ends: [5, 10, 15, 20, 25, 30] }, [4, null, null]],
  [
    'a day at a time, at exactly the limit',
    { limit: 10, ends: Array.from({ length: 30 }, (_, i) => i + 1) },
    [0, 0, null],
  ],
  ['at nothing', { limit: 0 }, [0, 0, 0]],
])('a limit %s', (_name, limit, expected) => {
  expect(reached(limit)).toEqual(expected)
})

test('a scenario’s doubt is scaled with it', () => {
  const scale = new Float64Array(30).fill(0)
  expect(findExhaustion({ ...course, scale }, { limit: 100, used: 0, ends: [] })).toEqual({
    day: 9,
    earliest: 9,
    latest: 9,
  })
})
