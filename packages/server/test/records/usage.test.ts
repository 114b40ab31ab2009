import { sql as raw } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type RunRecord, usageCounters } from '../../src/records/run-log/run-log.ts'
import { cutWindow, granularities } from '../../src/records/usage/granules.ts'
import { usageStatement } from '../../src/records/usage/queries.ts'
import { foldDeltas, foldOldUsage, startFolding } from '../../src/records/usage/rollup.ts'
import { readUsage } from '../../src/records/usage/usage.ts'
import { newUuid, parseId, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { metricOf, useSuperuser } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { type Asked, insertUsage, naiveUsage, periodNamer, randomRun } from '../support/usage.ts'

// What is added up is judged here, not how long a slow machine takes for it.
const server = useServer({ environment: { SVC_EXPENSIVE_READ_MS_PER_SECOND: '10000' } })
const owner = useSuperuser(server.database)
const dayMs = 86_400_000
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const zones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Africa/Cairo',
]
const groupings = ['model', 'provider', 'workflow_id', 'deployment_id', 'department_id'] as const

interface Page {
  data: (Record<string, unknown> & { period_start: string; period_end: string })[]
  next_cursor: string | null
  totals: Record<string, unknown>
  from: string
  to: string
}
type Ask = (query: Record<string, string>) => Promise<Page>

const overHttp =
  (tenant: Tenant): Ask =>
  async (query) => {
    const { status, text, json } = await call(
      server.url,
      'GET',
      `/v1/orgs/${tenant.id}/usage?${new URLSearchParams(query).toString()}`,
      tenant,
    )
    expect(status, text).toBe(200)
    return json as unknown as Page
  }

/** At another time than now, and so past HTTP. */
const atTime =
  (tenant: Tenant, now: Date): Ask =>
  async (query) => {
    const { limit, ...rest } = query
    const platform = { ...server.platform, clock: { now: () => now } }
    const asked = { ...rest, ...(limit !== undefined && { limit: Number(limit) }) }
    return readUsage(platform, requireId('org', tenant.id), asked)
  }

function randomAsked(random: Random, fromMs: number, toMs: number): Asked {
  const spanMs = random.between(3_600_000, 90 * dayMs)
  const start = random.between(fromMs, toMs - spanMs)
  const whole = random.chance(0.5) ? 1 : dayMs
  const [from, to] = [start, start + spanMs].map((ms) => new Date(Math.floor(ms / whole) * whole).toISOString())
  const window = { from: from!, to: to === from ? new Date(Date.parse(from!) + 1).toISOString() : to! }
  if (random.chance(0.2)) {
    return {
      ...window,
      granularity: random.pick(['day', 'week', 'month']),
      timezone: 'UTC',
      groups: random.chance(0.7) ? ['customer_id'] : [],
      filters: random.chance(0.5) ? { customer_id: random.pick(['c-1', 'ç-3']) } : {},
    }
  }
  const groups = random.some(groupings, 0.4).slice(0, 4)
  return {
    ...window,
    granularity: random.pick(groups.length > 2 ? granularities.filter((name) => name !== 'hour') : granularities),
    timezone: random.pick(zones),
    groups,
    filters: Object.fromEntries(
      random
        .some(
          [
            ['model', random.pick(['gpt-4o', 'ünïcode "modell", ab'])],
            ['provider', 'azure'],
            ['workflow_id', random.pick(['checkout', 'Checkout'])],
            ['department_id', 'sales'],
          ] as const,
          0.15,
        )
        .map(([name, value]) => [name, value]),
    ),
  }
}

