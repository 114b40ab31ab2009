import { afterAll, beforeAll } from 'vitest'
import { type AuditRecord, auditKeyring, ensureAuditPartitions, recordAll } from '../../src/access/audit/audit.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openSql, type Sql } from '../../src/platform/infra/sql.ts'
import { newUuid } from '../../src/values/id.ts'
import { secret } from '../../src/values/secret.ts'
import type { useDatabase } from './harness.ts'

export const keyring = auditKeyring([{ id: 'test', bytes: Buffer.alloc(32, 7) }])

/** Text that every format has to escape somewhere. */
export const awkward = 'a,b "c" = d | e \\ f\r\ng — ü 𝄞'

export const recordOf = (i: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  actor: { kind: 'key', id: `key_${i % 3}`, role: 'admin' },
  action: ['key.created', 'key.revoked', 'org.updated'][i % 3]!,
  target: { kind: 'key', id: i % 5 === 0 ? awkward : `key_target_${i}` },
  before: i % 2 === 0 ? null : { name: `before ${i}`, nested: { b: 1.5, a: [awkward, null, true] } },
  after: { name: `after ${i}`, at: new Date(1_700_000_000_000 + i) },
  address: [null, '203.0.113.7', '2001:db8::7'][i % 3]!,
  traceId: i.toString(16).padStart(32, '0'),
  reason: i % 4 === 1 ? `because ${awkward.replaceAll(/[\r\n]/g, ' ')}` : null,
  ...more,
})

/** The application's own connections, with audit partitions in place. */
export function useAuditLog(database: ReturnType<typeof useDatabase>) {
  const handle = {
    sql: undefined as unknown as Sql,
    /** A new organization with so many entries. */
    fill: async (count: number, orgId = newUuid()) => {
      for (let i = 0; i < count; i += 500) {
        const records = Array.from({ length: Math.min(500, count - i) }, (_, j) => recordOf(i + j))
        await handle.sql.asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, records))
      }
      return orgId
    },
  }
  beforeAll(async () => {
    const log = createLog({ level: 'fatal', role: 'test' })
    handle.sql = openSql({ url: secret(database.appUrl), maxConnections: 20, applicationName: 'test', log })
    const { rows } = await database.owner.query<{ now: Date }>('select now() as now')
    await ensureAuditPartitions(handle.sql, rows[0]!.now)
  })
  afterAll(() => handle.sql?.close())
  return handle
}
