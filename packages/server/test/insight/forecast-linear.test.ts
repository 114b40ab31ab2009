import { parseItem } from 'structured-headers'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectReturns } from '../../src/insight/forecasts/linear.ts'
import type { LinearForecast, LinearQuery } from '../../src/insight/forecasts/linear-schema.ts'
import { foldDeltas } from '../../src/records/usage/rollup.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { useSuperuser } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { recordedRun } from '../support/recorded-runs.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { insertUsage } from '../support/usage.ts'

const server = useServer({ environment: { SVC_DOCS_URL: 'https://docs.example.com/weir' } })
const owner = useSuperuser(server.database)
const route = '/v1/forecast'
const dayMs = 86_400_000
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const ask = (tenant: { key: string }, query = '') => call(server.url, 'GET', `${route}${query}`, { key: tenant.key })

async function forecast(tenant: Tenant, query = ''): Promise<LinearForecast> {
  const { status, text, json } = await ask(tenant, query)
  expect(status, text).toBe(200)
  return json as unknown as LinearForecast
}

const run = (deployment: string | null, department: string | null, cost: string, value?: string, daysAgo = 1) => ({
  model: 'gpt-4o',
  ...(deployment !== null && { deployment_id: deployment }),
  ...(department !== null && { department_id: department }),
  cost_usd: cost,
  ...(value !== undefined && { value_usd: value }),
  started_at: new Date(Date.now() - daysAgo * dayMs).toISOString(),
})

async function report(tenant: Tenant, runs: readonly object[]) {
  const { status, text } = await call(server.url, 'POST', '/v1/runs/bulk', { key: tenant.key, body: { runs } })
  expect(status, text).toBe(200)
}

const projections = (amounts: readonly string[]) => amounts.map((return_usd, i) => ({ team_count: i + 1, return_usd }))

