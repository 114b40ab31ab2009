import { describe, expect, test } from 'vitest'
import { foldDeltas, foldOldUsage } from '../../src/records/usage/rollup.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()
const dayMs = 86_400_000
const requests = 24
const runsPerRequest = 500
const perDay = 50

/** An organization that usage tells fewer new values apart for than others. */
async function newOrg(max_new_values_per_day = perDay): Promise<MoneyOrg> {
  const org = await money.org()
  await org.set('PATCH', '', { max_new_values_per_day })
  return org
}

const record = async (org: MoneyOrg, runs: readonly object[]) => {
  const { status, json } = await org.post('/v1/runs/bulk', { runs: runs.map((run) => ({ model: 'gpt-4o', ...run })) })
  expect(json.error).toBeUndefined()
  expect(status).toBe(200)
}
const fold = (daysAhead = 0) =>
  foldDeltas({ ...money.server.platform, clock: { now: () => new Date(Date.now() + daysAhead * dayMs) } })

interface UsageAnswer {
  readonly totals: { readonly runs: number; readonly cost_usd: string }
  readonly data: readonly Record<string, unknown>[]
}
const usage = async (org: MoneyOrg, query: string): Promise<UsageAnswer> =>
  (
    await call(money.server.url, 'GET', `/v1/orgs/${org.id}/usage?granularity=month&limit=200&${query}`, {
      key: org.key,
    })
  ).json as unknown as UsageAnswer
const runsOf = async (org: MoneyOrg, dimension: string) =>
  Object.fromEntries(
    (await usage(org, `group_by=${dimension}`)).data.map((row) => [String(row[dimension]), row['runs']]),
  ) as Record<string, number>
const count = async (org: MoneyOrg, table: string) =>
  (await org.rows<{ n: number }>(`select count(*)::integer as n from ${table} where org_id = $1`))[0]!.n
