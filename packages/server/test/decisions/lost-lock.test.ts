import { expect, test, vi } from 'vitest'
import { bookAdjustment } from '../../src/money/ledger/ledger.ts'
import { useServer } from '../support/harness.ts'
import { costing, metricOf, useMoney } from '../support/money.ts'

/** The planted mistake: a lane reads the ledgers' rows and locks none of them. */
vi.mock(import('../../src/decisions/lanes/queries.ts'), async (original) => {
  const queries = await original()
  const text = `select org_id, seq, config_version from org_ledgers where org_id = any($1) order by org_id`
  const unlocked = (orgIds: readonly string[]) => ({ statement: { name: 'lock', text }, values: [orgIds] })
  return { ...queries, lockLedgers: unlocked, lockLedgersWaiting: unlocked }
})

const money = useMoney()
const second = useServer({ environment: () => ({ SVC_DATABASE_URL: money.server.database.appUrl }) })

const run = () => ({ runs: [{ model: 'gpt-4o', cost_usd: '0.01', started_at: new Date().toISOString() }] })

test('two processes that decide without a lock are found out, by decisions and by ingest', async () => {
  const org = await money.org()
  await org.budget('1000')
  const urls = [money.server.url, second.url]
  const statuses = new Map<number, number>()
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(
      urls.flatMap((url) => [
        ...Array.from({ length: 4 }, () => org.decide(costing('0.01'), {}, url)),
        org.post('/v1/runs/bulk', run(), {}, url),
      ]),
    )
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const failures = await Promise.all(urls.map((url) => metricOf(url, 'svc_lane_failures_total')))
  expect(failures[0]! + failures[1]!).toBeGreaterThan(0)
  const told = [...money.server.logs, ...second.logs].filter(({ message }) => message === 'a batch cannot be written')
  expect(told.map((line) => JSON.stringify(line))).toContainEqual(expect.stringContaining('a ledger statement reached'))
  // Each batch has a number of its own, and what could not be sure of that was not written.
  const rows = await org.rows<{ n: string }>(
    'select seq::text as n from ledger_batches where org_id = $1 group by seq having count(*) > 1',
  )
  expect(rows).toEqual([])
})

test('an adjustment that was decided on older books is not booked', async () => {
  const org = await money.org()
  const key = '00000000-0000-4000-8000-000000000001'
  const allowance = { key, limitId: key, kind: 'budget', subject: '', unit: 'usd', period: null } as const
  const booked = money.server.platform.sql.asOrgs([org.uuid], (tx) =>
    bookAdjustment(
      tx,
      org.uuid,
      { ...allowance, limit: null, enforcement: 'block', thresholds: [] },
      {
        delta: 1n,
        lastBatch: 7n,
        madeBy: { key_id: null, grant_id: null },
        actor: {},
        reason: 'late',
        version: 1,
      },
    ),
  )
  await expect(booked).rejects.toThrow('its lock was lost')
})