/** All pages of an answer hold exactly what the naive sum says, each row once and in order. */
async function expectNaive(ask: Ask, runs: readonly RunRecord[], asked: Asked, nowMs: number, limit = 200) {
  const expected = naiveUsage(runs, asked, nowMs)
  const nameOf = periodNamer(asked.granularity, asked.timezone)
  const query = {
    from: asked.from,
    to: asked.to,
    granularity: asked.granularity,
    timezone: asked.timezone,
    ...(asked.groups.length > 0 && { group_by: asked.groups.join(',') }),
    ...asked.filters,
    limit: String(limit),
  }
  const found = new Map<string, unknown>()
  const places: unknown[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page = await ask({ ...query, ...(cursor !== undefined && { cursor }) })
    for (const { period_start, period_end, ...row } of page.data) {
      const groups = asked.groups.map((name) => row[name] ?? null)
      const sums = Object.fromEntries(Object.entries(row).filter(([name]) => !asked.groups.includes(name)))
      const key = JSON.stringify([nameOf(Date.parse(period_start)), ...groups])
      expect(found.has(key), key).toBe(false)
      found.set(key, sums)
      places.push([Date.parse(period_start), ...groups.map((group) => group ?? '')])
      expect(Date.parse(period_start)).toBeGreaterThanOrEqual(Date.parse(page.from))
      expect(Date.parse(period_end)).toBeLessThanOrEqual(Date.parse(page.to))
      expect(nameOf(Date.parse(period_end) - 1)).toBe(nameOf(Date.parse(period_start)))
    }
    expect(page.totals).toEqual(expected.totals)
    cursor = page.next_cursor
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected.rows))
  expect(places).toEqual(places.toSorted(comparePlaces))
}

const comparePlaces = (a: unknown[], b: unknown[]) => {
  for (const [i, value] of a.entries()) {
    const order =
      typeof value === 'number'
        ? value - (b[i] as number)
        : Buffer.compare(Buffer.from(value as string), Buffer.from(b[i] as string))
    if (order !== 0) return order
  }
  return 0
}

function seeded() {
  const seed = firstSeed()
  console.info(`seed ${seed}`)
  return new Random(seed)
}

/** Rows of usage_hours, and how many of them, or of those that should be there, differ from the sums of usage_15m. */
async function hoursAgainstQuarters(orgId: string) {
  const sums = usageCounters.map((name) => `sum(${name})::numeric`).join(', ')
  const names = `model, provider, workflow_id, deployment_id, department_id, key_id, user_id`
  const { rows } = await owner.client.query<{ hours: number; differences: number }>(
    `with kept as (select bucket, ${names}, ${sums} from usage_hours where org_id = $1 group by bucket, ${names}),
     due as (select date_trunc('hour', bucket, 'UTC'), ${names}, ${sums} from usage_15m where org_id = $1 group by 1, ${names})
     select (select count(*)::int from kept) as hours,
            (select count(*)::int from ((table kept except table due) union all (table due except table kept)) as d) as differences`,
    [orgId],
  )
  return rows[0]
}

/** How many rows of usage_hour_values, or of those that should be there, differ from the sums of usage_15m. */
async function valuesAgainstQuarters(orgId: string) {
  const sums = usageCounters.map((name) => `sum(${name})::numeric`).join(', ')
  const values = `('', ''), ('model', model), ('workflow_id', workflow_id), ('deployment_id', deployment_id), ('department_id', department_id)`
  const { rows } = await owner.client.query<{ values: number; differences: number }>(
    `with kept as (select dimension, bucket, value, ${sums} from usage_hour_values where org_id = $1 group by 1, 2, 3),
     due as (
       select v.dimension, date_trunc('hour', bucket, 'UTC'), v.value, ${sums}
         from usage_15m cross join lateral (values ${values}) v (dimension, value) where org_id = $1 group by 1, 2, 3)
     select (select count(*)::int from kept) as values,
            (select count(*)::int from ((table kept except table due) union all (table due except table kept)) as d) as differences`,
    [orgId],
  )
  return rows[0]
}

