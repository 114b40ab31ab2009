import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProfile, useBrowser } from '../../support/browser.ts'
import { saying, useDnsServer } from '../../support/dns-server.ts'
import { useServer } from '../../support/harness.ts'
import { connect } from '../../support/oidc/visitor.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** A real provider of OpenID Connect, with its own pages, and a real browser between it and us. */
const dns = useDnsServer()
const server = useServer({
  environment: () => ({
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_DNS_SERVERS: dns.address,
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  }),
})
const chromium = useBrowser()
let idp: Server
let issuer: string
let acme: Tenant
let connection: string
let home: string
const redirectUris: string[] = []

beforeAll(async () => {
  idp = createServer()
  idp.listen(0, '127.0.0.1')
  await once(idp, 'listening')
  issuer = `http://127.0.0.1:${(idp.address() as AddressInfo).port}`
  acme = await tenantOf(server, (await operatorOf(server)).key, 'Acme')
  home = `http://localhost:${server.port}`
  const client = { issuer, clientId: 'weir', clientSecret: 'a-secret-between-us' }
  connection = await connect(server, acme, client, {
    name: 'Acme login',
    jit: true,
    role_rules: [{ claim: 'groups', values: ['weir-admins'], role: 'admin' }],
  })
  redirectUris.push(`${home}/sso/callback/${connection}`)
  idp.on(
    'request',
    new Provider(issuer, {
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: [`${home}/console/signin`],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      pkce: { required: () => true },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      cookies: { keys: ['of-the-provider'] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: `${id}@acme.example`,
          email_verified: true,
          name: `Person ${id}`,
          groups: id === 'ada' ? ['weir-admins'] : [],
        }),
      }),
    }).callback(),
  )
  const domains = `/v1/orgs/${acme.id}/domains`
  const { json } = await call(server.url, 'POST', domains, {
    key: acme.key,
    body: { domain: 'acme.example', connection_id: connection },
  })
  const { name, value } = json['record'] as { name: string; value: string }
  dns.answer(name, saying(value))
  await call(server.url, 'POST', `${domains}/${String(json['id'])}/verify`, { key: acme.key })
})
afterAll(() => {
  idp.closeAllConnections()
  idp.close()
})

const roleOf = async (email: string) =>
  (
    (await call(server.url, 'GET', `/v1/orgs/${acme.id}/members?email=${email}`, { key: acme.key })).json['data'] as {
      role: string
    }[]
  )[0]?.role

async function newPage() {
  const context = await chromium.browser.newContext()
  return { context, page: await context.newPage() }
}
type Page = Awaited<ReturnType<typeof newPage>>['page']

/** Signs in at the provider's own pages. */
async function signInThere(page: Page, login: string) {
  await page.waitForURL(`${issuer}/interaction/**`)
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('whatever')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a person types their work e-mail, signs in at their provider, and is in; then signs out here and there', async () => {
  const { context, page } = await newPage()
  await page.goto(`${home}/console`)
  await page.getByLabel('Work e-mail').fill('ada@acme.example')
  await page.getByRole('button', { name: 'Continue with single sign-on' }).click()
  await signInThere(page, 'ada')
  await page.waitForURL(`${home}/console`)
  await openProfile(page)
  expect(await page.getByText('ada@acme.example').count()).toBeGreaterThan(0)
  expect(await roleOf('ada@acme.example')).toBe('admin')
  const cookies = await context.cookies(home)
  expect(cookies.map(({ name }) => name)).toEqual(['weir'])

  await page.getByRole('button', { name: 'Sign out' }).click()
  // The provider asks whether to end its session as well.
  await page.waitForURL(`${issuer}/session/end**`)
  expect(await context.cookies(home)).toEqual([])
}, 60_000)

test('a link from another site asks first; one that was typed goes straight to the provider', async () => {
  const { page } = await newPage()
  await page.goto(`${issuer}/.well-known/openid-configuration`)
  await page.setContent(`<a href="${home}/sso/${connection}">go</a>`)
  await page.getByRole('link', { name: 'go' }).click()
  await page.getByRole('heading', { name: 'Sign in with Acme login?' }).waitFor()
  await page.getByRole('link', { name: 'Continue to Acme login' }).click()
  await signInThere(page, 'grace')
  await openProfile(page)
  expect(await roleOf('grace@acme.example')).toBe('viewer')

  const typed = await newPage()
  await typed.page.goto(`${home}/sso/${connection}`)
  await typed.page.waitForURL(`${issuer}/interaction/**`)
}, 60_000)

test('an answer that somebody else began signs nobody in, unless their cookie comes along', async () => {
  const attacker = await newPage()
  await attacker.page.goto(`${home}/sso/${connection}`)
  const planted = (await attacker.context.cookies(home)).filter(({ name }) => name === 'weir-sso')
  expect(planted).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }])
  await attacker.context.clearCookies({ name: 'weir-sso' })
  await signInThere(attacker.page, 'mallory')
  await attacker.page.getByText('begun elsewhere').waitFor()
  const answer = attacker.page.url()
  expect(answer).toContain('code=')

  const victim = await newPage()
  await victim.page.goto(`${home}/console/signin`)
  expect((await victim.page.goto(answer))?.status()).toBe(403)
  expect(await victim.context.cookies(home)).toEqual([])
  // The weakness: a browser in which the attacker could plant a cookie.
  await victim.context.addCookies(planted)
  await victim.page.goto(answer)
  await victim.page.getByText('mallory@acme.example').first().waitFor()
}, 60_000)

test('a request without PKCE is refused by the provider, so that nobody can take it out of ours', async () => {
  const response = await fetch(`${server.url}/sso/${connection}`, {
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'none' },
  })
  const authorization = new URL(response.headers.get('location') ?? '')
  expect(authorization.searchParams.get('code_challenge_method')).toBe('S256')
  authorization.searchParams.delete('code_challenge')
  authorization.searchParams.delete('code_challenge_method')
  const refused = await fetch(authorization, { redirect: 'manual' })
  expect(refused.headers.get('location')).toContain('error=invalid_request')
})
