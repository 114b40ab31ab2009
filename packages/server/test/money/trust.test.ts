import { describe, expect, test } from 'vitest'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

/** A call that holds and costs $0.0125: 1,000 tokens each way. */
const asked = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
const used = { input_tokens: 1_000, output_tokens: 1_000 }

async function keyOf(org: MoneyOrg) {
  const scopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read']
  const made = await org.set('POST', '/keys', { name: 'agent', role: 'service', scopes })
  const { id, secret } = made as { id: string; secret: string }
  const post = (path: string, body: object = {}, more = {}) =>
    call(money.server.url, 'POST', path, { key: secret, body, ...more })
  return { id, secret, post }
}
type Agent = Awaited<ReturnType<typeof keyOf>>

async function finished(agent: Agent, end: object) {
  const { json: run } = await agent.post('/v1/runs', asked)
  return agent.post(`/v1/runs/${String(run['id'])}/finish`, end)
}

const costIn = ({ json }: { json: Record<string, unknown> }) => [json['cost_usd'], json['cost_basis']]

describe('a reported cost', () => {
  test.each([
    ['accept', { cost_usd: '0', ...used }, '0', 'reported'],
    ['raise_only', { cost_usd: '0', ...used }, '0.0125', 'computed'],
    ['raise_only', { cost_usd: '0' }, '0.0125', 'estimated'],
    ['raise_only', { cost_usd: '2', ...used }, '2', 'reported'],
    ['ignore', { cost_usd: '2', ...used }, '0.0125', 'computed'],
    ['ignore', { cost_usd: '0' }, '0.0125', 'estimated'],
  ])('with %s and %j is %s, %s', async (reported_cost, end, usd, basis) => {
    const org = await money.org()
    await org.set('PUT', '/trust', { reported_cost })
    const agent = await keyOf(org)
    expect(costIn(await finished(agent, { status: 'succeeded', ...end }))).toEqual([usd, basis])
  })

  test('that is accepted is not held against its tokens, however much these would cost', async () => {
    const org = await money.org()
    const dear = { model: 'dear', input_usd_per_million: '100000', output_usd_per_million: '100000' }
    await org.set('PUT', '/prices', { prices: [dear] })
    const agent = await keyOf(org)
    const { json: run } = await agent.post('/v1/runs', { model: 'dear', input_tokens: 1, max_output_tokens: 1 })
    const end = { status: 'succeeded', cost_usd: '1', input_tokens: 1_000_000_000, output_tokens: 1 }
    expect(costIn(await agent.post(`/v1/runs/${String(run['id'])}/finish`, end))).toEqual(['1', 'reported'])
  })

  test('that is not believed can be sent again: the answer is the first one', async () => {
    const org = await money.org()
    await org.set('PUT', '/trust', { reported_cost: 'raise_only' })
    const agent = await keyOf(org)
    const { json: run } = await agent.post('/v1/runs', asked)
    const end = { status: 'succeeded', cost_usd: '0.001', ...used }
    const path = `/v1/runs/${String(run['id'])}/finish`
    const [first, again] = [await agent.post(path, end), await agent.post(path, end)]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.json).toEqual(first.json)
    const bulk = await agent.post('/v1/runs/bulk', { runs: [{ run_id: run['id'], ...end }] })
    expect([bulk.status, bulk.text]).toEqual([200, expect.not.stringContaining('conflict')])
    expect((await agent.post(path, { ...end, output_tokens: 7 })).status).toBe(409)
  })

  test('of a reservation or of a run without one is judged in the same way', async () => {
    const org = await money.org()
    await org.set('PUT', '/trust', { reported_cost: 'raise_only' })
    await org.budget('5')
    const agent = await keyOf(org)
    const { json: held } = await agent.post('/v1/edge/decision', asked)
    const runs = [
      { reservation_id: held['reservation_id'], cost_usd: '0', ...used },
      { model: 'gpt-4o', cost_usd: '0', ...used },
      { model: 'gpt-4o', cost_usd: '1', ...used },
    ]
    expect((await agent.post('/v1/runs/bulk', { runs })).status).toBe(200)
    const { json } = await org.ask('GET', '/budgets')
    expect(json).toMatchObject({ data: [{ spent_usd: '1.025', held_usd: '0' }] })
  })

  test('of a key that is trusted less gains nothing by a key that is trusted more, nor by rotation', async () => {
    const org = await money.org()
    const agent = await keyOf(org)
    await org.set('PUT', `/keys/${agent.id}/trust`, { reported_cost: 'ignore' })
    const { json: run } = await agent.post('/v1/runs', asked)
    const end = { status: 'succeeded', cost_usd: '0', ...used }
    expect(costIn(await org.post(`/v1/runs/${String(run['id'])}/finish`, end))).toEqual(['0.0125', 'computed'])
    const successor = await org.set('POST', `/keys/${agent.id}/rotate`, {})
    const next = {
      ...agent,
      post: (path: string, body: object = {}) =>
        call(money.server.url, 'POST', path, { key: String(successor['secret']), body }),
    }
    expect(costIn(await finished(next, end))).toEqual(['0.0125', 'computed'])
  })
})

