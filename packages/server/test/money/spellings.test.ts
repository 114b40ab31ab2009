import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { chat, request, span } from '../support/otlp-spans.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

/** Ways to write `demo` that a reader takes for it. */
const spellings = [
  'demo ',
  ' demo',
  'Demo',
  'demo\u200b',
  'demo\u00a0',
  'de\u00admo',
  'demo\u2028',
  'ｄｅｍｏ',
  'de\ufeffmo',
  'demo\ufe0f',
]

/** A call that holds and costs $0.0125. */
const asked = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
const used = { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 1_000 }

async function agentOf(org: MoneyOrg, more: object = {}) {
  const scopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read', 'usage:read', 'runs:import']
  const made = await org.set('POST', '/keys', { name: 'agent', role: 'service', scopes, ...more })
  const { id, secret } = made as { id: string; secret: string }
  return {
    id,
    post: (path: string, body: object) => call(money.server.url, 'POST', path, { key: secret, body }),
    get: (path: string) => call(money.server.url, 'GET', path, { key: secret }),
  }
}
type Agent = Awaited<ReturnType<typeof agentOf>>

const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => json.error?.code ?? status

/** What each way to spend is answered for a call with this field. */
const waysToSpend = async (agent: Agent, field: object) => [
  codeOf(await agent.post('/v1/edge/decision', { ...asked, ...field })),
  codeOf(await agent.post('/v1/runs', { ...asked, ...field })),
  codeOf(await agent.post('/v1/runs/bulk', { runs: [{ ...used, ...field }] })),
]

describe('a full budget', () => {
  test.each([
    ['workflow', 'workflow_id'],
    ['department', 'department_id'],
    ['deployment', 'deployment_id'],
    ['user', 'user_id'],
  ])('of a %s refuses it under every spelling, at the edge, as a run and in bulk', async (scope_kind, field) => {
    const org = await money.org()
    const agent = await agentOf(org)
    const made = { name: 'B', scope_kind, scope_id: 'demo', limit_usd: '0.0125', period: 'month' }
    await org.set('POST', '/budgets', made)
    expect((await agent.post('/v1/runs/bulk', { runs: [{ ...used, [field]: 'demo' }] })).status).toBe(200)
    for (const spelling of spellings)
      expect([spelling, ...(await waysToSpend(agent, { [field]: spelling }))]).toEqual([
        spelling,
        'budget_exceeded',
        'budget_exceeded',
        'budget_exceeded',
      ])
    // A letter of another alphabet is another name; lists of known values are the answer to it.
    expect(await waysToSpend(agent, { [field]: 'dem\u043e' })).toEqual([200, 201, 200])
  })

  test('of a customer, a tag, and two scopes together as well', async () => {
    const org = await money.org()
    const agent = await agentOf(org)
    await org.set('PUT', '/customers/Demo/limit', { limit_usd: '0.0125', period: 'month' })
    const tagged = { name: 'T', scope_kind: 'tag', scope_id: 'Demo', limit_usd: '0.0125', period: 'month' }
    await org.set('POST', '/budgets', tagged)
    const both = { ...tagged, scope_kind: 'workflow', and_scope_kind: 'department', and_scope_id: 'DEMO' }
    await org.set('POST', '/budgets', both)
    const fields = (name: string) => [
      { customer_id: name },
      { tags: [name, 'other'] },
      { workflow_id: name, department_id: name },
    ]
    for (const field of fields('demo'))
      expect((await agent.post('/v1/runs/bulk', { runs: [{ ...used, ...field }] })).status).toBe(200)
    for (const spelling of spellings)
      for (const field of fields(spelling))
        expect([field, codeOf(await agent.post('/v1/runs', { ...asked, ...field }))]).toEqual([
          field,
          'budget_exceeded',
        ])
  })

  test('counts spans of every spelling', async () => {
    const org = await money.org()
    const agent = await agentOf(org)
    const budget = { name: 'B', scope_kind: 'workflow', scope_id: 'demo', limit_usd: '1', period: 'month' }
    const { id } = await org.set('POST', '/budgets', budget)
    const at = String(BigInt(money.server.platform.clock.now().getTime()) * 1_000_000n)
    const spans = spellings.map((spelling) =>
      span(
        { ...chat, 'gen_ai.workflow.name': spelling, 'weir.cost_usd': 0.01 },
        { startTimeUnixNano: at, endTimeUnixNano: at },
      ),
    )
    expect((await agent.post('/v1/otlp/v1/traces', request(spans))).json).toEqual({})
    const { json } = await org.ask('GET', `/budgets/${String(id)}`)
    expect(json['spent_usd']).toBe('0.1')
  })
})

