import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdmin, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { knownMigrations, migrationsFolder } from '../../src/platform/infra/schema.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'
import { tablesWorkedOnUnderLock } from '../support/migration-locks.ts'
import { eventually } from '../support/processes.ts'

/**
 * Migrations run beside processes that serve. None may work on a table, for a time that grows with it, while writers wait for its locks.
 * Those that landed before this rule are listed with the tables that they work on: whoever upgrades from before them has to count on it.
 */
const beforeTheRule: Readonly<Record<string, readonly string[]>> = {
  '0003_money': ['orgs'],
  '0004_runs': ['holds'],
  '0005_webhooks': ['outbox'],
  '0008_key_lineage': ['api_keys'],
  '0009_key_successors': ['api_keys'],
  '0010_lane_waits': ['holds'],
  '0011_usage_dimension_values': ['orgs', 'usage_15m', 'usage_customer_days'],
  '0012_makers': ['api_keys', 'usage_15m', 'usage_days'],
  '0013_pruning': ['refusal_counts', 'threshold_events', 'usage_customer_days', 'usage_days'],
  '0014_operators': ['orgs', 'support_grants', 'webhook_subscriptions'],
  '0016_refusals': ['limits'],
  '0017_readable': ['packs', 'webhook_replays'],
  '0020_concurrency_limits': ['limits'],
  '0021_unpriced_requests': ['price_settings'],
  '0022_scopes': ['limits'],
  '0023_users': ['usage_15m', 'usage_days'],
  '0025_concurrency_defaults': ['limits'],
  '0027_reported_usage': ['trust_settings'],
  '0028_unreported_calls': ['trust_settings'],
  '0029_normal_form': ['customer_limits', 'packs'],
  '0031_key_reporting': ['trust_settings'],
  '0042_memberships': ['api_keys', 'session_policies', 'sessions', 'sign_in_links'],
  '0043_approvers': ['policy_rules'],
  '0044_directories': ['memberships'],
  '0047_passkeys': ['memberships', 'sso_identities'],
  '0049_saml_sign_ins': ['sso_requests'],
  '0050_whoever_was_shown': ['sso_requests'],
  '0053_domain_proofs': ['sso_domains'],
  '0055_usage_hours': ['usage_15m'],
  '0056_usage_hour_values': ['usage_15m'],
  '0063_fair_turns': ['telemetry_points', 'waiting_calls', 'webhook_digests'],
  '0064_contested_foreign_keys': ['foreign_keys'],
  '0068_residency': ['orgs'],
}
/** Those that may all the same: on tables that are small in every installation, for a reason that is given. */
const accepted: Readonly<Record<string, { readonly tables: readonly string[]; readonly because: string }>> = {}
const firstUnderTheRule = '0070'

const database = `weir_locks_${randomBytes(6).toString('hex')}`
let client: pg.Client

beforeAll(async () => {
  await asAdmin((admin) => admin.query(`create database ${database}`))
  client = new pg.Client({ connectionString: databaseUrl(database) })
  await client.connect()
  // As `migrate` makes it before the first migration.
  await client.query(
    'create table schema_migrations (id serial primary key, name text not null, run_on timestamp not null)',
  )
})
afterAll(async () => {
  await client?.end()
  await dropDatabase(database)
})

test('no migration works on a table while writers wait for it, but those from before this rule', async () => {
  const found: Record<string, readonly string[]> = {}
  for (const name of knownMigrations()) {
    const statements = readFileSync(new URL(`${name}.sql`, migrationsFolder), 'utf8')
    const tables = await tablesWorkedOnUnderLock(client, statements, true)
    if (tables.length > 0) found[name] = tables
  }
  const reasons = Object.fromEntries(Object.entries(accepted).map(([name, { tables }]) => [name, tables]))
  expect(found).toEqual({ ...beforeTheRule, ...reasons })
  for (const name of Object.keys(beforeTheRule)) expect(name < firstUnderTheRule, name).toBe(true)
})

describe('a migration is refused that would', () => {
  beforeAll(() =>
    client.query(`create table parcels (id int not null, org_id uuid, weight int, note text);
                  insert into parcels select i, null, i, i::text from generate_series(1, 100) i`),
  )
  const found = (statements: string) => tablesWorkedOnUnderLock(client, statements, false)

  test.each([
    ['rewrite a table for a new column', 'alter table parcels add column x uuid default gen_random_uuid()', 'parcels'],
    ['rewrite it for a type', 'alter table parcels alter column weight type bigint', 'parcels'],
    ['rewrite partitions', 'alter table holds add column x timestamptz default clock_timestamp()', 'holds'],
    ['index a table', 'create index on parcels (weight)', 'parcels'],
    ['index partitions', 'create index on ledger_batches (decide_version)', 'ledger_batches'],
    ['check all rows against a condition', 'alter table parcels add constraint x check (weight > 0)', 'parcels'],
    ['look for nulls', 'alter table parcels alter column weight set not null', 'parcels'],
    ['make a key', 'alter table parcels add primary key (id)', 'parcels'],
    ['look up all rows', 'alter table parcels add constraint x foreign key (org_id) references orgs (id)', 'parcels'],
    ['change all rows after a lock', 'alter table orgs add column x int; update parcels set weight = 1', 'parcels'],
    ['copy a table after a lock', 'alter table orgs add column x int; create table y as table parcels', 'parcels'],
    [
      'do it in a block',
      'do $$ begin alter table orgs add column x int; perform count(*) from parcels; end $$',
      'parcels',
    ],
  ])('%s', async (_what, statements, table) => {
    expect(await found(statements)).toEqual([table])
  })

  test.each([
    ['adds a column', 'alter table holds add column x text'],
    ['adds a column with a constant', `alter table holds add column x text not null default ''`],
    ['adds a condition for new rows', 'alter table holds add constraint x check (true) not valid'],
    [
      'makes a table',
      'create table x (id int primary key, org_id uuid references orgs (id)); create index on x (org_id)',
    ],
    ['changes a function', 'create or replace function app_is_publisher() returns boolean language sql return false'],
  ])('but not one that %s', async (_what, statements) => {
    expect(await found(statements)).toEqual([])
  })
})

describe('a migration that finds a table in use', () => {
  const used = useDatabase()

  test('lets those pass who come after it, and is tried again until it gets its lock', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', role: 'test' }, { write: (line: string) => void lines.push(line) })
    // A reader takes its time, as a dump does.
    await used.owner.query('set idle_in_transaction_session_timeout = 0')
    await used.owner.query('begin')
    await used.owner.query('select from orgs')
    const folder = mkdtempSync(`${tmpdir()}/weir-migrations-`)
    cpSync(migrationsFolder, folder, { recursive: true })
    const added = `set local lock_timeout = '200ms'; alter table orgs add column added text;`
    writeFileSync(`${folder}/0901_column.sql`, added)
    const migrated = migrate({
      ownerUrl: secret(used.ownerUrl),
      appUrl: secret(used.appUrl),
      log,
      folder: pathToFileURL(`${folder}/`),
    }).finally(() => rmSync(folder, { recursive: true }))
    await eventually(() => lines.some((line) => line.includes('tried again')))
    const writer = new pg.Client({ connectionString: used.ownerUrl })
    await writer.connect()
    await writer.query(`set lock_timeout = '20s'`)
    await writer.query('begin; lock table orgs in row exclusive mode; commit')
    await writer.end()
    await used.owner.query('rollback')
    expect(await migrated).toEqual(['0901_column'])
  })
})
