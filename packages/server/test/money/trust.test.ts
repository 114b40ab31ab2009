import { describe, expect, test } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { formatUsd } from '../../src/values/money.ts'
import { addRule } from '../support/governed.ts'
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

describe('reported usage', () => {
  const strict = { reported_cost: 'ignore', reported_usage: 'raise_only' }

  test.each([
    ['no tokens', { input_tokens: 0, output_tokens: 0 }, '0.0125', 'estimated'],
    ['a cheaper model', { ...used, model: 'gpt-4.1-nano' }, '0.0125', 'estimated'],
    ['input from a cache', { ...used, cache_read_input_tokens: 1_000 }, '0.0125', 'estimated'],
    ['what was held', used, '0.0125', 'computed'],
    ['more than was held', { ...used, output_tokens: 2_000 }, '0.0225', 'computed'],
  ])('that says %s charges no less than was held', async (_name, end, usd, basis) => {
    const org = await money.org()
    await org.set('PUT', '/trust', strict)
    const agent = await keyOf(org)
    expect(costIn(await finished(agent, { status: 'succeeded', ...end }))).toEqual([usd, basis])
    const { json: held } = await agent.post('/v1/edge/decision', asked)
    const { json } = await agent.post('/v1/runs/bulk', { runs: [{ reservation_id: held['reservation_id'], ...end }] })
    const [{ run_id } = { run_id: '' }] = json['results'] as { run_id: string }[]
    expect(costIn(await call(money.server.url, 'GET', `/v1/runs/${run_id}`, { key: agent.secret }))).toEqual([
      usd,
      basis,
    ])
  })

  test('after the end of a lease takes back nothing of what the lease was charged', async () => {
    const org = await money.org()
    await org.set('PUT', '/trust', strict)
    await org.budget('5')
    const agent = await keyOf(org)
    const { json: run } = await agent.post('/v1/runs', asked)
    await org.endLease(String(run['id']).replace('run_', 'rsv_'))
    await agent.post('/v1/runs', asked)
    const end = { status: 'succeeded', input_tokens: 0, output_tokens: 0 }
    expect(costIn(await agent.post(`/v1/runs/${String(run['id'])}/finish`, end))).toEqual(['0.0125', 'estimated'])
  })
})

