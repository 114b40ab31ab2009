import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useDatabase } from '../support/harness.ts'

/** What the guide on scaling says of the schema, held against the schema. */
const database = useDatabase()
const guide = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8')

/** The names in backticks of the table row that begins with a title. */
function namesIn(title: string): string[] {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${title}`))
  if (row === undefined) throw new Error(`the guide has no row "${title}"`)
  const [, , ours = ''] = row.split('|')
  return [...ours.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).sort()
}

const tenantTables = `
  select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`

test.each([
  [
    'unique without the organization',
    `select i.indexrelid::regclass::text as name from pg_index i join (${tenantTables}) t on t.oid = i.indrelid
      where i.indisunique and not exists (
        select from unnest(i.indkey) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k where a.attname = 'org_id')`,
  ],
  [
    'partitioned twice',
    `select distinct parent.relname::text as name from pg_inherits i join pg_class part on part.oid = i.inhrelid
       join pg_class parent on parent.oid = i.inhparent where part.relkind = 'p' and parent.relnamespace = 'public'::regnamespace`,
  ],
  [
    'triggers',
    `select distinct tgrelid::regclass::text as name from pg_trigger join (${tenantTables}) t on t.oid = tgrelid where not tgisinternal`,
  ],
  [
    'one order for all',
    `select sequencename::text as name from pg_sequences where schemaname = 'public' and sequencename <> 'schema_migrations_id_seq'`,
  ],
])('the guide names all that Citus would refuse: %s', async (title, query) => {
  const { rows } = await database.owner.query<{ name: string }>(query)
  expect(namesIn(title)).toEqual(rows.map(({ name }) => name).sort())
})

test('the guide counts the tables of organizations, and names the statement that locks several of them', async () => {
  const { rows } = await database.owner.query<{ count: number }>(
    `select count(*)::int as count from (${tenantTables}) t`,
  )
  expect(guide).toContain(`${rows[0]!.count} tables have an \`org_id\``)
  const lanes = readFileSync(new URL('../../src/decisions/lanes/queries.ts', import.meta.url), 'utf8')
  const [, statement = ''] = /const lockText = `([^`]+)`/.exec(lanes) ?? []
  expect(guide).toContain(statement)
})