describe('what was reported on runs', () => {
  let acme: Tenant
  beforeAll(async () => {
    acme = await tenantOf(server, operator)
    await report(acme, [
      // checkout: worth 100.5, cost 10.5, three teams: 30 a team.
      run('checkout', 'sales', '4', '60.25'),
      run('checkout', 'sales', '1.5', '0.25', 20),
      run('checkout', 'support', '3', '40'),
      { ...run('checkout', 'research', '2'), customer_id: 'c-1' },
      // A run without a department is nobody's team where others named theirs.
      run('checkout', null, '0', '0'),
      // support: worth 1, cost 11, three teams: a third of -10 a team.
      run('support', 'a', '5', '1'),
      run('support', 'b', '5'),
      run('support', 'c', '1'),
      // No deployment and no department: one team.
      run(null, null, '0.000000001', '0.000000004'),
    ])
  })

  const checkout = {
    deployment_id: 'checkout',
    runs: 5,
    team_count: 3,
    value_usd: '100.5',
    cost_usd: '10.5',
    return_usd: '90',
    return_per_team_usd: '30',
    projections: projections(['30', '60', '90', '120', '150', '180', '210', '240', '270', '300']),
  }
  const support = {
    deployment_id: 'support',
    runs: 3,
    team_count: 3,
    value_usd: '1',
    cost_usd: '11',
    return_usd: '-10',
    return_per_team_usd: '-3.333333333',
    projections: projections([
      '-3.333333333',
      '-6.666666667',
      '-10',
      '-13.333333333',
      '-16.666666667',
      '-20',
      '-23.333333333',
      '-26.666666667',
      '-30',
      '-33.333333333',
    ]),
  }
  const nameless = {
    deployment_id: null,
    runs: 1,
    team_count: 1,
    value_usd: '0.000000004',
    cost_usd: '0.000000001',
    return_usd: '0.000000003',
    return_per_team_usd: '0.000000003',
    projections: projections(
      Array.from({ length: 10 }, (_, i) => `0.0000000${String(3 * (i + 1)).padStart(2, '0')}`),
    ).map(({ team_count, return_usd }) => ({ team_count, return_usd: return_usd.replace(/0+$/, '') })),
  }

  test('is projected by the table that a hand computes, deployment by deployment', async () => {
    const answer = await forecast(acme)
    expect(answer.data).toEqual([nameless, checkout, support])
    expect(answer).toMatchObject({ next_cursor: null, method: 'linear' })
    expect(Date.parse(answer.to) - Date.parse(answer.from)).toBe(30 * dayMs)
    expect(answer.to).toMatch(/T00:00:00\.000\+00:00$/)
  })

  test('is projected for one deployment and one number of teams where they are named', async () => {
    expect((await forecast(acme, '?deployment_id=checkout')).data).toEqual([checkout])
    const twelve = await forecast(acme, '?deployment_id=support&team_count=12')
    expect(twelve.data).toEqual([{ ...support, projections: [{ team_count: 12, return_usd: '-40' }] }])
    const most = await forecast(acme, '?team_count=10000')
    expect(most.data.map(({ projections: [only] }) => only!.return_usd)).toEqual([
      '0.00003',
      '300000',
      '-33333.333333333',
    ])
  })

  test('is the same once it is folded, and the same sums that usage has', async () => {
    const before = await forecast(acme)
    await foldDeltas(server.platform)
    expect((await forecast(acme)).data).toEqual(before.data)
    for (const { deployment_id, runs, value_usd, cost_usd } of before.data.filter(
      (row) => row.deployment_id !== null,
    )) {
      const { json } = await call(server.url, 'GET', `/v1/orgs/${acme.id}/usage?deployment_id=${deployment_id}`, acme)
      expect(json['totals']).toMatchObject({ runs, value_usd, cost_usd })
    }
  })

  test('comes in pages, each deployment once, in both directions', async () => {
    for (const sort of ['deployment_id', '-deployment_id']) {
      const seen: (string | null)[] = []
      for (let query: string | null = `?limit=1&sort=${sort}`; query !== null; ) {
        const { data, next_cursor } = await forecast(acme, query)
        seen.push(...data.map(({ deployment_id }) => deployment_id))
        query = next_cursor === null ? null : `?limit=1&sort=${sort}&cursor=${next_cursor}`
      }
      const expected = [null, 'checkout', 'support']
      expect(seen).toEqual(sort.startsWith('-') ? expected.toReversed() : expected)
    }
  })

  test('is nobody else’s', async () => {
    const bob = await tenantOf(server, operator, 'Bob')
    expect((await forecast(bob)).data).toEqual([])
    expect((await forecast(bob, '?deployment_id=checkout')).data).toEqual([])
  })
})