test('a span of a run that was started here is not recorded a second time', async () => {
  const org = await money.org()
  const agent = await agentOf(org)
  const { json: run } = await agent.post('/v1/runs', asked)
  const at = String(BigInt(money.server.platform.clock.now().getTime()) * 1_000_000n)
  const times = { startTimeUnixNano: at, endTimeUnixNano: at }
  const spans = [
    span({ ...chat, 'weir.run_id': String(run['id']) }, times),
    span({ ...chat, 'weir.run_id': 'none of ours' }, times),
  ]
  expect((await agent.post('/v1/otlp/v1/traces', request(spans))).json).toEqual({})
  expect((await agent.get('/v1/runs?limit=10')).json['data']).toHaveLength(2)
})

test('exhausted credits are exhausted under every spelling', async () => {
  const org = await money.org()
  const agent = await agentOf(org)
  await org.set('POST', '/customers/cr1/credit-packs', { amount_usd: '0.0125' })
  expect((await agent.post('/v1/runs', { ...asked, customer_id: 'cr1' })).status).toBe(201)
  for (const customer_id of ['cr1', 'cr1 ', 'CR1', 'cr\u200b1', 'ｃｒ1'])
    expect(codeOf(await agent.post('/v1/runs', { ...asked, customer_id }))).toBe('credits_exhausted')
})

test('a default limit is one limit for all spellings, and a blank is nobody', async () => {
  const org = await money.org()
  const agent = await agentOf(org)
  await org.set('PUT', '/customer-limit-default', { limit_usd: '0.0125', period: 'month' })
  await org.set('PUT', '/budget-defaults/user', { limit_usd: '0.0125', period: 'month' })
  const answers: unknown[] = []
  for (const customer_id of ['demo', ...spellings])
    answers.push(codeOf(await agent.post('/v1/edge/decision', { ...asked, customer_id })))
  for (const user_id of ['demo', ...spellings])
    answers.push(codeOf(await agent.post('/v1/edge/decision', { ...asked, user_id })))
  expect(answers.filter((answer) => answer === 200)).toHaveLength(2)
  const { json } = await agent.post('/v1/runs', { ...asked, customer_id: '\u200b', user_id: ' ' })
  expect(json).toMatchObject({ customer_id: null, user_id: null })
  for (const path of ['/customers/%20/limit', '/customers/%E2%80%8B/limit'])
    expect(codeOf(await org.ask('PUT', path, { limit_usd: '9', period: 'month' }))).toBe('validation_failed')
})

test('required dimensions are not satisfied by what names nothing', async () => {
  const org = await money.org()
  await org.set('PATCH', '', { required_dimensions: ['workflow_id', 'user_id'] })
  const agent = await agentOf(org)
  for (const nothing of [' ', '-', '--', '\u200b', '\u2800', '_', '\u3164', '—']) {
    const { json } = await agent.post('/v1/edge/decision', { ...asked, workflow_id: nothing, user_id: nothing })
    expect([nothing, json.error?.code, json.error?.details]).toMatchObject([
      nothing,
      'validation_failed',
      {
        fields: [
          { field: 'workflow_id', code: 'required' },
          { field: 'user_id', code: 'required' },
        ],
      },
    ])
    const bulk = { runs: [{ ...used, workflow_id: nothing, user_id: 'ada' }] }
    expect(codeOf(await agent.post('/v1/runs/bulk', bulk))).toBe('validation_failed')
  }
  expect(await waysToSpend(agent, { workflow_id: 'a', user_id: '7' })).toEqual([200, 201, 200])
})

