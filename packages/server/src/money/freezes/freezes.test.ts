import { describe, expect, test } from 'vitest'
import { actionsOf } from '../../../test/support/governed.ts'
import { costing, type MoneyOrg, refusalIn, useMoney } from '../../../test/support/money.ts'
import { call } from '../../../test/support/tenants.ts'

describe('freezing', () => {
  const money = useMoney()
  const reason = 'An agent loops.'
  const mint = async (org: MoneyOrg) =>
    (await org.set('POST', '/keys', { name: 'agent', role: 'service', scopes: ['edge:decide', 'runs:write'] })) as {
      id: string
      secret: string
    }
  const decide = async (key: string, more: Record<string, unknown> = {}) => {
    const { status, json } = await call(money.server.url, 'POST', '/v1/edge/decision', {
      key,
      body: costing('0.1', more),
    })
    return status === 200 ? 'allow' : `${status} ${json.error?.code}`
  }

  test('the organization refuses every charge with 402 and the reason, until it is thawed', async () => {
    const org = await money.org()
    const frozen = await org.set('POST', '/freeze', { reason })
    expect(frozen).toMatchObject({ target_kind: 'org', target_id: org.id, reason })
    const refused = await org.decide(costing('0.1'))
    expect(refusalIn(refused)).toMatchObject({
      status: 402,
      code: 'frozen',
      freeze_id: frozen['id'],
      target_kind: 'org',
      target_id: org.id,
      reason,
      frozen_at: frozen['frozen_at'],
    })
    expect(refused.text).toContain(`The organization is frozen: ${reason}`)
    expect((await org.post('/v1/runs', costing('0.1'))).json.error?.code).toBe('frozen')
    const runs = [{ model: 'gpt-4o', cost_usd: '0.1' }]
    expect((await org.post('/v1/runs/bulk', { runs })).json.error?.code).toBe('frozen')
    const { json } = await call(
      money.server.url,
      'GET',
      `/v1/decisions/${String(refused.json.error?.details['decision_id'])}`,
      {
        key: org.key,
      },
    )
    expect(json).toMatchObject({ decided_by: frozen['id'], error_code: 'frozen' })
    expect((await org.ask('GET', '/freezes')).json).toEqual({ data: [frozen] })
    expect((await org.ask('POST', '/thaw')).status).toBe(204)
    expect(await decide(org.key)).toBe('allow')
    expect((await org.ask('POST', '/thaw')).status).toBe(404)
    expect(await actionsOf(org, 'org.')).toEqual(expect.arrayContaining(['org.frozen', 'org.thawed']))
    expect(await org.events('freeze.set')).toMatchObject([{ freeze_id: frozen['id'], reason }])
    expect(await org.events('freeze.lifted')).toMatchObject([{ target_id: org.id }])
  })

  test('a key refuses what it and its rotations charge, and lets others be', async () => {
    const org = await money.org()
    const [key, other] = [await mint(org), await mint(org)]
    await org.set('POST', `/keys/${key.id}/freeze`, { reason })
    expect(await decide(key.secret)).toBe('402 frozen')
    expect(await decide(other.secret)).toBe('allow')
    const next = (await org.set('POST', `/keys/${key.id}/rotate`, {})) as { id: string; secret: string }
    expect(await decide(next.secret)).toBe('402 frozen')
    expect((await org.ask('POST', `/keys/${next.id}/thaw`)).status).toBe(204)
    expect(await decide(next.secret)).toBe('allow')
  })

  test('a budget refuses what it would count, keeps its number, and lets running calls be settled', async () => {
    const org = await money.org()
    const budget = await org.set('POST', '/budgets', {
      name: 'b',
      scope_kind: 'tag',
      scope_id: 'x',
      limit_usd: '5',
      period: 'month',
    })
    const path = `/limits/${String(budget['id'])}`
    const run = await org.post('/v1/runs', costing('0.4', { tags: ['x'] }))
    await org.set('POST', `${path}/freeze`, { reason })
    expect(await decide(org.key, { tags: ['x'] })).toBe('402 frozen')
    expect(await decide(org.key)).toBe('allow')
    const end = { status: 'succeeded', cost_usd: '0.3' }
    expect((await org.post(`/v1/runs/${String(run.json['id'])}/finish`, end)).status).toBe(200)
    expect((await org.ask('GET', `/budgets/${String(budget['id'])}`)).json).toMatchObject({
      limit_usd: '5',
      spent_usd: '0.3',
    })
    expect((await org.ask('POST', `${path}/thaw`)).status).toBe(204)
    expect(await decide(org.key, { tags: ['x'] })).toBe('allow')
  })

  test('the limit of a customer, the spend cap and a default budget can be frozen', async () => {
    const org = await money.org()
    const cap = await org.set('PUT', '/spend-cap', { cap_usd: '100' })
    const customer = await org.set('PUT', '/customers/acme/limit', { limit_usd: '5', period: 'month' })
    const byDefault = await org.set('PUT', '/budget-defaults/department', { limit_usd: '5', period: 'month' })
    await org.set('POST', `/limits/${String(customer['id'])}/freeze`, { reason })
    await org.set('POST', `/limits/${String(byDefault['id'])}/freeze`, { reason })
    expect(await decide(org.key, { customer_id: 'acme' })).toBe('402 frozen')
    expect(await decide(org.key, { customer_id: 'other' })).toBe('allow')
    expect(await decide(org.key, { department_id: 'sales' })).toBe('402 frozen')
    await org.set('POST', `/limits/${String(cap['id'])}/freeze`, { reason })
    expect(await decide(org.key)).toBe('402 frozen')
  })

  test('again only changes the reason', async () => {
    const org = await money.org()
    const first = await org.set('POST', '/freeze', { reason })
    expect(await org.set('POST', '/freeze', { reason: 'Still.' })).toEqual({ ...first, reason: 'Still.' })
    expect(await org.events('freeze.set')).toHaveLength(1)
  })

  test.each([
    ['/freeze', {}, 422],
    ['/freeze', { reason: '' }, 422],
    ['/keys/key_01jbstbb4pex5vsknk084sn02q/freeze', { reason }, 404],
    ['/limits/bud_01jbstbb4pex5vsknk084sn02q/freeze', { reason }, 404],
    ['/limits/nothing/freeze', { reason }, 404],
  ])('%s with %j is refused', async (path, body, status) => {
    const org = await money.org()
    expect((await org.ask('POST', path, body)).status).toBe(status)
  })
})
