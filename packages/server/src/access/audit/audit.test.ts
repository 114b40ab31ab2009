import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AuditEntry, canonical, genesis, sealOf } from './chain.ts'
import { exportWindow } from './export.ts'
import { auditMonths } from './partitions.ts'
import { formatAuditPosition, parseAuditPosition } from './position.ts'

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, shuffled(inner)]),
  )
}

describe('the sealed spelling of a value', () => {
  test('does not depend on the order of its fields', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonical(shuffled(value))).toBe(canonical(value))
      }),
    )
  })

  test('is JSON of the same value, so that two values never share one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('the seal of an entry', () => {
  const key = Buffer.alloc(32, 7)
  const entry: AuditEntry = {
    org_id: '0198c0de-0000-7000-8000-000000000001',
    seq: 1n,
    id: '0198c0de-0000-7000-8000-000000000002',
    at: '2026-11-15T09:30:00.123456+00:00',
    actor: { kind: 'key', id: 'key_1', role: 'admin' },
    action: 'budget.updated',
    target: { kind: 'budget', id: 'bud_1' },
    outcome: 'allowed',
    before: { limit_usd: '100' },
    after: { limit_usd: '200' },
    address: '203.0.113.7',
    trace_id: 'a'.repeat(32),
    count: 1,
    reason: null,
  }

  test('without a reason is that of versions that knew none', () => {
    expect(sealOf(key, genesis, entry).toString('hex')).toBe(
      '61df8b71b7ea80dde928d3cec3cf44ce3965f2c071a57e7e798e28c859da7fd2',
    )
  })

  test('covers the reason', () => {
    const seals = [null, '', 'one', 'two'].map((reason) => sealOf(key, genesis, { ...entry, reason }).toString('hex'))
    expect(new Set(seals).size).toBe(4)
  })
})

describe('a cursor', () => {
  test('leads back to its place', () => {
    const place = { at: '2026-11-15T10:00:00.123456+00:00', seq: 42n }
    expect(parseAuditPosition(formatAuditPosition(place))).toEqual(place)
  })

  test.each([
    ['nothing', ''],
    ['noise', '%%%'],
    ['another shape', '{"at":1}'],
    ['no time', '["infinity","1"]'],
    ['no date', '["2026-13-15T10:00:00.123456+00:00","1"]'],
    ['no number', '["2026-11-15T10:00:00.123456+00:00","-1"]'],
    ['a number too large', `["2026-11-15T10:00:00.123456+00:00","${'9'.repeat(20)}"]`],
  ])('that is %s is refused', (_what, cursor) => {
    expect(parseAuditPosition(cursor)).toBeUndefined()
  })
})

describe('an export without a window', () => {
  const now = new Date('2026-11-15T10:00:00Z')
  const days = ({ from, to }: { from: Date; to: Date }) => (to.getTime() - from.getTime()) / 86_400_000

  test('is of the last 90 days', () => {
    const window = exportWindow({}, now)
    expect(days(window)).toBe(90)
    expect(window.to.getTime()).toBeGreaterThan(now.getTime())
  })

  test('ends now where only its beginning is given, and is not cut short in silence', () => {
    const { to } = exportWindow({ from: '2026-11-01' }, now)
    expect(to.getTime()).toBeGreaterThan(now.getTime())
    expect(exportWindow({ from: '2026-01-01' }, now).to).toEqual(to)
  })

  test('begins 90 days before its end where only that is given', () => {
    expect(exportWindow({ to: '2026-06-30' }, now).from).toEqual(new Date('2026-04-01'))
  })
})

test('partitions follow each other without a gap, over the turn of a year', () => {
  const months = auditMonths(new Date('2026-11-15T10:00:00Z'))
  expect(months.map(({ suffix }) => suffix)).toEqual(['202611', '202612', '202701', '202702'])
  for (const [i, { from }] of months.slice(1).entries()) expect(from).toBe(months[i]!.to)
})