const events = (org: MoneyOrg) => org.events('usage.values_limited')
const numbered = (prefix: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${prefix}${from + i}`)

describe('names that callers make up', () => {
  test('neither fill the rollups of usage nor change its sums', async () => {
    const org = await newOrg()
    await record(org, [{ cost_usd: '1', workflow_id: 'checkout', deployment_id: 'eu', department_id: 'sales' }])
    await fold()
    for (let i = 0; i < requests; i++) {
      const runs = Array.from({ length: runsPerRequest }, (_, j) => ({
        cost_usd: '0.01',
        workflow_id: `w${i}-${j}`,
        deployment_id: `d${j}-${i}`,
        department_id: `x${i * j}`,
        customer_id: `c${i}-${j}`,
      }))
      await record(org, [
        ...runs,
        { cost_usd: '0.5', workflow_id: 'checkout', deployment_id: 'eu', department_id: 'sales' },
      ])
      if (i % 5 === 0) await fold()
    }
    await fold()
    const all = requests * (runsPerRequest + 1) + 1
    expect((await org.rows<{ n: number }>('select count(*)::integer as n from runs where org_id = $1'))[0]!.n).toBe(all)
    const { totals } = await usage(org, '')
    expect(totals).toMatchObject({ runs: all, cost_usd: String(1 + requests * (runsPerRequest / 100 + 0.5)) })
    expect(await count(org, 'usage_deltas')).toBe(0)
    // Two quarters of an hour at most, and in each a row per combination, per model, and for the rest.
    expect(await count(org, 'usage_15m')).toBeLessThanOrEqual(2 * (6 * perDay + 1))
    for (const dimension of ['workflow_id', 'deployment_id', 'department_id']) {
      const runs = await runsOf(org, dimension)
      expect(Object.keys(runs).length).toBeLessThanOrEqual(perDay + 2)
      expect(runs['(other)']).toBeGreaterThan(all / 2)
      expect(Object.values(runs).reduce((sum, one) => sum + one, 0)).toBe(all)
    }
    expect((await runsOf(org, 'workflow_id'))['checkout']).toBe(requests + 1)
    expect(
      (await events(org)).map(({ dimension }) => String(dimension)).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['customer_id', 'department_id', 'deployment_id', 'workflow_id'])
  })

  test('are told apart until a day has brought its number, and again the next day', async () => {
    const org = await newOrg(10)
    await record(
      org,
      numbered('w', 0, 15).map((workflow_id) => ({ cost_usd: '1', workflow_id })),
    )
    await fold()
    const first = await runsOf(org, 'workflow_id')
    expect(Object.keys(first)).toHaveLength(11)
    expect(first['(other)']).toBe(5)
    expect(await events(org)).toEqual([
      { dimension: 'workflow_id', limit: 10, day: new Date().toISOString().slice(0, 10) },
    ])
    await record(
      org,
      numbered('w', 0, 20).map((workflow_id) => ({ cost_usd: '1', workflow_id })),
    )
    await fold()
    expect((await runsOf(org, 'workflow_id'))['(other)']).toBe(15)
    expect(await events(org)).toHaveLength(1)
    // Values of yesterday stay known, and ten more become so.
    await record(
      org,
      numbered('w', 0, 40).map((workflow_id) => ({ cost_usd: '1', workflow_id })),
    )
    await fold(1)
    const next = await runsOf(org, 'workflow_id')
    expect(Object.keys(next)).toHaveLength(21)
    expect(next['(other)']).toBe(35)
    expect(await events(org)).toHaveLength(2)
    expect((await usage(org, '')).totals).toMatchObject({ runs: 75, cost_usd: '75' })
  })

  test('of customers are bounded by what bounds new customers', async () => {
    const org = await newOrg()
    await org.set('PUT', '/customer-limit-default', { limit_usd: null, period: 'year', max_new_customers_per_day: 3 })
    await record(
      org,
      numbered('c', 0, 8).map((customer_id) => ({ cost_usd: '1', customer_id })),
    )
    await fold()
    expect((await runsOf(org, 'customer_id'))['(other)']).toBe(5)
    expect(await count(org, 'usage_customer_days')).toBe(4)
    expect(await events(org)).toMatchObject([{ dimension: 'customer_id', limit: 3 }])
  })

  test('cannot be combined without end, though each is known', async () => {
    const org = await newOrg(4)
    for (let i = 0; i < 4; i++)
      await record(
        org,
        Array.from({ length: 16 }, (_, j) => ({
          cost_usd: '1',
          workflow_id: `w${i}`,
          deployment_id: `d${j % 4}`,
          department_id: `x${Math.floor(j / 4)}`,
        })),
      )
    await fold()
    expect(await count(org, 'usage_15m')).toBeLessThanOrEqual(2 * (6 * 4 + 1))
    expect((await usage(org, '')).totals).toMatchObject({ runs: 64, cost_usd: '64' })
    expect(await runsOf(org, 'model')).toEqual({ 'gpt-4o': 64 })
    expect(await events(org)).toMatchObject([{ dimension: 'combination', limit: 20 }])
  })

  test('stay bounded when quarters of an hour become days', async () => {
    const org = await newOrg(4)
    await org.rows(`
      insert into usage_15m
        (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, runs, failed_runs, input_tokens, output_tokens,
         cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano,
         value_nano, duration_ms, timed_runs)
      select $1, date_trunc('day', now(), 'UTC') - interval '100 days' + make_interval(mins => 15 * (i % 96)), 'm', '', 'w' || i, '', '',
             1, 0, 0, 0, 0, 0, 0, 1000000000, 0, 0, 0, 0, 0
        from generate_series(1, 500) i`)
    await foldOldUsage(money.server.platform)
    expect(await count(org, 'usage_15m')).toBe(0)
    expect(await count(org, 'usage_days')).toBeLessThanOrEqual(6 * 4 + 1)
    const [sums] = await org.rows<{ runs: number }>(
      'select sum(runs)::integer as runs from usage_days where org_id = $1',
    )
    expect(sums).toEqual({ runs: 500 })
  })

  test('that are the name of all others count as such, and are no new value', async () => {
    const org = await newOrg(1)
    await record(
      org,
      ['(other)', 'a', 'b'].map((workflow_id) => ({ cost_usd: '1', workflow_id })),
    )
    await fold()
    expect(await runsOf(org, 'workflow_id')).toEqual({ '(other)': 2, a: 1 })
    expect((await usage(org, `workflow_id=${encodeURIComponent('(other)')}`)).totals.runs).toBe(2)
  })

  test('bind their own budgets whatever usage calls them', async () => {
    const org = await newOrg(1)
    const budget = await org.budget('10', { scope_kind: 'workflow', scope_id: 'late' })
    await record(
      org,
      ['first', 'late'].map((workflow_id) => ({ cost_usd: '1', workflow_id })),
    )
    await fold()
    expect((await runsOf(org, 'workflow_id'))['late']).toBeUndefined()
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '1' })
  })
})

test('the number of new values is the organization’s own, or the default of the installation', async () => {
  const org = await money.org()
  expect((await org.ask('GET', '')).json['max_new_values_per_day']).toBeNull()
  expect(await org.set('PATCH', '', { max_new_values_per_day: 7 })).toMatchObject({ max_new_values_per_day: 7 })
  expect(await org.set('PATCH', '', { max_new_values_per_day: null })).toMatchObject({ max_new_values_per_day: null })
  expect((await org.ask('PATCH', '', { max_new_values_per_day: 10_001 })).status).toBe(422)
  expect((await org.ask('PATCH', '', { max_new_values_per_day: 0 })).status).toBe(422)
})