describe('a pin', () => {
  test('takes every spelling for its own, refuses others, and its runs are found under one name', async () => {
    const org = await money.org()
    const agent = await agentOf(org, { pins: { workflow_id: 'Demo' } })
    for (const workflow_id of spellings) expect(await waysToSpend(agent, { workflow_id })).toEqual([200, 201, 200])
    expect(await waysToSpend(agent, { workflow_id: 'dem\u043e' })).toEqual(['forbidden', 'forbidden', 'forbidden'])
    const { json } = await agent.get('/v1/runs?workflow_id=DEMO&limit=100')
    const runs = json['data'] as { workflow_id: string }[]
    expect(runs).toHaveLength(2 * spellings.length)
    expect(new Set(runs.map(({ workflow_id }) => workflow_id))).toEqual(new Set(['demo']))
    const usage = await agent.get(`/v1/orgs/${org.id}/usage?group_by=workflow_id&workflow_id=Demo`)
    const groups = usage.json['data'] as { group: { workflow_id: string } }[]
    expect(JSON.stringify(groups)).toContain('demo')
    expect(JSON.stringify(groups)).not.toContain('Demo')
  })

  test('cannot be left by minting another spelling, and none is blank', async () => {
    const org = await money.org()
    const scopes = ['keys:write', 'edge:decide']
    const made = await org.set('POST', '/keys', { name: 'a', role: 'admin', scopes, pins: { user_id: 'Ada' } })
    const child = (pins: object) =>
      call(money.server.url, 'POST', `/v1/orgs/${org.id}/keys`, {
        key: String(made['secret']),
        body: { name: 'c', role: 'service', scopes: ['edge:decide'], pins },
      })
    expect((await child({ user_id: 'ADA ' })).json['pins']).toEqual({ user_id: 'ada' })
    expect(codeOf(await child({ user_id: 'bob' }))).toBe('forbidden')
    expect(codeOf(await child({ workflow_id: '\u200b' }))).toBe('validation_failed')
  })
})

describe('a rule', () => {
  const rule = (expression: string, target = 'action') => ({
    name: 'R',
    effect: 'block',
    target,
    priority: 1,
    expression,
    reason: 'No.',
  })

  test.each([
    'run.action == "refund"',
    'run.action == "Refund "',
    '"REFUND" == run.action',
    'run.action in ["pay", "Refund"]',
    'run.action.startsWith("REF")',
    'run.action.re2("^Ref")',
    're2(run.action, "FUND$")',
  ])('%s is about the action refund, however anybody spells it', async (expression) => {
    const org = await money.org()
    const agent = await agentOf(org)
    await org.set('POST', '/policies', rule(expression))
    for (const action of ['refund', 'refund ', 'Refund', 'ＲＥＦＵＮＤ', 'ref\u200bund'])
      expect([action, codeOf(await agent.post('/v1/runs', { ...asked, action }))]).toEqual([action, 'policy_blocked'])
    expect(codeOf(await agent.post('/v1/runs', { ...asked, action: 'greet' }))).toBe(201)
  })

  test('can require the input that detectors inspect, and an empty one does not satisfy it', async () => {
    const org = await money.org()
    const agent = await agentOf(org)
    await org.set('POST', '/policies', rule('!run.has_input', 'model'))
    for (const input of [undefined, '', [], [''], ['', ' '], ' \n', '\u200b', '\u3164', '\u2800'])
      expect([input, codeOf(await agent.post('/v1/runs', { ...asked, input }))]).toEqual([input, 'policy_blocked'])
    for (const input of ['Hello', ['', 'Hello'], '?', '日本'])
      expect([input, codeOf(await agent.post('/v1/runs', { ...asked, input }))]).toEqual([input, 201])
  })

  test('about a dimension, a customer or tags is too', async () => {
    const org = await money.org()
    const agent = await agentOf(org)
    const expressions = [
      'run.department_id == "Research"',
      'customer.id == "ACME"',
      '"Beta" in run.tags',
      'run.tags.exists(t, t == "Gamma")',
    ]
    for (const expression of expressions) await org.set('POST', '/policies', rule(expression, 'model'))
    const fields = [
      { department_id: ' research' },
      { customer_id: 'Acme\u200b' },
      { tags: ['x', 'BETA'] },
      { tags: ['ｇamma'] },
    ]
    for (const field of fields)
      expect([field, codeOf(await agent.post('/v1/runs', { ...asked, ...field }))]).toEqual([field, 'policy_blocked'])
  })
})