describe('a reservation', () => {
  test('lives at least as long as the settings say', async () => {
    const org = await money.org()
    await org.set('PUT', '/trust', { min_lease_seconds: 3_600 })
    const agent = await keyOf(org)
    await org.set('PUT', `/keys/${agent.id}/trust`, { min_lease_seconds: 60 })
    const { json } = await agent.post('/v1/edge/decision', { ...asked, lease_seconds: 1 })
    const { json: stored } = await call(
      money.server.url,
      'GET',
      `/v1/edge/reservations/${String(json['reservation_id'])}`,
      { key: agent.secret },
    )
    expect(stored['expires_at']).toBe(json['expires_at'])
    expect(Date.parse(String(json['expires_at'])) - Date.parse(String(stored['created_at']))).toBeGreaterThan(3_590_000)
  })

  test('is not released by hand where that is refused', async () => {
    const org = await money.org()
    const agent = await keyOf(org)
    await org.set('PATCH', `/keys/${agent.id}/trust`, { release: 'refuse' })
    const { json } = await agent.post('/v1/edge/decision', asked)
    const path = `/v1/edge/reservations/${String(json['reservation_id'])}/release`
    for (const key of [agent.secret, org.key])
      expect(refusalIn(await call(money.server.url, 'POST', path, { key }))).toMatchObject({ code: 'forbidden' })
    await org.ask('DELETE', `/keys/${agent.id}/trust`)
    expect((await agent.post(path)).json).toMatchObject({ status: 'released' })
  })
})

test('the settings are read back, on record, and not for an agent to change', async () => {
  const org = await money.org()
  const defaults = { reported_cost: 'accept', min_lease_seconds: 1, release: 'allow' }
  expect((await org.ask('GET', '/trust')).json).toEqual({ ...defaults, created_at: null, updated_at: null })
  await org.set('PUT', '/trust', { reported_cost: 'ignore', release: 'refuse' })
  await org.set('PATCH', '/trust', { min_lease_seconds: 5 })
  const strict = { reported_cost: 'ignore', min_lease_seconds: 5, release: 'refuse' }
  expect((await org.ask('GET', '/trust')).json).toMatchObject(strict)
  const agent = await keyOf(org)
  for (const path of ['/trust', `/keys/${agent.id}/trust`])
    expect((await org.ask('PUT', path, defaults, agent.secret)).status).toBe(403)
  const { json: audit } = await org.ask('GET', '/audit-log?action=trust.set')
  expect(audit).toMatchObject({
    data: [{ after: { reported_cost: 'ignore', min_lease_seconds: 1 } }, { after: strict }],
  })
})
