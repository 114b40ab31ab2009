import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkDomains, connectionOfDomain, isOfProvedDomain } from '../../src/people/domains/domains.ts'
import { createTxtLookup } from '../../src/platform/infra/txt-records.ts'
import { requireId } from '../../src/values/id.ts'
import { saying, useDnsServer } from '../support/dns-server.ts'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const dns = useDnsServer()
const server = useServer({ environment: () => ({ SVC_DNS_SERVERS: dns.address }) })
let acme: Tenant
let globex: Tenant
beforeAll(async () => {
  const { key } = await operatorOf(server)
  acme = await tenantOf(server, key, 'Acme')
  globex = await tenantOf(server, key, 'Globex')
})
beforeEach(() => {
  dns.questions.length = 0
})

interface DomainView {
  id: string
  domain: string
  status: string
  verified_at: string | null
  record: { type: string; name: string; value: string }
}
const ask = (tenant: Tenant, method: string, path: string, body?: unknown) =>
  call(server.url, method, `/v1/orgs/${tenant.id}/domains${path}`, {
    key: tenant.key,
    ...(body !== undefined && { body }),
  })
const claim = async (tenant: Tenant, domain: string) =>
  (await ask(tenant, 'POST', '', { domain })).json as unknown as DomainView
const verify = (tenant: Tenant, { id }: DomainView) => ask(tenant, 'POST', `/${id}/verify`)
const actions = async (tenant: Tenant, id: string) =>
  (
    (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?limit=200`, { key: tenant.key })).json['data'] as {
      action: string
      target: { id: string }
    }[]
  )
    .filter(({ target }) => target.id === id)
    .map(({ action }) => action)

describe('a domain is proved', () => {
  test('by a TXT record that only its owner can make, and by no other', async () => {
    const domain = await claim(acme, 'ACME.example')
    expect(domain).toMatchObject({ domain: 'acme.example', status: 'pending', verified_at: null })
    expect(domain.record).toEqual({
      type: 'TXT',
      name: '_weir-challenge.acme.example',
      value: expect.stringMatching(/^weir-domain-verification=[0-9a-f]{32}$/),
    })
    expect((await verify(acme, domain)).json).toMatchObject({ status: 'pending', checked_at: expect.any(String) })
    const { name, value } = domain.record
    for (const wrong of ['weir-domain-verification=', `${value}x`, `x${value}`, value.toUpperCase(), 'v=spf1 -all']) {
      dns.answer(name, saying(wrong))
      expect((await verify(acme, domain)).json).toMatchObject({ status: 'pending' })
    }
    // At the domain itself it is not asked for.
    dns.answer('acme.example', saying(value))
    dns.answer(name, saying('v=spf1 -all', value))
    const verified = (await verify(acme, domain)).json
    expect(verified).toMatchObject({ status: 'verified', verified_at: expect.any(String) })
    expect(new Set(dns.questions)).toEqual(new Set([`TXT ${name}`]))
    expect(await actions(acme, domain.id)).toEqual(['domain.created', 'domain.verified'])
  })

  test('by one organization at a time, whoever else has put a record there', async () => {
    const [mine, theirs] = [await claim(acme, 'shared.example'), await claim(globex, 'shared.example')]
    expect(mine.record.value).not.toBe(theirs.record.value)
    dns.answer(mine.record.name, saying(mine.record.value, theirs.record.value))
    const both = await Promise.all([verify(acme, mine), verify(globex, theirs)])
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const [winner, winners, loser, losers] =
      both[0].status === 200 ? [acme, mine, globex, theirs] : [globex, theirs, acme, mine]
    expect((await ask(loser, 'GET', `/${losers.id}`)).json).toMatchObject({ status: 'pending' })
    // Whose record is gone has proved nothing any more, and another may.
    dns.answer(mine.record.name, saying(losers.record.value))
    expect((await verify(winner, winners)).json).toMatchObject({ status: 'pending', verified_at: null })
    expect((await verify(loser, losers)).json).toMatchObject({ status: 'verified' })
  })

  test('not by a record of somebody else’s claim', async () => {
    const [mine, theirs] = [await claim(acme, 'mine.example'), await claim(globex, 'mine.example')]
    dns.answer(mine.record.name, saying(mine.record.value))
    expect((await verify(globex, theirs)).json).toMatchObject({ status: 'pending' })
  })
})

test('a name server that fails takes no proof back', async () => {
  const domain = await claim(acme, 'failing.example')
  dns.answer(domain.record.name, saying(domain.record.value))
  expect((await verify(acme, domain)).json).toMatchObject({ status: 'verified' })
  dns.answer(domain.record.name, () => ({ code: 2 }))
  const { status, json } = await verify(acme, domain)
  expect([status, json.error?.code]).toEqual([503, 'service_unavailable'])
  expect((await ask(acme, 'GET', `/${domain.id}`)).json).toMatchObject({ status: 'verified' })
})

describe('a proof that is not kept up', () => {
  const failing = () => ({ code: 2 })
  const stateOf = async (tenant: Tenant, { id }: DomainView) => {
    const { status, missed_days } = (await ask(tenant, 'GET', `/${id}`)).json
    return [status, missed_days]
  }
  async function proved(tenant: Tenant, name: string) {
    const domain = await claim(tenant, name)
    dns.answer(domain.record.name, saying(domain.record.value))
    expect((await verify(tenant, domain)).json).toMatchObject({ status: 'verified' })
    return domain
  }

  test('gives way to one of another organization, and to nothing less', async () => {
    const mine = await proved(acme, 'moved.example')
    const theirs = await claim(globex, 'moved.example')
    const { name, value } = mine.record
    // Both are there; neither is; nobody can be asked; only the claim is missing.
    dns.answer(name, saying(value, theirs.record.value))
    expect((await verify(globex, theirs)).status).toBe(409)
    dns.answer(name, saying())
    expect((await verify(globex, theirs)).json).toMatchObject({ status: 'pending' })
    dns.answer(name, failing)
    expect((await verify(globex, theirs)).status).toBe(503)
    dns.answer(name, saying(value))
    expect((await verify(globex, theirs)).json).toMatchObject({ status: 'pending' })
    expect(await stateOf(acme, mine)).toEqual(['verified', 0])
    dns.answer(name, saying(theirs.record.value))
    expect((await verify(globex, theirs)).json).toMatchObject({ status: 'verified' })
    expect(await stateOf(acme, mine)).toEqual(['pending', 0])
    expect(await actions(acme, mine.id)).toEqual(['domain.created', 'domain.verified', 'domain.displaced'])
    expect(await actions(globex, theirs.id)).toEqual(['domain.created', 'domain.verified'])
    dns.answer(name, saying(value, theirs.record.value))
    expect((await verify(acme, mine)).status).toBe(409)
  })

  test('lapses after three days in a row without its record, and leads and vouches no more', async () => {
    const { json: connection } = await call(server.url, 'POST', `/v1/orgs/${acme.id}/sso-connections`, {
      key: acme.key,
      body: {
        kind: 'oidc',
        name: 'C',
        enabled: true,
        oidc: { issuer: 'https://login.example.com', client_id: 'c', client_secret: 's' },
      },
    })
    const [domain, kept] = [await proved(acme, 'lapsing.example'), await proved(acme, 'kept.example')]
    const { name, value } = domain.record
    const led = await ask(acme, 'PATCH', `/${domain.id}`, { connection_id: connection['id'] })
    expect(led.status, JSON.stringify([connection, led.json])).toBe(200)
    const { platform } = server
    const orgId = requireId('org', acme.id)
    const use = async () => [
      (await connectionOfDomain(platform.sql, domain.domain)) !== undefined,
      await platform.sql.asOrgs([orgId], (tx) => isOfProvedDomain(tx, orgId, `ada@${domain.domain}`)),
    ]
    expect(await use()).toEqual([true, true])
    const start = platform.clock.now().getTime()
    const checkOnDay = (day: number) => {
      const clock = { ...platform.clock, now: () => new Date(start + day * 86_400_000) }
      return checkDomains({ ...platform, clock }, createTxtLookup([dns.address]))
    }
    const days: [number, typeof failing | ReturnType<typeof saying>, (string | number)[]][] = [
      [1, saying(), ['verified', 1]],
      // The job may run twice.
      [1.1, saying(), ['verified', 1]],
      [2, saying('v=spf1 -all'), ['verified', 2]],
      [3, failing, ['verified', 2]],
      [4, saying(value), ['verified', 0]],
      [5, saying(), ['verified', 1]],
      [6, saying(), ['verified', 2]],
    ]
    for (const [day, reply, state] of days) {
      dns.answer(name, reply)
      await checkOnDay(day)
      expect([day, ...(await stateOf(acme, domain))]).toEqual([day, ...state])
    }
    expect(await use()).toEqual([true, true])
    dns.answer(name, saying())
    await checkOnDay(7)
    expect(await stateOf(acme, domain)).toEqual(['pending', 3])
    expect(await use()).toEqual([false, false])
    expect(await stateOf(acme, kept)).toEqual(['verified', 0])
    expect((await actions(acme, domain.id)).at(-1)).toBe('domain.lapsed')
    dns.answer(name, saying(value))
    expect((await verify(acme, domain)).json).toMatchObject({ status: 'verified', missed_days: 0 })
    expect(await use()).toEqual([true, true])
  })
})

test('an organization claims a domain once, and what is no domain never', async () => {
  await claim(acme, 'once.example')
  expect((await ask(acme, 'POST', '', { domain: 'Once.Example' })).status).toBe(409)
  for (const domain of ['localhost', '127.0.0.1', 'acme.example/x', '*.example'])
    expect((await ask(acme, 'POST', '', { domain })).status).toBe(422)
})

test('a domain leads to a connection of its own organization only, and stays when that is deleted', async () => {
  const connect = async (tenant: Tenant) =>
    (
      await call(server.url, 'POST', `/v1/orgs/${tenant.id}/sso-connections`, {
        key: tenant.key,
        body: { kind: 'oidc', name: 'C', oidc: { issuer: 'https://login.example.com', client_id: 'c' } },
      })
    ).json['id'] as string
  const domain = await claim(acme, 'led.example')
  const [mine, theirs] = [await connect(acme), await connect(globex)]
  const lead = (connection_id: string | null) => ask(acme, 'PATCH', `/${domain.id}`, { connection_id })
  expect((await lead(theirs)).status).toBe(422)
  expect((await lead(mine)).json).toMatchObject({ connection_id: mine })
  await call(server.url, 'DELETE', `/v1/orgs/${acme.id}/sso-connections/${mine}`, { key: acme.key })
  expect((await ask(acme, 'GET', `/${domain.id}`)).json).toMatchObject({ connection_id: null })
})

test('an administrator sees domains; only an owner changes them', async () => {
  const { key } = await keyOf(server, acme.id, { role: 'admin' })
  const as = (method: string, body?: unknown) =>
    call(server.url, method, `/v1/orgs/${acme.id}/domains`, { key, ...(body !== undefined && { body }) })
  expect((await as('GET')).status).toBe(200)
  expect((await as('POST', { domain: 'admin.example' })).status).toBe(403)
})