describe('usage equals a naive sum', () => {
  test('whatever is asked, before, while and after it is folded', async () => {
    const random = seeded()
    const tenant = await tenantOf(server, operator)
    const neighbour = await tenantOf(server, operator)
    const orgId = requireId('org', tenant.id)
    const nowMs = Date.now()
    const [fromMs, toMs] = [nowMs - 150 * dayMs, nowMs]
    const runs = Array.from({ length: 400 }, () => randomRun(random, fromMs, toMs))
    const foreign = Array.from({ length: 50 }, () => randomRun(random, fromMs, toMs))
    await insertUsage(owner.client, orgId, runs, random)
    await insertUsage(owner.client, requireId('org', neighbour.id), foreign, random)
    // At one time throughout: a midnight that passes meanwhile would move what is old.
    const ask = atTime(tenant, new Date(nowMs))
    const check = () => expectNaive(ask, runs, randomAsked(random, fromMs, toMs), nowMs, random.pick([1, 7, 50, 200]))

    for (let i = 0; i < 25; i++) await check()
    const state = { isFolding: true }
    const folding = (async () => {
      for (let i = 0; i < 8; i++) {
        await foldDeltas(server.platform)
        await foldOldUsage({ ...server.platform, clock: { now: () => new Date(nowMs) } })
        const more = Array.from({ length: 5 }, () => ({ ...randomRun(random, fromMs, toMs), costNano: 0n }))
        await insertUsage(owner.client, requireId('org', neighbour.id), more, random)
      }
    })().finally(() => {
      state.isFolding = false
    })
    while (state.isFolding) await check()
    await folding
    const { rows } = await owner.client.query<Record<string, number>>(
      `select (select count(*)::int from usage_deltas where org_id = $1) as deltas,
              (select count(*)::int from usage_15m where org_id = $1 and bucket < $2::timestamptz - interval '93 days') as old,
              (select count(*)::int from usage_days where org_id = $1) as days`,
      [orgId, new Date(nowMs)],
    )
    expect(rows[0]).toMatchObject({ deltas: 0, old: 0, days: expect.any(Number) as number })
    expect(rows[0]!['days']).toBeGreaterThan(50)
    expect(await hoursAgainstQuarters(orgId)).toEqual({ hours: expect.any(Number) as number, differences: 0 })
    const values = await valuesAgainstQuarters(orgId)
    expect(values?.differences).toBe(0)
    expect(values?.values).toBeGreaterThan(100)
    for (let i = 0; i < 25; i++) await check()
  })

  test.each(['2026-03-31T12:00:00Z', '2026-11-02T12:00:00Z', '2024-02-29T23:59:59Z'])(
    'where clocks have just changed, at %s',
    { timeout: 120_000 },
    async (time) => {
      expect.hasAssertions()
      const random = seeded()
      const tenant = await tenantOf(server, operator)
      const nowMs = Date.parse(time)
      const [fromMs, toMs] = [nowMs - 91 * dayMs, nowMs]
      const runs = Array.from({ length: 200 }, () => randomRun(random, fromMs, toMs))
      await insertUsage(owner.client, requireId('org', tenant.id), runs, random)
      for (let i = 0; i < 40; i++)
        await expectNaive(atTime(tenant, new Date(nowMs)), runs, randomAsked(random, fromMs, toMs), nowMs)
    },
  )
})

test('periods are what the clocks of a zone call an hour, a day, a week or a month, and follow each other without a gap', () => {
  for (const timezone of zones) {
    for (const granularity of granularities) {
      const nameOf = periodNamer(granularity, timezone)
      for (const from of ['2026-02-20', '2026-04-01', '2026-09-20']) {
        const window = {
          from: new Date(`${from}T07:15:00Z`),
          to: new Date(Date.parse(`${from}T07:15:00Z`) + 60 * dayMs),
        }
        const starts = cutWindow({ granularity, timezone }, window).map((start) => start.getTime())
        expect(starts[0]).toBe(window.from.getTime())
        const names = starts.map(nameOf)
        expect(new Set(names).size).toBe(names.length)
        for (const [i, start] of starts.entries()) {
          const end = starts[i + 1] ?? window.to.getTime()
          // Days are checked by the quarter, and weeks consist of them.
          const step = granularity === 'week' ? 6 * 3_600_000 : 900_000
          for (let at = start; at < end; at += step) expect(nameOf(at), `${timezone} ${granularity}`).toBe(names[i])
          expect(nameOf(end - 1)).toBe(names[i])
        }
      }
    }
  }
})