test('a deployment whose name is as long and as odd as names may be has its page', async () => {
  const tenant = await tenantOf(server, operator)
  const names = ['𝄞', '"', '\\', 'é'].map((character) => character.repeat(200)).sort()
  await report(
    tenant,
    names.map((name) => run(name, 'a', '1', '2')),
  )
  const seen: unknown[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: LinearForecast = await forecast(tenant, `?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    seen.push(...page.data.map(({ deployment_id }) => deployment_id))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(names)
  for (const name of names)
    expect((await forecast(tenant, `?deployment_id=${encodeURIComponent(name)}`)).data).toHaveLength(1)
})

test('without runs there is nothing to project, and that is 200', async () => {
  const tenant = await tenantOf(server, operator)
  expect(await forecast(tenant)).toMatchObject({ data: [], next_cursor: null, method: 'linear' })
  expect(await forecast(tenant, '?deployment_id=checkout&team_count=3')).toMatchObject({ data: [] })
  await report(tenant, [run('checkout', 'sales', '1', '2', 45)])
  expect((await forecast(tenant)).data).toEqual([])
})

test('the window has 30 days in UTC to the millisecond, and an estimate that was replaced counts once', async () => {
  const tenant = await tenantOf(server, operator)
  const orgId = requireId('org', tenant.id)
  const now = new Date('2026-11-15T13:37:00Z')
  const from = Date.parse('2026-10-17T00:00:00Z')
  const at = (startedAtMs: number, department_id: string) =>
    recordedRun({ startedAtMs, valueNano: 3_000_000_000n, about: { deployment_id: 'd', department_id } })
  const random = new Random(firstSeed())
  await insertUsage(owner.client, orgId, [at(from - 1, 'early'), at(from, 'first'), at(now.getTime(), 'last')], random)
  const asked = (query: LinearQuery, clockNow = now) =>
    projectReturns({ ...server.platform, clock: { now: () => clockNow } }, orgId, query)
  const expected = { runs: 2, team_count: 2, value_usd: '6', cost_usd: '2', return_usd: '4', return_per_team_usd: '2' }
  expect((await asked({})).data).toMatchObject([expected])
  await foldDeltas(server.platform)
  expect((await asked({})).data).toMatchObject([expected])
  expect((await asked({}, new Date(now.getTime() - dayMs))).data).toMatchObject([{ runs: 2, team_count: 2 }])
  expect((await asked({}, new Date(now.getTime() + dayMs))).data).toMatchObject([{ runs: 1, team_count: 1 }])
})

test.each([
  ['team_count=0', 'team_count', 'out_of_range'],
  ['team_count=10001', 'team_count', 'out_of_range'],
  ['team_count=2.5', 'team_count', 'invalid_type'],
  ['team_count=many', 'team_count', 'invalid_type'],
  ['deployment_id=', 'deployment_id', 'invalid_filter'],
  ['deployment=x', 'deployment', 'invalid_filter'],
  ['sort=cost', 'sort', 'unknown_sort_field'],
  ['cursor=x', 'cursor', 'invalid_value'],
])('%s is refused and the field named', async (query, field, code) => {
  expect(faultsOf(await ask(await tenantOf(server, operator), `?${query}`))).toEqual([`${field}: ${code}`])
})

describe('that it is deprecated', () => {
  const counted = async () => {
    const exposition = await (await fetch(`${server.url}/metrics`)).text()
    const lines = exposition.split('\n').filter((line) => line.startsWith('svc_deprecated_route_calls_total'))
    return Number(
      lines
        .find((line) => line.includes(`{route="${route}"}`))!
        .split(' ')
        .at(-1),
    )
  }

  test('is said in all three headers of every answer, and every call is counted', async () => {
    const tenant = await tenantOf(server, operator)
    const scopeless = await keyOf(server, tenant.id, { scopes: ['runs:read'] })
    const viewer = await keyOf(server, tenant.id, { role: 'viewer', scopes: ['forecasts:read'] })
    const answers: [number, () => Promise<Answer>][] = [
      [200, () => ask(tenant)],
      [200, () => ask(viewer, '?deployment_id=x&team_count=3')],
      [200, () => call(server.url, 'HEAD', route, { key: tenant.key })],
      [401, () => call(server.url, 'GET', route)],
      [403, () => ask(scopeless)],
      [403, () => ask({ key: operator })],
      [422, () => ask(tenant, '?team_count=0')],
      [400, () => ask(tenant, '?deployment_id=%zz')],
    ]
    for (const [expected, answer] of answers) {
      const before = await counted()
      const { status, headers } = await answer()
      expect(status).toBe(expected)
      expect(headers.get('deprecation')).toBe('@1784678400')
      expect(parseItem(headers.get('deprecation')!)[0]).toEqual(new Date('2026-07-22T00:00:00Z'))
      expect(headers.get('sunset')).toBe('Wed, 31 Dec 2036 23:59:59 GMT')
      expect(headers.get('link')).toBe(
        '<https://docs.example.com/weir>; rel="deprecation", </v1/capacity/forecasts>; rel="successor-version"',
      )
      expect(await counted()).toBe(before + 1)
    }
  })

  test('is listed, and flagged in OpenAPI, where its successor is not', async () => {
    const listing = (await (await fetch(`${server.url}/v1/meta/deprecations`)).json()) as { route: string }[]
    expect(listing.filter((entry) => entry.route === route)).toEqual([
      {
        route,
        method: 'GET',
        since: '2026-07-22',
        sunset: 'Wed, 31 Dec 2036 23:59:59 GMT',
        replacement: '/v1/capacity/forecasts',
        documentation: 'https://docs.example.com/weir/deprecations#forecast',
      },
    ])
    const { paths } = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, { get: { deprecated?: boolean } }>
    }
    expect(paths[route]!.get.deprecated).toBe(true)
    expect(paths['/v1/capacity/forecasts']!.get.deprecated).toBeUndefined()
  })
})
