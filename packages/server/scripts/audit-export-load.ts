import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import {
  auditKeyring,
  ensureAuditPartitions,
  exportAudit,
  recordAll,
  verifyAudit,
  verifyExport,
} from '../src/access/audit/audit.ts'
import { type FormatName, formatNames } from '../src/access/audit/formats.ts'
import { systemClock } from '../src/platform/infra/clock.ts'
import { createLog } from '../src/platform/infra/log.ts'
import { migrate } from '../src/platform/infra/migrate.ts'
import { openSql, type Sql } from '../src/platform/infra/sql.ts'
import { newUuid } from '../src/values/id.ts'
import { secret } from '../src/values/secret.ts'
import { appLogin, createDatabase, databaseUrl, dropDatabase, servicesUp } from './private-services.ts'

/**
 * Writes a long chain, then exports and verifies it, each in a process of its own, and says what memory that took:
 * `node scripts/audit-export-load.ts --entries 1000000`.
 */

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    task: { type: 'string' },
    org: { type: 'string', default: newUuid() },
  },
})
const size = Number(values.entries)
const orgId = values.org
const keyring = auditKeyring([{ id: 'load', bytes: Buffer.alloc(32, 1) }])
const batch = 1_000
/** With a large heap, what is measured is how long the collector may wait and not what the work needs. */
const smallHeap = ['--max-old-space-size=80', '--max-semi-space-size=2']
const name = 'weir_audit_load'
const log = createLog({ level: 'warn', role: 'load' })
const now = systemClock.now()
const window = { from: new Date(now.getTime() - 86_400_000), to: new Date(now.getTime() + 86_400_000) }
const open = () =>
  openSql({ url: secret(databaseUrl(name, appLogin)), maxConnections: 4, applicationName: 'load', log })

const tasks: Record<string, (sql: Sql) => Promise<void>> = {
  ...Object.fromEntries(formatNames.map((format) => [`${format} export`, (sql: Sql) => drain(sql, format)])),
  verification: async (sql) => isSound(await verifyAudit(sql, keyring, orgId)),
  'export with offline verification': async (sql) =>
    isSound(await verifyExport(linesOf(exportAudit(sql, orgId, window, 'ndjson')), keyring)),
}

if (values.task === undefined) {
  servicesUp()
  await createDatabase(name, { fresh: true })
  try {
    await migrate({ ownerUrl: secret(databaseUrl(name)), appUrl: secret(databaseUrl(name, appLogin)), log })
    const sql = open()
    await ensureAuditPartitions(sql, now)
    await timed('writing', () => fill(sql))
    await sql.close()
    for (const task of Object.keys(tasks)) {
      const own = ['--entries', String(size), '--org', orgId, '--task', task]
      execFileSync(process.execPath, [...smallHeap, import.meta.filename, ...own], { stdio: 'inherit' })
    }
  } finally {
    await dropDatabase(name)
  }
} else {
  const sql = open()
  const startKib = process.resourceUsage().maxRSS
  await timed(values.task, () => tasks[values.task!]!(sql))
  const mebibytes = (kibibytes: number) => Math.round(kibibytes / 1_024)
  const peakKib = process.resourceUsage().maxRSS
  console.log(
    `${values.task}: peak resident ${mebibytes(peakKib)} MiB, of which ${mebibytes(startKib)} for the program itself`,
  )
  await sql.close()
}

function isSound({ valid, entries }: { valid: boolean; entries: number }) {
  if (!valid || entries !== size) throw new Error('the chain is not sound')
}

async function fill({ asOrgs }: Sql) {
  for (let i = 0; i < size; i += batch) {
    const records = Array.from({ length: Math.min(batch, size - i) }, (_, j) => ({
      actor: { kind: 'key' as const, id: 'key_01jd2v3w4x5y6z7a8b9c0d1e2f', role: 'admin' },
      action: 'key.updated',
      target: { kind: 'key', id: `key_${i + j}` },
      before: { name: `before ${i + j}`, scopes: ['runs:read', 'runs:write'] },
      after: { name: `after ${i + j}`, scopes: ['runs:read'] },
      address: '203.0.113.7',
      traceId: (i + j).toString(16).padStart(32, '0'),
    }))
    await asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, records))
  }
}

async function drain(sql: Sql, format: FormatName) {
  let lines = 0
  for await (const chunk of Readable.from(exportAudit(sql, orgId, window, format)) as AsyncIterable<string>) {
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) lines += 1
  }
  if (lines < size) throw new Error(`only ${lines} lines`)
}

async function* linesOf(chunks: AsyncIterable<string>) {
  for await (const chunk of chunks) yield* chunk.split('\n')
}

async function timed(what: string, work: () => Promise<void>) {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(size / seconds)} entries a second`)
}