describe('folding', () => {
  test('by several workers at once, while usage is recorded, loses and doubles nothing', async () => {
    const random = seeded()
    const nowMs = Date.now()
    const tenants = await Promise.all([1, 2, 3].map(() => tenantOf(server, operator)))
    const all = tenants.map(() => Array.from({ length: 600 }, () => randomRun(random, nowMs - 80 * dayMs, nowMs)))
    const state = { isRecording: true }
    const recording = (async () => {
      for (const [i, tenant] of tenants.entries())
        await insertUsage(owner.client, requireId('org', tenant.id), all[i]!, random)
    })().finally(() => {
      state.isRecording = false
    })
    const folders = Array.from({ length: 4 }, async () => {
      while (state.isRecording) await foldDeltas(server.platform)
      await foldDeltas(server.platform)
    })
    await Promise.all([recording, ...folders])
    // Whoever found an organization taken went on without it.
    await foldDeltas(server.platform)
    const asked = {
      from: new Date(nowMs - 85 * dayMs).toISOString(),
      to: new Date(nowMs + dayMs).toISOString(),
      timezone: 'Asia/Kathmandu',
      filters: {},
    }
    for (const [i, tenant] of tenants.entries()) {
      const orgId = requireId('org', tenant.id)
      const left = await owner.client.query('select from usage_deltas where org_id = $1', [orgId])
      expect(left.rowCount).toBe(0)
      await expectNaive(overHttp(tenant), all[i]!, { ...asked, granularity: 'day', groups: ['model'] }, nowMs)
      const byCustomer = { ...asked, timezone: 'UTC', granularity: 'month', groups: ['customer_id'] } as const
      await expectNaive(overHttp(tenant), all[i]!, byCustomer, nowMs)
    }
  })

  test('goes on by itself until it is closed', async () => {
    const random = new Random(5)
    const tenant = await tenantOf(server, operator)
    const orgId = requireId('org', tenant.id)
    const left = async () =>
      (await owner.client.query('select from usage_deltas where org_id = $1', [orgId])).rowCount ?? 0
    const folder = startFolding(server.platform)
    await insertUsage(owner.client, orgId, [randomRun(random, 0, Date.now())], random)
    await expect.poll(left).toBe(0)
    await folder.close()
    expect(await metricOf(server.url, 'svc_usage_deltas_folded_total')).toBeGreaterThan(0)
    await insertUsage(owner.client, orgId, [randomRun(random, 0, Date.now())], random)
    expect(await left()).toBeGreaterThan(0)
  })

  test('finds every organization with old usage, also behind many that have none', async () => {
    const nowMs = Date.now()
    await owner.client.query(
      `insert into usage_15m select gen_random_uuid(), now(), 'm', '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0
         from generate_series(1, 250)`,
    )
    await owner.client.query(
      `insert into usage_15m select 'ffffffff-0000-7000-8000-000000000000', now() - make_interval(days => 100, mins => 15 * i::int), 'm', '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0
         from generate_series(1, 5000) i`,
    )
    await foldOldUsage({ ...server.platform, clock: { now: () => new Date(nowMs) } })
    const { rows } = await owner.client.query(
      `select count(*)::int as days, sum(runs)::int as runs,
              (select count(*)::int from usage_15m where org_id = 'ffffffff-0000-7000-8000-000000000000') as quarters
         from usage_days where org_id = 'ffffffff-0000-7000-8000-000000000000'`,
    )
    expect(rows[0]).toMatchObject({ runs: 5000, quarters: 0 })
    expect(await hoursAgainstQuarters('ffffffff-0000-7000-8000-000000000000')).toEqual({ hours: 0, differences: 0 })
    expect(await valuesAgainstQuarters('ffffffff-0000-7000-8000-000000000000')).toEqual({ values: 0, differences: 0 })
  })
})

