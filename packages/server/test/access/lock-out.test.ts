import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** An organization does not lock itself out unawares, and there is a way back if it did. */

const server = useServer({ environment: { SVC_TRUSTED_PROXIES: '127.0.0.1/32' } })
let operator: { id: string; key: string }
beforeAll(async () => {
  operator = await operatorOf(server)
})

const home = '203.0.113.9'
const ask = (method: string, path: string, key: string, body?: unknown, from = home) =>
  call(server.url, method, path, { key, headers: { 'x-forwarded-for': from }, ...(body !== undefined && { body }) })
const codeOf = async (answer: ReturnType<typeof ask>) => {
  const { status, json } = await answer
  return `${status} ${json.error?.code}`
}
const listOf = ({ id }: Tenant) => `/v1/orgs/${id}/ip-allow-list`
const recordOf = async ({ id, key }: Tenant) =>
  (await ask('GET', `/v1/orgs/${id}/audit-log?limit=200`, key)).json['data'] as {
    action: string
    actor: { id: string; role: string }
    target: { id: string }
  }[]

describe('an address list', () => {
  test('without the address of its author is refused, which it names', async () => {
    const acme = await tenantOf(server, operator.key)
    const refused = await ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['10.0.0.0/8'] })
    expect(refused.status).toBe(422)
    expect(refused.json.error!.details['fields']).toEqual([
      { field: 'ip_allow_list', code: 'out_of_range', message: expect.stringContaining(home) as string },
    ])
    expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key)).status).toBe(200)
    expect((await ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['10.0.0.0/8', home] })).status).toBe(200)
    expect((await ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['10.0.0.0/8'], force: true })).status).toBe(200)
    expect(await codeOf(ask('GET', `/v1/orgs/${acme.id}`, acme.key))).toBe('403 ip_not_allowed')
  })

  test('is kept in its normal form, each network once, and readable where it is written', async () => {
    const acme = await tenantOf(server, operator.key)
    const given = [
      '203.0.113.9/24',
      '203.0.113.0/24',
      '2001:DB8:0:0::1/32',
      '2001:db8::/32',
      '::ffff:10.1.2.3',
      '0.0.0.0/0',
    ]
    const kept = ['203.0.113.0/24', '2001:db8::/32', '10.1.2.3', '0.0.0.0/0']
    expect((await ask('PUT', listOf(acme), acme.key, { ip_allow_list: given })).json['ip_allow_list']).toEqual(kept)
    expect((await ask('GET', listOf(acme), acme.key)).json).toEqual({ ip_allow_list: kept })
    expect(await codeOf(ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['fe80::1%eth0/64'] }))).toBe(
      '422 validation_failed',
    )
  })

  test('that has shut everybody out is reset by an operator, on the organization’s record', async () => {
    const acme = await tenantOf(server, operator.key)
    await ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['10.0.0.0/8'], force: true })
    const reset = `/v1/admin/orgs/${acme.id}/ip-allow-list/reset`
    expect(await codeOf(ask('POST', reset, acme.key))).toBe('403 ip_not_allowed')
    expect((await ask('POST', reset, operator.key)).json).toMatchObject({ id: acme.id, ip_allow_list: [] })
    expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key)).status).toBe(200)
    expect(await codeOf(ask('POST', reset, acme.key))).toBe('403 forbidden')
    const entry = (await recordOf(acme)).find(({ action }) => action === 'org.ip_allow_list_reset')
    expect(entry!.actor).toEqual({ kind: 'key', id: operator.id, role: 'operator' })
  })

  test('does not bind support, which may set it without an address of its own', async () => {
    const acme = await tenantOf(server, operator.key)
    await ask('PUT', listOf(acme), acme.key, { ip_allow_list: ['10.0.0.0/8'], force: true })
    expect(await codeOf(ask('GET', `/v1/orgs/${acme.id}`, acme.key))).toBe('403 ip_not_allowed')
    const body = { org_id: acme.id, scope: 'configuration', reason: 'Locked out', duration_seconds: 600 }
    const { token } = (await ask('POST', '/v1/admin/support-grants', operator.key, body)).json as { token: string }
    expect((await ask('GET', `/v1/orgs/${acme.id}`, token)).status).toBe(200)
    expect((await ask('PUT', listOf(acme), token, { ip_allow_list: ['198.51.100.0/24'] })).status).toBe(200)
    expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key, undefined, '198.51.100.7')).status).toBe(200)
  })
})

