import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepExpiredHolds } from '../../server/src/decisions/decisions.ts'
import { useServer } from '../../server/test/support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../../server/test/support/tenants.ts'
import { checkConfig } from '../src/config.ts'
import type { GatewayConfig } from '../src/config-schema.ts'
import { type Gateway, startGateway } from '../src/gateway.ts'
import { createLog } from '../src/infra/log.ts'
import { type PracticeProvider, startPracticeProvider } from '../src/practice/provider.ts'
import { type ExtAuthzProxy, startExtAuthz } from './support/ext-authz.ts'

/** The example of Envoy: its configuration drives a proxy that asks as Envoy's filter does, and the gateway decides. */
let sweeper: ReturnType<typeof sweepExpiredHolds>
const weir = useServer({
  environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' },
  domain: (_app, platform, lanes) => {
    sweeper = sweepExpiredHolds(platform, lanes)
  },
})
let provider: PracticeProvider
let gateway: Gateway
let proxy: ExtAuthzProxy
let tenant: Tenant

const example = JSON.parse(
  readFileSync(new URL('../../../examples/envoy/gateway.json', import.meta.url), 'utf8'),
) as GatewayConfig

const start = (weirUrl: string, more: Partial<GatewayConfig> = {}) =>
  startGateway({
    config: checkConfig(
      {
        ...example,
        listen: { port: 0, trusted_proxies: ['127.0.0.1'] },
        weir: { url: weirUrl, timeout_seconds: 60, lease_seconds: 10 },
        providers: { openai: { ...example.providers['openai']!, base_url: provider.url } },
        ...more,
      },
      {},
    ),
    env: {},
    log: createLog('silent'),
  })

beforeAll(async () => {
  provider = await startPracticeProvider()
  tenant = await tenantOf(weir, (await operatorOf(weir)).key, 'Envoy')
  gateway = await start(weir.url)
  proxy = await startExtAuthz(gateway.url, provider.url, 'sk-provider')
})
afterAll(async () => {
  await proxy?.stop()
  await gateway?.stop()
  await provider?.stop()
  await sweeper?.close()
})

/** A key of a caller, under a budget of its own: it may start runs and end those that are not managed. */
async function callerOf(workflowId: string, limitUsd: string) {
  const org = `/v1/orgs/${tenant.id}`
  const made = await call(
    weir.url,
    'PUT',
    `${org}/scoped-budget?scope_kind=workflow&scope_id=${workflowId}&period=month`,
    {
      key: tenant.key,
      body: { name: workflowId, limit_usd: limitUsd },
    },
  )
  const { key } = await keyOf(weir, tenant.id, {
    role: 'service',
    scopes: ['runs:write'],
    pins: { workflow_id: workflowId },
  })
  const path = `${org}/budgets/${String(made.json['id'])}`
  return { key, read: async () => (await call(weir.url, 'GET', path, { key: tenant.key })).json }
}

const completion = { model: 'gpt-4o', max_completion_tokens: 400, messages: [{ role: 'user', content: 'hi' }] }

const ask = (
  key: string,
  body: object | string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = '/v1/chat/completions',
) =>
  fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })

test('a call that fits is sent with the provider’s key, one that does not is refused in its own kind of error', async () => {
  const { key, read } = await callerOf('limit', '0.015')
  const first = provider.books.entries.length
  const answers: Response[] = []
  for (let i = 0; i < 4; i++) answers.push(await ask(key, completion))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 402])
  expect(await answers[3]!.json()).toMatchObject({ error: { code: 'budget_exceeded', type: 'billing_error' } })
  const sent = provider.books.entries.slice(first)
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer sk-provider'))
  expect(sent.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(completion)))
  // What was held is at least what was billed: gpt-4o costs $2.50 a million tokens of input, $10 of output.
  const billed = sent.reduce((sum, { input, output }) => sum + input * 2_500 + output * 10_000, 0)
  const { held_usd, spent_usd } = await read()
  expect((Number(held_usd) + Number(spent_usd)) * 1e9).toBeGreaterThanOrEqual(billed)
})