describe('a query', () => {
  let tenant: Tenant
  let viewer: string
  beforeAll(async () => {
    tenant = await tenantOf(server, operator)
    viewer = (await keyOf(server, tenant.id, { role: 'viewer', scopes: ['usage:read'] })).key
  })
  const get = (query: string) => call(server.url, 'GET', `/v1/orgs/${tenant.id}/usage${query}`, { key: viewer })

  test('that says nothing is about the last 30 UTC days with today, and is empty where nothing ran', async () => {
    const { status, json } = await get('')
    expect(status).toBe(200)
    const tomorrow = Math.floor(Date.now() / dayMs) * dayMs + dayMs
    expect(json).toMatchObject({ data: [], next_cursor: null, granularity: 'day' })
    expect(json['totals']).toMatchObject({ runs: 0, cost_usd: '0', average_duration_ms: null })
    expect(Date.parse(json['to'] as string)).toBe(tomorrow)
    expect(Date.parse(json['from'] as string)).toBe(tomorrow - 30 * dayMs)
  })

  test.each(zones)('by default ends with the running hour, day, week or month in %s', async (timezone) => {
    for (const granularity of granularities) {
      const { json } = await get(`?granularity=${granularity}&timezone=${timezone}`)
      const nameOf = periodNamer(granularity, timezone)
      const [from, to] = [json['from'], json['to']].map((time) => Date.parse(time as string)) as [number, number]
      expect(nameOf(to - 1)).toBe(nameOf(Date.now()))
      expect(nameOf(to)).not.toBe(nameOf(to - 1))
      expect(nameOf(from)).not.toBe(nameOf(from - 1))
      expect((to - from) / dayMs).toBeGreaterThan(27)
    }
  })

  test('has its ends moved out to whole quarters of an hour, or days where customers are asked for', async () => {
    const window = '?from=2026-10-01T10:07:00Z&to=2026-10-02T10:16:00Z'
    expect((await get(window)).json).toMatchObject({
      from: '2026-10-01T10:00:00.000+00:00',
      to: '2026-10-02T10:30:00.000+00:00',
    })
    expect((await get(`${window}&group_by=customer_id`)).json).toMatchObject({
      from: '2026-10-01T00:00:00.000+00:00',
      to: '2026-10-03T00:00:00.000+00:00',
    })
  })

  test('of 366 days is refused, and told that 90 are the most', async () => {
    const answer = await get('?from=2025-01-01&to=2026-01-02')
    expect(faultsOf(answer)).toEqual(['to: out_of_range'])
    expect(answer.text).toContain('90')
    expect(faultsOf(await get('?from=2025-01-01'))).toEqual(['to: out_of_range'])
    expect((await get(`?from=${new Date(Date.now() - 90 * dayMs + 1_000).toISOString()}`)).status).toBe(200)
  })

  test.each([
    ['?group_by=models', ['group_by: invalid_value']],
    ['?group_by=model,model', ['group_by: invalid_value']],
    ['?group_by=model,', ['group_by: invalid_value']],
    ['?group_by=', ['group_by: empty']],
    ['?group_by=model,provider,workflow_id,deployment_id,department_id', ['group_by: too_many']],
    ['?group_by=model,provider,workflow_id&granularity=hour', ['granularity: out_of_range']],
    ['?format=png', ['format: invalid_value']],
    ['?format=svg&limit=5&sort=-period_start', ['limit: invalid_value', 'sort: invalid_value']],
    ['?granularity=year', ['granularity: invalid_value']],
    ['?timezone=Mars/Olympus', ['timezone: invalid_value']],
    ['?timezone=%2B05:30', ['timezone: invalid_value']],
    ['?model=', ['model: invalid_filter']],
    ['?model=a%00b', ['model: invalid_filter']],
    ['?colour=red', ['colour: invalid_filter']],
    ['?sort=cost_usd', ['sort: unknown_sort_field']],
    ['?cursor=nonsense', ['cursor: invalid_value']],
    ['?from=2026-02-30', ['from: invalid_filter']],
    ['?group_by=customer_id,model', ['group_by: invalid_value']],
    ['?group_by=customer_id&granularity=hour', ['granularity: invalid_value']],
    ['?group_by=customer_id&timezone=Europe/Berlin', ['timezone: invalid_value']],
    ['?customer_id=c&model=m&workflow_id=w', ['model: invalid_value', 'workflow_id: invalid_value']],
  ])('%s names what is wrong', async (query, faults) => {
    expect(faultsOf(await get(query))).toEqual(faults)
  })

  test('that mixes customers with anything else is told why not', async () => {
    expect((await get('?group_by=customer_id&granularity=hour')).text).toContain('UTC day')
  })

  test('goes on with a cursor of the same sort and groups only', async () => {
    const random = new Random(7)
    const nowMs = Date.now()
    const runs = Array.from({ length: 50 }, () => randomRun(random, nowMs - 20 * dayMs, nowMs - dayMs))
    await insertUsage(owner.client, requireId('org', tenant.id), runs, random)
    const { json } = await get('?group_by=model&limit=3')
    const cursor = json['next_cursor'] as string
    expect((await get(`?group_by=model&limit=3&cursor=${cursor}`)).status).toBe(200)
    for (const other of ['', '&group_by=model,provider', '&group_by=model&sort=-period_start'])
      expect(faultsOf(await get(`?cursor=${cursor}${other}`))).toEqual(['cursor: invalid_value'])
  })

  test('sorted the other way round gives the same rows backwards', async () => {
    const all = async (sort: string) => {
      const rows: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { json } = await get(`?group_by=model,workflow_id&limit=11&sort=${sort}${cursor && `&cursor=${cursor}`}`)
        rows.push(...(json['data'] as unknown[]))
        cursor = json['next_cursor'] as string | null
      }
      return rows
    }
    const forwards = await all('period_start')
    expect(forwards.length).toBeGreaterThan(11)
    expect(await all('-period_start')).toEqual(forwards.toReversed())
  })

  test('with the longest names there are still has a cursor that is taken', async () => {
    const long = '🦜'.repeat(200)
    const run = (i: number) => ({ ...randomRun(new Random(i), Date.now() - dayMs, Date.now()), endedAtMs: null })
    const runs = [1, 2, 3].map((i) => ({
      ...run(i),
      about: {
        model: `${long.slice(0, -2)}${i}`,
        provider: long.slice(0, 200),
        workflow_id: long,
        deployment_id: long,
        department_id: 'long',
      },
    }))
    await insertUsage(owner.client, requireId('org', tenant.id), runs, new Random(3))
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json, status } = await get(
        `?group_by=model,provider,workflow_id,deployment_id&department_id=long&limit=1${cursor && `&cursor=${cursor}`}`,
      )
      expect(status).toBe(200)
      seen.push(...(json['data'] as unknown[]))
      cursor = json['next_cursor'] as string | null
    }
    expect(seen).toHaveLength(3)
  })

  test('about years in which nothing was is answered', async () => {
    for (const window of ['from=0001-01-01&to=0001-02-01', 'from=9999-12-01&to=9999-12-31T23:59:59Z'])
      for (const rest of ['', '&timezone=Asia/Kathmandu&granularity=hour', '&group_by=customer_id&granularity=month'])
        expect((await get(`?${window}${rest}`)).status, window + rest).toBe(200)
  })
})

