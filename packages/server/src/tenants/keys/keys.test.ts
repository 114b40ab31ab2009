import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { eventually } from '../../../test/support/processes.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../../../test/support/tenants.ts'
import { parseId, requireId } from '../../values/id.ts'

const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '20', SVC_TRUSTED_PROXIES: '127.0.0.0/8' } })
let acme: Tenant

beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

const mintAs = (key: string, body: object) => call(server.url, 'POST', `/v1/orgs/${acme.id}/keys`, { key, body })

describe('minting', () => {
  test('shows the secret once and never again', async () => {
    const { status, json } = await mintAs(acme.key, {
      name: 'agent',
      role: 'service',
      scopes: ['runs:write'],
      expires_at: '2100-01-01T00:00:00Z',
    })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      name: 'agent',
      role: 'service',
      scopes: ['runs:write'],
      status: 'active',
      expires_at: '2100-01-01T00:00:00.000+00:00',
    })
    const secret = String(json['secret'])
    const read = await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys/${String(json['id'])}`, { key: acme.key })
    const listed = await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys`, { key: acme.key })
    expect(read.status).toBe(200)
    for (const { text } of [read, listed]) expect(text).not.toContain(secret.split('_')[2])
    expect((await call(server.url, 'GET', '/v1/me', { key: secret })).json).toMatchObject({
      role: 'service',
      scopes: ['runs:write'],
    })
  })

  test('gives nobody more than the one who mints has', async () => {
    const admin = (await keyOf(server, acme.id, { role: 'admin', scopes: ['keys:write', 'runs:read'] })).key
    expect((await mintAs(admin, { name: 'k', role: 'owner', scopes: ['runs:read'] })).json.error?.code).toBe(
      'forbidden',
    )
    expect(
      (await mintAs(admin, { name: 'k', role: 'admin', scopes: ['runs:read', 'audit:read'] })).json.error,
    ).toMatchObject({
      code: 'missing_scope',
      details: { required: 'audit:read' },
    })
    expect((await mintAs(admin, { name: 'k', role: 'admin', scopes: ['runs:read'] })).status).toBe(201)
    expect((await mintAs(acme.key, { name: 'k', role: 'operator', scopes: ['admin:write'] })).status).toBe(422)
  })

  test('hands the pins of the one who mints on', async () => {
    const { json } = await mintAs(acme.key, {
      name: 'k',
      role: 'service',
      scopes: ['runs:write'],
      pins: { workflow_id: 'w1' },
    })
    expect(json['pins']).toEqual({ workflow_id: 'w1' })
  })

  test('refuses an end before the beginning', async () => {
    const { json } = await mintAs(acme.key, {
      name: 'k',
      role: 'viewer',
      scopes: ['runs:read'],
      not_before: '2100-01-01T00:00:00Z',
      expires_at: '2099-01-01T00:00:00Z',
    })
    expect(json.error).toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ field: 'expires_at', code: 'out_of_range' }] },
    })
  })
})

describe('a key', () => {
  const path = (id: string) => `/v1/orgs/${acme.id}/keys/${id}`
  const statusOf = async (id: string) => (await call(server.url, 'GET', path(id), { key: acme.key })).json['status']

  test('is renamed, by a caller who has as much as it, and says who did it', async () => {
    const { id } = await keyOf(server, acme.id, { role: 'service', scopes: ['runs:write'] })
    const before = await call(server.url, 'GET', path(id), { key: acme.key })
    const renamed = await call(server.url, 'PATCH', path(id), { key: acme.key, body: { name: 'billing agent' } })
    expect(renamed.json).toEqual({ ...before.json, name: 'billing agent', updated_at: expect.any(String) })
    const stale = await call(server.url, 'PATCH', path(id), {
      key: acme.key,
      body: { name: 'another' },
      headers: { 'if-match': before.headers.get('etag')! },
    })
    expect(stale.status).toBe(412)
    const log = await call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?action=key.renamed&target_id=${id}`, {
      key: acme.key,
    })
    expect(log.json['data']).toMatchObject([{ actor: { id: acme.keyId }, target: { id } }])
    const admin = await keyOf(server, acme.id, { role: 'admin', scopes: ['keys:write'] })
    const above = await call(server.url, 'PATCH', path(acme.keyId), { key: admin.key, body: { name: 'mine' } })
    expect(above.status).toBe(403)
    const itself = await call(server.url, 'PUT', path(admin.id), { key: admin.key, body: { name: 'mine' } })
    expect(itself).toMatchObject({ status: 200, json: { name: 'mine' } })
  })

  test('that is rotated or revoked says so, with its successor', async () => {
    const [{ id }, other] = [await keyOf(server, acme.id), await keyOf(server, acme.id)]
    expect(await statusOf(id)).toBe('active')
    const rotated = await call(server.url, 'POST', `${path(id)}/rotate`, { key: acme.key, body: {} })
    const read = await call(server.url, 'GET', path(id), { key: acme.key })
    expect(read.json).toMatchObject({ status: 'expired', rotated_to: rotated.json['id'] })
    expect(rotated.json).toMatchObject({ status: 'active', rotated_from: id })
    await call(server.url, 'POST', `${path(other.id)}/revoke`, { key: acme.key, body: {} })
    expect(await statusOf(other.id)).toBe('revoked')
    const later = await mintAs(acme.key, {
      name: 'k',
      role: 'viewer',
      scopes: ['runs:read'],
      not_before: '2100-01-01T00:00:00Z',
    })
    expect(later.json['status']).toBe('pending')
    const dead = await mintAs(acme.key, {
      name: 'k',
      role: 'viewer',
      scopes: ['runs:read'],
      expires_at: '2020-01-01T00:00:00Z',
    })
    expect(dead.json.error?.details).toMatchObject({ fields: [{ field: 'expires_at', code: 'out_of_range' }] })
  })
})

test('the last use is recorded in batches', async () => {
  const { id, key } = await keyOf(server, acme.id)
  const lastUse = async () =>
    (await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys/${id}`, { key: acme.key })).json['last_used_at']
  for (let i = 0; i < 5; i++) expect((await call(server.url, 'GET', '/v1/me', { key })).status).toBe(200)
  expect(await lastUse()).toBeNull()
  await eventually(async () => (await lastUse()) !== null)
})

