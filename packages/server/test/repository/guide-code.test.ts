import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The program that the quickstart gives to agents, run as it stands. */
const server = useServer()
const request = { model: 'gpt-4o', input_tokens: 2000, max_output_tokens: 1000 }
const modelAnswer = { usage: { prompt_tokens: 2000, completion_tokens: 400 } }
let tenant: Tenant
let limited: (callId: string, call: object, callModel: () => Promise<unknown>) => Promise<unknown>

beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
  const { key } = await keyOf(server, tenant.id, { role: 'service', scopes: ['runs:write'] })
  vi.stubEnv('WEIR', server.url)
  vi.stubEnv('AGENT_KEY', key)
  const guide = readFileSync(new URL('../../../../docs/quickstart.md', import.meta.url), 'utf8')
  const [, program] = /```js\n([\s\S]*?)```/.exec(guide)!
  ;({ limited } = (await import(`data:text/javascript,${encodeURIComponent(program!)}`)) as { limited: typeof limited })
})
afterAll(() => vi.unstubAllEnvs())

const runs = async () =>
  (await call(server.url, 'GET', '/v1/runs', { key: tenant.key })).json['data'] as {
    status: string
    cost_usd: string
  }[]

test('a call that ran is settled at what it used', async () => {
  expect(await limited('one', request, async () => modelAnswer)).toBe(modelAnswer)
  expect(await runs()).toMatchObject([{ status: 'succeeded', cost_usd: '0.009' }])
})

test('a call that failed is charged what was held, and the failure is the caller’s', async () => {
  await expect(limited('two', request, () => Promise.reject(new Error('overloaded')))).rejects.toThrow('overloaded')
  expect(await runs()).toContainEqual(expect.objectContaining({ status: 'failed', cost_usd: '0.015' }))
})

test('a call that does not fit is refused before the model is called', async () => {
  await call(server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
    key: tenant.key,
    body: { name: 'Small', scope_kind: 'org', period: 'day', limit_usd: '0.01' },
  })
  const callModel = vi.fn<() => Promise<unknown>>()
  await expect(limited('three', request, callModel)).rejects.toMatchObject({ code: 'budget_exceeded', status: 402 })
  expect(callModel).not.toHaveBeenCalled()
})
