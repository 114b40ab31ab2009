import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsd, parseUsd } from '../../../values/money.ts'
import { linearWindow, projectReturn } from '../linear.ts'

const projected = (usd: string, teams: number, teamCount: number) =>
  formatUsd(projectReturn(parseUsd(usd), BigInt(teams), BigInt(teamCount)))

test.each([
  // [return of the window, teams there were, teams there would be, what they would return], by hand
  ['90', 3, 1, '30'],
  ['90', 3, 10, '300'],
  ['-90', 3, 10, '-300'],
  ['0', 7, 9_999, '0'],
  ['10', 3, 1, '3.333333333'],
  ['10', 3, 2, '6.666666667'],
  ['10', 3, 3, '10'],
  ['-10', 3, 2, '-6.666666667'],
  ['0.000000001', 2, 1, '0.000000001'],
  ['-0.000000001', 2, 1, '-0.000000001'],
  ['0.000000001', 3, 1, '0'],
  ['8999999999.999999999', 1, 10_000, '89999999999999.99999'],
])('a return of $%s by %i teams is, by %i, $%s', (usd, teams, teamCount, expected) => {
  expect(projected(usd, teams, teamCount)).toBe(expected)
})

test('a projection is the line through nothing and what was, never more than half a nano-dollar beside it', () => {
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 18n), 10n ** 18n),
      fc.bigInt(1n, 5_000n),
      fc.bigInt(1n, 10_000n),
      (returnNano, teams, teamCount) => {
        const twiceOff = 2n * (projectReturn(returnNano, teams, teamCount) * teams - returnNano * teamCount)
        expect(twiceOff <= teams && -twiceOff <= teams).toBe(true)
        expect(projectReturn(returnNano, teams, teams)).toBe(returnNano)
        expect(projectReturn(-returnNano, teams, teamCount)).toBe(-projectReturn(returnNano, teams, teamCount))
      },
    ),
  )
})

test.each([
  ['2026-11-15T00:00:00.000Z', '2026-10-17T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['2026-11-15T23:59:59.999Z', '2026-10-17T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['2028-03-01T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-02T00:00:00.000Z'],
])('at %s the last 30 days in UTC begin %s and end with the running day, %s', (now, from, to) => {
  expect(linearWindow(new Date(now))).toEqual({ from: new Date(from), to: new Date(to) })
})