describe('what was stored before names had a normal form', () => {
  test('goes on limiting, and counts from where it was', async () => {
    const org = await money.org()
    const orgId = requireId('org', org.id)
    const agent = await agentOf(org)
    const budget = { name: 'B', scope_kind: 'workflow', scope_id: 'demo', limit_usd: '0.025', period: 'month' }
    const made = await org.set('POST', '/budgets', budget)
    await org.set('PUT', '/customers/acme/limit', { limit_usd: '0.0125', period: 'month' })
    await org.set('PUT', '/customers/twice/limit', { limit_usd: '5', period: 'month' })
    await org.set('POST', '/customers/cr1/credit-packs', { amount_usd: '0.0125' })
    const { client } = money.superuser
    await client.query(`update limits set scope_id = 'Demo' where org_id = $1`, [orgId])
    await client.query(`update customer_limits set customer_id = initcap(customer_id) where org_id = $1`, [orgId])
    await client.query(`update packs set owner = 'Cr1' where org_id = $1`, [orgId])
    await client.query(readFileSync(new URL('../../migrations/0029_normal_form.sql', import.meta.url), 'utf8'))
    await org.set('PUT', '/customers/TWICE/limit', { limit_usd: '6', period: 'month' })
    expect((await org.ask('GET', '/customers/twice/limit')).json).toMatchObject({
      customer_id: 'twice',
      limit_usd: '6',
    })
    for (const workflow_id of ['demo', 'Demo'])
      expect((await agent.post('/v1/runs', { ...asked, workflow_id })).status).toBe(201)
    expect(codeOf(await agent.post('/v1/runs', { ...asked, workflow_id: 'demo' }))).toBe('budget_exceeded')
    const { json } = await org.ask('GET', `/budgets/${String(made['id'])}`)
    expect(json).toMatchObject({ scope_id: 'Demo', held_usd: '0.025' })
    const sameScope = `/scoped-budget?scope_kind=workflow&scope_id=DEMO&period=month`
    expect((await org.ask('GET', sameScope)).json['id']).toBe(made['id'])
    expect((await org.ask('GET', '/budgets?scope_id=demo')).json['data']).toHaveLength(1)
    for (const [field, code] of [
      [{ customer_id: 'Acme' }, 'budget_exceeded'],
      [{ customer_id: 'cr1' }, 'credits_exhausted'],
    ] as const) {
      expect((await agent.post('/v1/runs', { ...asked, ...field })).status).toBe(201)
      expect(codeOf(await agent.post('/v1/runs', { ...asked, ...field }))).toBe(code)
    }
    expect((await org.ask('GET', '/customers/cr1/credit-packs')).json['data']).toMatchObject([
      { customer_id: 'cr1', held_usd: '0.0125' },
    ])
    expect((await org.ask('DELETE', '/customers/acme/limit')).status).toBe(204)
  })

  test('twice, becomes one: every budget of it counts, and of two limits of a customer the one in normal form', async () => {
    const org = await money.org()
    const orgId = requireId('org', org.id)
    const agent = await agentOf(org)
    const budget = { name: 'B', scope_kind: 'workflow', scope_id: 'old', period: 'month' }
    await org.set('POST', '/budgets', { ...budget, limit_usd: '0.0125' })
    await org.set('POST', '/budgets', { ...budget, scope_id: 'demo', limit_usd: '5' })
    await org.set('PUT', '/customers/acme/limit', { limit_usd: '0.0125', period: 'month' })
    await org.set('PUT', '/customers/old/limit', { limit_usd: '5', period: 'month' })
    const { client } = money.superuser
    await client.query(`update limits set scope_id = 'Demo' where org_id = $1 and scope_id = 'old'`, [orgId])
    await client.query(`update customer_limits set customer_id = 'ACME' where org_id = $1 and customer_id = 'old'`, [
      orgId,
    ])
    for (const field of [{ workflow_id: 'demo' }, { customer_id: 'ACME' }]) {
      expect((await agent.post('/v1/runs', { ...asked, ...field })).status).toBe(201)
      expect(codeOf(await agent.post('/v1/runs', { ...asked, ...field }))).toBe('budget_exceeded')
    }
  })
})

test('a name that its normal form makes too long is refused', async () => {
  const agent = await agentOf(await money.org())
  const { json } = await agent.post('/v1/edge/decision', { ...asked, workflow_id: '\ufdfa'.repeat(200) })
  expect(json.error?.details).toMatchObject({ fields: [{ field: 'workflow_id', code: 'too_long' }] })
})

test('a list of budgets by a key finds those of the key that it was rotated from', async () => {
  const org = await money.org()
  const agent = await agentOf(org)
  await org.set('POST', '/budgets', {
    name: 'K',
    scope_kind: 'key',
    scope_id: agent.id,
    limit_usd: '1',
    period: 'month',
  })
  const next = await org.set('POST', `/keys/${agent.id}/rotate`, {})
  for (const id of [agent.id, String(next['id'])])
    expect((await org.ask('GET', `/budgets?scope_kind=key&scope_id=${id}`)).json['data']).toHaveLength(1)
})
