import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { saying, useDnsServer } from '../../support/dns-server.ts'
import { useServer } from '../../support/harness.ts'
import { type Json, useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const provider = useOidcProvider()
const other = useOidcProvider()
const dns = useDnsServer()
const server = useServer({
  environment: () => ({
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_DNS_SERVERS: dns.address,
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  }),
})
let operator: string
let acme: Tenant
/** With JIT, for `acme.example`. */
let open: string
/** Without JIT. */
let closed: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator, 'Acme')
  open = await connect(server, acme, provider, { jit: true })
  closed = await connect(server, acme, provider, { name: 'Closed' })
  await prove(acme, 'acme.example', open)
})
beforeEach(() => {
  provider.reset()
  other.reset()
})

const ask = (tenant: Tenant, method: string, path: string, body?: unknown) =>
  call(server.url, method, `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, ...(body !== undefined && { body }) })

async function prove(tenant: Tenant, domain: string, connection_id: string | null = null) {
  const { json } = await ask(tenant, 'POST', '/domains', { domain, connection_id })
  const { name, value } = json['record'] as { name: string; value: string }
  dns.answer(name, saying(value))
  expect((await ask(tenant, 'POST', `/domains/${String(json['id'])}/verify`)).json).toMatchObject({
    status: 'verified',
  })
}

let people = 0
/** Claims of somebody new. */
const somebody = (more: Json = {}): Json => {
  const n = people++
  return { sub: `subject-${n}`, email: `person-${n}@acme.example`, name: `Person ${n}`, ...more }
}
const memberOf = async (tenant: Tenant, email: unknown) =>
  ((await ask(tenant, 'GET', `/members?email=${encodeURIComponent(String(email))}`)).json['data'] as Json[])[0]
const invite = async (tenant: Tenant, email: unknown, role = 'member') =>
  expect((await ask(tenant, 'POST', '/members', { email, role })).status).toBe(201)

/** What came of a visit: the status, and who is signed in. */
async function outcomeOf(visitor: Visitor, response: Response) {
  const me = await visitor.me()
  return { status: response.status, email: (me['person'] as Json | undefined)?.['email'] }
}
const refusedWith = (status: number) => ({ status, email: undefined })

describe('somebody whom the provider vouches for', () => {
  test('becomes a member by signing in, and is the same member the next time, whatever their address is then', async () => {
    const claims = somebody()
    const visitor = new Visitor(server)
    const response = await visitor.signIn(provider, open, claims)
    expect(response.headers.get('location')).toBe('/console')
    expect(await outcomeOf(visitor, response)).toEqual({ status: 303, email: claims['email'] })
    const member = await memberOf(acme, claims['email'])
    expect(member).toMatchObject({ role: 'viewer', status: 'active', name: claims['name'] })
    const again = new Visitor(server)
    await again.signIn(provider, open, { ...claims, email: 'renamed@acme.example' })
    expect((await again.me())['person']).toMatchObject({ email: claims['email'] })
    expect(await memberOf(acme, 'renamed@acme.example')).toBe(undefined)
  })

  test('becomes one member, in however many browsers they sign in at once', async () => {
    const claims = somebody()
    const visitors = Array.from({ length: 8 }, () => new Visitor(server))
    const responses = await Promise.all(visitors.map((visitor) => visitor.signIn(provider, open, claims)))
    expect(responses.map(({ status }) => status)).toEqual(visitors.map(() => 303))
    const ids = await Promise.all(visitors.map(async (visitor) => (await visitor.me())['id']))
    expect(new Set(ids).size).toBe(1)
  })

  test('loses the role that a rule no longer gives, with the keys of administrators, and binds every process', async () => {
    const tenant = await tenantOf(server, operator)
    const ruled = await connect(server, tenant, provider, {
      role_rules: [{ claim: 'groups', values: ['owners'], role: 'owner' }],
    })
    const [first, second] = [somebody({ groups: ['owners'] }), somebody({ groups: ['owners'] })]
    for (const { email } of [first, second]) await invite(tenant, email, 'owner')
    for (const claims of [first, second])
      expect((await new Visitor(server).signIn(provider, ruled, { ...claims, email_verified: true })).status).toBe(303)
    // The only owner's key of the organization is theirs.
    const { id } = (await memberOf(tenant, first['email'])) as { id: string }
    expect((await ask(tenant, 'PATCH', `/keys/${tenant.keyId}`, { owner_id: id })).status).toBe(200)
    const lowered = new Visitor(server)
    expect((await lowered.signIn(provider, ruled, { ...first, groups: [] })).status).toBe(303)
    expect(await lowered.me()).toMatchObject({ role: 'viewer' })
    expect((await ask(tenant, 'GET', '/members')).status).toBe(410)
    const last = new Visitor(server)
    await last.signIn(provider, ruled, { ...second, groups: [] })
    expect(await last.me()).toMatchObject({ role: 'owner' })
  })

  test('gets into a page that they wanted, of ours only', async () => {
    for (const [wanted, location] of [
      ['/console/profile?x=1', '/console/profile?x=1'],
      ['https://evil.example/', '/console'],
      ['//evil.example/console', '/console'],
      ['/console/../../evil', '/console'],
      ['/\\evil.example', '/console'],
    ]) {
      const visitor = new Visitor(server)
      const authorization = await visitor.begin(open, `?return_to=${encodeURIComponent(wanted ?? '')}`)
      const response = await visitor.comeBack(provider.answerTo(authorization, somebody()))
      expect(response.headers.get('location')).toBe(location)
    }
  })

  test('finds the membership to which they were invited, and no other', async () => {
    const claims = somebody()
    await invite(acme, claims['email'], 'admin')
    const visitor = new Visitor(server)
    expect(await outcomeOf(visitor, await visitor.signIn(provider, closed, claims))).toEqual({
      status: 303,
      email: claims['email'],
    })
    expect(await memberOf(acme, claims['email'])).toMatchObject({ status: 'active', role: 'admin' })
  })

  test('ends the session that the browser had before, and gets a new one', async () => {
    const visitor = new Visitor(server)
    const claims = somebody()
    await visitor.signIn(provider, open, claims)
    const before = visitor.cookies.get('weir') ?? ''
    await visitor.signIn(provider, open, claims)
    expect(visitor.cookies.get('weir')).not.toBe(before)
    expect((await call(server.url, 'GET', '/v1/me', { headers: { cookie: `weir=${before}` } })).json.error?.code).toBe(
      'session_revoked',
    )
  })
})

describe('an answer is refused', () => {
  const twoVisitors = async () => {
    const [ada, mallory] = [new Visitor(server), new Visitor(server)]
    return { ada, mallory, hers: provider.answerTo(await ada.begin(open), somebody()) }
  }

  test('in another browser than that which began: nobody is signed in as somebody else (login CSRF)', async () => {
    const { ada, mallory, hers } = await twoVisitors()
    expect(await outcomeOf(mallory, await mallory.comeBack(hers))).toEqual(refusedWith(403))
    // Nor in one that has begun a sign-in of its own.
    await mallory.begin(open)
    expect(await outcomeOf(mallory, await mallory.comeBack(hers))).toEqual(refusedWith(403))
    // Whose it is can still use it: it was taken from nobody.
    expect((await ada.comeBack(hers)).status).toBe(303)
  })

  test('the second time', async () => {
    const { ada, hers } = await twoVisitors()
    const secret = ada.cookies.get('weir-sso') ?? ''
    expect((await ada.comeBack(hers)).status).toBe(303)
    const thief = new Visitor(server)
    thief.cookies.set('weir-sso', secret)
    expect(await outcomeOf(thief, await thief.comeBack(hers))).toEqual(refusedWith(403))
  })

  test('of two that come at once with one state, but one', async () => {
    const { ada, hers } = await twoVisitors()
    const answers = await Promise.all([ada.comeBack(hers), ada.comeBack(hers)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 403]))
  })

  test('without state, with another one, and after ten minutes', async () => {
    for (const change of [
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.set('state', 'x'.repeat(43)),
      (url: URL) => url.searchParams.append('state', 'x'),
    ]) {
      const { ada, hers } = await twoVisitors()
      change(hers)
      expect(await outcomeOf(ada, await ada.comeBack(hers))).toEqual(refusedWith(403))
    }
    const { ada, hers } = await twoVisitors()
    const clock = vi.spyOn(server.platform.clock, 'now').mockImplementation(() => new Date(Date.now() + 601_000))
    expect((await ada.comeBack(hers)).status).toBe(403)
    clock.mockRestore()
    expect(await ada.me()).not.toHaveProperty('person')
  })

  test('at the address of another connection (mix-up)', async () => {
    const visitor = new Visitor(server)
    const evil = await connect(server, acme, other, { name: 'Evil', jit: true })
    const back = provider.answerTo(await visitor.begin(open), somebody())
    back.pathname = `/sso/callback/${evil}`
    expect(await outcomeOf(visitor, await visitor.comeBack(back))).toEqual(refusedWith(403))
    // The other provider is not given the code.
    expect(other.requests.filter(({ path }) => path === '/token')).toEqual([])
  })

  test('at a connection that was turned off or deleted meanwhile', async () => {
    const id = await connect(server, acme, provider, { jit: true })
    const visitor = new Visitor(server)
    const back = provider.answerTo(await visitor.begin(id), somebody())
    await ask(acme, 'PATCH', `/sso-connections/${id}`, { enabled: false })
    expect((await visitor.comeBack(back)).status).toBe(404)
    await ask(acme, 'DELETE', `/sso-connections/${id}`)
    expect((await visitor.comeBack(back)).status).toBe(404)
    expect((await visitor.open(`/sso/${id}`)).status).toBe(404)
  })

  test('whose token is forged, and the page does not say why; the audit log does', async () => {
    provider.forge = (claims) => ({ claims: { ...claims, nonce: 'another' } })
    const visitor = new Visitor(server)
    const response = await visitor.signIn(provider, open, somebody())
    expect(response.status).toBe(403)
    const page = await response.text()
    expect(page).toContain('refused')
    expect(page).not.toContain('nonce')
    expect(visitor.cookies.has('weir')).toBe(false)
  })
})

describe('an e-mail address by itself opens nothing:', () => {
  test('one that the provider has not verified, of a domain that nobody proved', async () => {
    const claims = somebody({ email: 'ada@unproved.example' })
    await invite(acme, claims['email'], 'owner')
    const visitor = new Visitor(server)
    for (const email_verified of [undefined, false, 'true', 1])
      expect(await outcomeOf(visitor, await visitor.signIn(provider, open, { ...claims, email_verified }))).toEqual(
        refusedWith(403),
      )
    expect((await visitor.signIn(provider, open, { ...claims, email_verified: true })).status).toBe(303)
  })

  test('that of a member whom the provider knows by another name (a subject taken over)', async () => {
    const claims = somebody()
    await new Visitor(server).signIn(provider, open, claims)
    const visitor = new Visitor(server)
    const impostor = { ...claims, sub: 'another-subject', email_verified: true }
    expect(await outcomeOf(visitor, await visitor.signIn(provider, open, impostor))).toEqual(refusedWith(403))
  })

  test('that of a member who came by another connection and whom nobody invited', async () => {
    const claims = somebody()
    await new Visitor(server).signIn(provider, open, claims)
    const visitor = new Visitor(server)
    expect(
      await outcomeOf(visitor, await visitor.signIn(provider, closed, { ...claims, email_verified: true })),
    ).toEqual(refusedWith(403))
  })

  test('of a domain of another organization: it makes no member here', async () => {
    const globex = await tenantOf(server, operator, 'Globex')
    const theirs = await connect(server, globex, provider, { jit: true })
    const visitor = new Visitor(server)
    const claims = somebody({ email_verified: true })
    expect(await outcomeOf(visitor, await visitor.signIn(provider, theirs, claims))).toEqual(refusedWith(403))
    expect(await memberOf(globex, claims['email'])).toBe(undefined)
  })

  test('without just-in-time it makes no member, and without an address neither', async () => {
    const visitor = new Visitor(server)
    expect(await outcomeOf(visitor, await visitor.signIn(provider, closed, somebody()))).toEqual(refusedWith(403))
    expect(await outcomeOf(visitor, await visitor.signIn(provider, open, { sub: 'nobody' }))).toEqual(refusedWith(403))
  })

  test('one subject of two providers is two people', async () => {
    const second = await connect(server, acme, other, { name: 'Second', jit: true })
    const claims = somebody()
    await new Visitor(server).signIn(provider, open, claims)
    const visitor = new Visitor(server)
    const impostor = { sub: claims['sub'], email: 'mallory@acme.example' }
    expect((await visitor.signIn(other, second, impostor)).status).toBe(303)
    expect((await visitor.me())['person']).toMatchObject({ email: 'mallory@acme.example' })
  })
})

describe('the role', () => {
  const rules = [
    { claim: 'groups', values: ['owners'], role: 'owner' },
    { claim: 'groups', values: ['admins'], role: 'admin' },
  ]
  test('follows from the rules at every sign-in, and a lower one binds sessions that there are', async () => {
    const id = await connect(server, acme, provider, { jit: true, role_rules: rules, default_role: null })
    const claims = somebody()
    const roleAfter = async (groups: string[]) => {
      const visitor = new Visitor(server)
      const { status } = await visitor.signIn(provider, id, { ...claims, groups })
      return [status, (await memberOf(acme, claims['email']))?.['role']]
    }
    expect(await roleAfter([])).toEqual([403, undefined])
    const first = new Visitor(server)
    await first.signIn(provider, id, { ...claims, groups: ['admins'] })
    expect(await first.me()).toMatchObject({ role: 'admin' })
    expect(await roleAfter(['admins', 'owners'])).toEqual([303, 'owner'])
    expect(await first.me()).toMatchObject({ role: 'owner' })
    await invite(acme, 'second-owner@acme.example', 'owner')
    await new Visitor(server).signIn(provider, closed, { sub: 'second-owner', email: 'second-owner@acme.example' })
    expect(await roleAfter(['admins'])).toEqual([303, 'admin'])
    expect(await first.me()).toMatchObject({ role: 'admin' })
    expect(await roleAfter(['others'])).toEqual([403, 'admin'])
  })

  test('of the last owner is not lowered by a rule', async () => {
    const tenant = await tenantOf(server, operator, 'Last')
    const id = await connect(server, tenant, provider, { jit: true, role_rules: rules, default_role: 'viewer' })
    await prove(tenant, 'last.example')
    const claims = somebody({ email: 'boss@last.example' })
    await new Visitor(server).signIn(provider, id, { ...claims, groups: ['owners'] })
    expect((await new Visitor(server).signIn(provider, id, { ...claims, groups: [] })).status).toBe(303)
    expect(await memberOf(tenant, 'boss@last.example')).toMatchObject({ role: 'owner' })
    expect(server.logs.some(({ message }) => message?.includes('last owner'))).toBe(true)
  })
})

describe('a member who was shut out', () => {
  test('stays out, also where anybody of the domain may come in; an invitation brings them back', async () => {
    const claims = somebody()
    const visitor = new Visitor(server)
    await visitor.signIn(provider, open, claims)
    const { id } = (await memberOf(acme, claims['email'])) as { id: string }
    expect((await ask(acme, 'DELETE', `/members/${id}`)).status).toBeLessThan(300)
    expect(await outcomeOf(visitor, await visitor.signIn(provider, open, claims))).toEqual(refusedWith(403))
    await invite(acme, claims['email'])
    expect((await visitor.signIn(provider, open, claims)).status).toBe(303)
  })
})

describe('the sign-in page', () => {
  const start = (email: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
    new Visitor(server).open('/sso/start', { form: { email }, headers })

  test('leads to the provider of a proved domain', async () => {
    const response = await start('Ada@ACME.example')
    expect(response.status).toBe(200)
    const [, target = ''] = /^0; url=(.*)$/.exec(response.headers.get('refresh') ?? '') ?? []
    expect(target.startsWith(`${provider.issuer}/authorize?`)).toBe(true)
    expect(new URL(target).searchParams.get('login_hint')).toBe('Ada@ACME.example')
  })

  test('says the same of every address that leads nowhere', async () => {
    await ask(acme, 'POST', '/domains', { domain: 'pending.example', connection_id: open })
    await prove(acme, 'unconnected.example')
    const off = await connect(server, acme, provider, { enabled: false })
    await prove(acme, 'off.example', off)
    const pages = []
    for (const email of [
      'a@unknown.example',
      'a@pending.example',
      'a@unconnected.example',
      'a@off.example',
      'a',
      '',
      'a@localhost',
    ])
      pages.push(
        await start(email).then(async (response) => [
          response.status,
          await response.text(),
          response.headers.get('refresh'),
          response.headers.getSetCookie(),
        ]),
      )
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
    expect(pages[0]?.[0]).toBe(200)
  })

  test('takes forms of our own pages only', async () => {
    expect((await start('ada@acme.example', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await start('ada@acme.example', { origin: 'https://evil.example' })).status).toBe(403)
  })

  test('a link from another site asks first, and begins nothing', async () => {
    const visitor = new Visitor(server)
    const response = await visitor.open(`/sso/${open}`, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Another site sent you here')
    expect(visitor.cookies.size).toBe(0)
  })
})

test('no answer of these routes carries Deprecation or Sunset, or may be framed or kept', async () => {
  const visitor = new Visitor(server)
  const back = provider.answerTo(await visitor.begin(open), somebody())
  for (const response of [
    await visitor.open(`/sso/${open}`),
    await visitor.comeBack(back),
    await visitor.comeBack(back),
  ]) {
    expect(response.headers.get('deprecation')).toBe(null)
    expect(response.headers.get('sunset')).toBe(null)
    expect(response.headers.get('cache-control')).toContain('no-store')
  }
})

test('nothing that completes a sign-in is in a row or a log line', async () => {
  const visitor = new Visitor(server)
  const authorization = await visitor.begin(open)
  const back = provider.answerTo(authorization, somebody())
  const secret = visitor.cookies.get('weir-sso') ?? ''
  await visitor.comeBack(back)
  const rows = await asDatabaseOwner(server.database.ownerUrl, 'select t::text from sso_answers t')
  expect(rows).not.toEqual([])
  const verifier = provider.requests.find(({ path }) => path === '/token')?.form.get('code_verifier') ?? ''
  const { searchParams } = back
  const secrets = [
    secret,
    verifier,
    searchParams.get('state'),
    searchParams.get('code'),
    authorization.searchParams.get('nonce'),
    provider.clientSecret,
    'access-token-of-somebody',
  ]
  const seen = JSON.stringify([rows, server.logs])
  const forms = secrets.flatMap((value) => [value ?? '', Buffer.from(value ?? '').toString('hex')])
  expect(forms.filter((form) => form === '' || seen.includes(form))).toEqual([])
})
