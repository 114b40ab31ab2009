import { beforeAll, expect, test } from 'vitest'
import { saying, useDnsServer } from '../../support/dns-server.ts'
import { readGuide, runCommands } from '../../support/guide.ts'
import { useServer } from '../../support/harness.ts'
import { type Json, useOidcProvider } from '../../support/oidc/provider.ts'
import { Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** The guide to single sign-on, followed word by word. */
const dns = useDnsServer()
const provider = useOidcProvider()
const server = useServer({
  environment: () => ({
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_DNS_SERVERS: dns.address,
  }),
})
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

const { text: guide, blocks } = readGuide('sso-oidc')
const [connecting = '', testing = '', claiming = '', verifying = ''] = blocks

async function shell(program: string): Promise<string[]> {
  const { issuer, clientId, clientSecret } = provider
  const printed = await runCommands(program, {
    WEIR: server.url,
    ORG: acme.id,
    KEY: acme.key,
    ISSUER: issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  })
  return printed.split('\n')
}

test('its commands connect a provider and prove a domain, and then somebody signs in', async () => {
  const printed = await shell(`${connecting}\n${testing}\n${claiming}\ndeclare -p DOMAIN_ID CONNECTION_ID`)
  expect(printed[0]).toMatch(/\/sso\/callback\/sso_\w+$/)
  expect(printed.slice(1, -3).join('')).toContain('"ok": true')
  const record = printed.at(-3) ?? ''
  const [, name = '', value = ''] = /^(\S+) TXT (\S+)$/.exec(record) ?? []
  const variables = printed.slice(-2).join('\n')
  expect(await shell(`${variables}\n${verifying}`)).toEqual(['pending'])
  dns.answer(name, saying(value))
  expect(await shell(`${variables}\n${verifying}`)).toEqual(['verified'])

  const visitor = new Visitor(server)
  const start = await visitor.open('/sso/start', {
    form: { email: 'ada@acme.example' },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  const authorization = new URL((start.headers.get('refresh') ?? '').replace('0; url=', ''))
  expect(authorization.searchParams.get('redirect_uri')).toBe(printed[0])
  await visitor.comeBack(
    provider.answerTo(authorization, { sub: 'ada', email: 'ada@acme.example', groups: ['weir-admins'] }),
  )
  expect(await visitor.me()).toMatchObject({ role: 'admin', person: { email: 'ada@acme.example' } })
})

test('the audit log has the reasons that the guide explains, and the page of a refusal does not', async () => {
  const { json } = await call(server.url, 'GET', `/v1/orgs/${acme.id}/sso-connections`, { key: acme.key })
  const [{ id } = { id: '' }] = json['data'] as { id: string }[]
  const visitor = new Visitor(server)
  const refuse = async (claims: Json) => {
    const response = await visitor.signIn(provider, id, claims)
    expect(response.status).toBe(403)
    return response.text()
  }
  const pages = [
    await refuse({ sub: 'nobody' }),
    await refuse({ sub: 'nobody' }),
    await refuse({ sub: 'mallory', email: 'mallory@evil.example' }),
  ]
  provider.forge = (claims) => ({ claims: { ...claims, aud: 'another' } })
  pages.push(await refuse({ sub: 'mallory' }))
  await visitor.open(`/sso/callback/${id}?code=x&state=y`)
  // Such entries are written when their minute is over, or when the process ends.
  await server.app.close()
  const entries = (await asDatabaseOwner(
    server.database.ownerUrl,
    `select actor, outcome, after, count from audit_log where action = 'sign_in.refused' order by seq`,
  )) as { actor: Json; outcome: string; after: { reason: string; email: string | null }; count: number }[]
  expect(entries.map(({ after, count }) => [after.reason, after.email, count])).toEqual([
    ['email_missing', null, 2],
    ['domain_not_proved', 'mallory@evil.example', 1],
    ['audience', null, 1],
    ['request_unknown', null, 1],
  ])
  for (const { actor, outcome, after } of entries) {
    expect([actor['connection_id'], outcome]).toEqual([id, 'denied'])
    expect(guide).toContain(`\`${after.reason}\``)
    expect(pages.filter((page) => page.includes(after.reason))).toEqual([])
  }
})
