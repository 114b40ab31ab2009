import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { asAdmin } from '../../scripts/private-services.ts'
import { useDatabase } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()
let org: MoneyOrg
let name: string

beforeAll(async () => {
  org = await money.org()
  name = new URL(money.server.database.ownerUrl).pathname.slice(1)
  await requests()
})

const run = () => ({ runs: [{ model: 'gpt-4o', cost_usd: '0.01', started_at: new Date().toISOString() }] })

/** One request of every kind: a decision, a bulk, a change and a read. */
const requests = () =>
  Promise.all([
    org.decide(costing('0.01')),
    org.post('/v1/runs/bulk', run()),
    org.ask('POST', '/budgets', { name: 'b', scope_kind: 'org', limit_usd: '1000', period: 'month' }),
    org.ask('GET', '/budgets'),
  ])

const ready = async () => {
  const response = await fetch(`${money.server.url}/readyz`)
  const { checks } = (await response.json()) as { checks: { postgres: string } }
  return { status: response.status, postgres: checks.postgres }
}

const failures = async (reason: string) => {
  const text = await (await fetch(`${money.server.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`svc_lane_failures_total{reason="${reason}"`))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const inDatabase = (text: string) => asAdmin((admin) => admin.query(text.replaceAll('DATABASE', name)))

const endSessions = () =>
  inDatabase(`select pg_terminate_backend(pid) from pg_stat_activity
               where datname = 'DATABASE' and usename <> current_user and pid <> pg_backend_pid()`)

async function recovers() {
  await eventually(async () => (await ready()).status === 200)
  await eventually(async () => (await requests()).every(({ status }) => status < 300))
}

const unavailable = { status: 503, json: { error: { code: 'service_unavailable' } } }

describe('while the database', () => {
  afterEach(recovers)

  test('accepts no connections, every answer is 503 and says so in metric and readiness', async () => {
    expect(await ready()).toEqual({ status: 200, postgres: 'ok' })
    await inDatabase('alter database DATABASE allow_connections false')
    try {
      await endSessions()
      for (let i = 0; i < 3; i++) for (const answer of await requests()) expect(answer).toMatchObject(unavailable)
      expect(await ready()).toEqual({ status: 503, postgres: 'connections_refused' })
      const holdId = randomUUID()
      await expect(
        money.lanes().submit({ orgId: org.uuid, holdId, plan: () => ({ command: { type: 'release', holdId } }) }),
      ).rejects.toMatchObject({ code: 'service_unavailable' })
      expect(await failures('connections_refused')).toBeGreaterThan(0)
    } finally {
      await inDatabase('alter database DATABASE allow_connections true')
    }
  })

  test('is read only, what would write is 503 and readiness says why', async () => {
    await inDatabase('alter database DATABASE set default_transaction_read_only = on')
    try {
      await endSessions()
      const [decision, bulk, change] = await requests()
      for (const answer of [decision, bulk, change]) expect(answer).toMatchObject(unavailable)
      await eventually(async () => (await org.ask('GET', '/budgets')).status === 200)
      expect(await ready()).toEqual({ status: 503, postgres: 'read_only' })
      expect(await failures('read_only')).toBeGreaterThan(0)
    } finally {
      await inDatabase('alter database DATABASE reset default_transaction_read_only')
      await endSessions()
    }
  })

  test('has no connection left, what needs a new one is 503', async () => {
    await inDatabase('alter database DATABASE connection limit 0')
    try {
      await endSessions()
      for (const answer of await requests()) expect(answer).toMatchObject(unavailable)
      expect(await ready()).toEqual({ status: 503, postgres: 'too_many_connections' })
      expect(await failures('too_many_connections')).toBeGreaterThan(0)
    } finally {
      await inDatabase('alter database DATABASE connection limit -1')
    }
  })

  test('says that a disk is full, the outcome is known: nothing was committed', async () => {
    const owner = money.superuser.client
    await owner.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`)
    for (const table of ['holds', 'runs', 'limits'])
      await owner.query(`create trigger full_disk before insert on ${table} execute function full_disk()`)
    try {
      const unknown = await failures('unknown')
      const [decision, bulk, change] = await requests()
      for (const answer of [decision, bulk, change]) expect(answer).toMatchObject(unavailable)
      expect(await failures('disk_full')).toBeGreaterThan(0)
      expect(await failures('unknown')).toBe(unknown)
      const told = money.server.logs.find(({ message }) => message === 'The disk of the database is full.')
      expect(told).toMatchObject({ reason: 'disk_full' })
    } finally {
      await owner.query('drop function full_disk cascade')
    }
  })
})

/** Mounting takes rights that not every machine gives. */
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
})()

describe.skipIf(!canMount)('on a disk that is really full', () => {
  const small = useDatabase()
  let folder = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-small-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder])
    const [data] = await asAdmin(async (admin) => (await admin.query<{ data: string }>('show data_directory')).rows)
    const { uid, gid } = statSync((data as unknown as { data_directory: string }).data_directory)
    execFileSync('chown', [`${uid}:${gid}`, folder])
    await asAdmin((admin) => admin.query(`create tablespace ${small.name} location '${folder}'`))
    await small.owner.end()
    await asAdmin((admin) => admin.query(`alter database ${small.name} set tablespace ${small.name}`))
    small.owner = new pg.Client({ connectionString: small.ownerUrl })
    await small.owner.connect()
  })
  afterAll(async () => {
    await small.owner?.end()
    await asAdmin(async (admin) => {
      await admin.query(`drop database if exists ${small.name} with (force)`)
      await admin.query(`drop tablespace if exists ${small.name}`)
    })
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })

  test('decisions are 503, readiness says disk_full, and both come back with the space', async () => {
    const installation = await startInstallation(small, 1)
    const { url } = installation.apis[0]!
    const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: installation.operator, body: { name: 'Acme' } })
    const { owner_key } = json as unknown as { owner_key: { secret: string } }
    const decide = () =>
      call(url, 'POST', '/v1/edge/decision', {
        key: owner_key.secret,
        body: costing('0.01', { workflow_id: 'w'.repeat(100) }),
      })
    const isReady = async () => (await (await fetch(`${url}/readyz`)).json()) as { checks: { postgres: string } }
    expect((await decide()).status).toBe(200)

    const filler = join(folder, 'filler')
    try {
      writeFileSync(filler, Buffer.alloc(200 * 1_048_576))
    } catch {
      // Whatever fitted is enough.
    }
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, decide))
      for (const { status } of answers) expect([200, 503]).toContain(status)
      return answers.some(({ status }) => status === 503)
    })
    for (let i = 0; i < 5; i++) expect((await isReady()).checks.postgres).toBe('disk_full')
    rmSync(filler)
    await eventually(async () => (await isReady()).checks.postgres === 'ok')
    expect((await decide()).status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /svc_lane_failures_total\{reason="disk_full"[^}]*\} [1-9]/,
    )
  })
})
