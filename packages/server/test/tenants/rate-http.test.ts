import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { parseList } from 'structured-headers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../scripts/private-services.ts'
import type { Caller } from '../../src/access/identity/identity.ts'
import { answerErrors } from '../../src/contract/envelope.ts'
import { type App, attachDeclarations, type Urgency } from '../../src/contract/routes.ts'
import { systemClock } from '../../src/platform/infra/clock.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { createRateLimiter } from '../../src/platform/infra/rate-limiter.ts'
import { openRedis, type Redis } from '../../src/platform/infra/redis.ts'
import { limitRequestRates } from '../../src/tenants/rate-limits/rate-limits.ts'
import { formatId } from '../../src/values/id.ts'
import { secret } from '../../src/values/secret.ts'
import { eventually } from '../support/processes.ts'
import { freePort } from '../support/redis-servers.ts'

type Policy = Caller['ratePolicies'][number]
type Limits = Partial<Pick<Caller, 'kind' | 'orgId' | 'id' | 'readRpm' | 'onUnavailable' | 'ratePolicies'>>

/** The hook in an app of its own, where each request says in a header who is calling. */
async function startApp(redisUrl: string, readLimitPerMinute?: number) {
  const log = createLog({ level: 'fatal', role: 'test' }, new Writable({ write: (_chunk, _encoding, done) => done() }))
  const redis = openRedis({ url: secret(redisUrl), log })
  const platform = {
    redis: { ...redis, run: (...args: Parameters<Redis['run']>) => (asked++, redis.run(...args)) },
    metrics: createMetrics({ version: '0', role: 'test' }),
    clock: systemClock,
    log,
    config: { readLimitPerMinute },
  } as unknown as Platform
  let asked = 0
  const app: App = fastify().withTypeProvider<TypeBoxTypeProvider>()
  answerErrors(app, log)
  attachDeclarations(app)
  app.decorateRequest('principal')
  app.addHook('onRequest', (request, _reply, done) => {
    const limits = JSON.parse(String(request.headers['x-caller'] ?? '{}')) as Limits
    request.principal = { onUnavailable: 'local', ratePolicies: [], ...limits } as unknown as Caller
    done()
  })
  limitRequestRates(
    app,
    platform,
    createRateLimiter(platform, () => 1),
  )
  const route = (method: 'GET' | 'POST', url: string, urgency: Urgency) =>
    app.route({ method, url, config: { urgency, template: url, open: true }, handler: () => ({ ok: true }) })
  route('GET', '/v1/things', 'read')
  route('POST', '/v1/things', 'change')
  route('POST', '/v1/edge/decision', 'decision')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    redis,
    asked: () => asked,
    call: async (method: string, path: string, caller: Limits) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'x-caller': JSON.stringify(caller) },
      })
      const text = await response.text()
      const body = text === '' ? undefined : (JSON.parse(text) as { error?: { code: string; details: object } })
      return { status: response.status, headers: response.headers, error: body?.error }
    },
    close: async () => {
      await app.close()
      await redis.close()
    },
  }
}

let api: Awaited<ReturnType<typeof startApp>>
beforeAll(async () => {
  api = await startApp(services().redis.url)
  await eventually(() => api.redis.isReachable())
})
afterAll(() => api?.close())

const newCaller = (policies: Partial<Policy>[], more: Limits = {}): Limits => ({
  kind: 'key',
  orgId: randomUUID(),
  id: randomUUID(),
  ratePolicies: policies.map((policy) => ({
    id: randomUUID(),
    kind: 'requests',
    per: 'org',
    match: null,
    amount: 1,
    window_seconds: 60,
    ...policy,
  })),
  ...more,
})

/** The two fields as an independent parser of structured fields reads them. */
const fields = (headers: Headers) =>
  ['ratelimit-policy', 'ratelimit'].map((name) =>
    parseList(headers.get(name)!).map(([value, parameters]) => [value, Object.fromEntries(parameters)]),
  )