test('sums beyond what one amount may be stay exact', async () => {
  const tenant = await tenantOf(server, operator)
  await owner.client.query(
    `insert into usage_15m select $1, date_trunc('hour', now()) - make_interval(mins => 15 * i::int), 'm', '', '', '', '', 1, 0, 0, 0, 0, 0, 0,
            8999999999999999999, 0, 0, 0, 0, 0 from generate_series(1, 1000) i`,
    [parseId('org', tenant.id)],
  )
  const { totals } = await overHttp(tenant)({})
  expect(totals).toMatchObject({ runs: 1000, cost_usd: '8999999999999.999999' })
})

test('reads an organization’s own rows through the key, however many others have', async () => {
  const orgId = newUuid()
  await owner.client.query(
    `insert into usage_15m
     select o, now() - make_interval(mins => 15 * i::int), 'm', '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0
       from (select $1::uuid as o union all select gen_random_uuid() from generate_series(1, 60)) orgs, generate_series(1, 2000) i`,
    [orgId],
  )
  await owner.client.query(
    `insert into usage_days select org_id, date_trunc('day', bucket, 'UTC') - interval '100 days', model, provider, 'w' || row_number() over (), '', '',
            1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 from usage_15m`,
  )
  await owner.client.query(
    `insert into usage_customer_days select org_id, bucket::date, 'c' || row_number() over (), 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 from usage_15m`,
  )
  await owner.client.query(
    `insert into usage_deltas select org_id, gen_random_uuid(), bucket, model, '', '', '', '', null, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 from usage_15m`,
  )
  await owner.client.query('analyze usage_15m, usage_days, usage_customer_days, usage_deltas')
  const now = new Date()
  const back = (days: number) => new Date(now.getTime() - days * dayMs)
  for (const isByCustomer of [false, true]) {
    for (const window of [
      { from: back(80), to: now },
      { from: back(125), to: back(40) },
      { from: back(1), to: now },
    ]) {
      const statement = usageStatement(orgId, {
        window,
        starts: [window.from],
        groups: isByCustomer ? ['customer_id'] : ['model'],
        filters: {},
        isByCustomer,
        daysBefore: back(90),
        limit: 50,
        descending: false,
        after: undefined,
      })
      const plan = await server.platform.sql.asOrgs([orgId], async (tx) =>
        JSON.stringify((await raw`explain (format json) ${statement}`.execute(tx)).rows),
      )
      expect(plan).not.toContain('Seq Scan')
      const tables = isByCustomer ? ['usage_customer_days'] : ['usage_15m', 'usage_days']
      for (const table of [...tables, 'usage_deltas']) expect(plan).toContain(`${table}_pkey`)
    }
  }
  await owner.client.query('truncate usage_15m, usage_days, usage_customer_days, usage_deltas')
})

