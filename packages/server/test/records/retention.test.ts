import { setTimeout as sleep } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { partitionBounds, partitionSuffix } from '../../src/platform/infra/partitions.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { loadRetention, maintainRunPartitionsJob, pruneChainsJob } from '../../src/records/retention/retention.ts'
import { expiredPartitions } from '../../src/records/retention/upkeep.ts'
import { retentionClasses } from '../../src/records/run-log/run-log.ts'
import { formatId, newUuid, newUuidAt, parseId, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf, useLimits } from '../support/limits.ts'
import { useSuperuser } from '../support/money.ts'
import { insertChain, insertRecorded, insertRunning, recordedRun } from '../support/recorded-runs.ts'
import { call, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
const limits = useLimits(server)
const superuser = useSuperuser(server.database)
const path = '/retention-policy'
const dayMs = 86_400_000
const hourMs = 3_600_000
let today: number
beforeAll(() => {
  today = Math.floor(Date.now() / dayMs) * dayMs
})

const tables = async () =>
  new Set(
    (
      await superuser.client.query<{ name: string }>(
        `select relname as name from pg_class where relname ~ '^runs_\\d+_\\d{8}$' and relkind = 'r'`,
      )
    ).rows.map(({ name }) => name),
  )

/** Makes a table that begins so many days ago, as if nobody had looked after it since. */
async function oldTable(days: number, span: number, daysAgo: number, parent = `runs_${days}`): Promise<string> {
  const from = new Date(today - daysAgo * dayMs)
  const suffix = partitionSuffix(from)
  const to = new Date(from.getTime() + span * dayMs)
  const parts = [parent, suffix, partitionBounds.uuid(from), partitionBounds.uuid(to)]
  await superuser.client.query('select create_partition($1, $2, $3, $4)', parts)
  return `${parent}_${suffix}`
}

const at = (ms: number): Platform => ({
  ...server.platform,
  clock: { now: () => new Date(ms) },
  metrics: new Registry(),
})
const keep = (ms = Date.now()) => maintainRunPartitionsJob(at(ms)).run(undefined, undefined)

describe('the retention policy', () => {
  test('is 90 days until it is set, and then what was set', async () => {
    const unset = { raw_days: 90, class_days: 90, created_at: null, updated_at: null }
    expect((await limits.ask('GET', path, undefined, limits.viewer)).json).toEqual(unset)
    const { status, json } = await limits.ask('PUT', path, { raw_days: 31 })
    expect(status).toBe(200)
    expect(json).toEqual({
      raw_days: 31,
      class_days: 90,
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect((await limits.ask('GET', path)).json).toEqual(json)
    expect((await limits.recorded('retention_policy.set'))[0]).toMatchObject({
      target: { kind: 'retention_policy', id: limits.acme.id },
      before: unset,
      after: json,
    })
  })

  test('is refused outside 1 to 3,650 days, and to all but admins of its organization', async () => {
    const faults = async (body: unknown) => faultsOf(await limits.ask('PUT', path, body))
    expect(await faults({})).toEqual(['raw_days: required'])
    expect(await faults({ raw_days: 0 })).toEqual(['raw_days: out_of_range'])
    expect(await faults({ raw_days: 3_651 })).toEqual(['raw_days: out_of_range'])
    expect(await faults({ raw_days: '30' })).toEqual(['raw_days: invalid_type'])
    expect(await faults({ raw_days: 1.5 })).toEqual(['raw_days: invalid_type'])
    expect(await faults({ raw_days: 30, rollup_days: 3 })).toEqual(['rollup_days: unknown_field'])
    expect(await limits.refusals('PUT', path, { raw_days: 30 })).toEqual(['forbidden', 'not_found'])
    expect((await limits.ask('GET', path, undefined, limits.bob.key)).status).toBe(404)
  })

  test('makes the tables of its class before it is answered, remembers every class, and tells every process', async () => {
    const org = await tenantOf(server, limits.operator)
    const orgId = requireId('org', org.id)
    const loaded = () => server.platform.sql.asOrgs([orgId], (tx) => loadRetention(tx, orgId))
    const version = async () =>
      (
        await superuser.client.query<{ v: string }>('select config_version as v from org_ledgers where org_id = $1', [
          orgId,
        ])
      ).rows[0]!.v
    expect(await loaded()).toEqual({ rawDays: 90, retentionClass: 90, classes: [90] })
    for (const [rawDays, retentionClass, classes] of [
      [7, 7, [7, 90]],
      [8, 30, [7, 30, 90]],
      [400, 400, [7, 30, 90, 400]],
      [401, 3_650, [7, 30, 90, 400, 3_650]],
      [1, 7, [7, 30, 90, 400, 3_650]],
    ] as const) {
      const before = BigInt(await version())
      const { status } = await call(server.url, 'PUT', `/v1/orgs/${org.id}${path}`, {
        key: org.key,
        body: { raw_days: rawDays },
      })
      expect(status).toBe(200)
      expect(await loaded()).toEqual({ rawDays, retentionClass, classes })
      expect(BigInt(await version())).toBe(before + 1n)
      await insertRecorded(server, org.id, [
        recordedRun({ retentionClass }),
        recordedRun({ retentionClass, startedAtMs: Date.now() + 7 * dayMs }),
      ])
    }
  })
})

describe('what is shown', () => {
  const listed = async (org: Tenant) =>
    ((await call(server.url, 'GET', '/v1/runs?limit=200', { key: org.key })).json['data'] as { id: string }[]).map(
      ({ id }) => id,
    )
  const set = async (org: Tenant, raw_days: number) =>
    expect(
      (await call(server.url, 'PUT', `/v1/orgs/${org.id}${path}`, { key: org.key, body: { raw_days } })).status,
    ).toBe(200)
  const statusOf = async (org: Tenant, id: string) =>
    (await call(server.url, 'GET', `/v1/runs/${id}`, { key: org.key })).status

  test('are runs of every class that was ever used, as far back as the policy reaches now', async () => {
    const org = await tenantOf(server, limits.operator)
    const ago = (hours: number, retentionClass: number) =>
      recordedRun({ startedAtMs: Date.now() - hours * hourMs, retentionClass, about: { chain_id: 'tree' } })
    const old = [ago(5 * 24, 90), ago(40 * 24, 90)]
    await insertRecorded(server, org.id, old)
    await set(org, 30)
    const recent = [ago(1, 30), ago(23, 30), ago(25, 30)]
    await insertRecorded(server, org.id, recent)
    await oldTable(8, 1, Math.ceil((today - (Date.now() - 3 * dayMs)) / dayMs), 'holds')
    const running = formatId('run', await insertRunning(server, org.id, { startedAtMs: Date.now() - 3 * 24 * hourMs }))
    const ids = [...recent, ...old].map(({ id }) => formatId('run', id))

    expect(await listed(org)).toEqual([ids[0], ids[1], ids[2], running, ids[3]])
    expect(await statusOf(org, ids[4]!)).toBe(404)
    await set(org, 3_000)
    expect(await listed(org)).toEqual([ids[0], ids[1], ids[2], running, ids[3], ids[4]])
    expect(await statusOf(org, ids[4]!)).toBe(200)
    await set(org, 1)
    expect(await listed(org)).toEqual([ids[0], ids[1], running])
    expect([await statusOf(org, ids[1]!), await statusOf(org, ids[2]!), await statusOf(org, running)]).toEqual([
      200, 404, 200,
    ])
    const { json } = await call(server.url, 'GET', '/v1/chains/tree', { key: org.key })
    expect((json['nodes'] as { id: string }[]).map(({ id }) => id)).toEqual([ids[1], ids[0]])
  })
})

describe('tables of runs', () => {
  test('are overdue on the day on which their last run is older than their class', () => {
    for (const { days, span } of retentionClasses) {
      const from = Date.parse('2026-03-05')
      const to = from + span * dayMs
      const bound = `FOR VALUES FROM ('${partitionBounds.uuid(new Date(from))}') TO ('${partitionBounds.uuid(new Date(to))}')`
      const partition = { parent: `runs_${days}`, name: `runs_${days}_20260305`, bound }
      expect(expiredPartitions([partition], to + days * dayMs - 1)).toEqual([])
      expect(expiredPartitions([partition], to + days * dayMs)).toMatchObject([
        { name: partition.name, from: new Date(from) },
      ])
    }
    expect(
      expiredPartitions(
        [{ parent: 'holds', name: 'holds_20200101', bound: `FOR VALUES FROM ('x') TO ('2020-01-02')` }],
        Date.now(),
      ),
    ).toEqual([])
  })

  test('are dropped on that day and no other, however long nobody looked, with a note of it', async () => {
    // Weeks are counted from 1970, and the last of them that is due ended so many days before 90 days ago.
    const sinceDue = (today / dayMs - 90) % 7
    const names = {
      due7: await oldTable(7, 1, 8),
      kept7: await oldTable(7, 1, 7),
      long7: await oldTable(7, 1, 60),
      due30: await oldTable(30, 1, 31),
      kept30: await oldTable(30, 1, 30),
      due90: await oldTable(90, 7, 97 + sinceDue),
      old400: await oldTable(400, 28, 600),
      old3650: await oldTable(3_650, 28, 4_000),
    }
    type Name = keyof typeof names
    const gone = async () => {
      const left = await tables()
      return (Object.keys(names) as Name[]).filter((name) => !left.has(names[name]))
    }
    await insertRecorded(server, limits.acme.id, [
      recordedRun({ startedAtMs: today - 7.5 * dayMs, retentionClass: 7 }),
      recordedRun({ startedAtMs: today - 6.5 * dayMs, retentionClass: 7 }),
    ])
    await keep(today - 1)
    const overdueLong: Name[] = ['long7', ...(sinceDue > 0 ? (['due90'] as const) : []), 'old400', 'old3650']
    expect(await gone()).toEqual(overdueLong)
    const platform = at(today)
    await maintainRunPartitionsJob(platform).run(undefined, undefined)
    expect(await gone()).toEqual(['due7', 'long7', 'due30', 'due90', 'old400', 'old3650'])
    const until = partitionBounds.uuid(new Date(today - 6 * dayMs))
    expect(await limits.query(() => raw`select id from runs where class = 7 and id < ${until}::uuid`)).toHaveLength(1)
    const drops = server.logs.filter(({ message }) => message?.startsWith('dropped a partition'))
    const told = new Set(drops.map((line) => line['table']))
    expect((await gone()).filter((name) => !told.has(names[name]))).toEqual([])
    expect(await platform.metrics.getSingleMetricAsString('svc_partitions_dropped_total')).toMatch(
      /\{table="runs_7"\} 1$/m,
    )
    await expect(
      superuser.client.query(`select drop_partition('runs_7', $1)`, [partitionSuffix(new Date(today - dayMs))]),
    ).rejects.toThrow('still needed')
  })

  test('wait for whoever reads them, while others go on', async () => {
    const name = await oldTable(7, 1, 20)
    const { client: reader } = superuser
    await reader.query('begin')
    await reader.query(`select count(*) from ${name}`)
    const kept = keep()
    let slowest = 0
    for (let i = 0; i < 20; i++) {
      const started = performance.now()
      await insertRecorded(server, limits.acme.id, [recordedRun({ retentionClass: 7 })])
      slowest = Math.max(slowest, performance.now() - started)
      await sleep(25)
    }
    await reader.query('commit')
    await kept
    expect((await tables()).has(name)).toBe(false)
    // A drop gives way after 200 ms; the rest is for a machine that pauses.
    expect(slowest).toBeLessThan(10_000)
  })

  test('stand ready for a week, and tell when they do not', async () => {
    const platform = at(Date.now())
    const job = maintainRunPartitionsJob(platform)
    await job.run(undefined, undefined)
    const ahead = async () =>
      Number((await platform.metrics.getSingleMetricAsString('svc_partitions_days_ahead')).trim().split(' ').at(-1))
    expect(await ahead()).toBeGreaterThan(7)
    expect(await ahead()).toBeLessThanOrEqual(8)
    for (let day = 3; day <= 7; day++)
      await superuser.client.query(`drop table if exists holds_${partitionSuffix(new Date(today + day * dayMs))}`)
    expect(await ahead()).toBeGreaterThan(2)
    expect(await ahead()).toBeLessThan(3)
  })
})

test('keys of runs are forgotten when nobody may send them again', async () => {
  const orgId = requireId('org', limits.acme.id)
  const insert = (key: string, daysAgo: number) =>
    superuser.client.query(
      `insert into run_keys (org_id, key, run_id, seen_on) values ($1, $2, $3, (clock_timestamp() at time zone 'UTC')::date - $4::integer)`,
      [orgId, key, newUuid(), daysAgo],
    )
  await insert('e:old', 92)
  await insert('e:kept', 91)
  await keep()
  const { rows } = await superuser.client.query<{ key: string }>(
    `select key from run_keys where key in ('e:old', 'e:kept')`,
  )
  expect(rows).toEqual([{ key: 'e:kept' }])
})

test('chains are forgotten 45 days after their last use, with what counted them, but not while their organization decides', async () => {
  const [idle, busy] = [await tenantOf(server, limits.operator), await tenantOf(server, limits.operator)]
  for (const [org, chainId, daysAgo] of [
    [idle, 'old', 46],
    [idle, 'kept', 44],
    [busy, 'old', 46],
  ] as const)
    await insertChain(server, org.id, {
      chainId,
      rootId: newUuidAt(today),
      lastUsedAt: new Date(Date.now() - daysAgo * dayMs),
    })
  for (const chainId of ['old', 'kept'])
    await superuser.client.query(
      `insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, last_seq)
       select org_id, cost_key, cost_key, 'chain', chain_id, 'usd', '', 0 from chains where org_id = $1 and chain_id = $2`,
      [parseId('org', idle.id), chainId],
    )
  const counted = async () =>
    (
      await superuser.client.query<{ subject: string }>(`select subject from allowances where org_id = $1`, [
        parseId('org', idle.id),
      ])
    ).rows.map(({ subject }) => subject)
  const chains = async () =>
    (
      await superuser.client.query<{ org_id: string; chain_id: string }>(
        'select org_id, chain_id from chains order by 1, 2',
      )
    ).rows.map(({ org_id, chain_id }) => `${formatId('org', org_id) === idle.id ? 'idle' : 'busy'} ${chain_id}`)
  const { client } = superuser
  await client.query('begin')
  await client.query('select from org_ledgers where org_id = $1 for no key update', [parseId('org', busy.id)])
  await pruneChainsJob(server.platform).run(undefined, undefined)
  expect((await chains()).sort()).toEqual(['busy old', 'idle kept'])
  expect(await counted()).toEqual(['kept'])
  await client.query('commit')
  await pruneChainsJob(server.platform).run(undefined, undefined)
  expect(await chains()).toEqual(['idle kept'])
})
