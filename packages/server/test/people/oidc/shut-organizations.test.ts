import { beforeAll, expect, test } from 'vitest'
import { requireId } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import { type Json, useOidcProvider } from '../../support/oidc/provider.ts'
import { connect, Visitor } from '../../support/oidc/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** An organization that lets nobody in, or nobody from here, is not changed by who knocks. */
const provider = useOidcProvider()
const server = useServer({
  environment: {
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_SSO_ALLOWED_PORTS: '1-65535',
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  },
})
let operator: string
let acme: Tenant
let connection: string
const owner: Json = { sub: 'ada', email: 'ada@acme.example', email_verified: true }
const known: Json = { sub: 'bob', email: 'bob@acme.example', email_verified: true, groups: ['admins'] }
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
  connection = await connect(server, acme, provider, {
    jit: true,
    role_rules: [{ claim: 'groups', values: ['admins'], role: 'admin' }],
  })
  await asOwner(
    `insert into sso_domains (org_id, id, domain, description, token, verified_at)
     values ('${requireId('org', acme.id)}', gen_random_uuid(), 'acme.example', '', '', clock_timestamp())`,
  )
  for (const claims of [owner, known]) {
    const { status } = await new Visitor(server).signIn(provider, connection, claims)
    if (status !== 303) throw new Error(`signing in: ${status}`)
  }
})

const asOwner = (statement: string) => asDatabaseOwner(server.database.ownerUrl, statement)
const asOperator = (action: string) =>
  call(server.url, 'POST', `/v1/admin/orgs/${acme.id}/${action}`, { key: operator })
const list = (addresses: string[]) =>
  call(server.url, 'PUT', `/v1/orgs/${acme.id}/ip-allow-list`, {
    key: acme.key,
    body: { ip_allow_list: addresses, force: true },
  })

/** What signing in may change. */
const state = () =>
  asOwner(`
    select to_jsonb(m) - 'last_used_at' as row from memberships m union all select to_jsonb(i) - 'last_used_at' from sso_identities i
    union all select to_jsonb(s) - 'last_used_at' from sessions s union all select to_jsonb(k) - 'last_used_at' from api_keys k order by 1`)

test.each([
  ['org_suspended', () => asOperator('suspend'), () => asOperator('resume')],
  ['ip_not_allowed', () => list(['203.0.113.0/24']), () => asOperator('ip-allow-list/reset')],
] as const)('%s: nobody becomes a member or gets another role', async (code, shut, reopen) => {
  const newcomer = { sub: `new ${code}`, email: `${code}@acme.example`, email_verified: true }
  expect((await shut()).status).toBe(200)
  const before = await state()
  // Bob is no admin any more, but what is said at a shut door is not heard.
  for (const claims of [newcomer, { ...known, groups: [] }]) {
    const response = await new Visitor(server).signIn(provider, connection, claims)
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(code)])
  }
  expect(await state()).toEqual(before)
  expect((await reopen()).status).toBe(200)
  expect((await new Visitor(server).signIn(provider, connection, newcomer)).status).toBe(303)
  expect(await state()).not.toEqual(before)
})

test('who was refused so is on record', async () => {
  await server.app.close()
  const rows = (await asOwner(
    `select after ->> 'reason' as reason, after ->> 'email' as email from audit_log where action = 'sign_in.refused' order by 1, 2`,
  )) as Json[]
  expect(rows).toEqual(
    ['ip_not_allowed', 'org_suspended'].flatMap((reason) =>
      [known['email'], `${reason}@acme.example`].map((email) => ({ reason, email })),
    ),
  )
})