test('an estimate lowers no hold of a key whose word on costs is not taken, nor what rules see of it', async () => {
  const org = await money.org()
  const agent = await keyOf(org)
  const guess = { model: 'gpt-4o', estimated_cost_usd: '0' }
  expect((await agent.post('/v1/edge/decision', guess)).json).toMatchObject({ reserved_usd: '0.001' })
  await org.set('PUT', `/keys/${agent.id}/trust`, { reported_cost: 'raise_only' })
  expect((await agent.post('/v1/edge/decision', guess)).json).toMatchObject({ reserved_usd: '0.16384' })
  expect((await agent.post('/v1/runs', guess)).json).toMatchObject({ reserved_usd: '0.16384' })
  await addRule(org, { expression: 'run.estimated_cost_usd > 0.1' })
  expect((await agent.post('/v1/runs', guess)).json.error?.code).toBe('policy_blocked')
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

/** Everything an outsider can read about what was spent: the budget, the runs, and usage of its keys. The ledger is compared with the runs when all tests have ended. */
async function booksOf(org: MoneyOrg) {
  const [{ json: budgets }, { json: runs }, { json: usage }] = [
    await org.ask('GET', '/budgets'),
    await call(money.server.url, 'GET', '/v1/runs', { key: org.key }),
    await org.ask('GET', '/usage?group_by=key_id'),
  ]
  const [budget] = budgets['data'] as { spent_usd: string; held_usd: string }[]
  const counted = (await org.allowances()).find(({ kind }) => kind === 'budget')
  return {
    spent: budget?.spent_usd,
    held: budget?.held_usd,
    overrun: formatUsd(BigInt(counted?.overrun ?? 0)),
    late: formatUsd(BigInt(counted?.late ?? 0)),
    runs: (runs['data'] as { status: string; cost_usd: string }[]).map(
      ({ status, cost_usd }) => `${status} ${cost_usd}`,
    ),
    usage: (usage['data'] as { cost_usd: string }[]).map(({ cost_usd }) => cost_usd),
  }
}

describe('a reservation that nobody reports', () => {
  async function expired(settings: object) {
    const org = await money.org()
    await org.set('PUT', '/trust', settings)
    await org.budget('1')
    const agent = await keyOf(org)
    const { json } = await agent.post('/v1/edge/decision', { ...asked, lease_seconds: 1 })
    const id = String(json['reservation_id'])
    await org.endLease(id)
    const holdId = requireId('reservation', id)
    await money.lanes().submit({ orgId: org.uuid, holdId, plan: () => ({ command: { type: 'expire', holdId } }) })
    expect(await org.holdState(id)).toBe('expired')
    return { org, agent, id }
  }

  test('is free again by default', async () => {
    const { org } = await expired({})
    expect(await booksOf(org)).toMatchObject({ spent: '0', held: '0', runs: [], usage: [] })
  })

  test('is charged and recorded on the account of its key where that is set', async () => {
    const { org, agent } = await expired({ edge_expiry: 'charge' })
    expect(await booksOf(org)).toMatchObject({
      spent: '0.0125',
      held: '0',
      runs: ['expired 0.0125'],
      usage: ['0.0125'],
    })
    const { json } = await org.ask('GET', '/usage?group_by=key_id')
    expect(json).toMatchObject({ data: [{ key_id: agent.id, runs: 1 }] })
  })

  test.each([
    ['less', { input_tokens: 1_000, output_tokens: 100 }, '0.0035', '0'],
    ['more', { input_tokens: 1_000, output_tokens: 2_000 }, '0.0225', '0.01'],
  ])('is charged what a report says in the end: %s', async (_, usage, usd, overrun) => {
    const { org, agent, id } = await expired({ edge_expiry: 'charge' })
    const runs = [{ reservation_id: id, external_id: 'late', ...usage }]
    for (const isAgain of [false, true])
      expect((await agent.post('/v1/runs/bulk', { runs })).json).toMatchObject({ duplicates: isAgain ? 1 : 0 })
    expect(await booksOf(org)).toMatchObject({
      spent: usd,
      held: '0',
      overrun,
      late: '0',
      runs: [`succeeded ${usd}`],
      usage: [usd],
    })
  })

  test('is charged no less than it held where usage may only raise a charge', async () => {
    const { org, agent, id } = await expired({ edge_expiry: 'charge', reported_usage: 'raise_only' })
    await agent.post('/v1/runs/bulk', { runs: [{ reservation_id: id, input_tokens: 0, output_tokens: 0 }] })
    expect(await booksOf(org)).toMatchObject({
      spent: '0.0125',
      runs: ['succeeded 0.0125'],
      usage: ['0.0125'],
    })
  })
})

describe('a late report', () => {
  test('of a reservation that was released is booked as late, also above the limit', async () => {
    const org = await money.org()
    await org.budget('0.02')
    const agent = await keyOf(org)
    const ids: string[] = []
    for (let n = 0; n < 2; n += 1) {
      const { json } = await agent.post('/v1/edge/decision', asked)
      ids.push(String(json['reservation_id']))
      await agent.post(`/v1/edge/reservations/${ids[n]}/release`)
    }
    const runs = ids.map((reservation_id) => ({ reservation_id, ...used }))
    expect((await agent.post('/v1/runs/bulk', { runs })).json).toMatchObject({ accepted: 2 })
    expect(await booksOf(org)).toMatchObject({
      spent: '0.025',
      late: '0.025',
      held: '0',
      overrun: '0',
      runs: ['succeeded 0.0125', 'succeeded 0.0125'],
      usage: ['0.025'],
    })
    expect(refusalIn(await agent.post('/v1/edge/decision', asked))).toMatchObject({ code: 'budget_exceeded' })
  })
})

describe('reported usage', () => {
  test.each([
    ['accept', { input_tokens: 0, output_tokens: 0 }, '0', 'computed'],
    ['raise_only', { input_tokens: 0, output_tokens: 0 }, '0.0125', 'estimated'],
    ['raise_only', { input_tokens: 1_000, output_tokens: 2_000 }, '0.0225', 'computed'],
  ])('with %s and %j costs %s, %s', async (reported_usage, end, usd, basis) => {
    const org = await money.org()
    await org.set('PUT', '/trust', { reported_usage })
    await org.budget('5')
    const agent = await keyOf(org)
    expect(costIn(await finished(agent, { status: 'succeeded', ...end }))).toEqual([usd, basis])
    expect(await booksOf(org)).toMatchObject({ spent: usd, held: '0', usage: [usd] })
  })
})

test.each([
  ['refuse', 402, '0', []],
  ['book', 200, '0.0125', ['succeeded 0.0125']],
])(
  'a run without a reservation that is above its limit, with %s, is %i',
  async (over_limit_reports, status, spent, runs) => {
    const org = await money.org()
    await org.set('PUT', '/trust', { over_limit_reports })
    await org.budget('0.01')
    const agent = await keyOf(org)
    const sent = { runs: [{ model: 'gpt-4o', ...used }] }
    for (const mode of ['atomic', 'partial']) {
      const answer = await agent.post('/v1/runs/bulk', { ...sent, mode })
      expect(mode === 'atomic' ? answer.status : answer.json['refused'] === 0 ? 200 : 402).toBe(status)
      if (status === 200) break
    }
    const books = await booksOf(org)
    expect(books).toMatchObject({ spent, runs })
    expect(books.overrun).toBe(status === 200 ? '0.0025' : '0')
  },
)

test('the settings are read back, on record, and not for an agent to change', async () => {
  const org = await money.org()
  const defaults = {
    reported_cost: 'accept',
    reported_usage: 'accept',
    min_lease_seconds: 1,
    release: 'allow',
    edge_expiry: 'release',
    over_limit_reports: 'refuse',
    max_overrun_usd: null,
    start_only: false,
    input_required: false,
    action_required: false,
  }
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
