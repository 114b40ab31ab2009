import { describe, expect, test } from 'vitest'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { chat, request, span } from '../support/otlp-spans.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

/** A call that holds and costs $0.0125. */
const asked = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
const used = { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 1_000 }

async function agentOf(org: MoneyOrg) {
  const scopes = ['edge:decide', 'runs:write', 'runs:read', 'runs:import']
  const { secret } = await org.set('POST', '/keys', { name: 'agent', role: 'service', scopes })
  return (path: string, body: object) => call(money.server.url, 'POST', path, { key: String(secret), body })
}
type Agent = Awaited<ReturnType<typeof agentOf>>

type Answered = Awaited<ReturnType<Agent>>
const codeOf = ({ status, json }: Answered) => json.error?.code ?? status
const faultsOf = ({ json }: Answered) =>
  (json.error?.details as { fields: { field: string; message: string }[] } | undefined)?.fields ?? []

const answersTo = async (post: Agent, field: object) => [
  codeOf(await post('/v1/edge/decision', { ...asked, ...field })),
  codeOf(await post('/v1/runs', { ...asked, ...field })),
  codeOf(await post('/v1/runs/bulk', { runs: [{ ...used, ...field }] })),
]
const passed = [200, 201, 200]
const refused = ['validation_failed', 'validation_failed', 'validation_failed']

describe.each(['workflow_id', 'department_id', 'deployment_id', 'customer_id', 'user_id'])(
  'the known values of %s',
  (name) => {
    test('let their spellings pass and nothing else, and name what was meant', async () => {
      const org = await money.org()
      const post = await agentOf(org)
      const known = { values: ['Demo', 'support desk'], pattern: 'Team-[0-9]+', on_unknown: 'refuse' }
      expect(await org.set('PUT', `/dimensions/${name}`, known)).toMatchObject({ values: ['demo', 'support desk'] })
      for (const value of ['demo', 'Demo ', 'ｄｅｍｏ', 'Support  Desk', 'team-7', 'TEAM-12\u200b'])
        expect([value, ...(await answersTo(post, { [name]: value }))]).toEqual([value, ...passed])
      for (const value of ['dem\u043e', 'demo2', 'team-', 'xteam-7', 'team-7x', 'none', '-'])
        expect([value, ...(await answersTo(post, { [name]: value }))]).toEqual([value, ...refused])
      // Leaving it out is not affected: that is what required dimensions are for.
      expect(await answersTo(post, {})).toEqual(passed)
      const [fault] = faultsOf(await post('/v1/edge/decision', { ...asked, [name]: 'Dem\u043e' }))
      expect(fault).toMatchObject({ field: name, message: expect.stringContaining('is demo') as unknown })
    })
  },
)

test('known actions and tags bind runs', async () => {
  const org = await money.org()
  const post = await agentOf(org)
  await org.set('PUT', '/dimensions/action', { values: ['refund'], on_unknown: 'refuse' })
  await org.set('PUT', '/dimensions/tags', { values: ['beta', 'prod'], on_unknown: 'refuse' })
  for (const field of [{ action: 'Refund' }, { tags: ['PROD', 'beta'] }, {}])
    expect(codeOf(await post('/v1/runs', { ...asked, ...field }))).toBe(201)
  for (const field of [{ action: 'refunds' }, { tags: ['beta', 'gamma'] }])
    expect(codeOf(await post('/v1/runs', { ...asked, ...field }))).toBe('validation_failed')
  expect(codeOf(await post('/v1/edge/decision', { ...asked, tags: ['gamma'] }))).toBe('validation_failed')
  for (const dimension of ['action', 'tags'])
    expect(
      codeOf(await org.ask('PUT', `/dimensions/${dimension}`, { values: ['a'], on_unknown: 'default_limit' })),
    ).toBe('validation_failed')
})

test.each([
  ['workflow_id', '/budget-defaults/workflow'],
  ['user_id', '/budget-defaults/user'],
  ['customer_id', '/customer-limit-default'],
])('an unknown %s with default_limit passes only under a default limit that blocks', async (name, path) => {
  const org = await money.org()
  const post = await agentOf(org)
  await org.set('PUT', `/dimensions/${name}`, { values: ['demo'], on_unknown: 'default_limit' })
  const ask = async (value: string) => codeOf(await post('/v1/edge/decision', { ...asked, [name]: value }))
  expect([await ask('demo'), await ask('other')]).toEqual([200, 'validation_failed'])
  await org.set('PUT', path, { limit_usd: null, period: 'month' })
  expect(await ask('other')).toBe('validation_failed')
  await org.set('PUT', path, { limit_usd: '0.0125', period: 'month' })
  expect([await ask('other'), await ask('Other')]).toEqual([200, 'budget_exceeded'])
})

test('facts are recorded whatever they name, and settlements follow their reservation', async () => {
  const org = await money.org()
  const post = await agentOf(org)
  const { json: run } = await post('/v1/runs', { ...asked, workflow_id: 'old' })
  await org.set('PUT', '/dimensions/workflow_id', { values: ['demo'], on_unknown: 'refuse' })
  expect(codeOf(await post(`/v1/runs/${String(run['id'])}/finish`, { status: 'succeeded', ...used }))).toBe(200)
  const fact = { runs: [{ ...used, workflow_id: 'unknown' }], enforce: false }
  expect(codeOf(await post('/v1/runs/bulk', fact))).toBe(200)
  const at = String(BigInt(money.server.platform.clock.now().getTime()) * 1_000_000n)
  const spans = [span({ ...chat, 'gen_ai.workflow.name': 'unknown' }, { startTimeUnixNano: at, endTimeUnixNano: at })]
  expect((await post('/v1/otlp/v1/traces', request(spans))).json).toEqual({})
})

test('the settings are read as they were set, refused where they cannot be meant, and on the record', async () => {
  const org = await money.org()
  const { json: none } = await org.ask('GET', '/dimensions')
  expect((none['data'] as object[])[0]).toMatchObject({ dimension: 'workflow_id', on_unknown: 'allow', values: [] })
  for (const wrong of [
    { on_unknown: 'refuse' },
    { on_unknown: 'refuse', pattern: '(' },
    { on_unknown: 'refuse', values: ['\u200b'] },
    { values: ['a'] },
    { on_unknown: 'refuse', pattern: '(a{100}){100}' },
  ])
    expect(codeOf(await org.ask('PUT', '/dimensions/user_id', wrong))).toBe('validation_failed')
  await org.set('PUT', '/dimensions/user_id', { values: ['Bob', 'ada', 'ADA'], on_unknown: 'refuse' })
  await org.set('PATCH', '/dimensions/user_id', { on_unknown: 'allow' })
  expect((await org.ask('GET', '/dimensions/user_id')).json).toMatchObject({
    values: ['ada', 'bob'],
    pattern: null,
    on_unknown: 'allow',
  })
  expect((await org.ask('DELETE', '/dimensions/user_id')).status).toBe(204)
  expect((await org.ask('DELETE', '/dimensions/user_id')).status).toBe(404)
  const { json: audit } = await org.ask('GET', '/audit-log?action=dimension.set')
  expect(audit['data']).toHaveLength(2)
})

test('a call that names something unknown is among the refusals', async () => {
  const org = await money.org()
  const post = await agentOf(org)
  await org.set('PUT', '/dimensions/department_id', { values: ['support'], on_unknown: 'refuse' })
  await post('/v1/edge/decision', { ...asked, department_id: 'Suport' })
  await expect
    .poll(async () => (await org.ask('GET', '/refusals')).json['data'])
    .toMatchObject([{ error_code: 'validation_failed', department_id: 'suport' }])
})
