import { equal } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeServer, type PostgresServer, program } from '../../proofs/support/postgres-server.ts'
import { environmentFor } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { eventually, startRole } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

/** A logical backup by `weir_backup`, of an installation whose owner is no superuser, restored into another database. */

const folder = mkdtempSync(join(tmpdir(), 'weir-dump-'))
const dumpFile = join(folder, 'weir.dump')
let server: PostgresServer
let key = ''

const urlOf = (database: string, login = 'postgres') => {
  const url = new URL(server.ownerUrl)
  url.pathname = `/${database}`
  if (login !== 'postgres') [url.username, url.password] = [login, login]
  return url.href
}
const databaseNamed = (name: string) => ({ ownerUrl: urlOf(name, 'master'), appUrl: urlOf(name, 'weir') })

/** Asks as somebody; every statement on a connection of its own, so that none leaves anything to the next. */
async function ask<Row extends object>(database: string, text: string, login = 'postgres'): Promise<Row[]> {
  const client = new pg.Client({ connectionString: urlOf(database, login) })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

const dump = (...options: string[]) =>
  execFileSync(program('pg_dump'), [...options, urlOf('weir', 'weir_backup')], {
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 2 ** 28,
  })

beforeAll(async () => {
  server = await makeServer({ settings: { fsync: 'off' } })
  await server.start()
  for (const statement of [
    `create role master login createrole password 'master'`,
    `create role weir_backup login password 'weir_backup'`,
    'create database weir owner master',
    'create database restored owner master',
  ])
    await server.ask(statement)
  equal(await startRole('migrate', environmentFor(databaseNamed('weir'))).exit, 0)

  // The API makes the partitions in which money is kept: after the migration, as every day.
  const { apis, owner, orgId, environment } = await startInstallation(databaseNamed('weir'), 1)
  const [api] = apis
  key = owner
  const post = (path: string, body: object) => call(api!.url, 'POST', path, { key, body })
  const run = { model: 'gpt-4o', input_tokens: 100, max_output_tokens: 100 }
  for (let i = 0; i < 5; i++) {
    const started = await post('/v1/runs', { ...run, external_id: `run-${i}` })
    equal(started.status, 201)
    const ending = { status: 'succeeded', input_tokens: 100, output_tokens: 10 }
    if (i > 0) equal((await post(`/v1/runs/${String(started.json['id'])}/finish`, ending)).status, 200)
  }
  equal((await post('/v1/edge/decision', run)).status, 200)
  equal((await post(`/v1/orgs/${orgId}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] })).status, 201)
  const worker = startRole('worker', environment)
  await worker.line(({ message }) => message === 'working')
  for (const { process, exit } of [api!, worker]) {
    process.kill('SIGTERM')
    await exit
  }
})
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const missing = () =>
  ask<{ missing: string }>('weir', 'select tables_missing_in_dump() as missing', 'weir_backup').then((rows) =>
    rows.map((row) => row.missing),
  )

/** A digest of the rows of every table, of those that have any. */
async function contents(database: string) {
  const tables = await ask<{ name: string }>(
    database,
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'graphile_worker') and c.relkind = 'r' order by 1`,
  )
  const texts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::int as rows, md5(string_agg(t::text, E'\\n' order by t::text)) as digest from ${name} t`,
  )
  const rows = await ask<{ name: string; rows: number; digest: string | null }>(database, texts.join(' union all '))
  return rows.filter((row) => row.rows > 0).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Who owns what, who may do what, and what row-level security says. */
const rules = async (database: string) => ({
  tables: await ask(
    database,
    `select c.oid::regclass::text as name, c.relkind, c.relowner::regrole::text as owner, c.relrowsecurity, c.relforcerowsecurity,
            (select array_agg(a::text order by a::text) from unnest(c.relacl) a) as acl
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p', 'S', 'v', 'i', 'I') order by 1`,
  ),
  policies: await ask(database, 'select * from pg_policies order by schemaname, tablename, policyname'),
  functions: await ask(
    database,
    `select p.oid::regprocedure::text as name, p.proowner::regrole::text as owner, p.prosecdef, p.proconfig,
            (select array_agg(a::text order by a::text) from unnest(p.proacl) a) as acl
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('public', 'graphile_worker') order by 1`,
  ),
})

test('a dump by weir_backup, restored by the owner, has every row, owner, privilege and policy, and Weir runs on it', async () => {
  const before = await contents('weir')
  // Partitions that were made after the migration have rows: those of money.
  for (const table of ['holds_2', 'ledger_batches_2', 'audit_log_2', 'runs_'])
    expect(
      before.some(({ name }) => name.startsWith(table)),
      table,
    ).toBe(true)
  expect(await missing()).toEqual([])
  dump('--enable-row-security', '-Fc', '-f', dumpFile)
  execFileSync(program('pg_restore'), ['--exit-on-error', '-d', urlOf('restored', 'master'), dumpFile], {
    stdio: 'pipe',
  })
  expect(await contents('restored')).toEqual(before)
  expect(await rules('restored')).toEqual(await rules('weir'))

  const environment = environmentFor(databaseNamed('restored'))
  const verification = startRole('verify', environment)
  expect(await verification.exit).toBe(0)
  expect(verification.lines.at(-1)).toMatchObject({ drift_nano_usd: '0', faults: [] })
  const api = startRole('api', environment)
  const { url } = await api.line(({ message }) => message === 'serving')
  const body = { model: 'gpt-4o', input_tokens: 100, max_output_tokens: 100 }
  const decided = await call(String(url).replace('localhost', '127.0.0.1'), 'POST', '/v1/edge/decision', { key, body })
  expect(decided.status).toBe(200)
})

test('a partition without a policy for it is named before a dump would lack its rows in silence', async () => {
  const { name: partition } = (await contents('weir')).find(({ name }) => name.startsWith('holds_'))!
  await ask('weir', `drop policy backup on ${partition}`)
  try {
    const rows = dump('--enable-row-security', '--data-only', '-t', partition).split('\n')
    const copy = rows.findIndex((line) => line.startsWith('COPY'))
    expect(rows[copy + 1]).toBe('\\.')
    expect(await missing()).toEqual([partition])
  } finally {
    expect(await startRole('migrate', environmentFor(databaseNamed('weir'))).exit).toBe(0)
  }
  await eventually(async () => (await missing()).length === 0)
})

describe('weir_backup cannot', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: urlOf('weir', 'weir_backup') })
    await client.connect()
  })
  afterAll(() => client?.end())
  const refused = async (statement: string) => {
    const outcome = await client.query(statement).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
    // Privileges, or ownership; a function that is not there for it would be 42883.
    return outcome === '42501' ? undefined : `${statement}: ${outcome}`
  }

  test('change a row of any table, or lock it against others', async () => {
    const tables = await ask<{ name: string; first: string }>(
      'weir',
      `select c.oid::regclass::text as name, a.attname as first from pg_class c join pg_namespace n on n.oid = c.relnamespace
         join lateral (select attname from pg_attribute where attrelid = c.oid and attnum > 0 and attidentity = '' and not attisdropped
                        order by attnum limit 1) a on true
        where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')`,
    )
    expect(tables.length).toBeGreaterThan(100)
    const done: (string | undefined)[] = []
    for (const { name, first } of tables)
      for (const statement of [
        `insert into ${name} default values`,
        `update ${name} set ${first} = ${first}`,
        `delete from ${name}`,
        `truncate ${name}`,
        `select from ${name} for update`,
        `do $$ begin lock table ${name} in row exclusive mode; end $$`,
      ])
        done.push(await refused(statement))
    expect(done.filter((one) => one !== undefined)).toEqual([])
  })

  test('call what acts with the rights of the owner', async () => {
    const callable = await ask(
      'weir',
      `select p.oid::regprocedure::text as name from pg_proc p
        where p.prosecdef and has_function_privilege('weir_backup', p.oid, 'execute')`,
    )
    expect(callable).toEqual([])
  })

  test.each([
    'set role master',
    'set role weir_app',
    'set role weir',
    'set session authorization master',
    'grant weir_app to weir_backup',
    'alter role weir_backup superuser',
    'alter role weir_backup bypassrls',
    'create role friend',
    'create table mine (id int)',
    'create function mine() returns int language sql return 1',
    'create schema mine',
    'create policy mine on holds to weir_backup using (true)',
    'alter table holds disable row level security',
    'alter table holds owner to weir_backup',
    'drop policy tenant on holds',
    'drop table holds',
    'drop function app_orgs()',
    'create index on holds (id)',
    'create trigger mine before insert on holds execute function assert_rows()',
    `select nextval('graphile_worker.jobs_id_seq1')`,
    `select graphile_worker.add_job('export-audit-heads')`,
    `select graphile_worker.force_unlock_workers(array['x'])`,
    `select create_partition('holds', '20990101', 'a', 'b')`,
    'select admit_backup_role()',
    'alter system set fsync = off',
    `copy orgs to program 'cat'`,
    `copy orgs from program 'cat'`,
    `select pg_read_file('postgresql.conf')`,
    'select pg_promote()',
    'select pg_switch_wal()',
    'alter database weir set default_transaction_read_only = on',
    'drop database restored',
  ])('%s', async (statement) => {
    // Whether it is the right or the object that it lacks, nothing has happened.
    const outcome = await refused(statement)
    expect(outcome === undefined || /: (42883|42P01|0LP01)$/.test(outcome), outcome).toBe(true)
  })

  test('do more by what it is or belongs to', async () => {
    const [row] = await ask<{ mighty: boolean; member: boolean }>(
      'weir',
      `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as mighty,
              exists (select from pg_auth_members m where m.member = r.oid) as member
         from pg_roles r where rolname = 'weir_backup'`,
    )
    expect(row).toEqual({ mighty: false, member: false })
  })
})