describe('auth back-off', () => {
  const from = (address: string, key?: string) =>
    call(server.url, 'GET', '/v1/me', { headers: { 'x-forwarded-for': address }, ...(key !== undefined && { key }) })

  test('answers 429 after too many failures of one address, and never holds up a valid key', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 30; i++) statuses.push((await from('198.51.100.7', 'weir_nonsense')).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.slice(20).every((status) => status === 429)).toBe(true)
    const refused = await from('198.51.100.7', 'weir_nonsense')
    expect(refused.json.error).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_seconds: Number(refused.headers.get('retry-after')) },
    })
    expect((await from('198.51.100.7', acme.key)).status).toBe(200)
    expect((await from('198.51.100.8', 'weir_nonsense')).status).toBe(401)
  })

  test('does not count a missing header', async () => {
    for (let i = 0; i < 30; i++) expect((await from('198.51.100.9')).status).toBe(401)
  })
})

describe('the address of the client', () => {
  const wall = (list: string[]) =>
    call(server.url, 'PUT', `/v1/orgs/${acme.id}/ip-allow-list`, {
      key: acme.key,
      body: { ip_allow_list: list },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
  const from = (forwarded: string) =>
    call(server.url, 'GET', '/v1/me', { key: acme.key, headers: { 'x-forwarded-for': forwarded } })

  test('is the last hop that no trusted proxy wrote for itself', async () => {
    expect((await wall(['203.0.113.0/24', '2001:db8::/32'])).status).toBe(200)
    expect((await from('203.0.113.9')).status).toBe(200)
    expect((await from('::ffff:203.0.113.9')).status).toBe(200)
    expect((await from('2001:db8::7')).status).toBe(200)
    expect((await from('203.0.113.9, 127.0.0.2')).status).toBe(200)
    // What the client claims before the proxy's own word is not believed.
    expect((await from('203.0.113.9, 198.51.100.1')).json.error?.code).toBe('ip_not_allowed')
    expect((await from('198.51.100.1')).json.error?.code).toBe('ip_not_allowed')
    expect((await wall([])).status).toBe(200)
    expect((await from('198.51.100.1')).status).toBe(200)
  })

  test('a list with a fault names it by its place', async () => {
    const { json } = await wall(['203.0.113.0/24', '10.0.0.0/33'])
    expect(json.error).toMatchObject({ details: { fields: [{ field: 'ip_allow_list.1', code: 'invalid_format' }] } })
  })
})

test('a rotated key is of the lineage of the first of its chain', async () => {
  const first = await keyOf(server, acme.id)
  const rotated = async (id: string) => {
    const { json } = await call(server.url, 'POST', `/v1/orgs/${acme.id}/keys/${id}/rotate`, {
      key: acme.key,
      body: { overlap_seconds: 60 },
    })
    return String(json['id'])
  }
  const second = await rotated(first.id)
  const third = await rotated(second)
  const lineages = await server.platform.sql.asOrgs([requireId('org', acme.id)], (tx) =>
    tx
      .selectFrom('api_keys')
      .select('lineage_id')
      .where(
        'id',
        'in',
        [first.id, second, third].map((id) => requireId('key', id)),
      )
      .execute(),
  )
  const lineage = { lineage_id: parseId('key', first.id) }
  expect(lineages).toEqual([lineage, lineage, lineage])
})
