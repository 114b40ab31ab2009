import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const statusesOf = async (times: number, ask: () => Promise<{ status: number }>) => {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await ask()).status)
  return statuses
}

describe('an organization for which nobody has set limits', () => {
  const server = useServer({
    environment: {
      SVC_DEFAULT_READS_PER_MINUTE: '3',
      SVC_DEFAULT_CHANGES_PER_MINUTE: '2',
      SVC_DEFAULT_DECISIONS_PER_MINUTE: '2',
      SVC_DEFAULT_INGESTS_PER_MINUTE: '1',
    },
  })
  let operator: string
  beforeAll(async () => {
    operator = (await operatorOf(server)).key
  })
  const ask = ({ key }: Tenant, method: string, path: string, body?: object) =>
    call(server.url, method, path, { key, ...(body && { body }) })

  test('is held to the installation’s, each kind of request by itself', async () => {
    const tenant = await tenantOf(server, operator)
    const path = `/v1/orgs/${tenant.id}`
    expect(await statusesOf(5, () => ask(tenant, 'GET', path))).toEqual([200, 200, 200, 429, 429])
    expect(await statusesOf(3, () => ask(tenant, 'PATCH', path, { name: 'n' }))).toEqual([200, 200, 429])
    const decision = { model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1 }
    expect(await statusesOf(3, () => ask(tenant, 'POST', '/v1/edge/decision', decision))).toEqual([200, 200, 429])
    expect(await statusesOf(2, () => ask(tenant, 'POST', '/v1/runs/bulk', {}))).toEqual([422, 429])
    const refused = await ask(tenant, 'GET', path)
    expect(refused.json.error).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_seconds: Number(refused.headers.get('retry-after')) },
    })
  })

  test('leaves another organization its own', async () => {
    const [one, other] = [await tenantOf(server, operator, 'one'), await tenantOf(server, operator, 'other')]
    await statusesOf(4, () => ask(one, 'GET', '/v1/me'))
    expect((await ask(one, 'GET', '/v1/me')).status).toBe(429)
    expect((await ask(other, 'GET', '/v1/me')).status).toBe(200)
  })

  test('is not held to them once an operator has set limits, whatever they say', async () => {
    const tenant = await tenantOf(server, operator)
    const limits = { read_rpm: null, policies: [] }
    const path = `/v1/admin/orgs/${tenant.id}/rate-limits`
    expect((await call(server.url, 'PUT', path, { key: operator, body: limits })).status).toBe(200)
    expect(await statusesOf(6, () => ask(tenant, 'GET', '/v1/me'))).toEqual([200, 200, 200, 200, 200, 200])
  })

  test('is held to them again when an operator says so', async () => {
    const tenant = await tenantOf(server, operator)
    const path = `/v1/admin/orgs/${tenant.id}/rate-limits`
    const put = (body: object) => call(server.url, 'PUT', path, { key: operator, body })
    const policy = { kind: 'requests', per: 'org', amount: 5, window_seconds: 60 }
    expect((await put({ read_rpm: null, policies: [policy] })).json).toMatchObject({ default_rates: false })
    const both = await put({ default_rates: true, read_rpm: null, policies: [policy] })
    expect(both.json.error?.details).toMatchObject({ fields: [{ field: 'default_rates', code: 'invalid_value' }] })
    const back = await put({ default_rates: true, read_rpm: null, policies: [] })
    expect(back.json).toMatchObject({ default_rates: true, policies: [], updated_at: null })
    expect(await statusesOf(5, () => ask(tenant, 'GET', '/v1/me'))).toEqual([200, 200, 200, 429, 429])
  })

  test('operators have none', async () => {
    const reads = statusesOf(6, () => call(server.url, 'GET', '/v1/admin/orgs', { key: operator }))
    expect(await reads).toEqual([200, 200, 200, 200, 200, 200])
  })
})

describe('the deprecated limit on reads', () => {
  const server = useServer({ environment: { SVC_READ_LIMIT_PER_MINUTE: '3', SVC_DEFAULT_READS_PER_MINUTE: '1' } })

  test('binds organizations without a row in place of the default, and no operator', async () => {
    const { key } = await operatorOf(server)
    const tenant = await tenantOf(server, key)
    const statuses = await statusesOf(5, () => call(server.url, 'GET', '/v1/me', { key: tenant.key }))
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const asOperator = await statusesOf(5, () => call(server.url, 'GET', '/v1/admin/orgs', { key }))
    expect(asOperator).toEqual([200, 200, 200, 200, 200])
  })
})
