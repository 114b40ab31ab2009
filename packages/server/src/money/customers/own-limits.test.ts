import { expect, test } from 'vitest'
import { newUuid } from '../../values/id.ts'
import { customerLimitOf } from './own-limits.ts'

const stored = {
  id: newUuid(),
  customer_id: 'acme',
  amount: 5_000_000_000n,
  thresholds: [50, 80],
  period: 'month',
  anchor: '2026-01-15',
  timezone: 'Europe/Berlin',
  next_period: null,
  next_anchor: null,
  next_timezone: null,
  next_from: null,
}

test('a limit that is read again unchanged is the same object', () => {
  const read = () => customerLimitOf({ ...stored, thresholds: [...stored.thresholds] })
  expect(read()).toBe(read())
})

const planned = {
  next_period: 'week',
  next_anchor: '2026-02-02',
  next_timezone: 'UTC',
  next_from: new Date('2026-02-15T00:00:00Z'),
}
const changes: readonly Partial<Parameters<typeof customerLimitOf>[0]>[] = [
  { id: newUuid() },
  { customer_id: 'globex' },
  { amount: 5_000_000_001n },
  { amount: null },
  { thresholds: [50] },
  { thresholds: [50, 90] },
  { period: 'week' },
  { anchor: null },
  { timezone: 'UTC' },
  planned,
  { ...planned, next_period: 'day' },
  { ...planned, next_anchor: null },
  { ...planned, next_timezone: 'Asia/Kolkata' },
  { ...planned, next_from: new Date('2026-02-15T00:00:00.001Z') },
]

test.each(changes.map((change, i) => ({ change, name: `${i}: ${Object.keys(change).join()}` })))(
  'a limit is another one after change $name',
  ({ change }) => {
    const before = customerLimitOf(stored)
    const after = customerLimitOf({ ...stored, ...change })
    expect(after).not.toBe(before)
    // And it is not remembered beyond the next change.
    expect(customerLimitOf(stored)).toStrictEqual(before)
  },
)

test('each column from which a limit is built makes a difference', () => {
  const columns = new Set(changes.flatMap(Object.keys))
  expect([...columns].toSorted()).toStrictEqual(Object.keys(stored).toSorted())
})

test('two planned schedules that differ in one column are two limits', () => {
  const limits = changes
    .filter((change) => 'next_from' in change)
    .map((change) => customerLimitOf({ ...stored, ...change }))
  for (const [i, limit] of limits.entries()) expect(limits.indexOf(limit)).toBe(i)
})
