import { sql as raw } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PageRequest } from '../../src/contract/lists.ts'
import { partitionBounds } from '../../src/platform/infra/partitions.ts'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import {
  maxScanned,
  type RunFilters,
  type RunSearch,
  readAlongIndexes,
  runningPage,
  runsPage,
} from '../../src/runs/run-history/queries.ts'
import type { RunSort } from '../../src/runs/run-history/schema.ts'
import { newUuidAt, parseId, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { useLimits } from '../support/limits.ts'
import { useSuperuser } from '../support/money.ts'
import { fillRuns } from '../support/recorded-runs.ts'
import { call } from '../support/tenants.ts'

/** An organization with more runs than a page may look through, whose tables nobody has taken statistics of. */
const server = useServer()
const limits = useLimits(server)
const superuser = useSuperuser(server.database)
const dayMs = 86_400_000
const count = 120_000
let orgId: string

beforeAll(async () => {
  orgId = requireId('org', limits.acme.id)
  await limits.ask('PUT', '/retention-policy', { raw_days: 30 })
  await limits.ask('PUT', '/retention-policy', { raw_days: 90 })
  await ensureRunPartitions(server.platform.sql, new Date(), [7])
  const { client } = superuser
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relname ~ '^(runs_\\d+|holds)_\\d{8}$' and relkind = 'r'`,
  )
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = off)`)
  const ago = (days: number) => new Date(Date.now() - days * dayMs)
  await fillRuns(client, { orgId, count, retentionClass: 90, from: ago(85), to: ago(0) })
  await fillRuns(client, { orgId, count: 2_000, retentionClass: 30, from: ago(25), to: ago(0) })
})

interface Wanted {
  readonly sort?: RunSort
  readonly ascending?: true
  readonly after?: PageRequest['after']
  readonly filters?: RunFilters
  readonly fromDays?: number
  readonly toDays?: number
  readonly classes?: readonly number[]
}

const searchOf = ({
  sort = 'started_at',
  ascending,
  after,
  filters = {},
  fromDays = 85,
  toDays = 0,
  classes = [30, 90],
}: Wanted): RunSearch => ({
  classes,
  window: { from: new Date(Date.now() - fromDays * dayMs), to: new Date(Date.now() - toDays * dayMs) },
  page: { limit: 50, sort, descending: ascending !== true, after },
  filters,
})

