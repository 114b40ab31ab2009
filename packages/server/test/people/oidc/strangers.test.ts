import { randomInt } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useServer } from '../../support/harness.ts'
import { useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** What somebody without any right can make us do at the door to a provider. */
const provider = useOidcProvider()
const server = useServer({
  environment: {
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_PUBLIC_URL: 'https://weir.example',
    SVC_AUTH_BACKOFF_PER_MINUTE: '5',
    SVC_TRUSTED_PROXIES: '127.0.0.0/8',
  },
})
let acme: Tenant
let connection: string
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  connection = await connect(server, acme, provider)
})
beforeEach(provider.reset)
afterEach(() => {
  vi.restoreAllMocks()
})

const asOwner = (statement: string) => asDatabaseOwner(server.database.ownerUrl, statement)
const later = (minutes: number) =>
  vi.spyOn(server.platform.clock, 'now').mockImplementation(() => new Date(Date.now() + minutes * 60_000))

const tables = async () => {
  const names = (await asOwner(
    `select relname as name from pg_class where relkind = 'r' and relname ~ '^sso_|^sess' order by 1`,
  )) as { name: string }[]
  const counts = names.map(({ name }) => `select '${name}' as name, count(*)::integer from ${name}`)
  return asOwner(counts.join(' union all '))
}

test('strangers who begin store nothing, and so push nobody out', async () => {
  const before = await tables()
  expect(before).toContainEqual({ name: 'sso_connections', count: 1 })
  await new Visitor(server).begin(connection)
  expect(await tables()).toEqual(before)
})

test('strangers who come at once make us ask a provider once, and not again for half a minute when it is not found', async () => {
  const document = '/.well-known/openid-configuration'
  const other = await connect(server, acme, provider)
  const asked = () => provider.requests.filter(({ path }) => path === document).length
  const crowd = async () => {
    const visitors = Array.from({ length: 20 }, () => new Visitor(server).open(`/sso/${other}`))
    return new Set((await Promise.all(visitors)).map(({ status }) => status))
  }
  provider.answers.set(document, () => ({ status: 500, body: '' }))
  expect(await crowd()).toEqual(new Set([503]))
  expect(await crowd()).toEqual(new Set([503]))
  expect(asked()).toBe(1)
  provider.answers.clear()
  const clock = later(0.4)
  expect(await crowd()).toEqual(new Set([503]))
  clock.mockRestore()
  later(0.6)
  expect(await crowd()).toEqual(new Set([303]))
  expect(asked()).toBe(2)
})

test('a provider that was not found is found as soon as an owner tests the connection, also for those who sign in; a failed test takes none away', async () => {
  const document = '/.well-known/openid-configuration'
  const other = await connect(server, acme, provider)
  const open = async () => (await new Visitor(server).open(`/sso/${other}`)).status
  const tested = async () =>
    (await call(server.url, 'POST', `/v1/orgs/${acme.id}/sso-connections/${other}/test`, { key: acme.key })).json['ok']
  const fail = () => provider.answers.set(document, () => ({ status: 500, body: '' }))
  fail()
  expect([await open(), await tested()]).toEqual([503, false])
  provider.answers.clear()
  expect(await open()).toBe(503)
  expect(await tested()).toBe(true)
  expect(await open()).toBe(303)
  fail()
  expect([await tested(), await open()]).toEqual([false, 303])
})

/** An address that nobody else fails from, told by a proxy. */
const newAddress = () => `2001:db8:${[0, 0].map(() => randomInt(65_536).toString(16)).join(':')}::1`
const asked = (path: string) => provider.requests.filter((request) => request.path === path).length

test('strangers who bring codes that are none make us ask a provider a few times only, and nobody else waits for it', async () => {
  const bring = async (address: string) => {
    const visitor = new Visitor(server)
    const back = provider.answerTo(await visitor.begin(connection), { sub: 'ada' })
    back.searchParams.set('code', 'guessed')
    const headers = { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': address }
    return (await visitor.open(back.pathname + back.search, { headers })).status
  }
  const [address, another] = [newAddress(), newAddress()]
  const statuses = []
  for (let n = 0; n < 20; n++) statuses.push(await bring(address))
  expect(new Set(statuses)).toEqual(new Set([403, 429]))
  expect(asked('/token')).toBeLessThan(20)
  const before = asked('/token')
  expect(await bring(address)).toBe(429)
  expect(asked('/token')).toBe(before)
  expect(await bring(another)).toBe(403)
})

test('strangers who bring logout tokens that are none make us ask a provider a few times only', async () => {
  provider.answers.set('/keys', () => ({ status: 500, body: '' }))
  const token = `${Buffer.from('{"alg":"RS256","kid":"x"}').toString('base64url')}.e30.AAAA`
  const address = newAddress()
  const bring = async () =>
    (
      await new Visitor(server).open(`/sso/backchannel/${connection}`, {
        form: { logout_token: token },
        headers: { 'x-forwarded-for': address },
      })
    ).status
  const statuses = []
  for (let n = 0; n < 20; n++) statuses.push(await bring())
  expect(new Set(statuses)).toEqual(new Set([400, 429]))
  const before = asked('/keys')
  expect(before).toBeGreaterThan(0)
  expect(await bring()).toBe(429)
  expect(asked('/keys')).toBe(before)
})
