import { expect, test } from 'vitest'
import { ApiFault } from '../api/api.ts'
import { createTimes } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { needsYou } from './needs-you.ts'
import type { OverviewData } from './overview-data.ts'

const list = { value: { data: [], next_cursor: null } }
const read = { budgets: list, keys: list, webhooks: list, prices: { value: { unpriced_models: [] } } }
const visit = {
  times: createTimes('UTC', new Date('2026-11-18T12:00:00Z')),
  may: () => true,
  waiting: { data: [], next_cursor: null },
} as unknown as Visit
const shownFor = async (changes: object, of = visit) =>
  String(await needsYou({ ...read, ...changes } as unknown as OverviewData, of))

const failed = { fault: new ApiFault(429, {}, 'trace') }
const hidden = { fault: new ApiFault(403, {}, 'trace') }

test('nobody is told that nothing needs them where something could not be read', async () => {
  expect(await shownFor({})).toContain('Nothing needs you')
  expect(await shownFor({ keys: hidden })).toContain('Nothing needs you')
  const gaps = [
    [await shownFor({ budgets: failed, keys: failed }), 'Could not be read just now: budgets, keys.'],
    [await shownFor({}, { ...visit, waiting: undefined }), 'Could not be read just now: approvals.'],
    [await shownFor({ budgets: { value: { data: [], next_cursor: 'more' } } }), 'Of the first 0 budgets.'],
  ] as const
  for (const [html, words] of gaps) {
    expect(html).toContain(words)
    expect(html).not.toContain('Nothing needs you')
  }
})