async function planOf(wanted: Wanted, statement = runsPage): Promise<string> {
  const search = searchOf(wanted)
  return server.platform.sql.asOrgs([orgId], async (tx) => {
    await readAlongIndexes(tx)
    const explained = raw<{
      'QUERY PLAN': string
    }>`explain (analyze, timing off, costs off) ${statement(orgId, search)}`
    return (await explained.execute(tx)).rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}

const tablesIn = (plan: string) =>
  [...new Set(Array.from(plan.matchAll(/ on (runs_\d+_\d{8})/g), ([, name]) => name!))].sort()
/** How many rows were read from tables, of use or not. */
function readIn(plan: string) {
  const sum = (pattern: RegExp) =>
    Array.from(plan.matchAll(pattern)).reduce((total, [, rows, loops = '1']) => total + Number(rows) * Number(loops), 0)
  const sifted = sum(/Subquery Scan[^\n]*\n[^\n]*Filter[^\n]*\n\s+Rows Removed by Filter: (\d+)/g)
  return (
    sum(/Scan.* on runs_\d+_\d{8}.*\(actual rows=(\d+) loops=(\d+)\)/g) + sum(/Rows Removed by Filter: (\d+)/g) - sifted
  )
}

/** The tables of a class that a window reaches into. */
async function tablesOf(retentionClass: number, { fromDays = 85, toDays = 0 }: Wanted): Promise<string[]> {
  const { rows } = await superuser.client.query<{ name: string; bound: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass`,
    [`runs_${retentionClass}`],
  )
  const [from, to] = [fromDays, toDays].map((days) => partitionBounds.uuid(new Date(Date.now() - days * dayMs)))
  return rows
    .filter(({ bound }) => {
      const [, lower, upper] = /FROM \('(.*)'\) TO \('(.*)'\)/.exec(bound)!
      return upper! > from! && lower! < to!
    })
    .map(({ name }) => name)
}

describe('a page is read along an index, from the tables that it needs', () => {
  const last = { value: '500000000', id: newUuidAt(Date.now() - 40 * dayMs) }
  const cases: [string, Wanted][] = [
    ['newest first', {}],
    ['oldest first', { ascending: true }],
    ['the next page', { after: { value: last.id, id: last.id } }],
    ['a few days', { fromDays: 12, toDays: 9 }],
    ['by cost', { sort: 'cost_usd' }],
    ['by cost, the next page', { sort: 'cost_usd', ascending: true, after: last }],
    ['by cost within a range', { sort: 'cost_usd', filters: { minCostNano: 5n, maxCostNano: 600_000_000n } }],
    ['of a customer', { filters: { customer_id: 'customer-77' } }],
    ['of a chain', { filters: { chain_id: 'none' } }],
    ['of a model', { filters: { model: 'model-7' } }],
    ['with a rare tag', { filters: { tag: 'rare' } }],
    ['within a range of cost, by time', { filters: { minCostNano: 999_000_000n } }],
    ['of one class', { classes: [90] }],
  ]
  test.each(cases)('%s', async (_name, wanted) => {
    const plan = await planOf(wanted)
    expect(plan).not.toMatch(/Seq Scan|Sort Method|Bitmap/)
    const classes = wanted.classes ?? [30, 90]
    const needed = new Set((await Promise.all(classes.map((days) => tablesOf(days, wanted)))).flat())
    const touched = tablesIn(plan)
    expect(touched.filter((name) => !needed.has(name))).toEqual([])
    expect(touched.length).toBeGreaterThan(0)
    const isSifted =
      wanted.filters?.model !== undefined || wanted.filters?.tag !== undefined || _name.endsWith('by time')
    expect(readIn(plan), plan).toBeLessThanOrEqual(isSifted ? maxScanned + 200 : 200)
  })

  test('few runs of a customer are sorted by cost, many are looked for in the order of cost', async () => {
    const wanted: Wanted = { sort: 'cost_usd', filters: { customer_id: 'customer-77' } }
    const sorted = await planOf(wanted, (org, search) => runsPage(org, { ...search, isSorted: true }))
    expect(sorted).not.toMatch(/Seq Scan|Bitmap/)
    expect(readIn(sorted), sorted).toBeLessThanOrEqual(200)
    const sifted = await planOf(wanted)
    expect(sifted).not.toMatch(/Seq Scan|Sort Method|Bitmap/)
    expect(readIn(sifted), sifted).toBeLessThanOrEqual(maxScanned + 200)
  })

  test('running runs', async () => {
    const plan = await planOf({}, runningPage as unknown as typeof runsPage)
    expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort Key/)
    expect(plan).toMatch(/Index Scan.* using holds_\d+_\w+ on holds_\d{8}/)
  })
})

test('a run is found by its id in one table of each class', async () => {
  // One of the middle: the oldest partition may have so few rows that they are read without an index.
  const { rows } = await superuser.client.query<{ id: string }>(
    'select id from runs_90 where org_id = $1 order by id offset (select count(*) / 2 from runs_90 where org_id = $1) limit 1',
    [orgId],
  )
  const lines = await limits.query<{ 'QUERY PLAN': string }>(
    () => raw`explain (costs off) select id from runs where org_id = ${orgId}::uuid and id = ${rows[0]!.id}::uuid`,
  )
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
  expect(plan).not.toMatch(/Seq Scan/)
  expect(tablesIn(plan).map((name) => name.split('_')[1])).toEqual([
    ...new Set(tablesIn(plan).map((name) => name.split('_')[1])),
  ])
})

test('a filter that almost nothing fits is answered in bounded pages, and finds everything', async () => {
  const found: string[] = []
  let pages = 0
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const { json } = await call(server.url, 'GET', `/v1/runs?tag=rare&limit=10${query}`, { key: limits.acme.key })
    found.push(...(json['data'] as { id: string }[]).map(({ id }) => id))
    cursor = json['next_cursor'] as string | null
    pages++
  } while (cursor !== null)
  const { rows } = await superuser.client.query<{ id: string }>(
    `select id from runs where tags @> '{rare}' order by id desc`,
  )
  expect(found.map((id) => parseId('run', id))).toEqual(rows.map(({ id }) => id))
  expect(pages).toBe(Math.floor((count + 2_000) / maxScanned) + 1)
})
