import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../../proofs/storm/cluster.ts'
import { binaries } from '../../proofs/support/postgres-server.ts'
import { ConfigurationError, readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { openPipelinedConnection } from '../../src/platform/infra/pipelined-connection.ts'
import { openRedis } from '../../src/platform/infra/redis.ts'
import { openSql } from '../../src/platform/infra/sql.ts'
import { secret } from '../../src/values/secret.ts'
import { certificate, certificateKey } from '../support/certificate.ts'
import { eventually } from '../support/processes.ts'
import { freePort, startRedis } from '../support/redis-servers.ts'

/** PostgreSQL as managed services have it: TLS with an authority of their own, and an owner that is no superuser. And Redis likewise. */

const folder = mkdtempSync(join(tmpdir(), 'weir-tls-'))
const file = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
// The certificate is its own authority, and names 127.0.0.1 but not localhost.
const [ca, key] = [file('ca.pem', certificate), file('key.pem', certificateKey)]
const wrongCa = file('wrong-ca.pem', rootCertificates[0]!)
const log = createLog({ level: 'fatal', role: 'test' })
const masterKeys = `a:${Buffer.alloc(32, 9).toString('base64')}`

chmodSync(key, 0o600)
// PostgreSQL refuses to run as root, and refuses a key that belongs to somebody else.
if (process.getuid!() === 0) execFileSync('chown', ['-R', 'postgres:', folder])

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const configured = (databaseUrl: string, more: Record<string, string> = {}) =>
  readConfig({
    SVC_DATABASE_URL: databaseUrl,
    SVC_REDIS_URL: 'redis://127.0.0.1',
    SVC_MASTER_KEYS: masterKeys,
    ...more,
  }).config

describe('PostgreSQL with TLS', () => {
  let cluster: Cluster
  let owner: string
  let app: string

  beforeAll(async () => {
    cluster = await startCluster({ ssl: 'on', ssl_cert_file: ca, ssl_key_file: key, fsync: 'off' })
    const admin = await cluster.connect()
    await admin.query(`create role master login createrole password 'm'`)
    await admin.query('create database weir owner master')
    await admin.end()
    owner = `postgres://master:m@127.0.0.1:${cluster.port}/weir`
    app = `postgres://weir:w@127.0.0.1:${cluster.port}/weir`
    const tls = `?sslmode=verify-full&sslrootcert=${ca}`
    await migrate({ ownerUrl: secret(owner + tls), appUrl: secret(app + tls), log })
  })
  afterAll(() => cluster.close())

  /** What a connection through everything that connects says: whether it is encrypted, or why there is none. */
  async function connect(url: string): Promise<unknown> {
    const { databaseUrl } = configured(url)
    const sql = openSql({ url: databaseUrl, maxConnections: 2, applicationName: 'tls', log })
    try {
      const { rows } = await sql.pool.query<{ ssl: boolean }>(
        'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
      )
      const lane = await openPipelinedConnection({ url: databaseUrl, applicationName: 'tls lane', settings: {} })
      lane.destroy()
      return rows[0]!.ssl ? 'encrypted' : 'plain'
    } catch (error) {
      return (error as Error).message
    } finally {
      await sql.close()
    }
  }

  test.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is reached under sslmode=%s by who trusts it',
    async (mode) => {
      expect(await connect(`${app}?sslmode=${mode}&sslrootcert=${ca}`)).toBe('encrypted')
    },
  )

  test.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is refused under sslmode=%s where another authority is trusted, none, or another host was meant',
    async (mode) => {
      expect(await connect(`${app}?sslmode=${mode}&sslrootcert=${wrongCa}`)).toMatch(/certificate/)
      expect(await connect(`${app}?sslmode=${mode}`)).toMatch(/self-signed certificate/)
      const elsewhere = app.replace('127.0.0.1', 'localhost')
      expect(await connect(`${elsewhere}?sslmode=${mode}&sslrootcert=${ca}`)).toMatch(/altnames|localhost/)
    },
  )

  test('is not checked only where that was said', async () => {
    expect(await connect(`${app}?sslmode=no-verify`)).toBe('encrypted')
    expect(await connect(`${app}?sslmode=disable`)).toBe('plain')
  })

  test('a certificate that cannot be read, and a mode that does not exist, are faults of the configuration', () => {
    expect(() => configured(`${app}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`)).toThrow(
      'SVC_DATABASE_URL names a file as sslrootcert that cannot be read (ENOENT)',
    )
    expect(() => configured(`${app}?sslmode=allow`)).toThrow(ConfigurationError)
  })

  test('an owner that may not even create roles is enough, where an administrator has made them', async () => {
    const admin = await cluster.connect()
    await admin.query(`create role plain login password 'p'`)
    await admin.query('create database bare owner plain')
    // The group is there already, from the other database; here the login is made beforehand too.
    await admin.query(`create role bare_app login password 'a' in role weir_app`)
    await admin.end()
    const tls = `?sslmode=verify-full&sslrootcert=${ca}`
    const at = (login: string) => `postgres://${login}@127.0.0.1:${cluster.port}/bare${tls}`
    await migrate({ ownerUrl: secret(at('plain:p')), appUrl: secret(at('bare_app:a')), log })
    const { databaseUrl } = configured(at('bare_app:a'))
    const sql = openSql({ url: databaseUrl, maxConnections: 1, applicationName: 'bare', log })
    expect((await sql.pool.query('select count(*)::int as count from orgs')).rows).toEqual([{ count: 0 }])
    await sql.close()
    const unknown = at('nobody_made:x')
    await expect(migrate({ ownerUrl: secret(at('plain:p')), appUrl: secret(unknown), log })).rejects.toThrow(
      /permission denied to create role/,
    )
  })

  describe('a logical backup', () => {
    const dump = (login: string, ...options: string[]) =>
      execFileSync(
        join(binaries(), 'pg_dump'),
        [...options, `postgres://${login}@127.0.0.1:${cluster.port}/weir?sslmode=verify-full&sslrootcert=${ca}`],
        { encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 },
      )
    const rowsIn = (text: string, table: string) =>
      new RegExp(`^COPY public\\.${table} .*;\\n((?:(?!\\\\\\.$).*\\n)*)`, 'm').exec(text)?.[1] ?? 'absent'

    beforeAll(async () => {
      const admin = new pg.Client({ connectionString: cluster.ownerUrl.replace(/postgres$/, 'weir') })
      await admin.connect()
      await admin.query(`insert into orgs (id, name) values ('0199f000-0000-7000-8000-000000000001', 'Kept')`)
      await admin.query(
        `insert into otlp_mappings (org_id, department_id) values ('0199f000-0000-7000-8000-000000000001', '{team}')`,
      )
      await admin.end()
    })

    test('by the owner is refused, or empty', () => {
      expect(() => dump('master:m')).toThrow(/row-level security/)
      expect(rowsIn(dump('master:m', '--enable-row-security'), 'otlp_mappings')).toBe('')
    })

    test('by weir_backup has every row, and that role can write nothing', async () => {
      const admin = await cluster.connect()
      await admin.query(`create role weir_backup login password 'b'`)
      await admin.end()
      await migrate({ ownerUrl: secret(owner), appUrl: secret(app), log })
      const text = dump('weir_backup:b', '--enable-row-security')
      expect(rowsIn(text, 'otlp_mappings')).toContain('{team}')
      expect(rowsIn(text, 'orgs')).toContain('Kept')
      const backup = new pg.Client({ connectionString: owner.replace('master:m', 'weir_backup:b') })
      await backup.connect()
      await expect(backup.query('delete from otlp_mappings')).rejects.toThrow(/permission denied/)
      await backup.end()
    })
  })
})

