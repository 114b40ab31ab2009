import { expect, test } from 'vitest'
import type { Schemas } from '../api/api.ts'
import { readPages } from './usage-sums.ts'

type Row = Schemas['UsageRow']
const sums = { cost_usd: '1', runs: 1, failed_runs: 0, input_tokens: 0, output_tokens: 0 }
const rowsOf = (periods: readonly number[]) =>
  periods.flatMap((count, day) =>
    Array.from(
      { length: count },
      (_, i) => ({ ...sums, period_start: `2026-11-${String(day + 1).padStart(2, '0')}`, model: `m${i}` }) as Row,
    ),
  )

/** Answers as the API does: rows from a time on, after a cursor. */
const apiOf =
  (all: readonly Row[], asked: object[]) => async (page: { limit: number; cursor?: string; from?: string }) => {
    asked.push(page)
    const { limit, cursor = '-1', from = '' } = page
    const left = all.filter(({ period_start }, index) => period_start >= from && index > Number(cursor))
    const data = left.slice(0, limit)
    const last = data.at(-1)
    const next_cursor = left.length > limit && last ? String(all.indexOf(last)) : null
    return { data, next_cursor, totals: { ...sums, runs: all.length } } as unknown as Schemas['Usage']
  }

test.each([
  ['that fit a page', [10, 20], 1],
  ['that end a page with a period', [200, 30], 2],
  ['of many periods', Array.from({ length: 30 }, () => 24), 4],
  ['with a period that is longer than a page', [20, 450, 30, 190], 4],
  ['of more rows than are read at once', Array.from({ length: 30 }, () => 110), 17],
  ['with a period that is longer than what is read at once', [20, 4_100, 30, 190], 32],
] as const)('usage %s comes whole, each row once and in order', async (_name, periods, calls) => {
  const all = rowsOf(periods)
  const asked: object[] = []
  const { rows, isWhole, totals } = await readPages(apiOf(all, asked), 100)
  expect(rows).toEqual(all)
  expect([isWhole, totals.runs, asked.length]).toEqual([true, all.length, calls])
})

test('usage of very many rows ends at a bound, and says so', async () => {
  const { rows, isWhole } = await readPages(apiOf(rowsOf([3_000]), []))
  expect([rows.length, isWhole]).toEqual([2_000, false])
})