test('reads beyond the limit are refused with rate_limited, Retry-After and the RateLimit fields', async () => {
  const caller = newCaller([], { readRpm: 2 })
  const answers = [await api.call('GET', '/v1/things', caller), await api.call('HEAD', '/v1/things', caller)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(fields(answers[0]!.headers)).toEqual([
    [['reads-60s', { q: 2, w: 60 }]],
    [['reads-60s', { r: 1, t: expect.toSatisfy((t: number) => t >= 59 && t <= 61) }]],
  ])
  const refused = await api.call('GET', '/v1/things', caller)
  expect(refused.status).toBe(429)
  expect(refused.error).toMatchObject({ code: 'rate_limited' })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(refused.error!.details).toEqual({ retry_after_seconds: seconds })
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(61)
  expect(fields(refused.headers)[1]).toEqual([['reads-60s', { r: 0, t: seconds }]])
  expect((await api.call('POST', '/v1/things', caller)).status).toBe(200)
})

test('a caller without limits costs no question to Redis, and its answers say nothing about limits', async () => {
  const before = api.asked()
  const { status, headers } = await api.call('GET', '/v1/things', newCaller([]))
  expect({ status, policy: headers.get('ratelimit-policy'), asked: api.asked() }).toEqual({
    status: 200,
    policy: null,
    asked: before,
  })
})

test('policies bind per organization, key and route class, and other organizations not at all', async () => {
  const status = async (method: string, caller: Limits) => (await api.call(method, '/v1/things', caller)).status
  const perOrg = newCaller([{ per: 'org' }])
  expect([await status('GET', perOrg), await status('POST', { ...perOrg, id: randomUUID() })]).toEqual([200, 429])
  expect(await status('GET', { ...perOrg, orgId: randomUUID() })).toBe(200)

  const perKey = newCaller([{ per: 'key' }])
  expect([await status('GET', perKey), await status('POST', { ...perKey, id: randomUUID() })]).toEqual([200, 200])
  expect(await status('GET', perKey)).toBe(429)

  const oneKey = newCaller([])
  const policy = { ...newCaller([{ per: 'key', match: formatId('key', oneKey.id!) }]) }.ratePolicies!
  const both = [oneKey, { ...oneKey, id: randomUUID() }].map((caller) => ({ ...caller, ratePolicies: policy }))
  expect([await status('GET', both[0]!), await status('GET', both[0]!)]).toEqual([200, 429])
  expect([await status('GET', both[1]!), await status('GET', both[1]!)]).toEqual([200, 200])

  const perClass = newCaller([{ per: 'route_class', match: 'change' }])
  expect([await status('POST', perClass), await status('POST', perClass)]).toEqual([200, 429])
  expect([await status('GET', perClass), await status('GET', perClass)]).toEqual([200, 200])

  const eachClass = newCaller([{ per: 'route_class' }])
  expect([await status('POST', eachClass), await status('GET', eachClass)]).toEqual([200, 200])
  expect([await status('POST', eachClass), await status('GET', eachClass)]).toEqual([429, 429])
})

test('what a body decides is not held against requests: tokens, and all that counts per model', async () => {
  const caller = newCaller([{ kind: 'tokens' }, { kind: 'requests', per: 'model' }, { kind: 'quota', per: 'model' }])
  const before = api.asked()
  for (let i = 0; i < 3; i++) expect((await api.call('GET', '/v1/things', caller)).status).toBe(200)
  expect(api.asked()).toBe(before)
})

test('an exhausted quota window is quota_exhausted without Retry-After, and 402 on the edge decision', async () => {
  const caller = newCaller([{ kind: 'quota', amount: 2, window_seconds: 2_000_000 }, { amount: 100 }])
  await api.call('POST', '/v1/edge/decision', caller)
  await api.call('POST', '/v1/things', caller)
  const refused = await api.call('POST', '/v1/things', caller)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBeNull()
  const endMs = Math.ceil(systemClock.now().getTime() / 2e9) * 2e9
  expect(refused.error).toMatchObject({
    code: 'quota_exhausted',
    details: {
      quota_kind: 'quota-org-2000000s',
      limit: 2,
      used: 2,
      attempted: 1,
      resets_at: new Date(endMs).toISOString().replace('Z', '+00:00'),
    },
  })
  expect((await api.call('POST', '/v1/edge/decision', caller)).status).toBe(402)
  // Of the window that would have passed, a refused request takes nothing.
  expect(fields(refused.headers)[1]![1]).toEqual(['requests-org-60s', { r: 98, t: expect.anything() }])
})

test('where a quota and a rate both refuse, the quota is told: a retry would not pass', async () => {
  const caller = newCaller([{ kind: 'quota', window_seconds: 2_000_000 }, { kind: 'requests' }])
  await api.call('GET', '/v1/things', caller)
  expect((await api.call('GET', '/v1/things', caller)).error!.code).toBe('quota_exhausted')
})

test('a changed limit binds what was already used', async () => {
  const caller = newCaller([{ amount: 5 }])
  for (let i = 0; i < 3; i++) await api.call('GET', '/v1/things', caller)
  const withAmount = (amount: number) => ({
    ...caller,
    ratePolicies: [{ ...caller.ratePolicies![0]!, id: randomUUID(), amount }],
  })
  expect((await api.call('GET', '/v1/things', withAmount(3))).status).toBe(429)
  const allowed = await api.call('GET', '/v1/things', withAmount(10))
  expect(fields(allowed.headers)[1]).toEqual([['requests-org-60s', { r: 6, t: expect.anything() }]])
})

test('the configured read limit holds for organizations without a row of their own only', async () => {
  const limited = await startApp(services().redis.url, 1)
  await eventually(() => limited.redis.isReachable())
  const statuses = async (caller: Limits) => [
    (await limited.call('GET', '/v1/things', caller)).status,
    (await limited.call('GET', '/v1/things', caller)).status,
  ]
  expect(await statuses(newCaller([]))).toEqual([200, 429])
  expect(await statuses(newCaller([], { readRpm: 5 }))).toEqual([200, 200])
  expect(await statuses(newCaller([], { readRpm: null as unknown as number }))).toEqual([200, 200])
  await limited.close()
})

test('while Redis is away the answer is what the organization chose, never a 500', async () => {
  const alone = await startApp(`redis://127.0.0.1:${await freePort()}`)
  const statuses = async (onUnavailable: 'local' | 'deny' | 'allow') => {
    const caller = newCaller([{ amount: 2 }], { onUnavailable })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await alone.call('GET', '/v1/things', caller))
    return answers
  }
  expect((await statuses('local')).map(({ status }) => status)).toEqual([200, 200, 429])
  expect((await statuses('allow')).map(({ status }) => status)).toEqual([200, 200, 200])
  const denied = await statuses('deny')
  expect(denied.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(denied[0]!.error).toMatchObject({ code: 'service_unavailable', details: {} })
  expect(denied[0]!.headers.get('ratelimit-policy')).toBe('"requests-org-60s";q=2;w=60')
  await alone.close()
})
