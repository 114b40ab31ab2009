import { beforeAll, beforeEach, expect, test } from 'vitest'
import { requireId } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import { useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** Attacks on a sign-in that has begun. Each is refused, and goes through once the row that refuses it is tampered with. */
const provider = useOidcProvider()
const evil = useOidcProvider()
const server = useServer({
  environment: { SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32', SVC_SSO_ALLOWED_PORTS: '1-65535' },
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

const tamper = (statement: string) => asDatabaseOwner(server.database.ownerUrl, statement)

/** Ada's browser, sent away and about to come back. */
async function begun() {
  const visitor = new Visitor(server)
  const back = provider.answerTo(await visitor.begin(honest), ada)
  return { visitor, back, secret: visitor.cookies.get('weir-sso') ?? '' }
}

test('another browser: refused, unless the row forgets whose it is', async () => {
  const { back } = await begun()
  const mallory = new Visitor(server)
  mallory.cookies.set('weir-sso', 'of-mallory')
  expect((await mallory.comeBack(back)).status).toBe(403)
  await tamper(`update sso_requests set browser_digest = sha256('of-mallory')`)
  // She passes the row, and PKCE stops her: the verifier follows from the secret that she does not have.
  mallory.cookies.set('weir-sso', 'of-mallory')
  expect((await mallory.comeBack(back)).status).toBe(403)
  expect(provider.requests.filter(({ path }) => path === '/token')).toHaveLength(1)
})

test('a second time: refused, unless the row comes back and the provider forgets too', async () => {
  const { visitor, back, secret } = await begun()
  await tamper('create table kept as select * from sso_requests')
  provider.forgetsCodes = true
  expect((await visitor.comeBack(back)).status).toBe(303)
  const thief = new Visitor(server)
  thief.cookies.set('weir-sso', secret)
  expect((await thief.comeBack(back)).status).toBe(403)
  expect(provider.requests.filter(({ path }) => path === '/token')).toHaveLength(1)
  await tamper('insert into sso_requests select * from kept on conflict do nothing')
  thief.cookies.set('weir-sso', secret)
  expect((await thief.comeBack(back)).status).toBe(303)
})

test('too late: refused, unless the row has no end', async () => {
  const { visitor, back } = await begun()
  await tamper(`update sso_requests set expires_at = clock_timestamp()`)
  expect((await visitor.comeBack(back)).status).toBe(403)
  await tamper(`update sso_requests set expires_at = 'infinity'`)
  expect((await visitor.comeBack(back)).status).toBe(303)
})

test('another connection (mix-up): refused, unless the row names that one, and then its provider gets the code', async () => {
  const { visitor, back } = await begun()
  const elsewhere = new URL(back)
  elsewhere.pathname = `/sso/callback/${hostile}`
  const leaked = () => evil.requests.filter(({ path }) => path === '/token').map(({ form }) => form.get('code'))
  expect((await visitor.comeBack(elsewhere)).status).toBe(403)
  expect(leaked()).toEqual([])
  await tamper(`update sso_requests set connection_id = '${requireId('connection', hostile)}'`)
  await visitor.comeBack(elsewhere)
  expect(leaked()).toEqual([back.searchParams.get('code')])
})

test('of many that begin, an organization keeps the last five thousand', async () => {
  const orgId = requireId('org', acme.id)
  await tamper(`
    insert into sso_requests (org_id, state_digest, connection_id, browser_digest, created_at, expires_at)
    select '${orgId}', sha256(n::text::bytea), '${requireId('connection', honest)}', sha256(''), clock_timestamp() - n * interval '1 second',
           clock_timestamp() + interval '1 minute' from generate_series(1, 6000) n`)
  const { visitor, back } = await begun()
  const [{ count } = { count: 0 }] = (await tamper('select count(*)::integer from sso_requests')) as { count: number }[]
  expect(count).toBeLessThanOrEqual(5_000)
  expect((await visitor.comeBack(back)).status).toBe(303)
})
