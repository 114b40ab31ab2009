import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { sql as raw } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { knownMigrations, migrationsFolder } from '../../src/platform/infra/schema.ts'
import { openSql, type Sql } from '../../src/platform/infra/sql.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
const log = createLog({ level: 'fatal', role: 'test' })
const alice = '0192f000-0000-7000-8000-00000000000a'
const bob = '0192f000-0000-7000-8000-00000000000b'
let sql: Sql

beforeAll(async () => {
  await database.owner.query(`
    create table parcels (org_id uuid not null, id int not null, primary key (org_id, id));
    grant select, insert, update, delete on parcels to weir_app;
    call protect_tenant_table('parcels');
    insert into parcels values ('${alice}', 1), ('${alice}', 2), ('${bob}', 3)`)
  // One connection, so that every transaction below reuses the one before it.
  sql = openSql({ url: secret(database.appUrl), maxConnections: 1, applicationName: 'test', log })
})
afterAll(() => sql.close())

const parcelsSeen = async (handle: Parameters<Parameters<Sql['asOrgs']>[1]>[0] | Sql['db']) =>
  (await raw<{ id: number }>`select id from parcels order by id`.execute(handle)).rows.map(({ id }) => id)

describe('behind the tenant wall', () => {
  test('a query that forgets the organization returns nothing', async () => {
    expect(await parcelsSeen(sql.db)).toEqual([])
  })

  test('a transaction sees its own organizations and no other', async () => {
    expect(await sql.asOrgs([alice], parcelsSeen)).toEqual([1, 2])
    expect(await sql.asOrgs([bob], parcelsSeen)).toEqual([3])
    expect(await sql.asOrgs([alice, bob], parcelsSeen)).toEqual([1, 2, 3])
    expect(await sql.asOrgs([], parcelsSeen)).toEqual([])
  })

  test('a pooled connection never carries the tenant of the transaction before', async () => {
    await sql.asOrgs([alice], parcelsSeen)
    expect(await parcelsSeen(sql.db)).toEqual([])
    await expect(sql.asOrgs([alice], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await parcelsSeen(sql.db)).toEqual([])
  })

  test('no row can be written for, moved to or taken from another organization', async () => {
    const write = (statement: ReturnType<typeof raw>) => sql.asOrgs([alice], (tx) => statement.execute(tx))
    await expect(write(raw`insert into parcels values (${bob}, 9)`)).rejects.toThrow('row-level security')
    await expect(write(raw`update parcels set org_id = ${bob}`)).rejects.toThrow('row-level security')
    expect((await write(raw`update parcels set id = id where id = 3`)).numAffectedRows).toBe(0n)
    expect((await write(raw`delete from parcels where id = 3`)).numAffectedRows).toBe(0n)
  })

  test('the wall is asked once per statement, not once per row', async () => {
    const { rows } = await sql.asOrgs([alice], (tx) =>
      raw<{ 'QUERY PLAN': string }>`explain select * from parcels`.execute(tx),
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('InitPlan')
  })

  test('the application cannot lift it', async () => {
    await expect(raw`alter table parcels disable row level security`.execute(sql.db)).rejects.toThrow('must be owner')
    await expect(raw`set role postgres`.execute(sql.db)).rejects.toThrow('permission denied')
    await expect(raw`create table mine (id int)`.execute(sql.db)).rejects.toThrow('permission denied')
  })
})

/** What must hold of every table, for the migrations to come. */
const unprotectedTables = () =>
  database.owner.query<{ name: string }>(`
    select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       -- A partition is reached through its table alone.
       and (not c.relispartition or has_table_privilege('weir_app', c.oid, 'select, insert, update, delete'))
       and not (c.relrowsecurity and c.relforcerowsecurity
                and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant'))`)

test('every table with an org_id is behind the wall', async () => {
  expect((await unprotectedTables()).rows).toEqual([])
  await database.owner.query('create table forgotten (org_id uuid)')
  expect((await unprotectedTables()).rows).toEqual([{ name: 'forgotten' }])
  await database.owner.query('drop table forgotten')
})

test('the application role owns nothing and is bound by row-level security', async () => {
  const { rows } = await database.owner.query(`
    select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as mighty,
           (select count(*)::int from pg_class where relowner = r.oid) + (select count(*)::int from pg_proc where proowner = r.oid)
           + (select count(*)::int from pg_namespace where nspowner = r.oid) as owned
      from pg_roles r where rolname in ('weir', 'weir_app') order by 1`)
  expect(rows).toEqual([
    { rolname: 'weir', mighty: false, owned: 0 },
    { rolname: 'weir_app', mighty: false, owned: 0 },
  ])
})

test('int8 arrives as an exact integer', async () => {
  const { rows } = await raw<{ big: bigint }>`select 9007199254740993::int8 as big`.execute(sql.db)
  expect(rows[0]!.big).toBe(9007199254740993n)
})

test('a migration that fails leaves nothing of itself or of those before it in the same run', async () => {
  const folder = mkdtempSync(`${tmpdir()}/weir-migrations-`)
  try {
    cpSync(migrationsFolder, folder, { recursive: true })
    writeFileSync(`${folder}/0901_good.sql`, 'create table good (id int);')
    writeFileSync(`${folder}/0902_bad.sql`, 'create table bad (id int); select 1 / 0;')
    const attempt = migrate({
      ownerUrl: secret(database.ownerUrl),
      appUrl: secret(database.appUrl),
      log,
      folder: pathToFileURL(`${folder}/`),
    })
    await expect(attempt).rejects.toThrow('division by zero')
    const { rows } = await database.owner.query(`select to_regclass('good') as good, to_regclass('bad') as bad`)
    expect(rows).toEqual([{ good: null, bad: null }])
    const applied = await database.owner.query<{ name: string }>('select name from schema_migrations order by id')
    expect(applied.rows.map(({ name }) => name)).toEqual(knownMigrations())
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every migration says which is the oldest version that may run after it', async () => {
  const { rows } = await database.owner.query<{ migration: string; min_compatible: string }>(
    'select migration, min_compatible from schema_compatibility order by 1',
  )
  const known = knownMigrations()
  const since = known.slice(known.indexOf('0069_schema_compatibility'))
  expect(rows.map(({ migration }) => migration)).toEqual(since)
  for (const { migration, min_compatible } of rows) {
    expect(known).toContain(min_compatible)
    expect(min_compatible < migration || migration === min_compatible, migration).toBe(true)
  }
})
