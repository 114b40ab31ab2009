import { describe, expect, test } from 'vitest'
import { record, verifyAudit } from '../../src/access/audit/audit.ts'
import { ensureAuditPartitions } from '../../src/access/audit/partitions.ts'
import { newUuid } from '../../src/values/id.ts'
import { keyring, recordOf, useAuditLog } from '../support/audit.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
const log = useAuditLog(database)
const verify = (orgId: string) => verifyAudit(log.sql, keyring, orgId)

test('concurrent changes of one organization make one chain without a gap, in the order of time', async () => {
  const orgId = newUuid()
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      log.sql.asOrgs([orgId], async (tx) => {
        for (let j = 0; j < 5; j++) await record(tx, keyring, orgId, recordOf(i * 5 + j))
      }),
    ),
  )
  expect(await verify(orgId)).toMatchObject({ entries: 100, first_seq: '1', head: { seq: '100' }, valid: true })
  const { rows } = await database.owner.query<{ seq: string }>(
    'select seq from audit_log where org_id = $1 order by at, seq',
    [orgId],
  )
  expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
})

test('a change that is rolled back leaves no entry and no gap', async () => {
  const orgId = await log.fill(3)
  const failing = log.sql.asOrgs([orgId], async (tx) => {
    await record(tx, keyring, orgId, recordOf(9))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await log.fill(1, orgId)
  expect(await verify(orgId)).toMatchObject({ entries: 4, valid: true })
})

test('a clock that was set back does not turn the order of entries', async () => {
  const orgId = await log.fill(1)
  await database.owner.query("update audit_log set at = at + interval '10 minutes' where org_id = $1", [orgId])
  await log.fill(1, orgId)
  const { rows } = await database.owner.query<{ seq: string }>(
    'select seq from audit_log where org_id = $1 order by at, seq',
    [orgId],
  )
  expect(rows.map(({ seq }) => seq)).toEqual(['1', '2'])
})

test('a long chain is verified in several calls', async () => {
  const orgId = await log.fill(1_203)
  let after: Awaited<ReturnType<typeof verify>>['next'] | undefined
  const entries: number[] = []
  do {
    const answer = await verifyAudit(log.sql, keyring, orgId, { after: after ?? undefined, isTimeUp: () => true })
    expect(answer.valid).toBe(true)
    entries.push(answer.entries)
    after = answer.next
  } while (after)
  expect(entries).toEqual([500, 500, 203])
})

test('an organization without entries has a sound chain', async () => {
  expect(await verify(newUuid())).toEqual({ entries: 0, first_seq: null, head: null, valid: true, next: null })
})

test('entries of another organization are not seen', async () => {
  const orgId = await log.fill(2)
  const seen = await log.sql.asOrgs([newUuid()], (tx) =>
    tx.selectFrom('audit_log').selectAll().where('org_id', '=', orgId).execute(),
  )
  expect(seen).toEqual([])
})

describe('the application', () => {
  test.each([
    ["update audit_log set action = 'x'", 'audit_log'],
    ['delete from audit_log', 'audit_log'],
    ['truncate audit_log', 'audit_log'],
    ['delete from audit_heads', 'audit_heads'],
    ['truncate audit_heads', 'audit_heads'],
  ])('may not %s', async (statement, table) => {
    await expect(log.sql.pool.query(statement)).rejects.toThrow(`permission denied for table ${table}`)
  })

  test('may not reach a partition past the table', async () => {
    const { rows } = await database.owner.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass",
    )
    expect(rows.length).toBeGreaterThanOrEqual(4)
    for (const { name } of rows) {
      for (const statement of [`select from ${name}`, `delete from ${name}`, `update ${name} set count = 1`])
        await expect(log.sql.pool.query(statement)).rejects.toThrow('permission denied')
    }
  })
})

describe('partitions', () => {
  const names = async () =>
    (
      await database.owner.query<{ name: string }>(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass order by 1",
      )
    ).rows.map(({ name }) => name)

  test('stand ready for this month and three more, whoever else makes them at once', async () => {
    const now = new Date('2031-11-15T12:00:00Z')
    await Promise.all(Array.from({ length: 5 }, () => ensureAuditPartitions(log.sql, now)))
    await ensureAuditPartitions(log.sql, now)
    expect((await names()).filter((name) => /_203[12]/.test(name))).toEqual(
      ['203111', '203112', '203201', '203202'].map((month) => `audit_log_${month}`),
    )
  })

  test('include the month that has just ended, where a clock may still be', async () => {
    await ensureAuditPartitions(log.sql, new Date('2041-01-01T05:00:00Z'))
    expect((await names()).filter((name) => /_204/.test(name))).toEqual(
      ['204012', '204101', '204102', '204103', '204104'].map((month) => `audit_log_${month}`),
    )
  })
})
