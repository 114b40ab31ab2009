import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { checkConfig } from '../src/config.ts'
import { startGateway } from '../src/gateway.ts'
import { createLog } from '../src/infra/log.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { dialectNames, dialects } from './support/dialects.ts'
import { baseConfig, practice, useGateway } from './support/gateway.ts'

const under = useGateway((base) => ({
  ...base,
  providers: {
    ...base.providers,
    // Nobody listens on this port.
    away: { ...base.providers['openai']!, base_url: 'http://127.0.0.1:1' },
    shut: { ...base.providers['openai']!, base_url: 'http://127.0.0.1:1' },
  },
  models: [
    ...(base.models ?? []),
    { name: 'gpt-4o-mini', provider: 'away', fallback: ['anthropic', 'openai'] },
    { name: 'gpt-4.1', provider: 'away' },
    { name: 'gpt-4.1-nano', provider: 'shut', fallback: ['openai'] },
    { name: 'gpt-4.1-mini', provider: 'openai', fallback: ['openai'] },
    { name: 'gpt-5', provider: 'openai', downgrade: ['gpt-4o', 'gpt-5-nano'] },
  ],
}))

const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hi' }]
const entries = () => under.provider.books.entries

describe('a provider that cannot be reached', () => {
  test('is passed over for the next that speaks the dialect, and the call is billed once', async () => {
    const before = entries().length
    const answer = await ask(under, path, { model: 'gpt-4o-mini', messages })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-weir-attempts')).toBe('2')
    expect(entries().length).toBe(before + 1)
    expect(await endedRun(under, answer)).toMatchObject({ status: 'succeeded', provider: 'openai' })
  })

  test('is asked after the others when it has failed five times', async () => {
    const attempts: (string | null)[] = []
    for (let i = 0; i < 6; i += 1) {
      const answer = await ask(under, path, { model: 'gpt-4.1-nano', messages })
      expect(answer.status).toBe(200)
      attempts.push(answer.headers.get('x-weir-attempts'))
    }
    expect(attempts).toEqual(['2', '2', '2', '2', '2', null])
  })

  test('is an error that costs nothing where there is no other', async () => {
    const answer = await ask(under, path, { model: 'gpt-4.1', messages })
    expect(answer.status).toBe(502)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
  })
})

test('a provider that is overloaded is passed over too, and only an attempt that did work is billed', async () => {
  const before = entries().length
  const answer = await ask(under, path, { model: 'gpt-4.1-mini', messages }, practice({ status: 529 }))
  // Both attempts are told to refuse: the answer of the last one is passed on.
  expect(answer.status).toBe(529)
  expect(
    entries()
      .slice(before)
      .map(({ state }) => state),
  ).toEqual(['refused', 'refused'])
  expect(await endedRun(under, answer)).toMatchObject({ cost_usd: '0' })
})

test.each(dialectNames)(
  'a refused key of the gateway is neither the caller’s fault nor shown to it: %s',
  async (name) => {
    const request = dialects[name]({ max: 100 })
    const answer = await ask(under, request.path, request.body, practice({ status: 401 }))
    expect(answer.status).toBe(403)
    const text = await answer.text()
    expect(text).toContain('upstream_auth')
    expect(text).not.toContain('practice')
    expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
  },
)

test('an ambiguous failure is not repeated, and charged by judgement', async () => {
  const before = entries().length
  const answer = await ask(under, path, { model: 'gpt-4o', messages }, practice({ breakAfter: 0 }))
  expect(answer.status).toBe(502)
  expect(entries().length).toBe(before + 1)
  const run = await endedRun(under, answer)
  expect(run).toMatchObject({ status: 'failed', cost_basis: 'estimated' })
  expect(Number(run['cost_usd'])).toBeGreaterThan(0)
})

test('a caller who allows it gets a cheaper model where money refuses the one it asked for', async () => {
  const { key } = await budgetedKey(under, 'thrifty', '0.002')
  const body = { model: 'gpt-5', max_completion_tokens: 1_000, messages }
  const headers = { authorization: `Bearer ${key}` }
  expect((await ask(under, path, body, headers)).status).toBe(402)
  const answer = await ask(under, path, body, { ...headers, 'x-weir-downgrade': 'allow' })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-weir-model')).toBe('gpt-5-nano')
  expect(JSON.parse(entries().at(-1)!.body)).toMatchObject({ model: 'gpt-5-nano' })
})

test('while Weir is away no call passes', async () => {
  const env = { PROVIDER_KEY: 'sk-provider-secret' }
  const base = baseConfig('http://127.0.0.1:1', under.provider.url)
  const config = checkConfig({ ...base, weir: { url: 'http://127.0.0.1:1', timeout_seconds: 1 } }, env)
  const gateway = await startGateway({ config, env, log: createLog('silent') })
  const before = entries().length
  const answer = await ask({ ...under, gateway }, path, { model: 'gpt-4o', messages })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(entries().length).toBe(before)
  // What it could not tell Weir is let go with the test; a real one would keep it in its journal.
  expect(gateway.parts.settlements.size).toBe(1)
  await gateway.stop()
}, 60_000)

test('a connection on which nothing was ever asked does not keep a gateway from stopping', async () => {
  const env = { PROVIDER_KEY: 'sk-provider-secret', SETTLEMENT_KEY: under.ownerKey }
  const config = checkConfig(baseConfig(under.weir.url, under.provider.url), env)
  const gateway = await startGateway({ config, env, log: createLog('silent') })
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  await gateway.stop()
  await closed
  expect(socket.destroyed).toBe(true)
}, 60_000)
