import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openProfile, useBrowser } from '../../support/browser.ts'
import { saying, useDnsServer } from '../../support/dns-server.ts'
import { useServer } from '../../support/harness.ts'
import type { Json } from '../../support/oidc/provider.ts'
import { Visitor } from '../../support/oidc/visitor.ts'
import { rsaIdentity } from '../../support/saml/certificates.ts'
import { type AnswerChanges, useSamlProvider } from '../../support/saml/provider.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const provider = useSamlProvider()
const dns = useDnsServer()
const chromium = useBrowser()
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
let open: string
const firstIdentity = provider.identity
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator, 'Acme')
  open = await connect(acme)
  await prove(acme, 'acme.example')
})
beforeEach(() => {
  provider.identity = firstIdentity
})

const ask = (tenant: Tenant, method: string, path: string, body?: unknown) =>
  call(server.url, method, `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, ...(body !== undefined && { body }) })

async function connect(tenant: Tenant, more: object = {}): Promise<string> {
  const { status, json, text } = await ask(tenant, 'POST', '/sso-connections', {
    kind: 'saml',
    name: 'Test',
    saml: { metadata_url: provider.entityId },
    default_role: 'viewer',
    jit: true,
    ...more,
  })
  if (status !== 201) throw new Error(text)
  return String(json['id'])
}

async function prove(tenant: Tenant, domain: string) {
  const { json } = await ask(tenant, 'POST', '/domains', { domain })
  const { name, value } = json['record'] as { name: string; value: string }
  dns.answer(name, saying(value))
  expect((await ask(tenant, 'POST', `/domains/${String(json['id'])}/verify`)).json).toMatchObject({
    status: 'verified',
  })
}

let people = 0
function somebody(attributes: Record<string, string[]> = {}) {
  const email = `saml-${people++}@acme.example`
  provider.person = { nameId: `id-of-${email}`, attributes: { email: [email], displayName: ['Ada'], ...attributes } }
  return email
}

const pathOf = (address: string) => new URL(address).pathname
/** Brings an answer of the provider, as its page does, and goes where the answer leads. */
async function bring(visitor: Visitor, fields: Record<string, string>, acs: string) {
  const headers = { 'sec-fetch-site': 'cross-site', origin: provider.url }
  const answered = await visitor.open(pathOf(acs), { form: fields, headers })
  const next = /url=(.+)$/.exec(answered.headers.get('refresh') ?? '')?.[1]
  return next === undefined ? answered : visitor.open(next, { headers: { 'sec-fetch-site': 'same-origin' } })
}
async function signIn(visitor: Visitor, connection = open, changes: AnswerChanges = {}) {
  const { acs, fields } = await provider.answer(await visitor.begin(connection), changes)
  return bring(visitor, fields, acs)
}
const emailOf = async (visitor: Visitor) => ((await visitor.me())['person'] as Json | undefined)?.['email']
/** Reasons of refusals that must be on record in the end. */
const expectedReasons = new Set<string>()

describe('somebody whom a SAML provider vouches for', () => {
  test('becomes a member, with the role of their groups, and is the same member the next time', async () => {
    const connection = await connect(acme, {
      role_rules: [{ claim: 'http://schemas.example/groups', values: ['ops'], role: 'admin' }],
    })
    const email = somebody({ 'http://schemas.example/groups': ['staff', 'ops'] })
    const visitor = new Visitor(server)
    expect((await signIn(visitor, connection)).status).toBe(303)
    expect(await visitor.me()).toMatchObject({
      kind: 'person',
      role: 'admin',
      person: { email },
      session: { way: 'saml' },
    })
    provider.person = { ...provider.person, attributes: { email: ['renamed@acme.example'] } }
    const again = new Visitor(server)
    await signIn(again, connection)
    expect(await again.me()).toMatchObject({ role: 'viewer', person: { email } })
  })

  test('is let in by a real browser, which sends our cookie only from our own page', async () => {
    const email = somebody()
    const context = await chromium.browser.newContext()
    const page = await context.newPage()
    const { json } = await ask(acme, 'GET', `/sso-connections/${open}`)
    await page.goto(String(json['sign_in_url']))
    await openProfile(page)
    await page.getByText(`You are signed in as ${email}.`).waitFor()
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toEqual(['weir'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You signed out' }).waitFor()
    await context.close()
  })

  test.each([
    [
      'a name that changes at every sign-in',
      { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      'subject_unsound',
    ],
    ['no address', { attributes: {} }, 'email_missing'],
    [
      'an address of a domain that is not proved',
      { attributes: { email: ['eve@other.example'] } },
      'domain_not_proved',
    ],
  ])('is refused with %s', async (_name, changes, reason) => {
    somebody()
    provider.person = { ...provider.person, ...changes }
    const visitor = new Visitor(server)
    expect((await signIn(visitor)).status).toBe(403)
    expect(await emailOf(visitor)).toBeUndefined()
    expectedReasons.add(reason)
  })
})

describe('an answer', () => {
  test.each<[string, AnswerChanges, string]>([
    ['signed by somebody else', { signer: rsaIdentity('attacker') }, 'signature_invalid'],
    ['for another audience', { values: { Audience: 'https://other.example/' } }, 'audience_other'],
    ['for another address', { values: { Acs: 'https://other.example/acs' } }, 'destination_other'],
    ['that is too old', { values: { End: '2020-01-01T00:00:00Z' } }, ''],
    ['of a request that we never made', { values: { InResponseTo: '_0000' } }, ''],
  ])('%s is refused', async (_name, changes) => {
    somebody()
    const visitor = new Visitor(server)
    const { fields } = await provider.answer(await visitor.begin(open), changes)
    const response = await bring(visitor, fields, `${server.url}/saml/acs/${open}`)
    expect(response.status).toBe(403)
    expect(await emailOf(visitor)).toBeUndefined()
  })

  test('is taken once', async () => {
    somebody()
    const visitor = new Visitor(server)
    const { acs, fields } = await provider.answer(await visitor.begin(open))
    expect((await bring(visitor, fields, acs)).status).toBe(303)
    // Its own page is not even shown again, to nobody.
    expect((await visitor.open(pathOf(acs), { form: fields, headers: {} })).status).toBe(403)
    expectedReasons.add('request_unknown')
  })

  test('is taken once of a hundred at the same time', async () => {
    somebody()
    const visitor = new Visitor(server)
    const { acs, fields } = await provider.answer(await visitor.begin(open))
    const all = await Promise.all(
      Array.from({ length: 100 }, () => new Visitor(server).open(pathOf(acs), { form: fields, headers: {} })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('signs nobody in whose browser did not begin it', async () => {
    somebody()
    const [attacker, victim] = [new Visitor(server), new Visitor(server)]
    const { acs, fields } = await provider.answer(await attacker.begin(open))
    // Without a sign-in of its own, and with one that has begun.
    expect((await bring(victim, fields, acs)).status).toBe(403)
    expect(await emailOf(victim)).toBeUndefined()
    // Nor does it let in whoever began it and had somebody else answer.
    for (const path of [`/saml/finish/${open}`, `/saml/finish/${open}?code=x`])
      expect((await attacker.open(path, { headers: { 'sec-fetch-site': 'none' } })).status).toBe(403)
    expect(await emailOf(attacker)).toBeUndefined()
    const second = await provider.answer(await attacker.begin(open))
    await victim.begin(open)
    expect((await bring(victim, second.fields, second.acs)).status).toBe(403)
    expect(await emailOf(victim)).toBeUndefined()
  })

  test('to one connection is none to another, whoever shares the provider', async () => {
    somebody()
    const other = await tenantOf(server, operator)
    const theirs = await connect(other)
    const visitor = new Visitor(server)
    const { fields } = await provider.answer(await visitor.begin(open))
    expect((await bring(visitor, fields, `${server.url}/saml/acs/${theirs}`)).status).toBe(403)
    const own = await connect(acme)
    expect((await bring(visitor, fields, `${server.url}/saml/acs/${own}`)).status).toBe(403)
  })

  test('that nobody asked for is refused: sign-ins begin here', async () => {
    somebody()
    const visitor = new Visitor(server)
    const { acs, fields } = await provider.answer(await visitor.begin(open), { values: { InResponseTo: '' } })
    expect((await bring(visitor, fields, acs)).status).toBe(403)
  })

  test('in a form that is too large, or is no answer at all, costs nothing', async () => {
    const visitor = new Visitor(server)
    const acs = `/saml/acs/${open}`
    expect((await visitor.open(acs, { form: { SAMLResponse: 'A'.repeat(700_000) } })).status).toBe(413)
    expect((await visitor.open(acs, { form: { SAMLResponse: 'A'.repeat(300_000) } })).status).toBe(403)
    expect((await visitor.open(acs, { form: {} })).status).toBe(403)
    expect((await visitor.open('/saml/acs/sso_nonsense', { form: {} })).status).toBe(404)
  })

  test('finds no way in that was turned off, and none of OpenID', async () => {
    const off = await connect(acme, { enabled: false })
    for (const path of [`/saml/metadata/${off}`, `/sso/${off}`, `/saml/finish/${off}`, `/sso/callback/${open}?state=x`])
      expect((await new Visitor(server).open(path)).status, path).toBe(404)
  })

  test('carries no deprecation', async () => {
    const response = await new Visitor(server).open(`/saml/metadata/${open}`)
    expect(response.headers.get('content-type')).toContain('application/samlmetadata+xml')
    expect([response.headers.get('deprecation'), response.headers.get('sunset')]).toEqual([null, null])
  })
})

describe('certificates', () => {
  test('overlap: the new one holds beside the old one, until the old one is taken out', async () => {
    const next = rsaIdentity('idp.example.com')
    const connection = await connect(acme)
    const read = await ask(acme, 'GET', `/sso-connections/${connection}`)
    const saml = read.json['saml'] as Json & { certificates: string[] }
    const withCertificates = (certificates: string[]) =>
      ask(acme, 'PATCH', `/sso-connections/${connection}`, { saml: { ...saml, certificates } })
    const works = async () => {
      somebody()
      return (await signIn(new Visitor(server), connection)).status === 303
    }
    expect(await works()).toBe(true)
    provider.identity = next
    expect(await works()).toBe(false)
    const test = await ask(acme, 'POST', `/sso-connections/${connection}/test`)
    expect(test.json).toMatchObject({ ok: false, fault: 'certificates_differ' })
    expect((await withCertificates([...saml.certificates, next.certificate])).status).toBe(200)
    expect(await works()).toBe(true)
    provider.identity = firstIdentity
    expect(await works()).toBe(true)
    await withCertificates([next.certificate])
    expect(await works()).toBe(false)
    provider.identity = next
    expect(await works()).toBe(true)
    const taken = await ask(acme, 'PATCH', `/sso-connections/${connection}`, {
      saml: { metadata_url: provider.entityId },
    })
    expect(taken.status).toBe(200)
    expect((await ask(acme, 'POST', `/sso-connections/${connection}/test`)).json).toMatchObject({ ok: true })
  })

  test('that are weak or no certificates, and metadata that cannot be used, are refused', async () => {
    const create = async (saml: object) => {
      const { status, json } = await ask(acme, 'POST', '/sso-connections', { kind: 'saml', name: 'x', saml })
      return [status, (json.error?.details['fields'] as Json[] | undefined)?.[0]?.['field']]
    }
    const settings = { entity_id: 'https://idp.example/', sso_url: 'https://idp.example/sso' }
    expect(await create({ ...settings, certificates: ['nonsense'] })).toEqual([422, 'saml.certificates'])
    expect(await create({ ...settings, sso_url: 'javascript:alert(1)', certificates: ['x'] })).toEqual([
      422,
      'saml.sso_url',
    ])
    expect(await create({ metadata_xml: '<a/>' })).toEqual([422, 'saml.metadata_xml'])
    expect(await create({ metadata_xml: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' })).toEqual([
      422,
      'saml.metadata_xml',
    ])
    expect(await create({ metadata_url: 'http://169.254.169.254/latest' })).toEqual([422, 'saml.metadata_url'])
    expect(await create({})).toEqual([422, 'saml.metadata_xml'])
    expect(await create({ metadata_xml: provider.metadata() })).toEqual([201, undefined])
  })

  test('stay as they are when something else is changed, and the kind stays too', async () => {
    const connection = await connect(acme)
    const before = await ask(acme, 'GET', `/sso-connections/${connection}`)
    const renamed = await ask(acme, 'PATCH', `/sso-connections/${connection}`, { name: 'Renamed' })
    expect(renamed.json['saml']).toEqual(before.json['saml'])
    const other = await ask(acme, 'PATCH', `/sso-connections/${connection}`, {
      saml: null,
      oidc: { issuer: 'https://login.example.com', client_id: 'x' },
    })
    expect(other.status).toBe(422)
  })
})

test('refusals are on record, with their reasons', async () => {
  // What was refused in the last minute is written when the process ends.
  await server.app.close()
  const rows = (await asDatabaseOwner(
    server.database.ownerUrl,
    `select distinct after ->> 'reason' as reason from audit_log where action = 'sign_in.refused'`,
  )) as { reason: string }[]
  const reasons = new Set(rows.map(({ reason }) => reason))
  expect([...expectedReasons].filter((reason) => !reasons.has(reason))).toEqual([])
  expect(expectedReasons.size).toBe(4)
})