describe('Redis with TLS', () => {
  const started = async (clients: 'yes' | 'no') => {
    const port = await freePort()
    const tls = { '--tls-port': String(port), '--tls-cert-file': ca, '--tls-key-file': key, '--tls-ca-cert-file': ca }
    // The process is ours, and reads files that belong to us.
    await startRedis({ arguments: [...Object.entries(tls).flat(), '--tls-auth-clients', clients] })
    return port
  }
  /** Whether it is reached; a refusal shows in the first attempt to connect, of which the log tells. */
  async function reached(url: string, more: Record<string, string> = {}) {
    const lines: string[] = []
    const config = configured('postgres://weir@db/weir', { SVC_REDIS_URL: url, ...more })
    const redis = openRedis({
      url: config.redisUrl,
      tls: { ca: config.redisCa, certificate: config.redisCertificate, key: config.redisKey },
      log: createLog({ level: 'warn', role: 'test' }, { write: (line: string) => void lines.push(line) }),
      commandTimeoutMs: 2_000,
    })
    try {
      await eventually(async () => lines.length > 0 || (await redis.isReachable()))
      return lines.length === 0 ? 'reached' : lines[0]!
    } finally {
      await redis.close()
    }
  }

  test('is reached by who trusts it, and refused where another authority or another host was meant', async () => {
    const port = await started('no')
    expect(await reached(`rediss://127.0.0.1:${port}`, { SVC_REDIS_CA_FILE: ca })).toBe('reached')
    expect(await reached(`rediss://127.0.0.1:${port}`, { SVC_REDIS_CA_FILE: wrongCa })).toMatch(/certificate/)
    expect(await reached(`rediss://127.0.0.1:${port}`)).toMatch(/certificate/)
    expect(await reached(`rediss://localhost:${port}`, { SVC_REDIS_CA_FILE: ca })).toMatch(/altnames|localhost/)
  })

  test('that asks for a certificate is reached with one only', async () => {
    const port = await started('yes')
    const ours = { SVC_REDIS_CA_FILE: ca, SVC_REDIS_CERT_FILE: ca, SVC_REDIS_KEY_FILE: key }
    expect(await reached(`rediss://127.0.0.1:${port}`, ours)).toBe('reached')
    expect(await reached(`rediss://127.0.0.1:${port}`, { SVC_REDIS_CA_FILE: ca })).not.toBe('reached')
  })

  test('its files without TLS, half of them, and what is no PEM are faults of the configuration', () => {
    const faults = (more: Record<string, string>) => () =>
      configured('postgres://weir@db/weir', { SVC_REDIS_URL: 'rediss://127.0.0.1', ...more })
    expect(faults({ SVC_REDIS_URL: 'redis://127.0.0.1', SVC_REDIS_CA_FILE: ca })).toThrow('rediss://')
    expect(faults({ SVC_REDIS_CERT_FILE: ca })).toThrow('together')
    expect(faults({ SVC_REDIS_CA_FILE: file('empty.pem', '') })).toThrow('must name a PEM file')
  })
})