test('the caller cannot end the run of its call as free, and its lease charges what was held', async () => {
  const { key, read } = await callerOf('charged', '1')
  const answer = await ask(key, completion)
  const [runId, reserved] = [answer.headers.get('x-weir-run-id'), answer.headers.get('x-weir-reserved-usd')]
  const ended = await call(weir.url, 'POST', `/v1/runs/${runId}/finish`, {
    key,
    body: { status: 'cancelled', cost_usd: '0' },
  })
  expect([ended.status, ended.json.error?.code]).toEqual([403, 'missing_scope'])
  await expect.poll(async () => (await read())['held_usd'], { timeout: 120_000 }).toBe('0')
  expect((await read())['spent_usd']).toBe(reserved)
})

test.each<[string, object | string | Uint8Array<ArrayBuffer>, Record<string, string>, string]>([
  ['without a bound', { ...completion, max_completion_tokens: undefined }, {}, 'max_completion_tokens'],
  [
    'with a bound beyond what the model can',
    { ...completion, max_completion_tokens: 1_000_000 },
    {},
    'max_completion_tokens',
  ],
  ['with two bounds', { ...completion, max_tokens: 5 }, {}, 'max_completion_tokens'],
  ['with a tool of the provider', { ...completion, web_search_options: {} }, {}, 'web_search'],
  ['with a field that is not known', { ...completion, turbo: true }, {}, 'turbo'],
  [
    'that is compressed',
    new Uint8Array(gzipSync(JSON.stringify(completion))),
    { 'content-encoding': 'gzip' },
    'compressed',
  ],
  ['of another character set', completion, { 'content-type': 'application/json; charset=utf-16' }, 'application/json'],
  ['that names a member twice', '{"model":"gpt-4o","max_tokens":5,"max_tokens":5000,"messages":[]}', {}, 'twice'],
  ['of a route', { ...completion, model: 'route:cheap' }, {}, 'route'],
  ['of a model that is not served', { ...completion, model: 'other' }, {}, 'other'],
])('a call %s is refused, and nothing is sent', async (_, body, headers, named) => {
  const { key } = await callerOf('smuggled', '1')
  const first = provider.books.entries.length
  const answer = await ask(key, body, headers)
  const text = await answer.text()
  expect([400, 404]).toContain(answer.status)
  expect(text).toContain(named)
  expect(provider.books.entries.length).toBe(first)
})

test('no other path and no other key leads to the provider', async () => {
  const { key } = await callerOf('paths', '1')
  const first = provider.books.entries.length
  expect((await ask('weir_made_up_key', completion)).status).toBe(401)
  for (const path of [
    '/v1/models',
    '/v1/messages/count_tokens',
    '/check/v1/chat/completions',
    '/p/openai/v1/chat/completions',
  ])
    expect([path, (await ask(key, completion, {}, path)).status]).toEqual([path, expect.toBeOneOf([400, 404])])
  expect((await ask(key, 'x'.repeat(2_000_000))).status).toBe(413)
  const partial = await fetch(`${gateway.url}/check/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-envoy-auth-partial-body': 'true' },
    body: JSON.stringify(completion),
  })
  expect(partial.status).toBe(400)
  expect(provider.books.entries.length).toBe(first)
})

test('while Weir is away calls get 503, and nothing is sent', async () => {
  const first = provider.books.entries.length
  const alone = await start('http://127.0.0.1:1', {
    weir: { url: 'http://127.0.0.1:1', timeout_seconds: 1 },
    limits: { drain_seconds: 1 },
  })
  const before = await startExtAuthz(alone.url, provider.url, 'sk-provider')
  const answer = await fetch(`${before.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(completion),
  })
  await before.stop()
  await alone.stop()
  expect(answer.status).toBe(503)
  expect(provider.books.entries.length).toBe(first)
})

test('a gateway that is not asked to decides nothing', async () => {
  const { key } = await callerOf('closed', '1')
  const closed = await start(weir.url, { checks: false })
  const answer = await fetch(`${closed.url}/check/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(completion),
  })
  await closed.stop()
  expect(answer.status).toBe(404)
})
