import { beforeAll, describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import { createRateLimiter } from '../../src/platform/infra/rate-limiter.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

const limited = async (policy: object) => {
  const { status } = await call(server.url, 'PUT', `/v1/admin/orgs/${tenant.id}/rate-limits`, {
    key: operator,
    body: { read_rpm: null, policies: [{ kind: 'tokens', window_seconds: 60, ...policy }] },
  })
  expect(status).toBe(200)
}
const ask = async (path: string, tokens: object, headers = {}) => {
  const { status, json } = await call(server.url, 'POST', path, {
    key: tenant.key,
    body: { model: 'gpt-4o', ...tokens },
    headers,
  })
  const [fault] = (json.error?.details['fields'] ?? []) as { field: string; code: string }[]
  return `${status} ${json.error?.code ?? 'allowed'}${fault ? ` ${fault.field}: ${fault.code}` : ''}`
}

describe.each(['/v1/edge/decision', '/v1/runs'])('a call of POST %s that no wait makes room for', (path) => {
  const allowed = path === '/v1/runs' ? '201 allowed' : '200 allowed'
  const policies: [string, () => object][] = [
    ['the organization', () => ({ per: 'org' })],
    ['every key', () => ({ per: 'key' })],
    ['its own key', () => ({ per: 'key', match: tenant.keyId })],
    ['every model', () => ({ per: 'model' })],
    ['its model', () => ({ per: 'model', match: 'gpt-4o' })],
  ]

  test.each(policies)('is out of range, where the tokens of %s are counted', async (_whose, policy) => {
    await limited({ ...policy(), amount: 1_000, window_seconds: path === '/v1/runs' ? 61 : 60 })
    const tooLarge = '422 validation_failed'
    expect(await ask(path, { input_tokens: 6_000, max_output_tokens: 100 })).toBe(
      `${tooLarge} input_tokens: out_of_range`,
    )
    expect(await ask(path, { input_tokens: 500, max_output_tokens: 501 })).toBe(
      `${tooLarge} max_output_tokens: out_of_range`,
    )
    // Nothing was taken: one that just fits passes, and the next one is told when to come back.
    expect(await ask(path, { input_tokens: 500, max_output_tokens: 500 })).toBe(allowed)
    expect(await ask(path, { input_tokens: 500, max_output_tokens: 500 })).toBe('429 rate_limited')
    await limited({ ...policy(), amount: 100_000 })
  })

  test('is not what was answered before under its idempotency key', async () => {
    await limited({ per: 'org', amount: 1_000_000 })
    const key = { 'idempotency-key': `k ${path}`.replaceAll(' ', '-') }
    const call = { input_tokens: 500, max_output_tokens: 500 }
    expect(await ask(path, call, key)).toBe(allowed)
    await limited({ per: 'org', amount: 999 })
    expect(await ask(path, call, key)).toBe(allowed)
    expect(await ask(path, { ...call, input_tokens: 501 }, key)).toBe('409 idempotency_key_conflict')
  })
})

test('while Redis is away, a call that is larger than the share of a process passes alone', async () => {
  const { log } = server.platform
  const redis = { run: () => Promise.reject(new Error('away')) } as never
  const metrics = createMetrics({ version: '0', role: 'test' })
  let now = 1_000_000
  const limits = createRateLimiter({ redis, metrics, log, clock: { now: () => new Date(now) } }, () => 4)
  const take = async (cost: number) => {
    const window = { name: 'w', limit: 1_000, windowSeconds: 60, cost, shape: 'sliding' } as const
    return (await limits.take('org', [window], 'local')).outcome
  }
  expect(await take(900)).toBe('admitted')
  expect(await take(1)).toBe('refused')
  now += 62_000
  expect(await take(250)).toBe('admitted')
  expect(await take(250)).toBe('refused')
})
