import { beforeAll, beforeEach, expect, test } from 'vitest'
import { logoutRules, verifyLogoutToken, verifyLogoutTokenWith } from '../../../src/people/oidc/logout-token.ts'
import { discoverProvider } from '../../../src/people/oidc/oidc.ts'
import { createOutbound } from '../../../src/platform/infra/outbound.ts'
import { useServer } from '../../support/harness.ts'
import { type Json, tokenOf, useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** A provider ends sessions: by a token of its own, once, and those of this connection only. */
const provider = useOidcProvider()
const server = useServer({
  environment: {
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  },
})
let acme: Tenant
let first: string
let second: string
const ada = { sub: 'ada', email: 'ada@acme.example', email_verified: true }
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  first = await connect(server, acme, provider)
  second = await connect(server, acme, provider)
  const body = { email: ada.email, role: 'admin' }
  await call(server.url, 'POST', `/v1/orgs/${acme.id}/members`, { key: acme.key, body })
})
beforeEach(provider.reset)

let tokens = 0
const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const nowSeconds = () => Math.floor(Date.now() / 1_000)
const claimsOf = (more: Json = {}): Json => ({
  iss: provider.issuer,
  aud: provider.clientId,
  iat: nowSeconds(),
  jti: `token-${tokens++}`,
  sub: ada.sub,
  events: event,
  ...more,
})
const signed = (claims: Json, header: Json = {}) =>
  tokenOf({ alg: 'RS256', kid: provider.keyId, typ: 'logout+jwt', ...header }, claims, provider.privateKey)
const logOut = (connection: string, token: string) =>
  new Visitor(server).open(`/sso/backchannel/${connection}`, { form: { logout_token: token }, headers: {} })

async function signedIn(connection: string) {
  const visitor = new Visitor(server)
  expect((await visitor.signIn(provider, connection, ada)).status).toBe(303)
  return visitor
}
const stateOf = async (visitor: Visitor) => {
  const { error } = (await visitor.me()) as { error?: { code: string } }
  return error?.code ?? 'signed in'
}

test('ends the sessions of the person that came by this connection, before it answers, and no others', async () => {
  const [here, alsoHere, elsewhere] = [await signedIn(first), await signedIn(first), await signedIn(first)]
  // A second provider comes to know somebody in the browser in which they are signed in.
  expect((await elsewhere.signIn(provider, second, ada)).status).toBe(303)
  const response = await logOut(first, signed(claimsOf()))
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toContain('no-store')
  expect(await stateOf(here)).toBe('session_revoked')
  expect(await stateOf(alsoHere)).toBe('session_revoked')
  expect(await stateOf(elsewhere)).toBe('signed in')
})

test('works once: sessions that were opened since go on when the token comes again', async () => {
  const token = signed(claimsOf())
  expect((await logOut(first, token)).status).toBe(200)
  const visitor = await signedIn(first)
  expect((await logOut(first, token)).status).toBe(400)
  expect(await stateOf(visitor)).toBe('signed in')
})

test('of somebody unknown changes nothing, and is no fault', async () => {
  expect((await logOut(first, signed(claimsOf({ sub: 'nobody' })))).status).toBe(200)
})

const forgeries: [string, (typeof logoutRules)[number]['name'], () => Json][] = [
  ['another issuer', 'issuer', () => claimsOf({ iss: 'https://evil.example' })],
  ['another audience', 'audience', () => claimsOf({ aud: ['other'] })],
  ['issued in the future', 'issued', () => claimsOf({ iat: nowSeconds() + 300 })],
  ['issued long ago', 'issued', () => claimsOf({ iat: nowSeconds() - 3_600 })],
  ['expired', 'expired', () => claimsOf({ exp: nowSeconds() - 120 })],
  ['no event', 'event', () => claimsOf({ events: undefined })],
  ['another event', 'event', () => claimsOf({ events: { other: {} } })],
  ['a nonce, as an ID token has', 'nonce', () => claimsOf({ nonce: 'n' })],
  ['nobody named', 'subject', () => claimsOf({ sub: undefined, sid: 's' })],
  ['no id', 'token_id', () => claimsOf({ jti: undefined })],
]

test.each(forgeries)('a token with %s is refused, and taken without the rule %s', async (_, rule, make) => {
  const visitor = await signedIn(first)
  expect((await logOut(first, signed(make()))).status).toBe(400)
  expect(await stateOf(visitor)).toBe('signed in')
  const options = { allowedPorts: [{ first: 1, last: 65_535 }], dnsServers: undefined, timeoutSeconds: 5 }
  const outbound = createOutbound({ ...options, allowedCidrs: ['127.0.0.1/32'] })
  const { issuer, clientId, clientSecret } = provider
  const found = await discoverProvider(outbound, { issuer, clientId, clientSecret })
  if (typeof found === 'string') throw new Error(found)
  const rest = logoutRules.filter(({ name }) => name !== rule)
  expect(await verifyLogoutToken(found, signed(make()), new Date())).toBe(undefined)
  expect(await verifyLogoutTokenWith(rest, found, signed(make()), new Date())).not.toBe(undefined)
  await outbound.close()
})

test.each([
  ['none', () => tokenOf({ alg: 'none' }, claimsOf(), provider.privateKey)],
  ['a shared secret', () => tokenOf({ alg: 'HS256' }, claimsOf(), provider.clientSecret)],
  [
    'the public key as a secret',
    () =>
      tokenOf(
        { alg: 'HS256', kid: provider.keyId },
        claimsOf(),
        String(provider.publicKey.export({ type: 'spki', format: 'pem' })),
      ),
  ],
  ['nothing that is a token', () => 'a.b.c'],
])('a token that is signed with %s is refused', async (_, make) => {
  const visitor = await signedIn(first)
  expect((await logOut(first, make())).status).toBe(400)
  expect(await stateOf(visitor)).toBe('signed in')
})
