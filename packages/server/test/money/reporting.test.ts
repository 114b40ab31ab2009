import { describe, expect, test } from 'vitest'
import { watchReporting } from '../../src/money/reporting/reporting.ts'
import { requireId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

/** A call that holds $0.0125: 1,000 tokens each way. */
const asked = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
/** Usage that costs $0.0225: $0.01 above the hold. */
const dear = { input_tokens: 1_000, output_tokens: 2_000 }

async function keyOf(org: MoneyOrg, name = 'agent') {
  const scopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read']
  const made = await org.set('POST', '/keys', { name, role: 'service', scopes })
  const { id, secret } = made as { id: string; secret: string }
  const post = (path: string, body: object = {}) => call(money.server.url, 'POST', path, { key: secret, body })
  const held = async () => String((await post('/v1/edge/decision', asked)).json['reservation_id'])
  return { id, secret, post, held }
}

async function expire(org: MoneyOrg, reservation: string) {
  await org.endLease(reservation)
  const holdId = requireId('reservation', reservation)
  await money.lanes().submit({ orgId: org.uuid, holdId, plan: () => ({ command: { type: 'expire', holdId } }) })
}

const figuresOf = async (org: MoneyOrg) => (await org.ask('GET', '/key-reporting')).json['data'] as object[]
const watch = () => watchReporting(money.server.platform)
const none = { runs: 0, usd: '0' }

describe('figures of a key', () => {
  test('say what it left unreported, released, overran and reported late, and nothing of what went well', async () => {
    const org = await money.org()
    const [agent, honest] = [await keyOf(org), await keyOf(org, 'honest')]
    const [unreported, released, late, overrun] = [
      await agent.held(),
      await agent.held(),
      await agent.held(),
      await agent.held(),
    ]
    await expire(org, unreported)
    for (const id of [released, late]) await agent.post(`/v1/edge/reservations/${id}/release`)
    const runs = [
      { reservation_id: late, input_tokens: 1_000, output_tokens: 1_000 },
      { reservation_id: overrun, ...dear },
      { reservation_id: await honest.held(), input_tokens: 1_000, output_tokens: 10 },
    ]
    expect((await org.post('/v1/runs/bulk', { runs })).json).toMatchObject({ accepted: 3 })
    expect(await figuresOf(org)).toEqual([
      {
        key_id: agent.id,
        name: 'agent',
        unreported: { runs: 1, usd: '0.0125' },
        released: { runs: 2, usd: '0.025' },
        overrun: { runs: 1, usd: '0.01' },
        late: { runs: 1, usd: '0.0125' },
        held_at_usd: null,
      },
    ])
  })

  test('stay with a key when it is rotated', async () => {
    const org = await money.org()
    const agent = await keyOf(org)
    await expire(org, await agent.held())
    const { secret } = (await org.set('POST', `/keys/${agent.id}/rotate`, {})) as { secret: string }
    const { json } = await call(money.server.url, 'POST', '/v1/edge/decision', { key: secret, body: asked })
    await expire(org, String(json['reservation_id']))
    expect(await figuresOf(org)).toMatchObject([{ key_id: agent.id, unreported: { runs: 2, usd: '0.025' } }])
  })

  test('of started runs count those that nobody finished', async () => {
    const org = await money.org()
    const agent = await keyOf(org)
    const { json } = await agent.post('/v1/runs', asked)
    await expire(org, String(json['id']).replace('run_', 'rsv_'))
    expect(await figuresOf(org)).toMatchObject([{ unreported: { runs: 1, usd: '0.0125' }, released: none }])
  })
})

test('of what a key leaves unreported an event tells once a day', async () => {
  const org = await money.org()
  const agent = await keyOf(org)
  for (const _ of [1, 2]) await expire(org, await agent.held())
  await watch()
  await expire(org, await agent.held())
  await watch()
  expect(await org.events('key.unreported')).toMatchObject([
    { key_id: agent.id, unreported_runs: 2, unreported_usd: '0.025' },
  ])
})

describe('a key whose overrun has passed its maximum', () => {
  async function overran(settings: object, times: number) {
    const org = await money.org()
    const agent = await keyOf(org)
    await org.set('PUT', `/keys/${agent.id}/trust`, settings)
    for (let n = 0; n < times; n += 1) {
      const runs = [{ reservation_id: await agent.held(), ...dear }]
      expect((await agent.post('/v1/runs/bulk', { runs })).status).toBe(200)
    }
    await watch()
    return { org, agent }
  }
  const reservedBy = async (agent: Awaited<ReturnType<typeof keyOf>>, path = '/v1/edge/decision') =>
    (await agent.post(path, asked)).json['reserved_usd']

  test('is held at what its dearest call has cost, on every route, and no other key is', async () => {
    const { org, agent } = await overran({ max_overrun_usd: '0.015' }, 2)
    expect(await reservedBy(agent)).toBe('0.0225')
    expect(await reservedBy(agent, '/v1/runs')).toBe('0.0225')
    expect(await reservedBy(await keyOf(org, 'other'))).toBe('0.0125')
    expect(await figuresOf(org)).toMatchObject([{ held_at_usd: '0.0225', overrun: { runs: 2, usd: '0.02' } }])
    expect(await org.events('key.held_at_cost')).toMatchObject([
      { key_id: agent.id, overrun_usd: '0.02', max_overrun_usd: '0.015', held_at_usd: '0.0225' },
    ])
    const { json: audit } = await org.ask('GET', '/audit-log?action=key.held_at_cost')
    expect(audit).toMatchObject({ data: [{ actor: { kind: 'system' }, target: { id: agent.id } }] })
  })

  test('is held higher when its calls become dearer, and told of once', async () => {
    const { org, agent } = await overran({ max_overrun_usd: '0' }, 1)
    const runs = [{ reservation_id: await agent.held(), input_tokens: 1_000, output_tokens: 4_000 }]
    await agent.post('/v1/runs/bulk', { runs })
    await watch()
    expect(await reservedBy(agent)).toBe('0.0425')
    expect(await org.events('key.held_at_cost')).toHaveLength(1)
  })

  test.each([
    ['within its maximum', { max_overrun_usd: '0.02' }],
    ['without one', {}],
  ])('%s is held as it asks', async (_, settings) => {
    const { agent } = await overran(settings, 2)
    expect(await reservedBy(agent)).toBe('0.0125')
  })

  test('is held as it asks again from the next day on', async () => {
    const { org, agent } = await overran({ max_overrun_usd: '0' }, 1)
    await org.rows(`update key_reporting set day = day - 1 where org_id = $1`)
    await org.rows('update org_ledgers set config_version = config_version + 1 where org_id = $1')
    expect(await reservedBy(agent)).toBe('0.0125')
  })
})
