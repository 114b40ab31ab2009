import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noRuns } from '../../src/decisions/lanes/ended-runs.ts'
import { laneSettings } from '../../src/decisions/lanes/lanes.ts'
import { type OrgWrites } from '../../src/decisions/lanes/org-writes.ts'
import * as queries from '../../src/decisions/lanes/queries.ts'
import { writeStatements } from '../../src/decisions/lanes/write-queries.ts'
import { noDelta } from '../../src/money/engine/allowance-state.ts'
import type { BoundStatement } from '../../src/platform/infra/pipelined-connection.ts'
import { newUuid } from '../../src/values/id.ts'
import { useDatabase } from '../support/harness.ts'

/**
 * The statements of a lane on an organization that has grown since statistics were taken: a plan that was right for an empty
 * table must not become a walk through all of it while everybody waits.
 */
const database = useDatabase()
const allowances = Number(process.env['WEIR_ALLOWANCES'] ?? 100_000)
const orgId = newUuid()
const holdId = newUuid()
let lane: pg.Client
let keys: string[]

beforeAll(async () => {
  const { owner } = database
  const day = (offset: number) => new Date(Math.floor(Date.now() / 86_400_000 + offset) * 86_400_000)
  for (let offset = -7; offset < 8; offset++) {
    const bound = (at: Date) =>
      `${at
        .getTime()
        .toString(16)
        .padStart(12, '0')
        .replace(/(.{8})/, '$1-')}-0000-0000-000000000000`
    await owner.query(`select create_partition('holds', $1, $2, $3)`, [
      day(offset).toISOString().slice(0, 10).replaceAll('-', ''),
      bound(day(offset)),
      bound(day(offset + 1)),
    ])
  }
  await owner.query('analyze allowances; analyze org_ledgers; analyze holds')
  await owner.query(`alter table allowances set (autovacuum_enabled = false)`)
  await owner.query(`insert into org_ledgers (org_id) values ($1)`, [orgId])
  await owner.query(
    `insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, last_seq)
     select $1, md5(i::text)::uuid, $1, 'customer', i::text, 'usd', '', 1 from generate_series(1, $2) i`,
    [orgId, allowances],
  )
  await owner.query(
    `insert into holds (org_id, id, state, on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs)
     values ($1, $2, 'open', 'release', now(), now(), 1, 1, '{}', '{}', '{}', '{}')`,
    [orgId, holdId],
  )
  keys = (await owner.query<{ key: string }>('select key from allowances limit 6')).rows.map(({ key }) => key)
  const options = Object.entries(laneSettings).map(([name, value]) => `-c ${name}=${value}`)
  lane = new pg.Client({ connectionString: database.appUrl, options: options.join(' ') })
  await lane.connect()
  await lane.query(`set plan_cache_mode = force_generic_plan; select set_config('app.orgs', '${orgId}', false)`)
})
afterAll(() => lane.end())

/** A parameter as SQL. A generic plan depends on none, so binary ones may be null. */
const literal = (value: unknown): string => {
  if (Buffer.isBuffer(value)) return 'null'
  return Array.isArray(value)
    ? `'{${value.map((one) => `"${String(one)}"`).join(',')}}'`
    : typeof value === 'number'
      ? `${value}`
      : `'${value instanceof Date ? value.toISOString() : String(value)}'`
}

/** The plan that a prepared statement runs by once it is cached. */
async function planOf({ statement, values = [] }: BoundStatement): Promise<string> {
  await lane.query(`prepare ${statement.name} as ${statement.text}`)
  const { rows } = await lane.query<{ 'QUERY PLAN': string }>(
    `explain execute ${statement.name}${values.length > 0 ? `(${values.map(literal).join(',')})` : ''}`,
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('every statement reaches allowances through their key, or the place where they were found', async () => {
  const wanted = keys.map((key) => ({ orgId, key }))
  const read = await planOf(queries.readCounters(wanted))
  expect(read).toMatch(/Index Scan using allowances_pkey/)
  expect(read).not.toMatch(/Seq Scan on allowances|Hash Join|Merge Join|Bitmap/)

  const places = (
    await database.owner.query<{ key: string; place: string }>(
      'select key, ctid::text as place from allowances limit 6',
    )
  ).rows
  const outcome = {
    orgId,
    seq: 1n,
    at: '1970-01-01T00:00:00Z',
    atMs: 0,
    decision: {
      deltas: new Map(places.map(({ key }) => [key, noDelta])),
      movements: [],
      newHolds: [],
      changedHolds: [],
      raisedHolds: [],
      after: new Map(),
    },
    found: new Map(places.map(({ key, place }) => [key, { place, last_seq: 1n }])),
    optIns: new Set(),
    made: new Map(),
    storedResponses: [],
    chains: new Map(),
    runs: noRuns,
    unclaimed: [],
  } as unknown as OrgWrites
  const [update] = writeStatements([outcome], 1, [])
  const written = await planOf(update!)
  expect(written).toMatch(/Tid Scan on allowances/)
  expect(written).not.toMatch(/Seq Scan on allowances|Hash Join|Merge Join/)
})

test('holds are read and ended through their key', async () => {
  for (const statement of queries.readHolds([{ orgId, holdId }])) {
    const plan = await planOf(statement)
    expect(plan, statement.statement.name).not.toMatch(/Seq Scan on (holds|allowances|packs)|Hash Join|Merge Join/)
  }
  const hold = { id: holdId, state: 'released', expiresAtMs: 0, chargedNano: null, overrunNano: null }
  const outcome = {
    orgId,
    seq: 1n,
    at: '1970-01-01T00:00:00Z',
    atMs: 0,
    found: new Map(),
    optIns: new Set(),
    made: new Map(),
    storedResponses: [],
    chains: new Map(),
    runs: noRuns,
    unclaimed: [],
    decision: {
      deltas: new Map(),
      movements: [],
      newHolds: [],
      changedHolds: [hold],
      raisedHolds: [],
      after: new Map(),
    },
  } as unknown as OrgWrites
  const [end] = writeStatements([outcome], 1, [])
  const plan = await planOf(end!)
  expect(plan).not.toMatch(/Seq Scan on holds|Hash Join|Merge Join/)
})

test('customers and packs are read through their keys', async () => {
  const wanted = [{ orgId, customerId: 'c' }]
  for (const statement of [queries.readCustomers(wanted), ...queries.readPacks(wanted)]) {
    const plan = await planOf(statement)
    expect(plan, statement.statement.name).not.toMatch(
      /Seq Scan on (customer_limits|packs|allowances)|Hash Join|Merge Join/,
    )
  }
})
