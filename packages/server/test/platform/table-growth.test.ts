import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { maintainIdempotencyPartitionsJob } from '../../src/access/idempotency/idempotency.ts'
import { policyPartitionsJob } from '../../src/governance/policies/policies.ts'
import { maintainLedgerPartitionsJob } from '../../src/money/ledger/ledger.ts'
import { verifyLedger } from '../../src/money/ledger/verification.ts'
import type { Job } from '../../src/platform/infra/jobs.ts'
import { partitionBounds, partitionSuffix } from '../../src/platform/infra/partitions.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { deleteDeadNodesJob } from '../../src/platform/nodes/nodes.ts'
import { pruneRowsJob } from '../../src/records/retention/retention.ts'
import { webhookPartitionsJob } from '../../src/webhooks/webhooks.ts'
import { costing, useMoney } from '../support/money.ts'
import { tableGrowth } from '../support/table-growth.ts'

const money = useMoney()
const dayMs = 86_400_000
let orgId = ''
beforeAll(async () => {
  const org = await money.org()
  orgId = org.uuid
  money.tampered.add(orgId)
})

const platform = (): Platform => ({ ...money.server.platform, metrics: new Registry() })
const query = async <T extends object>(text: string, ...values: unknown[]) =>
  (await money.superuser.client.query<T & Record<string, unknown>>(text, values)).rows
/** Tables of people, which belong to no organization. */
const ofPeople = new Set(['passkeys', 'recovery_codes', 'passkey_challenges'])
const rowsIn = (table: string) =>
  query<{ ctid: string }>(
    `select ctid::text from ${table} where ${ofPeople.has(table) ? '$1::uuid is not null' : 'org_id = $1'}`,
    orgId,
  )
const prune = () => pruneRowsJob(platform()).run(undefined, undefined)
const of = <H extends string>(how: H) =>
  Object.entries(tableGrowth).flatMap(([table, growth]) =>
    growth.how === how ? [[table, growth as Extract<typeof growth, { how: H }>] as const] : [],
  )

