import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyOf } from '../../server/test/support/tenants.ts'
import { type Gateway, startGateway } from '../src/gateway.ts'
import { createLog } from '../src/infra/log.ts'
import { httpTransport } from '../src/weir/transport.ts'
import { ask, endedRun } from './support/callers.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway()
const path = '/v1/chat/completions'
const body = { model: 'gpt-4o', max_tokens: 200, messages: [{ role: 'user' as const, content: 'hi' }] }
const entries = () => under.provider.books.entries
const named = (key: string, script = {}) => ({ 'idempotency-key': key, ...practice(script) })

/**
 * A second gateway before the same Weir. Its start requests arrive there, and their answers are lost while `isLossy` is true; nothing arrives while
 * `isAway` is.
 */
const second = { isLossy: false, isAway: false, arrived: 0 } as {
  gateway: Gateway
  isLossy: boolean
  isAway: boolean
  arrived: number
  transport: ReturnType<typeof httpTransport>
}
beforeAll(async () => {
  second.transport = httpTransport(under.weir.url)
  const { key } = await keyOf(under.weir, under.orgId, { role: 'service', scopes: ['runs:write', 'runs:manage'] })
  second.gateway = await startGateway({
    config: { ...under.gateway.parts.config, weir: { ...under.gateway.parts.config.weir, timeout_seconds: 5 } },
    env: { SETTLEMENT_KEY: key, PROVIDER_KEY: 'sk-provider-secret' },
    log: createLog('silent'),
    transport: async (request) => {
      if (second.isAway) throw new Error('Weir is away')
      const answer = await second.transport.send(request)
      second.arrived += 1
      if (second.isLossy && request.path === '/v1/runs') throw new Error('the answer is lost')
      return answer
    },
  })
})
afterAll(async () => {
  await second.gateway?.stop()
  await second.transport?.close()
})

test('a call that is sent again while it runs is 409, and afterwards 400 with its run and cost; it is billed once', async () => {
  const before = entries().length
  const first = await ask(under, path, { ...body, stream: true }, named('once', { output: 40, hangAfter: 20 }))
  const during = await ask(under, path, { ...body, stream: true }, named('once'))
  expect(during.status).toBe(409)
  expect(during.headers.get('x-should-retry')).toBe('true')
  expect(during.headers.get('retry-after-ms')).toBe('500')
  const runId = first.headers.get('x-weir-run-id')
  expect(await during.json()).toMatchObject({
    error: { type: 'conflict', code: 'idempotency_key_processing', weir: { run_id: runId, status: 'running' } },
  })
  await first.body!.cancel()
  const { cost_usd } = await endedRun(under, first)
  const after = await ask(under, path, { ...body, stream: true }, named('once'))
  expect(after.status).toBe(400)
  expect(after.headers.get('x-should-retry')).toBe('false')
  expect(await after.json()).toMatchObject({
    error: { code: 'idempotency_key_used', weir: { run_id: runId, status: 'cancelled', cost_usd } },
  })
  expect(entries().length).toBe(before + 1)
})

test('of many at once, at two gateways, one is billed', async () => {
  const before = entries().length
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const gateway = i % 2 === 0 ? under.gateway : second.gateway
      const answer = await ask({ ...under, gateway }, path, body, named('storm', { firstMs: 50 }))
      await answer.text()
      return answer.status
    }),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(new Set(statuses.filter((status) => status !== 200))).toSatisfy((others: Set<number>) =>
    [...others].every((status) => status === 409 || status === 400),
  )
  expect(entries().length).toBe(before + 1)
})

test('what the provider refused to do may be tried again under the same key', async () => {
  const refused = await ask(under, path, body, named('again', { status: 429 }))
  expect(refused.status).toBe(429)
  expect(await endedRun(under, refused)).toMatchObject({ cost_usd: '0' })
  const answer = await ask(under, path, body, named('again'))
  expect(answer.status).toBe(200)
  await endedRun(under, answer)
  expect((await ask(under, path, body, named('again'))).status).toBe(400)
})

test('a key is its caller’s own, and for one request', async () => {
  const before = entries().length
  expect((await ask(under, path, body, named('mine'))).status).toBe(200)
  const other = await ask(under, path, { ...body, max_tokens: 201 }, named('mine'))
  expect(other.status).toBe(400)
  expect(await other.json()).toMatchObject({ error: { code: 'idempotency_key_conflict' } })
  const native = await ask(under, '/v1/messages', { ...body, model: 'claude-sonnet-4-5' }, named('mine'))
  expect(await native.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  const { key } = await keyOf(under.weir, under.orgId, { role: 'service', scopes: ['runs:write'] })
  const theirs = await ask(under, path, body, { ...named('mine'), authorization: `Bearer ${key}` })
  expect(theirs.status).toBe(200)
  expect(entries().length).toBe(before + 2)
})

test('a start whose answer is lost neither blocks the key for good nor ends the call that follows it', async () => {
  const before = entries().length
  second.isLossy = true
  const lost = await ask({ ...under, gateway: second.gateway }, path, body, named('lost'))
  expect(lost.status).toBe(503)
  // The next one goes through another gateway, while the first still does not know what became of its start.
  const processing = await ask(under, path, body, named('lost'))
  expect(processing.status).toBe(409)
  second.isLossy = false
  let made = processing
  const again = async () => {
    made = await ask(under, path, body, named('lost'))
    return made.status
  }
  await expect.poll(again).toBe(200)
  expect(entries().length).toBe(before + 1)
  expect(await endedRun(under, made)).toMatchObject({ status: 'succeeded', output_tokens: entries().at(-1)!.output })
}, 60_000)

test('a start that never arrived does not end the same call of another gateway later', async () => {
  second.isAway = true
  const streamed = { ...body, stream: true }
  expect((await ask({ ...under, gateway: second.gateway }, path, streamed, named('late'))).status).toBe(503)
  const answer = await ask(under, path, streamed, named('late', { output: 30, hangAfter: 20 }))
  expect(answer.status).toBe(200)
  const { arrived } = second
  second.isAway = false
  await expect.poll(() => second.arrived, { timeout: 30_000 }).toBeGreaterThan(arrived)
  await answer.body!.cancel()
  const run = await endedRun(under, answer)
  expect(run['output_tokens']).toBeGreaterThanOrEqual(entries().at(-1)!.output)
  expect(Number(run['cost_usd'])).toBeGreaterThan(0)
}, 60_000)

test('a client that repeats a 409 waits for the call and is then told that it was made', async () => {
  const before = entries().length
  const client = new OpenAI({ baseURL: `${under.gateway.url}/v1`, apiKey: under.ownerKey, maxRetries: 20 })
  const headers = named('sdk', { firstMs: 700 })
  const results = await Promise.allSettled([
    client.chat.completions.create(body, { headers }),
    client.chat.completions.create(body, { headers }),
  ])
  const failed = results.filter((result) => result.status === 'rejected')
  expect(failed).toHaveLength(1)
  expect(failed[0]!.reason).toMatchObject({ status: 400, code: 'idempotency_key_used' })
  expect(entries().length).toBe(before + 1)
}, 30_000)
