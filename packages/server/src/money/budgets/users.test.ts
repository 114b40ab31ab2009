import { describe, expect, test } from 'vitest'
import { addRule } from '../../../test/support/governed.ts'
import { costing, type MoneyOrg, useMoney } from '../../../test/support/money.ts'
import { call } from '../../../test/support/tenants.ts'

type Body = Record<string, unknown>

describe('a user', () => {
  const money = useMoney()
  const ask = (key: string, method: string, path: string, body?: Body) =>
    call(money.server.url, method, path, { key, ...(body && { body }) })
  const keyOf = async (org: MoneyOrg, user_id: string, role = 'service', scopes = ['edge:decide', 'runs:write']) => {
    const made = await org.set('POST', '/keys', { name: user_id, role, scopes, pins: { user_id } })
    return String(made['secret'])
  }
  const run = (org: MoneyOrg, key = org.key, more: Body = {}) => ask(key, 'POST', '/v1/runs', costing('0.4', more))

  test('has a budget of its own, or the default of all users', async () => {
    const org = await money.org()
    await org.set('PUT', '/budget-defaults/user', { limit_usd: '1', period: 'month', thresholds: [80] })
    await org.set('POST', '/budgets', {
      name: 'b',
      scope_kind: 'user',
      scope_id: 'eve',
      limit_usd: '2',
      period: 'month',
    })
    const decide = async (usd: string, user_id: string) => (await org.decide(costing(usd, { user_id }))).status
    expect(await decide('0.9', 'ada')).toBe(200)
    expect(await decide('0.2', 'ada')).toBe(402)
    expect(await decide('0.9', 'bob')).toBe(200)
    expect(await decide('1.9', 'eve')).toBe(200)
    expect(await decide('0.2', 'eve')).toBe(402)
    expect((await org.ask('GET', '/budget-defaults/user/usage')).json).toMatchObject({
      data: [{ scope_id: 'ada' }, { scope_id: 'bob' }],
    })
  })

  test('is fixed by the pin of a key: another is refused, and one that is left out is filled in', async () => {
    const org = await money.org()
    const ada = await keyOf(org, 'ada')
    expect((await run(org, ada)).json).toMatchObject({ user_id: 'ada' })
    expect((await run(org, ada, { user_id: 'bob' })).status).toBe(403)
    expect((await run(org, org.key, { user_id: 'bob' })).json).toMatchObject({ user_id: 'bob' })
    expect((await run(org)).json).toMatchObject({ user_id: null })
  })

  test('is required where the organization says so', async () => {
    const org = await money.org()
    expect((await org.ask('PATCH', '', { required_dimensions: ['user_id'] })).status).toBe(200)
    expect((await run(org)).json.error?.details['fields']).toMatchObject([{ field: 'user_id', code: 'required' }])
    expect((await run(org, org.key, { user_id: 'ada' })).status).toBe(201)
  })

  test('is kept with its runs, and found by them and in usage', async () => {
    const org = await money.org()
    const started = await run(org, org.key, { user_id: 'ada' })
    await org.post(`/v1/runs/${String(started.json['id'])}/finish`, { status: 'succeeded', cost_usd: '0.25' })
    const runs = ['ada', 'bob', undefined].map((user_id) => ({ model: 'gpt-4o', cost_usd: '0.1', user_id }))
    expect((await org.post('/v1/runs/bulk', { runs })).status).toBe(200)
    const { json: listed } = await ask(org.key, 'GET', '/v1/runs?user_id=ada')
    expect(listed['data']).toMatchObject([{ user_id: 'ada' }, { user_id: 'ada' }])
    const { json: usage } = await org.ask('GET', '/usage?group_by=user_id')
    const sums = (usage['data'] as Body[]).map(({ user_id, cost_usd }) => [user_id, cost_usd])
    expect(new Map(sums as [unknown, unknown][])).toEqual(
      new Map<unknown, unknown>([
        [null, '0.1'],
        ['ada', '0.35'],
        ['bob', '0.1'],
      ]),
    )
    expect((await org.ask('GET', '/usage?user_id=bob')).json).toMatchObject({ totals: { cost_usd: '0.1', runs: 1 } })
  })

  test('sees with a pinned key its own runs, usage and refusals, and nothing else', async () => {
    const org = await money.org()
    const ada = await keyOf(org, 'ada', 'viewer', ['runs:read', 'usage:read', 'limits:read'])
    await org.set('PUT', '/budget-defaults/user', { limit_usd: '1', period: 'month' })
    const runs = ['ada', 'bob'].map((user_id) => ({ model: 'gpt-4o', cost_usd: '0.1', user_id }))
    expect((await org.post('/v1/runs/bulk', { runs })).status).toBe(200)
    for (const user_id of ['ada', 'bob']) expect((await org.decide(costing('3', { user_id }))).status).toBe(402)
    expect((await ask(ada, 'GET', '/v1/runs')).json['data']).toMatchObject([{ user_id: 'ada' }])
    const own = `/v1/orgs/${org.id}`
    expect((await ask(ada, 'GET', `${own}/usage`)).json).toMatchObject({ totals: { runs: 1 } })
    expect((await ask(ada, 'GET', `${own}/usage?user_id=bob`)).status).toBe(403)
    await expect.poll(async () => ((await org.ask('GET', '/refusals')).json['data'] as Body[]).length).toBe(2)
    expect((await ask(ada, 'GET', `${own}/refusals`)).json['data']).toMatchObject([{ user_id: 'ada' }])
  })

  test('is what rules can ask about', async () => {
    const org = await money.org()
    await addRule(org, { expression: 'run.user_id == "mallory"' })
    expect((await run(org, org.key, { user_id: 'mallory' })).status).toBe(403)
    expect((await run(org, org.key, { user_id: 'ada' })).status).toBe(201)
  })
})
