import { beforeAll, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { callIn, meWith, signIn, signInForm } from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_SESSION_MAX_SECONDS: '86400', SVC_SESSION_IDLE_SECONDS: '43200' } })
let operator: string
let tenant: Tenant
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const freshTenant = async () => {
  tenant = await tenantOf(server, operator)
}
const put = (body: object, key = tenant.key) =>
  call(server.url, 'PUT', `/v1/orgs/${tenant.id}/session-policy`, { key, body })
const codeOf = async (cookie: string) => (await meWith(server.url, cookie)).json.error?.code ?? 'ok'
const lengthOf = (session: Record<string, unknown>) =>
  Math.round((Date.parse(String(session['expires_at'])) - Date.parse(String(session['created_at']))) / 1_000)
const sessionNamed = async (id: string) =>
  (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/sessions/${id}`, { key: tenant.key })).json

test('a shorter time binds new sessions and those that there are; a longer one than the installation’s binds nobody', async () => {
  await freshTenant()
  const before = await signIn(server.url, tenant.key)
  expect(lengthOf(await sessionNamed(before.id))).toBe(86_400)
  expect((await put({ idle_seconds: 900, max_seconds: 3_600 })).status).toBe(200)
  const after = await signIn(server.url, tenant.key)
  for (const { id } of [before, after]) expect(lengthOf(await sessionNamed(id))).toBe(3_600)
  expect(await codeOf(before.cookie)).toBe('ok')
  await put({ max_seconds: 2_592_000 })
  expect(lengthOf(await sessionNamed((await signIn(server.url, tenant.key)).id))).toBe(86_400)
  expect(lengthOf(await sessionNamed(before.id))).toBe(3_600)
})

test('refusing sign-in with keys ends the sessions that there are, opens none, and leaves keys alone', async () => {
  await freshTenant()
  const other = await tenantOf(server, operator, 'Other')
  const [mine, theirs] = [await signIn(server.url, tenant.key), await signIn(server.url, other.key)]
  const link = await call(server.url, 'POST', '/v1/me/sign-in-links', { key: tenant.key })
  expect((await put({ key_sign_in: 'refuse' })).json).toMatchObject({ key_sign_in: 'refuse', idle_seconds: null })
  expect([await codeOf(mine.cookie), await codeOf(theirs.cookie)]).toEqual(['session_revoked', 'ok'])
  const code = new URL(String(link.json['url'])).searchParams.get('code')!
  for (const fields of [{ key: tenant.key }, { code }] as Record<string, string>[]) {
    const refused = await signInForm(server.url, fields)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
    expect(await refused.text()).toContain('does not let keys open sessions')
  }
  expect((await call(server.url, 'GET', '/v1/me', { key: tenant.key })).status).toBe(200)
  expect((await put({ key_sign_in: 'allow' })).status).toBe(200)
  expect(await codeOf(mine.cookie)).toBe('session_revoked')
  expect(await codeOf((await signIn(server.url, tenant.key)).cookie)).toBe('ok')
})

test('a session that is opened at the same time is not forgotten', async () => {
  await freshTenant()
  for (let round = 0; round < 5; round++) {
    await put({ key_sign_in: 'allow' })
    const signIns = Array.from({ length: 12 }, () => signInForm(server.url, { key: tenant.key }))
    const [answers] = await Promise.all([Promise.all(signIns), put({ key_sign_in: 'refuse' })])
    const cookies = answers.flatMap(({ headers }) => headers.get('set-cookie')?.split(';')[0] ?? [])
    for (const cookie of cookies) expect(await codeOf(cookie)).toBe('session_revoked')
  }
})

test('only owners set it, not pinned keys, and an owner may do so in a session', async () => {
  await freshTenant()
  const admin = await keyOf(server, tenant.id, { role: 'admin' })
  const pinned = await keyOf(server, tenant.id, { role: 'owner', pins: { user_id: 'ada' } })
  for (const { key } of [admin, pinned]) expect((await put({}, key)).json.error?.code).toBe('forbidden')
  const session = await signIn(server.url, tenant.key)
  const path = `/v1/orgs/${tenant.id}/session-policy`
  expect((await callIn(server.url, session, 'PATCH', path, { idle_seconds: 600 })).status).toBe(200)
  expect((await callIn(server.url, session, 'GET', path)).json).toMatchObject({ idle_seconds: 600, max_seconds: null })
})
