import { beforeAll, describe, expect, test } from 'vitest'
import { requireId } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import { eventually } from '../../support/processes.ts'
import { askScim, directoryOf, forgedToken } from '../../support/scim/directory.ts'
import { asDatabaseOwner, signIn } from '../../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const server = useServer()
let operator: string
let acme: Tenant
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
})

const tokens = (method: string, path = '', options: { key?: string; body?: object } = {}, tenant = acme) =>
  call(server.url, method, `/v1/orgs/${tenant.id}/scim-tokens${path}`, { key: tenant.key, ...options })
const users = (token: string | undefined, headers: Record<string, string> = {}) =>
  askScim(server.url, token, 'GET', '/Users', undefined, headers)

describe('a token for a directory', () => {
  test('is shown once, listed without its secret, and says when it was used', async () => {
    const made = await tokens('POST', '', { body: { name: 'Entra' } })
    expect([made.status, made.json]).toMatchObject([201, { name: 'Entra', status: 'active', last_used_at: null }])
    const { id, secret, base_url } = made.json as unknown as { id: string; secret: string; base_url: string }
    expect([id.slice(0, 4), secret.slice(0, 9)]).toEqual(['sct_', 'weirscim_'])
    expect(base_url).toMatch(/\/scim\/v2$/)
    const secretPart = secret.slice(-49)
    for (const { text } of [await tokens('GET'), await tokens('GET', `/${id}`)]) {
      expect(text).toContain(id)
      expect(text).not.toContain(secretPart)
    }
    expect((await users(secret)).status).toBe(200)
    await eventually(async () => (await tokens('GET', `/${id}`)).json['last_used_at'] !== null)
    await askScim(server.url, secret, 'POST', '/Groups', { displayName: 'By Entra' })
    const acts = await call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?actor_id=${id}`, { key: acme.key })
    expect(acts.json['data']).toMatchObject([{ action: 'scim_group.created', actor: { kind: 'directory', id } }])
    const log = await call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?target_id=${id}`, { key: acme.key })
    expect((log.json['data'] as { action: string }[]).map(({ action }) => action)).toEqual(['scim_token.created'])
    expect(log.text).not.toContain(secretPart)
    expect(JSON.stringify(server.logs)).not.toContain(secretPart)
    const rows = await asDatabaseOwner(server.database.ownerUrl, 'select * from scim_tokens')
    expect(JSON.stringify(rows)).not.toContain(secretPart)
  })

  test('is refused from the request after its revocation', async () => {
    const { token, tokenId } = await directoryOf(server.url, acme)
    expect((await users(token)).status).toBe(200)
    const revoked = await tokens('POST', `/${tokenId}/revoke`)
    expect([revoked.status, revoked.json['status']]).toEqual([200, 'revoked'])
    const after = await users(token)
    expect(after.json).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '401',
      detail: 'This token was revoked.',
    })
    expect(after.headers.get('www-authenticate')).toContain('Bearer')
    expect((await tokens('POST', `/${tokenId}/revoke`)).json).toEqual(revoked.json)
  })

  test('is made and revoked by owners only, and there are at most ten', async () => {
    const admin = (await keyOf(server, acme.id, { role: 'admin' })).key
    expect((await tokens('POST', '', { key: admin, body: { name: 'x' } })).json.error?.code).toBe('forbidden')
    const { tokenId } = await directoryOf(server.url, acme)
    expect((await tokens('POST', `/${tokenId}/revoke`, { key: admin })).json.error?.code).toBe('forbidden')
    expect((await tokens('GET', '', { key: admin })).status).toBe(200)
    const member = (await keyOf(server, acme.id, { role: 'member' })).key
    expect((await tokens('GET', '', { key: member })).json.error?.code).toBe('forbidden')
    const other = await tenantOf(server, operator)
    for (let i = 0; i < 10; i++) expect((await tokens('POST', '', { body: { name: 'x' } }, other)).status).toBe(201)
    expect((await tokens('POST', '', { body: { name: 'x' } }, other)).json.error?.code).toBe('conflict')
  })
})

describe('only a token for a directory opens /scim/v2', () => {
  test('keys, sessions, support tokens and tokens in the query do not', async () => {
    const { token } = await directoryOf(server.url, acme)
    // What the forge makes of the token itself is the token.
    expect(forgedToken(token, {})).toBe(token)
    const session = await signIn(server.url, acme.key)
    const bad = [
      await users(undefined),
      await users(acme.key),
      await users(operator),
      await users(undefined, { cookie: session.cookie }),
      await users(session.cookie.split('=')[1]),
      await users(token.slice(0, -1)),
      await users(forgedToken(token, { prefix: 'weir' })),
      await users(forgedToken(token, { secret: '0'.repeat(43) })),
      await users(forgedToken(token, { secret: `1${token.split('_')[2]!.slice(1, -6)}` })),
      await users(undefined, { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` }),
      await users(undefined, { authorization: token }),
      await askScim(server.url, undefined, 'GET', `/Users?access_token=${token}`),
      await askScim(server.url, undefined, 'GET', `/Users?token=${token}`),
    ]
    expect(bad.map(({ status, json }) => [status, json['status']])).toEqual(bad.map(() => [401, '401']))
    for (const { headers } of bad) expect(headers.get('content-type')).toContain('application/scim+json')
    expect(JSON.stringify(server.logs)).not.toContain(token.slice(-49))
  })

  test('it opens nothing else', async () => {
    const { token } = await directoryOf(server.url, acme)
    for (const key of [token, forgedToken(token, { prefix: 'weir' }), forgedToken(token, { prefix: 'weirsession' })])
      for (const path of ['/v1/me', `/v1/orgs/${acme.id}/members`, `/v1/orgs/${acme.id}/scim-tokens`])
        expect((await call(server.url, 'GET', path, { key })).json.error?.code).toBe('unauthorized')
    const cookie = await call(server.url, 'GET', '/v1/me', { headers: { cookie: `weir=${token}` } })
    expect(cookie.json.error?.code).toBe('unauthorized')
    const form = await fetch(`${server.url}/console/signin`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ key: token }).toString(),
      redirect: 'manual',
    })
    expect(form.status).toBe(401)
  })

  test('suspension and the list of addresses bind it', async () => {
    const tenant = await tenantOf(server, operator)
    const { token } = await directoryOf(server.url, tenant)
    await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/suspend`, { key: operator })
    expect((await users(token)).json).toMatchObject({ status: '403', detail: 'The organization is suspended.' })
    await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/resume`, { key: operator })
    expect((await users(token)).status).toBe(200)
    const setList = (list: readonly string[]) =>
      asDatabaseOwner(
        server.database.ownerUrl,
        `update orgs set ip_allow_list = '{${list.join()}}' where id = '${requireId('org', tenant.id)}'`,
      )
    await setList(['203.0.113.0/24'])
    expect((await users(token)).json).toMatchObject({ status: '403', detail: expect.stringContaining('allow-list') })
    await setList(['127.0.0.0/8', '::1/128'])
    expect((await users(token)).status).toBe(200)
  })

  test('rate limits of the organization bind it', async () => {
    const tenant = await tenantOf(server, operator)
    const { token } = await directoryOf(server.url, tenant)
    await call(server.url, 'PUT', `/v1/admin/orgs/${tenant.id}/rate-limits`, {
      key: operator,
      body: { read_rpm: 2, policies: [] },
    })
    const answers = [await users(token), await users(token), await users(token)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.json).toMatchObject({ status: '429', schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] })
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