describe('the last owner', () => {
  const revoke = ({ id }: Tenant, keyId: string, by: string) => ask('POST', `/v1/orgs/${id}/keys/${keyId}/revoke`, by)

  test('cannot be revoked, not even by itself', async () => {
    const acme = await tenantOf(server, operator.key)
    expect(await codeOf(revoke(acme, acme.keyId, acme.key))).toBe('409 conflict')
    const second = await keyOf(server, acme.id)
    expect((await revoke(acme, acme.keyId, acme.key)).status).toBe(200)
    expect(await codeOf(revoke(acme, second.id, second.key))).toBe('409 conflict')
  })

  test.each<[string, Parameters<typeof keyOf>[2]]>([
    ['is revoked', {}],
    ['has expired', { expiresAt: new Date(Date.now() - 1_000) }],
    ['will expire sooner', { expiresAt: new Date(Date.now() + 3_600_000) }],
    ['is not valid yet', { notBefore: new Date(Date.now() + 3_600_000) }],
    ['is an admin’s', { role: 'admin' }],
    ['cannot manage keys', { scopes: ['keys:read'] }],
  ])('stays the last beside one that %s', async (name, options) => {
    const acme = await tenantOf(server, operator.key)
    const other = await keyOf(server, acme.id, options)
    if (name === 'is revoked') await revoke(acme, other.id, acme.key)
    expect(await codeOf(revoke(acme, acme.keyId, acme.key))).toBe('409 conflict')
    expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key)).status).toBe(200)
  })

  test('is left where the last two are revoked at once', async () => {
    for (let round = 0; round < 10; round++) {
      const acme = await tenantOf(server, operator.key)
      const second = await keyOf(server, acme.id)
      const answers = await Promise.all([revoke(acme, acme.keyId, second.key), revoke(acme, second.id, acme.key)])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const uses = await Promise.all([acme, second].map(({ key }) => ask('GET', `/v1/orgs/${acme.id}`, key)))
      expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  test('can be rotated, and its successor is then the last', async () => {
    const acme = await tenantOf(server, operator.key)
    const body = { overlap_seconds: 3600 }
    const rotated = await ask('POST', `/v1/orgs/${acme.id}/keys/${acme.keyId}/rotate`, acme.key, body)
    expect(rotated.status).toBe(200)
    const { id, secret } = rotated.json as unknown as { id: string; secret: string }
    expect(await codeOf(revoke(acme, id, secret))).toBe('409 conflict')
    expect((await revoke(acme, acme.keyId, secret)).status).toBe(200)
  })

  test('is replaced by an operator, on the organization’s record', async () => {
    const acme = await tenantOf(server, operator.key)
    const path = `/v1/admin/orgs/${acme.id}/owner-keys`
    expect(await codeOf(ask('POST', path, acme.key, { name: 'Mine' }))).toBe('403 forbidden')
    const answer = await ask('POST', path, operator.key, { name: 'Way back' })
    expect(answer.status).toBe(201)
    const minted = answer.json as unknown as { id: string; secret: string }
    expect(minted).toMatchObject({ role: 'owner', org_id: acme.id, minted_by: operator.id, expires_at: null })
    expect((await revoke(acme, acme.keyId, minted.secret)).status).toBe(200)
    const entry = (await recordOf({ ...acme, key: minted.secret })).find(({ target }) => target.id === minted.id)
    expect(entry).toMatchObject({ action: 'key.created', actor: { id: operator.id, role: 'operator' } })
    const nobody = '/v1/admin/orgs/org_01h455vb4pex5vsknk084sn02q/owner-keys'
    expect(await codeOf(ask('POST', nobody, operator.key, { name: 'x' }))).toBe('404 not_found')
  })
})

test('a suspended organization shows since when and why, and nothing of it once it is resumed', async () => {
  const acme = await tenantOf(server, operator.key)
  const path = `/v1/admin/orgs/${acme.id}`
  expect((await ask('GET', path, operator.key)).json).toMatchObject({ suspended_at: null, suspension_reason: null })
  const before = Date.now() - 60_000
  await ask('POST', `${path}/suspend`, operator.key, { reason: 'unpaid' })
  const { json } = await ask('GET', path, operator.key)
  expect(json).toMatchObject({ id: acme.id, status: 'suspended', suspension_reason: 'unpaid' })
  expect(Date.parse(json['suspended_at'] as string)).toBeGreaterThan(before)
  await ask('POST', `${path}/resume`, operator.key, { reason: 'paid' })
  expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key)).json).toMatchObject({
    status: 'active',
    suspended_at: null,
    suspension_reason: null,
  })
})
