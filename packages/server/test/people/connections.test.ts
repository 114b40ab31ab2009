import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createConnectionSecrets,
  findConnection,
  resealConnectionSecrets,
} from '../../src/people/connections/connections.ts'
import { requireId } from '../../src/values/id.ts'
import { present } from '../../src/values/present.ts'
import { useServer } from '../support/harness.ts'
import { useOidcProvider } from '../support/oidc/provider.ts'
import { asDatabaseOwner } from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const provider = useOidcProvider()
const server = useServer({
  environment: { SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32', SVC_SSO_ALLOWED_PORTS: '1-65535' },
})
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})
beforeEach(provider.reset)

const secret = 'a-secret-that-nobody-may-see'
const ask = (method: string, path: string, body?: unknown, key = acme.key) =>
  call(server.url, method, `/v1/orgs/${acme.id}/sso-connections${path}`, { key, ...(body !== undefined && { body }) })
const settings = (more: object = {}) => ({
  kind: 'oidc',
  name: 'Test',
  oidc: { issuer: provider.issuer, client_id: provider.clientId, client_secret: secret },
  ...more,
})
const create = async (more?: object) => (await ask('POST', '', settings(more))).json as { id: string; oidc: object }

describe('a connection', () => {
  test('says where to send people and what to enter at the provider', async () => {
    const { status, json } = await ask(
      'POST',
      '',
      settings({ role_rules: [{ claim: 'groups', values: ['a'], role: 'owner' }] }),
    )
    expect(status).toBe(201)
    const id = json['id'] as string
    expect(id).toMatch(/^sso_/)
    expect(json).toMatchObject({
      kind: 'oidc',
      enabled: true,
      jit: false,
      default_role: null,
      role_rules: [{ claim: 'groups', values: ['a'], role: 'owner' }],
      sign_in_url: expect.stringMatching(new RegExp(`/sso/${id}$`)),
      redirect_uri: expect.stringMatching(new RegExp(`/sso/callback/${id}$`)),
    })
  })

  test('keeps its secret when it is replaced without one, and loses it when that is asked for', async () => {
    const { id, oidc } = await create()
    const setAt = (oidc as { client_secret_set_at: string }).client_secret_set_at
    expect(setAt).toEqual(expect.any(String))
    const { client_secret_set_at: _, ...shown } = oidc as Record<string, unknown>
    const kept = (await ask('PUT', `/${id}`, { name: 'Renamed', oidc: shown })).json
    expect(kept).toMatchObject({ name: 'Renamed', oidc: { client_secret_set_at: setAt } })
    const renewed = (await ask('PATCH', `/${id}`, { oidc: { ...shown, client_secret: 'another' } })).json
    expect((renewed['oidc'] as typeof shown)['client_secret_set_at']).not.toBe(setAt)
    const removed = (await ask('PATCH', `/${id}`, { oidc: { ...shown, client_secret: null } })).json
    expect(removed).toMatchObject({ oidc: { client_secret_set_at: null } })
  })

  test.each([
    ['http://login.example.com', 'plain HTTP'],
    ['https://login.example.com?x=1', 'a query'],
    ['https://user@login.example.com', 'a user'],
    ['ftp://login.example.com', 'another protocol'],
    ['https://10.0.0.1', 'a private address'],
    ['https://[::1]', 'a loopback address that is not allowed'],
    ['https://169.254.169.254/latest', 'the address of a cloud’s metadata'],
  ])('is not made for %s: %s', async (issuer) => {
    const { status, json } = await ask('POST', '', settings({ oidc: { issuer, client_id: 'c' } }))
    expect([status, json.error?.code]).toEqual([422, 'validation_failed'])
  })

  test('of another kind is not made yet', async () => {
    expect((await ask('POST', '', settings({ kind: 'saml' }))).status).toBe(422)
  })

  test('is seen by administrators, and changed and tested by owners only', async () => {
    const { id } = await create()
    const { key } = await keyOf(server, acme.id, { role: 'admin' })
    expect((await ask('GET', `/${id}`, undefined, key)).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', '', settings()],
      ['PATCH', `/${id}`, { name: 'x' }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/test`, undefined],
    ] as const)
      expect((await ask(method, path, body, key)).status, `${method} ${path}`).toBe(403)
  })
})

describe('a test of a connection', () => {
  test('says what was found', async () => {
    const { id } = await create()
    provider.metadata = { authorization_response_iss_parameter_supported: true }
    expect((await ask('POST', `/${id}/test`)).json).toEqual({
      ok: true,
      fault: null,
      message: null,
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/keys`,
      end_session_endpoint: `${provider.issuer}/logout`,
      signing_algorithms: ['RS256'],
      names_itself_in_answers: true,
    })
  })

  test('says what is wrong, and what to do about it', async () => {
    const { id } = await create()
    provider.metadata = { issuer: 'https://login.example.com' }
    const { status, json } = await ask('POST', `/${id}/test`)
    expect([status, json['ok'], json['fault']]).toEqual([200, false, 'issuer_mismatch'])
    expect(json['message']).toContain('Copy the issuer')
  })
})

test('a client secret is in no answer, log line, audit entry or row', async () => {
  const { id } = await create()
  await ask('PATCH', `/${id}`, { name: 'Again' })
  await ask('PUT', `/${id}`, {
    name: 'Again',
    oidc: { issuer: provider.issuer, client_id: 'c', client_secret: secret },
  })
  await ask('POST', `/${id}/test`)
  // A body that is refused is not repeated either.
  await ask('POST', '', settings({ jit: 'yes' }))
  const answers = await Promise.all([
    ask('GET', ''),
    ask('GET', `/${id}`),
    call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?limit=200`, { key: acme.key }),
  ])
  const tables = (await asDatabaseOwner(
    server.database.ownerUrl,
    `select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )) as { table_name: string }[]
  const rows = []
  for (const { table_name } of tables)
    rows.push(await asDatabaseOwner(server.database.ownerUrl, `select t::text from public."${table_name}" t`))
  const seen = JSON.stringify([answers.map(({ text }) => text), server.logs, rows])
  const hex = Buffer.from(secret).toString('hex')
  const base64 = Buffer.from(secret).toString('base64').slice(0, -2)
  expect([secret, hex, base64].filter((form) => seen.includes(form))).toEqual([])
  // It can be seen: another value of the same request is.
  expect(seen).toContain(provider.issuer)
})

test('a client secret moves to the newest master key, and is readable with that alone', async () => {
  const { id } = await create()
  const [orgId, connectionId] = [requireId('org', acme.id), requireId('connection', id)]
  const newest = { id: 'newest', bytes: Buffer.alloc(32, 9) }
  const both = { masterKeys: () => [newest, ...server.platform.config.masterKeys()] }
  const { sql } = server.platform
  expect(await resealConnectionSecrets(sql, both)).toBeGreaterThan(0)
  expect(await resealConnectionSecrets(sql, both)).toBe(0)
  const row = present(await sql.asOrgs([orgId], (tx) => findConnection(tx, orgId, connectionId)))
  const alone = createConnectionSecrets({ masterKeys: () => [newest] })
  expect(alone.unsealSecret(orgId, connectionId, present(row.sealed_secret))).toBe(secret)
  // Bound to its connection: in the row of another it opens nothing.
  expect(() => alone.unsealSecret(orgId, orgId, present(row.sealed_secret))).toThrow('authenticate')
})
