import { Writable } from 'node:stream'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDeniedRecorder, createImpersonationRecorder, verifyAudit } from '../../src/access/audit/audit.ts'
import type { Actor } from '../../src/access/audit/chain.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { newUuid } from '../../src/values/id.ts'
import { keyring, recordOf, useAuditLog } from '../support/audit.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
const audit = useAuditLog(database)
let now = new Date('2026-11-15T10:00:30Z')
let isAway = false
let transactions = 0
let platform: Platform

beforeAll(() => {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  platform = {
    sql: {
      ...audit.sql,
      asOrgs: (orgIds: string[], work: never) => {
        transactions += 1
        return isAway ? Promise.reject(new Error('away')) : audit.sql.asOrgs(orgIds, work)
      },
    },
    log: createLog({ level: 'fatal', role: 'test' }, silent),
    clock: { now: () => now },
    metrics: createMetrics({ version: 'x', role: 'test' }),
    config: { masterKeys: () => [{ id: 'test', bytes: Buffer.alloc(32, 7) }] },
  } as unknown as Platform
})
beforeEach(() => {
  now = new Date('2026-11-15T10:00:30Z')
  isAway = false
  platform.metrics.clear()
})

const actor = (id: string): Actor => ({ kind: 'key', id, role: 'viewer' })
const entries = async (orgId: string) =>
  (
    await database.owner.query<{ actor: Actor; action: string; outcome: string; count: number; trace_id: string }>(
      'select actor, action, outcome, count, trace_id from audit_log where org_id = $1 order by seq',
      [orgId],
    )
  ).rows

describe('denied attempts', () => {
  test('are one entry for a key, a route and a minute, with their number', async () => {
    const orgId = newUuid()
    const recorder = createDeniedRecorder(platform)
    for (let i = 0; i < 1_000; i++)
      recorder.record(orgId, actor('key_a'), { action: 'DELETE /v1/x', address: '203.0.113.7', traceId: `trace ${i}` })
    recorder.record(orgId, actor('key_b'), { action: 'DELETE /v1/x', address: null, traceId: 'other' })
    recorder.record(orgId, actor('key_a'), { action: 'POST /v1/y', address: null, traceId: 'other' })
    await recorder.flush()
    expect(await entries(orgId)).toEqual([])

    now = new Date('2026-11-15T10:01:00Z')
    recorder.record(orgId, actor('key_a'), { action: 'DELETE /v1/x', address: '203.0.113.7', traceId: 'next minute' })
    await recorder.flush()
    expect(await entries(orgId)).toEqual([
      { actor: actor('key_a'), action: 'DELETE /v1/x', outcome: 'denied', count: 1_000, trace_id: 'trace 0' },
      expect.objectContaining({ actor: actor('key_b'), count: 1 }),
      expect.objectContaining({ action: 'POST /v1/y', count: 1 }),
    ])
    await recorder.close()
    expect((await entries(orgId)).at(-1)).toMatchObject({ trace_id: 'next minute', count: 1 })
    expect(await verifyAudit(audit.sql, keyring, orgId)).toMatchObject({ valid: true, entries: 4 })
  })

  test('wait while the database is away, and are written once it is back', async () => {
    const orgId = newUuid()
    const recorder = createDeniedRecorder(platform)
    recorder.record(orgId, actor('key_a'), { action: 'DELETE /v1/x', address: null, traceId: 'trace' })
    isAway = true
    now = new Date('2026-11-15T10:01:00Z')
    await recorder.flush()
    now = new Date('2026-11-15T10:00:59Z')
    recorder.record(orgId, actor('key_a'), { action: 'DELETE /v1/x', address: null, traceId: 'trace' })
    isAway = false
    await recorder.close()
    expect(await entries(orgId)).toMatchObject([{ count: 2 }])
  })

  test('take bounded memory, and those beyond it are counted', async () => {
    const orgId = newUuid()
    const recorder = createDeniedRecorder(platform)
    for (let i = 0; i < 12_000; i++)
      recorder.record(orgId, actor(`key_${i}`), { action: 'DELETE /v1/x', address: null, traceId: 'trace' })
    await recorder.close()
    expect(await entries(orgId)).toHaveLength(10_000)
    expect(await platform.metrics.metrics()).toMatch(/svc_audit_denied_lost_total\S* 2000/)
  })
})

describe('impersonated requests', () => {
  test('have one entry each, in their order, and one chain for each organization', async () => {
    const orgIds = [newUuid(), newUuid()]
    const recorder = createImpersonationRecorder(platform)
    const written: Promise<boolean>[] = []
    for (let i = 0; i < 900; i++) for (const orgId of orgIds) written.push(recorder.record(orgId, recordOf(i)))
    expect(new Set(await Promise.all(written))).toEqual(new Set([true]))
    for (const orgId of orgIds) {
      expect((await entries(orgId)).map(({ trace_id }) => Number.parseInt(trace_id, 16))).toEqual(
        Array.from({ length: 900 }, (_, i) => i),
      )
      expect(await verifyAudit(audit.sql, keyring, orgId)).toMatchObject({ valid: true, entries: 900 })
    }
  })

  test('are durable once that is said, and share transactions', async () => {
    const orgId = newUuid()
    const recorder = createImpersonationRecorder(platform)
    const before = transactions
    const written = Array.from({ length: 200 }, (_, i) => recorder.record(orgId, recordOf(i)))
    expect(await written[0]).toBe(true)
    expect((await entries(orgId)).length).toBeGreaterThan(0)
    await Promise.all(written)
    expect(await entries(orgId)).toHaveLength(200)
    expect(transactions - before).toBeLessThanOrEqual(2)
  })

  test('are refused where they cannot be written, and accepted again as soon as they can', async () => {
    const orgId = newUuid()
    const recorder = createImpersonationRecorder(platform)
    isAway = true
    expect(await Promise.all([recorder.record(orgId, recordOf(1)), recorder.record(orgId, recordOf(2))])).toEqual([
      false,
      false,
    ])
    isAway = false
    expect(await recorder.record(orgId, recordOf(3))).toBe(true)
    expect(await entries(orgId)).toHaveLength(1)
  })

  test('are refused at once where too many wait', async () => {
    const orgId = newUuid()
    const recorder = createImpersonationRecorder(platform)
    const written = Array.from({ length: 2_500 }, (_, i) => recorder.record(orgId, recordOf(i)))
    const outcomes = await Promise.all(written)
    expect(outcomes.filter((isWritten) => !isWritten)).toHaveLength(500)
    await recorder.close()
    expect(await verifyAudit(audit.sql, keyring, orgId)).toMatchObject({ valid: true, entries: 2_000 })
  })
})