test('every table is in the list of what keeps it from growing for ever', async () => {
  const tables = await query<{ name: string }>(`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`)
  expect(Object.keys(tableGrowth).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
})

test('every table that is pruned or kept on purpose is in the guide', () => {
  const guide = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')
  const named = new Set(guide.slice(guide.indexOf('### What is kept')).match(/`\w+`/g))
  const told = Object.keys(tableGrowth).filter((table) => !['bounded', 'waiting'].includes(tableGrowth[table]!.how))
  expect(told.filter((table) => !named.has(`\`${table}\``))).toEqual([])
})

describe('rows that are over', () => {
  test('are named for exactly the tables that the schema has rules for', async () => {
    const rules = await query<{ parent: string }>('select parent from pruned_rows')
    const named = of('pruned').map(([table]) => table)
    expect(named.toSorted()).toEqual(['allowances', ...rules.map(({ parent }) => parent)].toSorted())
  })

  test.each(of('pruned'))('of %s go, and others stay', async (table, { over, kept }) => {
    await query(kept, orgId)
    await prune()
    const before = await rowsIn(table)
    expect(before.length).toBeGreaterThan(0)
    await query(over, orgId)
    const grown = (await rowsIn(table)).length
    expect(grown).toBeGreaterThan(before.length)
    await prune()
    const left = (await rowsIn(table)).map(({ ctid }) => ctid)
    for (const { ctid } of before) expect(left).toContain(ctid)
    expect(left.length).toBeLessThan(grown)
  })
})

describe('days that are over', () => {
  const jobs = new Map<string, (platform: Platform) => Job>([
    ['keep-ledger-partitions', maintainLedgerPartitionsJob],
    ['keep-idempotency-partitions', maintainIdempotencyPartitionsJob],
    ['keep-webhook-partitions', webhookPartitionsJob],
    ['keep-policy-partitions', policyPartitionsJob],
  ])

  test.each(of('partitions'))(
    'of %s are dropped, also after a month without a worker',
    async (table, { job, days, by }) => {
      const today = Math.floor(Date.now() / dayMs) * dayMs
      const names = []
      for (const age of [days, days + 40, days - 1]) {
        const from = new Date(today - age * dayMs)
        const to = new Date(from.getTime() + dayMs)
        await query(
          'select create_partition($1, $2, $3, $4)',
          table,
          partitionSuffix(from),
          partitionBounds[by](from),
          partitionBounds[by](to),
        )
        names.push(`${table}_${partitionSuffix(from)}`)
      }
      await jobs.get(job)!(platform()).run(undefined, undefined)
      const left = await query<{ name: string }>('select relname as name from pg_class where relname = any ($1)', names)
      expect(left.map(({ name }) => name)).toEqual([names[2]])
    },
  )
})

describe('rows that another job deletes', () => {
  test.each(of('job'))('of %s are proved to go by the test that is named', (table, { test: file }) => {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toMatch(new RegExp(`\\b${table}`))
  })

  test('of nodes and access_changes go a while after nobody can need them', async () => {
    const old = "clock_timestamp() - interval '2 days'"
    await query(`insert into nodes (id, role, version, lease_until) values (gen_random_uuid(), 'api', 'dead', ${old})`)
    await query(`insert into access_changes (version, changed_org, at) values (-1, gen_random_uuid(), ${old})`)
    await deleteDeadNodesJob(platform()).run(undefined, undefined)
    expect(await query("select from nodes where version = 'dead'")).toEqual([])
    expect(await query('select from access_changes where version = -1')).toEqual([])
  })
})

describe('allowances that are over', () => {
  const end = (org: string, ago: string) =>
    query(
      `update allowances set period_start = period_start - interval '${ago}', period_end = period_end - interval '${ago}'
            where org_id = $1 and period_end is not null`,
      org,
    )

  test('go only when the journal that explains them is gone, and the books still balance', async () => {
    const org = await money.org()
    await org.budget('100')
    const reservation = await org.hold('2')
    await org.settle(reservation, '1.5')
    await end(org.uuid, '3 years')
    await prune()
    expect(await org.allowances()).toHaveLength(1)
    // The days of the journal have been dropped since.
    await query('delete from ledger_batches where org_id = $1', org.uuid)
    await prune()
    expect(await org.allowances()).toEqual([])
    expect((await org.decide(costing('1'))).status).toBe(200)
    expect(await org.allowances()).toMatchObject([{ spent: '0', held: '1000000000' }])
    expect((await verifyLedger(money.server.platform.sql, org.uuid)).faults).toEqual([])
  })

  test('stay while something is held on them', async () => {
    const org = await money.org()
    await org.budget('100')
    await org.hold('2')
    await end(org.uuid, '3 years')
    await query('delete from ledger_batches where org_id = $1', org.uuid)
    await prune()
    expect(await org.allowances()).toHaveLength(1)
    money.tampered.add(org.uuid)
  })

  test('go with the pack, the approval or the customer that they belong to', async () => {
    const org = await money.org()
    const insert = (kind: string, subject: string) =>
      query(
        `insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, last_seq)
             values ($1, gen_random_uuid(), gen_random_uuid(), $2, $3, 'usd', '', 0)`,
        org.uuid,
        kind,
        subject,
      )
    await insert('credits', 'c')
    await insert('approval', '')
    await insert('known_customer', 'gone')
    await insert('known_customer', 'here')
    await insert('quota', '')
    await insert('chain', '')
    await query(`insert into usage_dimension_values values ($1, 'customer_id', 'here', now(), now())`, org.uuid)
    await prune()
    expect((await org.allowances()).map(({ kind, subject }) => `${kind} ${subject}`.trim()).toSorted()).toEqual([
      'chain',
      'known_customer here',
      'quota',
    ])
    money.tampered.add(org.uuid)
  })
})
