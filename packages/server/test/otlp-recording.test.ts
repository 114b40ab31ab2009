import { beforeAll, expect, test } from 'vitest'
import { formatUsd, parseUsd } from '../src/values/money.ts'
import { useServer } from './harness.ts'
import { chat, exportBy, exporters, request, span, tracedSpans } from './otlp-spans.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from './tenants.ts'

const server = useServer()
let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
  key = (await keyOf(server, tenant.id, { role: 'service', scopes: ['runs:import'] })).key
  await call(server.url, 'PUT', `/v1/orgs/${tenant.id}/spend-cap`, { key: tenant.key, body: { cap_usd: '0' } })
})

interface Recorded {
  readonly model: string
  readonly external_id: string
  readonly cost_usd: string
}
const recorded = async (): Promise<Recorded[]> => {
  const { json } = await call(server.url, 'GET', '/v1/runs?limit=100', { key: tenant.key })
  return (json['data'] as Recorded[]).toSorted((a, b) => (a.model < b.model ? -1 : 1))
}

test('traces that are exported, by either encoding and again, are runs once, whatever the limits say', async () => {
  const spans = tracedSpans()
  for (const encoding of ['json', 'protobuf', 'protobuf'] as const) {
    const exporter = new exporters[encoding]({
      url: `${server.url}/v1/otlp/v1/traces`,
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await exportBy(exporter, spans)).toMatchObject({ code: 0 })
  }
  const runs = await recorded()
  expect(runs).toHaveLength(2)
  expect(runs).toMatchObject([
    { model: 'claude-sonnet-4-5', status: 'failed', input_tokens: 100, cost_basis: 'computed' },
    { model: 'gpt-4o', status: 'succeeded', input_tokens: 900, cost_usd: '0.0123', deployment_id: 'assistant' },
  ])
  const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/spend-cap`, { key: tenant.key })
  const nano = runs.reduce((sum, { cost_usd }) => sum + parseUsd(cost_usd), 0n)
  expect(json).toMatchObject({ cap_usd: '0', spent_usd: formatUsd(nano), overrun_usd: formatUsd(nano) })
})

test('a model that has no price is rejected by itself', async () => {
  const now = String(BigInt(Date.now()) * 1_000_000n)
  const at = { startTimeUnixNano: now, endTimeUnixNano: now }
  const body = request([span(chat, at), span({ ...chat, 'gen_ai.request.model': 'nobody-knows' }, at)])
  const before = await recorded()
  const { status, json } = await call(server.url, 'POST', '/v1/otlp/v1/traces', { key, body })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('model: ') },
  })
  expect(await recorded()).toHaveLength(before.length + 1)
})
