import { request } from 'node:http'
import { crc32 } from 'node:zlib'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseKey } from '../../src/access/identity/key-format.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/programs.ts'
import {
  asDatabaseOwner,
  callIn,
  endedSummary,
  meWith,
  openPage,
  signIn,
  signInForm,
  summaryOf,
} from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: { id: string; key: string }
let tenant: Tenant
beforeAll(async () => {
  operator = await operatorOf(server)
  tenant = await tenantOf(server, operator.key)
})

const me = (cookie: string) => meWith(server.url, cookie)
const page = (path: string, cookie?: string) => openPage(server.url, path, cookie)
const owned = (text: string) => asDatabaseOwner(server.database.ownerUrl, text)
describe('a cookie', () => {
  test.each([
    ['that was never issued', () => `weirsession_${formatId('key', newUuid()).slice(4)}_${'0'.repeat(49)}`],
    ['that is malformed', () => 'nonsense'],
    ['that is empty', () => ''],
    ['that is a key', () => tenant.key],
  ])('%s is unauthorized', async (_name, token) => {
    const { status, json, headers } = await me(`weir=${token()}`)
    expect([status, json.error?.code]).toEqual([401, 'unauthorized'])
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('is no key: presented as one it is unauthorized', async () => {
    const { cookie } = await signIn(server.url, tenant.key)
    const token = cookie.slice('weir='.length)
    // Written as a key would be, with the checksum of one.
    const head = `weir_local${token.slice('weirsession_'.length, -6)}`
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const checksum = [5, 4, 3, 2, 1, 0].map((place) => digits[Math.floor(crc32(head) / 62 ** place) % 62]).join('')
    const asKey = head + checksum
    expect(parseKey(asKey)).toBeDefined()
    for (const key of [token, asKey])
      expect((await call(server.url, 'GET', '/v1/me', { key })).json.error?.code).toBe('unauthorized')
  })

  test('counts for nothing beside a key', async () => {
    const { cookie } = await signIn(server.url, tenant.key)
    const invalid = await call(server.url, 'GET', '/v1/me', { key: 'weir_x', headers: { cookie } })
    expect(invalid.json.error?.code).toBe('unauthorized')
    const viewer = await keyOf(server, tenant.id, { role: 'viewer' })
    expect((await call(server.url, 'GET', '/v1/me', { key: viewer.key, headers: { cookie } })).json['id']).toBe(
      viewer.id,
    )
  })

  test('is read under a name of this machine only, because it travels unencrypted', async () => {
    const { cookie } = await signIn(server.url, tenant.key)
    const statusAs = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port: server.port, path: '/v1/me', headers: { host, cookie } }
        request(options, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await statusAs(`localhost:${server.port}`)).toBe(200)
    expect(await statusAs('weir.example')).toBe(401)
  })
})

describe('a change in a session', () => {
  const change = (headers: Record<string, string>) => call(server.url, 'POST', '/v1/me/sessions/revoke', { headers })

  test.each([
    ['without a CSRF token', { 'sec-fetch-site': 'same-origin' }],
    ['with another CSRF token', { 'sec-fetch-site': 'same-origin', 'x-csrf-token': 'A'.repeat(43) }],
    ['from a page of another site', { 'sec-fetch-site': 'cross-site', 'x-csrf-token': 'own' }],
    ['from a sibling host', { 'sec-fetch-site': 'same-site', 'x-csrf-token': 'own' }],
    ['from a page of another origin', { origin: 'https://evil.example', 'x-csrf-token': 'own' }],
    ['from a page that does not say who it is', { 'x-csrf-token': 'own' }],
  ])('%s is forbidden', async (_name, headers: Record<string, string>) => {
    const session = await signIn(server.url, tenant.key)
    const token = headers['x-csrf-token'] === 'own' ? { 'x-csrf-token': session.csrfToken } : {}
    const { status, json } = await change({ cookie: session.cookie, ...headers, ...token })
    expect([status, json.error?.code]).toEqual([403, 'forbidden'])
    expect((await me(session.cookie)).status).toBe(200)
  })

  test('is accepted from a page of our own, whichever way the browser says so', async () => {
    for (const from of [{ 'sec-fetch-site': 'same-origin' }, { origin: server.url }] as Record<string, string>[]) {
      const { cookie, csrfToken } = await signIn(server.url, tenant.key)
      const { status } = await change({ cookie, 'x-csrf-token': csrfToken, ...from })
      expect(status).toBe(200)
    }
  })

  test('with the CSRF token of another session is forbidden', async () => {
    const [own, other] = [await signIn(server.url, tenant.key), await signIn(server.url, tenant.key)]
    const { status } = await change({
      cookie: own.cookie,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': other.csrfToken,
    })
    expect(status).toBe(403)
  })
})

describe('a session ends', () => {
  test('when its owner ends it, one or all', async () => {
    const { key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const [one, two, three] = [
      await signIn(server.url, key),
      await signIn(server.url, key),
      await signIn(server.url, key),
    ]
    const list = await callIn(server.url, one, 'GET', '/v1/me/sessions?status=active')
    expect(
      (list.json['data'] as { id: string; is_current: boolean }[]).map(({ id, is_current }) => [id, is_current]),
    ).toEqual([
      [three.id, false],
      [two.id, false],
      [one.id, true],
    ])
    const revoked = await callIn(server.url, one, 'POST', `/v1/me/sessions/${two.id}/revoke`)
    expect(revoked.json).toMatchObject({ id: two.id, status: 'revoked' })
    expect(summaryOf(await me(two.cookie))).toEqual(endedSummary)
    expect((await callIn(server.url, one, 'POST', '/v1/me/sessions/revoke')).json).toEqual({ revoked: 2 })
    expect(summaryOf(await me(one.cookie))).toEqual(endedSummary)
    expect(summaryOf(await me(three.cookie))).toEqual(endedSummary)
  })

  test('when an administrator ends it, unless its key is more powerful', async () => {
    const admin = await keyOf(server, tenant.id, { role: 'admin' })
    const [owners, viewers] = [tenant.key, (await keyOf(server, tenant.id, { role: 'viewer' })).key]
    const [high, low] = [await signIn(server.url, owners), await signIn(server.url, viewers)]
    const end = (id: string) =>
      call(server.url, 'POST', `/v1/orgs/${tenant.id}/sessions/${id}/revoke`, { key: admin.key })
    expect((await end(high.id)).json.error?.code).toBe('forbidden')
    expect((await end(low.id)).status).toBe(200)
    expect((await end(low.id)).status).toBe(200)
    expect(summaryOf(await me(low.cookie))).toEqual(endedSummary)
    expect((await me(high.cookie)).status).toBe(200)
    const other = await tenantOf(server, operator.key, 'Other')
    const theirs = await signIn(server.url, other.key)
    expect((await end(theirs.id)).json.error?.code).toBe('not_found')
  })

  test('of another key cannot be ended as one’s own', async () => {
    const [mine, theirs] = [await keyOf(server, tenant.id), await keyOf(server, tenant.id)]
    const [own, other] = [await signIn(server.url, mine.key), await signIn(server.url, theirs.key)]
    const { json } = await callIn(server.url, own, 'POST', `/v1/me/sessions/${other.id}/revoke`)
    expect(json.error?.code).toBe('not_found')
  })

  test('with its key: revoked, rotated away or expired', async () => {
    const { id, key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const session = await signIn(server.url, key)
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/keys/${id}/revoke`, { key: tenant.key })
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
    const rotated = await keyOf(server, tenant.id, { role: 'viewer' })
    const old = await signIn(server.url, rotated.key)
    const body = { overlap_seconds: 0 }
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/keys/${rotated.id}/rotate`, { key: tenant.key, body })
    expect(summaryOf(await me(old.cookie))).toEqual(endedSummary)
  })

  test('also when the answer about it was on its way while it was ended', async () => {
    const session = await signIn(server.url, tenant.key)
    await forget()
    expect((await call(server.url, 'GET', '/v1/me', { key: tenant.key })).status).toBe(200)
    const client = new pg.Client({ connectionString: server.database.ownerUrl })
    await client.connect()
    await client.query('begin; lock table rate_limit_policies in access exclusive mode')
    const early = me(session.cookie)
    await eventually(
      async () => (await owned(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length > 0,
      20_000,
    )
    const revoked = await call(server.url, 'POST', `/v1/me/sessions/${session.id}/revoke`, { key: tenant.key })
    expect(revoked.status).toBe(200)
    const late = me(session.cookie)
    await client.end()
    await early
    expect(summaryOf(await late)).toEqual(endedSummary)
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
  })

  test('by the key that replaced its own, too', async () => {
    const old = await keyOf(server, tenant.id, { role: 'viewer' })
    const session = await signIn(server.url, old.key)
    const body = { overlap_seconds: 600 }
    const path = `/v1/orgs/${tenant.id}/keys/${old.id}/rotate`
    const { json } = await call(server.url, 'POST', path, { key: tenant.key, body })
    const key = String(json['secret'])
    const list = await call(server.url, 'GET', '/v1/me/sessions', { key })
    expect((list.json['data'] as { id: string }[]).map(({ id }) => id)).toEqual([session.id])
    expect((await call(server.url, 'POST', '/v1/me/sessions/revoke', { key })).json).toEqual({ revoked: 1 })
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
  })

  test('when its time is over, or it was unused for too long', async () => {
    const session = await signIn(server.url, tenant.key)
    const newest = '(select id from sessions order by created_at desc limit 1)'
    const set = (assignment: string) => owned(`update sessions set ${assignment} where id = ${newest}`)
    await set(`expires_at = clock_timestamp() - interval '1 second'`)
    await forget()
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
    const idle = await signIn(server.url, tenant.key)
    // The use by the sign-in itself must have been written before it is set back.
    await eventually(
      async () =>
        (await owned(`select 1 from sessions where last_used_at > created_at and id = ${newest}`)).length === 1,
      20_000,
    )
    await set(`last_used_at = clock_timestamp() - interval '13 hours'`)
    await forget()
    expect(summaryOf(await me(idle.cookie))).toEqual(endedSummary)
  })

  test('not for a suspended organization, which is refused as such', async () => {
    const other = await tenantOf(server, operator.key, 'Late')
    const session = await signIn(server.url, other.key)
    const admin = (path: string) =>
      call(server.url, 'POST', `/v1/admin/orgs/${other.id}/${path}`, { key: operator.key })
    await admin('suspend')
    expect((await me(session.cookie)).json.error?.code).toBe('org_suspended')
    expect((await page('/console/profile', session.cookie)).status).toBe(403)
    expect((await page('/console/signin', session.cookie)).status).toBe(200)
    expect((await signInForm(server.url, { key: other.key })).status).toBe(403)
    await admin('resume')
    expect((await me(session.cookie)).status).toBe(200)
    await admin('suspend')
    const left = await fetch(`${server.url}/console/signout`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie: session.cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ csrf_token: session.csrfToken }).toString(),
    })
    expect(left.status).toBe(303)
    await admin('resume')
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
  })
})

/** Makes the server forget what it has cached of callers, as a change of access does. */
const forget = () =>
  call(server.url, 'PATCH', `/v1/orgs/${tenant.id}/keys/${tenant.keyId}`, {
    key: tenant.key,
    body: { name: `owner ${newUuid()}` },
  })
