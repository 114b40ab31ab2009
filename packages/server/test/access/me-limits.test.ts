import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

type Body = Record<string, unknown>

describe('whoever holds a key', () => {
  const money = useMoney()
  const get = (key: string, path: string) => call(money.server.url, 'GET', path, { key })
  const mint = async (org: MoneyOrg, pins: Body = {}, more: Body = {}) =>
    (await org.set('POST', '/keys', { name: 'k', role: 'service', scopes: ['edge:decide'], pins, ...more })) as {
      id: string
      secret: string
    }
  const limitsOf = async (key: string) =>
    (await get(key, '/v1/me/limits')).json as unknown as { frozen: unknown; data: Body[] }

  test('sees what is left of the limits on its key, its user and its pins, and of no other', async () => {
    const org = await money.org()
    const budget = (limit_usd: string, more: Body) =>
      org.set('POST', '/budgets', { name: 'b', limit_usd, period: 'month', ...more })
    const key = await mint(org, { user_id: 'ada', department_id: 'research', customer_id: 'acme' })
    await org.budget('100')
    await budget('7', { scope_kind: 'user', scope_id: 'bob' })
    await org.set('PUT', '/budget-defaults/user', { limit_usd: '5', period: 'month' })
    await budget('20', { scope_kind: 'department', scope_id: 'research' })
    await budget('1', {
      scope_kind: 'department',
      scope_id: 'research',
      and_scope_kind: 'model',
      and_scope_id: 'gpt-4o',
    })
    await budget('3', { scope_kind: 'department', scope_id: 'research', and_scope_kind: 'key', and_scope_id: key.id })
    await org.set('PUT', '/customers/acme/limit', { limit_usd: '9', period: 'day' })
    await org.set('POST', '/concurrency-limits', { name: 'c', scope_kind: 'key', scope_id: key.id, max_runs: 2 })
    expect(
      (await call(money.server.url, 'POST', '/v1/edge/decision', { key: key.secret, body: costing('0.5') })).status,
    ).toBe(200)
    const { frozen, data } = await limitsOf(key.secret)
    expect(frozen).toBeNull()
    expect(data).toMatchObject([
      { kind: 'budget', scope_kind: 'department', scope_id: 'research', limit: '20', held: '0.5', remaining: '19.5' },
      { scope_kind: 'department', and_scope_kind: 'key', and_scope_id: key.id, limit: '3', remaining: '2.5' },
      { scope_kind: 'user', scope_id: 'ada', limit: '5', spent: '0', held: '0.5', remaining: '4.5', frozen: null },
      { kind: 'customer', scope_kind: 'customer', scope_id: 'acme', limit: '9', remaining: '8.5' },
      {
        kind: 'concurrency',
        scope_kind: 'key',
        scope_id: key.id,
        unit: 'concurrent_runs',
        limit: 2,
        remaining: 2,
        resets_at: null,
      },
    ])
    expect(data).toHaveLength(5)
    expect(new Date(String(data[0]?.['resets_at'])).getUTCDate()).toBe(1)
  })

  test('sees limits of the whole organization only if it may read all limits', async () => {
    const org = await money.org()
    await org.budget('100')
    await org.set('PUT', '/spend-cap', { cap_usd: '10' })
    const [plain, pinned] = [
      await mint(org),
      await mint(org, { user_id: 'ada' }, { role: 'viewer', scopes: ['limits:read'] }),
    ]
    expect((await limitsOf(plain.secret)).data).toEqual([])
    expect((await limitsOf(pinned.secret)).data).toEqual([])
    expect((await limitsOf(org.key)).data).toMatchObject([{ kind: 'spend_cap' }, { kind: 'budget', scope_kind: 'org' }])
  })

  test('sees what is frozen, and why', async () => {
    const org = await money.org()
    const key = await mint(org)
    const made = await org.set('POST', '/budgets', {
      name: 'b',
      limit_usd: '1',
      period: 'day',
      scope_kind: 'key',
      scope_id: key.id,
    })
    await org.set('POST', `/limits/${String(made['id'])}/freeze`, { reason: 'Later.' })
    expect(await limitsOf(key.secret)).toMatchObject({
      frozen: null,
      data: [{ limit: '1', frozen: { reason: 'Later.' } }],
    })
    await org.set('POST', `/keys/${key.id}/freeze`, { reason: 'Lost.' })
    expect(await limitsOf(key.secret)).toMatchObject({ frozen: { reason: 'Lost.' } })
  })

  test('sees its own usage: of its user, or else of its key', async () => {
    const org = await money.org()
    const scopes = ['runs:write', 'runs:import']
    const ada = await mint(org, { user_id: 'ada' }, { scopes })
    const plain = await mint(org, {}, { scopes })
    const record = async (key: string, cost_usd: string, more: Body = {}) => {
      const body = { runs: [{ model: 'gpt-4o', cost_usd, ...more }] }
      expect((await call(money.server.url, 'POST', '/v1/runs/bulk', { key, body })).status).toBe(200)
    }
    await record(ada.secret, '0.1')
    await record(org.key, '0.2', { user_id: 'ada' })
    await record(plain.secret, '0.4', { user_id: 'bob' })
    expect((await get(ada.secret, '/v1/me/usage?group_by=model')).json).toMatchObject({
      totals: { cost_usd: '0.3' },
      data: [{ model: 'gpt-4o' }],
    })
    expect((await get(plain.secret, '/v1/me/usage')).json).toMatchObject({ totals: { cost_usd: '0.4', runs: 1 } })
    expect((await get(plain.secret, `/v1/me/usage?key_id=${ada.id}`)).status).toBe(422)
    expect((await get(ada.secret, '/v1/me/usage?user_id=bob')).status).toBe(422)
  })
})
