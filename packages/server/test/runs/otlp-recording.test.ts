import { beforeAll, expect, test } from 'vitest'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { useServer } from '../support/harness.ts'
import { chat, exportBy, exporters, newTraceId, request, span, tracedSpans } from '../support/otlp-spans.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

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

const nowNano = () => String(BigInt(Date.now()) * 1_000_000n)
const send = async (values: Parameters<typeof span>[0], more: Parameters<typeof span>[1] = {}) => {
  const at = { startTimeUnixNano: nowNano(), endTimeUnixNano: nowNano() }
  const body = request([span(values, { ...at, ...more })])
  const { status, json } = await call(server.url, 'POST', '/v1/otlp/v1/traces', { key, body })
  expect(status).toBe(200)
  return json['partialSuccess'] as { rejectedSpans: string; errorMessage: string } | undefined
}

test('LiteLLM’s spans are recorded, with its team and end user, once however many report the call', async () => {
  const before = await recorded()
  const values = {
    ...chat,
    'gen_ai.operation.name': 'acompletion',
    'gen_ai.response.id': 'chatcmpl-CzT5mJq2Yw8HnRkLxV0bPsEdGaFuI',
    'metadata.user_api_key_team_id': 'team-7',
    'llm.user': 'end-user-1',
  }
  const traceId = newTraceId()
  for (let times = 0; times < 2; times++) expect(await send(values, { traceId })).toBeUndefined()
  const known = new Set(before.map(({ external_id }) => external_id))
  const added = (await recorded()).filter(({ external_id }) => !known.has(external_id))
  expect(added).toMatchObject([{ operation: 'chat', department_id: 'team-7', customer_id: 'end-user-1' }])
})

test('an organization maps attributes of its own, and takes that back', async () => {
  const path = `/v1/orgs/${tenant.id}/otlp-mapping`
  const dimensions = { workflow_id: null, deployment_id: null, department_id: null, customer_id: null, user_id: null }
  const unset = { ...dimensions, seat_keys: null, seat_accounts: null, seat_logins: null }
  expect((await call(server.url, 'GET', path, { key: tenant.key })).json).toEqual({
    ...unset,
    created_at: null,
    updated_at: null,
  })
  const body = { department_id: ['acme.cost_center'], customer_id: [] }
  const put = await call(server.url, 'PUT', path, { key: tenant.key, body })
  expect(put).toMatchObject({ status: 200, json: { ...unset, ...body } })
  expect((await call(server.url, 'GET', path, { key: tenant.key })).json).toEqual(put.json)

  const exporter = new exporters.protobuf({
    url: `${server.url}/v1/otlp/v1/traces`,
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await exportBy(exporter, tracedSpans())).toMatchObject({ code: 0 })
  const ofCenter = await call(server.url, 'GET', '/v1/runs?department_id=cc-9', { key: tenant.key })
  expect(ofCenter.json['data']).toMatchObject([{ model: 'gpt-4o', customer_id: 'zoë' }])

  expect((await call(server.url, 'DELETE', path, { key: tenant.key })).status).toBe(204)
  expect((await call(server.url, 'DELETE', path, { key: tenant.key })).status).toBe(404)
  const tooMany = { department_id: Array.from({ length: 11 }, (_, index) => `a${index}`) }
  for (const bad of [tooMany, { department_id: [''] }, { department_id: ['a', 'a'] }, { team: ['a'] }])
    expect((await call(server.url, 'PUT', path, { key: tenant.key, body: bad })).status).toBe(422)
})

test('only a key with limits:write changes seats: what they use costs nothing', async () => {
  const path = `/v1/orgs/${tenant.id}/otlp-mapping`
  const mapper = (await keyOf(server, tenant.id, { role: 'admin', scopes: ['runs:read', 'runs:write'] })).key
  const seat = (await keyOf(server, tenant.id, { role: 'service', scopes: ['runs:import'] })).id
  const ask = async (method: string, by: string, body?: object) =>
    (await call(server.url, method, path, { key: by, ...(body && { body }) })).status
  const seats = [{ seat_logins: true }, { seat_accounts: ['mallory'] }, { seat_keys: [seat] }]
  for (const body of seats) for (const method of ['PUT', 'PATCH']) expect(await ask(method, mapper, body)).toBe(403)
  expect(await ask('PUT', mapper, { department_id: ['team'] })).toBe(200)
  for (const body of seats) expect(await ask('PATCH', tenant.key, body)).toBe(200)
  // To leave them out, to remove them and to remove all of the mapping are changes too; to leave them as they are is none.
  expect(await ask('PUT', mapper, { department_id: ['unit'] })).toBe(403)
  for (const body of [{ seat_logins: null }, { seat_accounts: [] }, { seat_keys: null }])
    expect(await ask('PATCH', mapper, body)).toBe(403)
  expect(await ask('DELETE', mapper)).toBe(403)
  expect(await ask('PATCH', mapper, { department_id: ['unit'] })).toBe(200)
  expect((await call(server.url, 'GET', path, { key: mapper })).json).toMatchObject({
    department_id: ['unit'],
    seat_keys: [seat],
    seat_accounts: ['mallory'],
    seat_logins: true,
  })
  expect(await ask('DELETE', tenant.key)).toBe(204)
  expect(await ask('PUT', mapper, { department_id: ['team'] })).toBe(200)
  expect(await ask('DELETE', mapper)).toBe(204)
})

test('a span with usage and a model that is not taken is said in the answer, the log and the metrics', async () => {
  const partial = await send({ ...chat, 'gen_ai.operation.name': 'ponder' })
  expect(partial).toMatchObject({
    rejectedSpans: '1',
    errorMessage: expect.stringContaining('gen_ai.operation.name "ponder" is not known to be a model call'),
  })
  const line = { level: 'warn', org_id: tenant.id, message: 'spans of model calls were not recorded' }
  expect(server.logs).toContainEqual(expect.objectContaining(line))
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('svc_otlp_spans_total{outcome="unrecognized"} 1')
})
