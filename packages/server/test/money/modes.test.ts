import { describe, expect, test } from 'vitest'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

const asked = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
const used = { input_tokens: 1_000, output_tokens: 1_000 }

async function keyOf(org: MoneyOrg) {
  const scopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read']
  const made = await org.set('POST', '/keys', { name: 'agent', role: 'service', scopes })
  const { id, secret } = made as { id: string; secret: string }
  const post = (path: string, body: object, key = secret) => call(money.server.url, 'POST', path, { key, body })
  return { id, post }
}
type Agent = Awaited<ReturnType<typeof keyOf>>

/** An agent with the given settings on its own key. */
async function agentWith(settings: object) {
  const org = await money.org()
  const agent = await keyOf(org)
  return { org, agent, restrict: () => org.set('PUT', `/keys/${agent.id}/trust`, settings) }
}

const forbidden = { code: 'forbidden' }

describe('a key that may only start runs', () => {
  test('is refused at the edge and in bulk, also after it was rotated, and nothing is recorded', async () => {
    const { org, agent, restrict } = await agentWith({ start_only: true })
    await org.budget('5')
    await restrict()
    const { secret } = (await org.set('POST', `/keys/${agent.id}/rotate`, { overlap_seconds: 600 })) as {
      secret: string
    }
    for (const key of [undefined, secret]) {
      expect(refusalIn(await agent.post('/v1/edge/decision', asked, key))).toMatchObject(forbidden)
      expect(refusalIn(await agent.post('/v1/edge/decision', { ...asked, dry_run: true }, key))).toMatchObject(
        forbidden,
      )
      const runs = [{ model: 'gpt-4o', ...used }]
      expect(refusalIn(await agent.post('/v1/runs/bulk', { runs }, key))).toMatchObject(forbidden)
      const { json } = await agent.post('/v1/runs/bulk', { runs, mode: 'partial' }, key)
      expect(json).toMatchObject({ accepted: 0, refused: 1, results: [{ error: forbidden }] })
    }
    expect((await org.ask('GET', '/budgets')).json).toMatchObject({ data: [{ spent_usd: '0', held_usd: '0' }] })
    expect((await call(money.server.url, 'GET', '/v1/runs', { key: org.key })).json).toMatchObject({ data: [] })
  })

  test('starts, finishes and settles runs as any other, and settles what it reserved before', async () => {
    const { agent, restrict } = await agentWith({ start_only: true })
    const { json: held } = await agent.post('/v1/edge/decision', asked)
    await restrict()
    const [first, second] = [(await agent.post('/v1/runs', asked)).json, (await agent.post('/v1/runs', asked)).json]
    expect((await agent.post(`/v1/runs/${String(first['id'])}/finish`, { status: 'succeeded', ...used })).status).toBe(
      200,
    )
    const runs = [
      { run_id: second['id'], ...used },
      { reservation_id: held['reservation_id'], ...used },
    ]
    expect((await agent.post('/v1/runs/bulk', { runs })).json).toMatchObject({ accepted: 2, refused: 0 })
  })

  test('binds every key where the organization says so, but not imports', async () => {
    const { org, agent } = await agentWith({})
    await org.set('PUT', '/trust', { start_only: true })
    expect(refusalIn(await agent.post('/v1/edge/decision', asked))).toMatchObject(forbidden)
    const runs = [{ model: 'gpt-4o', ...used }]
    expect((await org.post('/v1/runs/bulk', { runs, enforce: false })).json).toMatchObject({ accepted: 1 })
  })
})

const missing = async (agent: Agent, body: object) =>
  (refusalIn(await agent.post('/v1/runs', body))['fields'] as { field: string }[]).map(({ field }) => field)

describe('a key whose runs need', () => {
  test.each([{}, { input: '' }, { input: ' \u200b' }, { input: [] }, { input: ['', '\u3164'] }])(
    'their input does not start one with %j, nor try it out',
    async (body) => {
      const { agent, restrict } = await agentWith({ input_required: true })
      await restrict()
      expect(await missing(agent, { ...asked, ...body })).toEqual(['input'])
      expect(await missing(agent, { ...asked, ...body, dry_run: true })).toEqual(['input'])
      expect((await agent.post('/v1/runs', { ...asked, input: 'Which orders are late?' })).status).toBe(201)
    },
  )

  test.each([{}, { action: '\u200b' }, { action: ' ' }])('an action does not start one with %j', async (body) => {
    const { agent, restrict } = await agentWith({ action_required: true })
    await restrict()
    expect(await missing(agent, { ...asked, ...body })).toEqual(['action'])
    expect((await agent.post('/v1/runs', { ...asked, action: 'refund' })).status).toBe(201)
  })
})