describe('a picture of usage', () => {
  const picture = async (query: string) => {
    const response = await fetch(`${server.url}/v1/orgs/${drawn.id}/usage?format=svg${query}`, {
      headers: { authorization: `Bearer ${drawn.key}` },
    })
    return { status: response.status, headers: response.headers, svg: await response.text() }
  }
  let drawn: Tenant

  beforeAll(async () => {
    drawn = await tenantOf(server, (await operatorOf(server)).key, 'Drawn')
    const random = new Random(7)
    const nowMs = Date.now()
    const runs = Array.from({ length: 9 }, (_, i) => ({
      ...randomRun(random, nowMs - 3 * dayMs, nowMs),
      costNano: BigInt(i + 1) * 1_000_000_000n,
      about: { model: i === 8 ? '<script>alert(1)</script>' : `model-${i}`, workflow_id: 'w' },
    }))
    await insertUsage(owner.client, requireId('org', drawn.id), runs, random)
  })

  test('shows the total, the groups that cost most, and the others together', async () => {
    const { status, headers, svg } = await picture('&granularity=week&group_by=model')
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(svg).toContain('Cost by week and model: $45')
    expect(svg).toContain('model-7 $8')
    expect(svg).toContain('4 others $10')
    expect(svg).not.toContain('<script')
    expect(svg).toContain('&lt;script&gt;')
    expect(await picture('&granularity=week&group_by=model')).toMatchObject({ svg })
  })

  test('is drawn without groups, with four, and with nothing in it', async () => {
    expect((await picture('')).svg).toContain('Cost by day: $45')
    expect((await picture('&group_by=model,provider,workflow_id,key_id')).status).toBe(200)
    expect((await picture('&model=nothing')).svg).toContain('There is no data to show yet.')
  })
})
