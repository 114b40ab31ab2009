import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useServer } from '../../support/harness.ts'
import { useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** Attacks on a sign-in that has begun. Each is refused, and goes through once what refuses it is taken away. */
const provider = useOidcProvider()
const evil = useOidcProvider()
const server = useServer({
  environment: {
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  },
})
let acme: Tenant
let honest: string
let hostile: string
const ada = { sub: 'ada', email: 'ada@acme.example', email_verified: true }
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  honest = await connect(server, acme, provider)
  hostile = await connect(server, acme, evil)
  await call(server.url, 'POST', `/v1/orgs/${acme.id}/members`, {
    key: acme.key,
    body: { email: ada.email, role: 'admin' },
  })
})
beforeEach(() => {
  provider.reset()
  evil.reset()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const asOwner = (statement: string) => asDatabaseOwner(server.database.ownerUrl, statement)
const codesAt = ({ requests }: typeof provider) =>
  requests.filter(({ path }) => path === '/token').map(({ form }) => form.get('code'))
const later = (minutes: number) =>
  vi.spyOn(server.platform.clock, 'now').mockImplementation(() => new Date(Date.now() + minutes * 60_000))

/** Ada's browser, sent away and about to come back. */
async function begun() {
  const visitor = new Visitor(server)
  const back = provider.answerTo(await visitor.begin(honest), ada)
  return { visitor, back, token: visitor.cookies.get('weir-sso') ?? '' }
}

test('another browser is refused, with a sign-in of its own too, and its provider is not asked', async () => {
  const { visitor, back } = await begun()
  const mallory = new Visitor(server)
  mallory.cookies.set('weir-sso', 'of-mallory')
  expect((await mallory.comeBack(back)).status).toBe(403)
  const { searchParams } = await mallory.begin(honest)
  expect((await mallory.comeBack(back)).status).toBe(403)
  expect(codesAt(provider)).toEqual([])
  // Under the state of her own sign-in the code is redeemed, and PKCE refuses it: the verifier follows from Ada's cookie.
  const injected = new URL(back)
  injected.searchParams.set('state', searchParams.get('state') ?? '')
  provider.forgetsCodes = true
  expect((await mallory.comeBack(injected)).status).toBe(403)
  expect(codesAt(provider)).toHaveLength(1)
  expect((await visitor.comeBack(back)).status).toBe(303)
})

test('a second time: refused, also on another process, unless the answer is forgotten and the provider forgets too', async () => {
  const { visitor, back, token } = await begun()
  provider.forgetsCodes = true
  expect((await visitor.comeBack(back)).status).toBe(303)
  const thief = new Visitor(server)
  thief.cookies.set('weir-sso', token)
  expect((await thief.comeBack(back)).status).toBe(403)
  expect(codesAt(provider)).toHaveLength(1)
  // What another process knows is in the database, and nowhere else.
  await asOwner('delete from sso_answers')
  thief.cookies.set('weir-sso', token)
  expect((await thief.comeBack(back)).status).toBe(303)
})

test('too late: refused, unless the clock goes back', async () => {
  const { visitor, back, token } = await begun()
  later(11)
  expect((await visitor.comeBack(back)).status).toBe(403)
  vi.restoreAllMocks()
  visitor.cookies.set('weir-sso', token)
  expect((await visitor.comeBack(back)).status).toBe(303)
})

test('what was answered is remembered for longer than it could be answered again', async () => {
  const { visitor, back } = await begun()
  expect((await visitor.comeBack(back)).status).toBe(303)
  const rows = await asOwner(`select 1 from sso_answers where expires_at < clock_timestamp() + interval '15 minutes'`)
  expect(rows).toEqual([])
})

test('another connection (mix-up): refused; its provider would get the code of a browser that began there', async () => {
  const { visitor, back } = await begun()
  const elsewhere = new URL(back)
  elsewhere.pathname = `/sso/callback/${hostile}`
  expect((await visitor.comeBack(elsewhere)).status).toBe(403)
  expect(codesAt(evil)).toEqual([])
  elsewhere.searchParams.set('state', (await visitor.begin(hostile)).searchParams.get('state') ?? '')
  await visitor.comeBack(elsewhere)
  expect(codesAt(evil)).toEqual([back.searchParams.get('code')])
})

test('a cookie that somebody has changed is none', async () => {
  const { visitor, back, token } = await begun()
  const [keyId = '', body = '', mac = ''] = token.split('.')
  const read = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const changed = Buffer.from(JSON.stringify({ ...read, returnTo: '//evil.example' })).toString('base64url')
  const forged = [`${keyId}.${changed}.${mac}`, `other.${body}.${mac}`, `${keyId}.${body}`, `${token}.x`, `${token}=`]
  for (const cookie of [...forged, 'x'.repeat(5_000), '..', '']) {
    visitor.cookies.set('weir-sso', cookie)
    expect((await visitor.comeBack(back)).status, cookie).toBe(403)
  }
  expect(codesAt(provider)).toEqual([])
  visitor.cookies.set('weir-sso', token)
  expect((await visitor.comeBack(back)).status).toBe(303)
})
