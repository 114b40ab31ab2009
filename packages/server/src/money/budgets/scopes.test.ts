import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, refusalIn, useMoney } from '../../../test/support/money.ts'
import { call } from '../../../test/support/tenants.ts'

type Body = Record<string, unknown>

describe('a budget', () => {
  const money = useMoney()
  const budget = (org: MoneyOrg, limit_usd: string, scope: Body) =>
    org.set('POST', '/budgets', { name: 'b', limit_usd, period: 'month', ...scope })
  const decide = async (org: MoneyOrg, usd: string, more: Body = {}, key = org.key) => {
    const answer = await call(money.server.url, 'POST', '/v1/edge/decision', { key, body: costing(usd, more) })
    return answer.status === 200
      ? 'allow'
      : `${answer.json.error?.code} ${String(answer.json.error?.details['scope_kind'])}`
  }
  const mint = async (org: MoneyOrg, name: string) =>
    (await org.set('POST', '/keys', { name, role: 'service', scopes: ['edge:decide', 'runs:write'] })) as {
      id: string
      secret: string
    }

  test.each([
    ['model', 'gpt-4o', { model: 'gpt-4o' }, { model: 'gpt-4o-mini' }],
    ['provider', 'azure', { provider: 'azure' }, { provider: 'openai' }],
    ['tag', 'nightly', { tags: ['beta', 'nightly'] }, { tags: ['beta'] }],
  ])('of a %s counts what it names, and nothing else', async (scope_kind, scope_id, inside, outside) => {
    const org = await money.org()
    await budget(org, '1', { scope_kind, scope_id })
    expect(await decide(org, '0.9', inside)).toBe('allow')
    expect(await decide(org, '0.2', inside)).toBe(`budget_exceeded ${scope_kind}`)
    expect(await decide(org, '0.2', outside)).toBe('allow')
  })

  test('of a model counts every spelling of it', async () => {
    const org = await money.org()
    const made = await budget(org, '1', { scope_kind: 'model', scope_id: 'OpenAI/GPT-4o-2024-08-06' })
    expect(made).toMatchObject({ scope_id: 'gpt-4o' })
    for (const model of ['gpt-4o', 'GPT-4o', ' gpt-4o', 'openai/gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-latest'])
      expect(await decide(org, '1.1', { model })).toBe('budget_exceeded model')
  })

  test('of a provider counts calls that leave it out, where the model tells it', async () => {
    const org = await money.org()
    await budget(org, '1', { scope_kind: 'provider', scope_id: 'OpenAI' })
    expect(await decide(org, '1.1', { provider: undefined })).toBe('budget_exceeded provider')
    expect(await decide(org, '1.1', { model: 'openai/gpt-4o' })).toBe('budget_exceeded provider')
  })

  test('of a key outlives its rotation, and binds no other key', async () => {
    const org = await money.org()
    const [first, other] = [await mint(org, 'first'), await mint(org, 'other')]
    await budget(org, '1', { scope_kind: 'key', scope_id: first.id })
    expect(await decide(org, '0.9', {}, first.secret)).toBe('allow')
    const next = (await org.set('POST', `/keys/${first.id}/rotate`, {})) as { id: string; secret: string }
    expect(await decide(org, '0.2', {}, next.secret)).toBe('budget_exceeded key')
    expect(await decide(org, '0.2', {}, other.secret)).toBe('allow')
    const again = await org.set('PUT', `/scoped-budget?scope_kind=key&scope_id=${next.id}&period=month`, {
      name: 'more',
      limit_usd: '2',
    })
    expect(again).toMatchObject({ scope_id: first.id, held_usd: '0.9', limit_usd: '2' })
  })

  test.each([
    [{ scope_kind: 'key', scope_id: 'checkout' }, 'scope_id', 'invalid_format'],
    [{ scope_kind: 'key', scope_id: 'key_01jbstbb4pex5vsknk084sn02q' }, 'scope_id', 'invalid_value'],
    [{ scope_kind: 'tag' }, 'scope_id', 'required'],
    [{ scope_kind: 'org', and_scope_kind: 'model', and_scope_id: 'gpt-4o' }, 'and_scope_kind', 'invalid_value'],
    [{ scope_kind: 'tag', scope_id: 'a', and_scope_kind: 'tag', and_scope_id: 'b' }, 'and_scope_kind', 'invalid_value'],
    [{ scope_kind: 'tag', scope_id: 'a', and_scope_kind: 'model' }, 'and_scope_id', 'required'],
    [{ scope_kind: 'tag', scope_id: 'a', and_scope_id: 'b' }, 'and_scope_kind', 'required'],
  ])('is refused on %j', async (scope, field, code) => {
    const org = await money.org()
    const { status, json } = await org.ask('POST', '/budgets', { name: 'b', limit_usd: '1', period: 'day', ...scope })
    expect([status, json.error?.details['fields']]).toMatchObject([422, [{ field, code }]])
  })

  test('of two scopes counts what is in both, and its refusal names both', async () => {
    const org = await money.org()
    const made = await budget(org, '1', {
      scope_kind: 'department',
      scope_id: 'support',
      and_scope_kind: 'model',
      and_scope_id: 'gpt-4o',
    })
    expect(await decide(org, '5', { department_id: 'support', model: 'gpt-4o-mini' })).toBe('allow')
    expect(await decide(org, '5', { department_id: 'sales' })).toBe('allow')
    expect(await decide(org, '0.9', { department_id: 'support' })).toBe('allow')
    const refused = await org.decide(costing('0.2', { department_id: 'support' }))
    expect(refusalIn(refused)).toMatchObject({
      status: 402,
      code: 'budget_exceeded',
      budget_id: made['id'],
      scope_kind: 'department',
      and_scope_kind: 'model',
      and_scope_id: 'gpt-4o',
    })
    expect(refused.text).toContain('the $1.00 budget of department support and model gpt-4o')
  })

  test('of two scopes leaves the default of its first scope in force', async () => {
    const org = await money.org()
    await org.set('PUT', '/budget-defaults/department', { limit_usd: '2', period: 'month' })
    await budget(org, '1', { scope_kind: 'department', scope_id: 'a', and_scope_kind: 'tag', and_scope_id: 'x' })
    expect(await decide(org, '2.1', { department_id: 'a' })).toBe('budget_exceeded department')
    expect(await decide(org, '1.9', { department_id: 'a' })).toBe('allow')
  })

  test('by default binds each key for itself', async () => {
    const org = await money.org()
    const [first, other] = [await mint(org, 'first'), await mint(org, 'other')]
    await org.set('PUT', '/budget-defaults/key', { limit_usd: '1', period: 'month' })
    await budget(org, '3', { scope_kind: 'key', scope_id: other.id })
    expect(await decide(org, '1.1', {}, first.secret)).toBe('budget_exceeded key')
    expect(await decide(org, '1.1', {}, other.secret)).toBe('allow')
    expect(await decide(org, '1', {}, first.secret)).toBe('allow')
    expect((await org.ask('GET', '/budget-defaults/key/usage')).json).toMatchObject({
      data: [{ scope_id: first.id, held_usd: '1' }],
    })
  })

  test('counts runs that start and runs that are recorded', async () => {
    const org = await money.org()
    const made = await budget(org, '1', { scope_kind: 'tag', scope_id: 'nightly' })
    expect((await org.post('/v1/runs', costing('0.4', { tags: ['nightly'] }))).status).toBe(201)
    const runs = [
      { model: 'gpt-4o', cost_usd: '0.5', tags: ['nightly'] },
      { model: 'gpt-4o', cost_usd: '0.5' },
    ]
    expect((await org.post('/v1/runs/bulk', { runs })).status).toBe(200)
    expect((await org.ask('GET', `/budgets/${String(made['id'])}`)).json).toMatchObject({
      held_usd: '0.4',
      spent_usd: '0.5',
    })
    expect((await org.post('/v1/runs', costing('0.2', { tags: ['nightly'] }))).status).toBe(402)
  })

  test('of a tag is crossed with an event that names it', async () => {
    const org = await money.org()
    await budget(org, '1', {
      scope_kind: 'tag',
      scope_id: 'nightly',
      thresholds: [50],
      and_scope_kind: 'model',
      and_scope_id: 'gpt-4o',
    })
    const runs = [{ model: 'gpt-4o', cost_usd: '0.6', tags: ['nightly'] }]
    expect((await org.post('/v1/runs/bulk', { runs })).status).toBe(200)
    const [event] = await org.events('budget.threshold_crossed')
    expect(event).toMatchObject({ scope_kind: 'tag', scope_id: 'nightly', and_scope_kind: 'model' })
  })

  test('limits how many runs of a key and of a tag go on at once', async () => {
    const org = await money.org()
    const key = await mint(org, 'agent')
    await org.set('POST', '/concurrency-limits', { name: 'k', scope_kind: 'key', scope_id: key.id, max_runs: 1 })
    await org.set('POST', '/concurrency-limits', { name: 't', scope_kind: 'tag', scope_id: 'x', max_runs: 1 })
    const start = async (secret: string, more: Body = {}) => {
      const body = costing('0.1', more)
      const { status, json } = await call(money.server.url, 'POST', '/v1/runs', { key: secret, body })
      return status === 201 ? 'started' : `${json.error?.code} ${String(json.error?.details['scope_kind'])}`
    }
    expect(await start(key.secret)).toBe('started')
    expect(await start(key.secret)).toBe('concurrency_exceeded key')
    expect(await start(org.key, { tags: ['x'] })).toBe('started')
    expect(await start(org.key, { tags: ['x', 'y'] })).toBe('concurrency_exceeded tag')
    expect(await start(org.key)).toBe('started')
  })
})
