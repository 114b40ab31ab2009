import { expect, test } from 'vitest'
import { call, keyOf } from '../../server/test/support/tenants.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway()

const ask = (key: string, body: object, headers: Record<string, string> = {}, path = '/v1/chat/completions') =>
  fetch(under.gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const runOf = (id: string | null) => call(under.weir.url, 'GET', `/v1/runs/${id}`, { key: under.ownerKey })

const chat = { model: 'gpt-4o', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

test('a call is held, sent with the provider’s key, answered and settled at what the provider billed', async () => {
  const answer = await ask(under.ownerKey, chat, practice({ output: 30, cached: 5 }))
  expect(answer.status).toBe(200)
  const body = (await answer.json()) as { usage: { completion_tokens: number } }
  expect(body.usage.completion_tokens).toBe(30)
  const entry = under.provider.books.entries.at(-1)!
  expect(entry.headers['authorization']).toBe('Bearer sk-provider-secret')
  expect(JSON.stringify(entry.headers)).not.toContain('weir_')
  expect(entry.body).toBe(JSON.stringify(chat))
  const id = answer.headers.get('x-weir-run-id')
  await expect
    .poll(async () => (await runOf(id)).json)
    .toMatchObject({
      status: 'succeeded',
      input_tokens: entry.input,
      output_tokens: 30,
      cache_read_input_tokens: 5,
      cost_basis: 'computed',
      overrun_usd: '0',
    })
})

test('a stream arrives as the provider sent it, without the usage that only the gateway asked for', async () => {
  const answer = await ask(under.ownerKey, { ...chat, stream: true }, practice({ output: 5 }))
  const text = await answer.text()
  expect(text).toContain('data: [DONE]')
  expect(text).not.toContain('"usage":{')
  const entry = under.provider.books.entries.at(-1)!
  expect(JSON.parse(entry.body)).toEqual({ ...chat, stream: true, stream_options: { include_usage: true } })
  await expect
    .poll(async () => (await runOf(answer.headers.get('x-weir-run-id'))).json)
    .toMatchObject({ status: 'succeeded', output_tokens: 5, input_tokens: entry.input })
})

test('a budget that is full refuses in the provider’s own kind of error, and nothing reaches the provider', async () => {
  const { key } = await keyOf(under.weir, under.orgId, {
    role: 'service',
    scopes: ['runs:write'],
    pins: { workflow_id: 'small' },
  })
  const budget = { name: 'Small', scope_kind: 'workflow', scope_id: 'small', period: 'month', limit_usd: '0.001' }
  const made = await call(under.weir.url, 'POST', `/v1/orgs/${under.orgId}/budgets`, {
    key: under.ownerKey,
    body: budget,
  })
  expect(made.status).toBe(201)
  const before = under.provider.books.entries.length
  const answer = await ask(key, { ...chat, max_tokens: 1_000 })
  expect(answer.status).toBe(402)
  expect(answer.headers.get('x-should-retry')).toBe('false')
  expect(await answer.json()).toMatchObject({
    error: {
      type: 'billing_error',
      code: 'budget_exceeded',
      message: expect.stringMatching(/^Weir: the workflow budget has \$0\.001 of \$0\.001 left/),
    },
  })
  expect(under.provider.books.entries.length).toBe(before)
})
