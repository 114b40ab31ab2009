import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { holdBody } from '../support/raw-http.ts'
import { askScim, directoryOf } from '../support/scim/directory.ts'
import {
  asDatabaseOwner,
  callIn,
  clearedCookie,
  signIn,
  signInAsMember,
  type TestSession,
} from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** A caller is looked at before the body is asked for. Whoever holds the body back must not outlive a revocation. */
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: string
let acme: Tenant
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
})

const ask = (method: string, path: string, body?: unknown, key = acme.key) =>
  call(server.url, method, path, { key, ...(body !== undefined && { body }) })
const inOrg = (path: string) => `/v1/orgs/${acme.id}${path}`

async function newKey(role: string, scopes: string[]) {
  const { status, text, json } = await ask('POST', inOrg('/keys'), { name: 'late', role, scopes })
  if (status !== 201) throw new Error(text)
  return { id: String(json['id']), secret: String(json['secret']) }
}
const revoke = async (id: string) => expect((await ask('POST', inOrg(`/keys/${id}/revoke`))).status).toBe(200)

const cases = {
  'a change': {
    role: 'admin',
    scopes: ['limits:write'],
    path: () => inOrg('/budgets'),
    body: { name: 'late', limit_usd: '5', period: 'month', scope_kind: 'department', scope_id: 'late' },
    table: 'limits',
  },
  'a decision': {
    role: 'member',
    scopes: ['edge:decide'],
    path: () => '/v1/edge/decision',
    body: { model: 'gpt-4o', provider: 'openai', estimated_cost_usd: '0.01', input_tokens: 1 },
    table: 'holds',
  },
} as const

describe.each(Object.entries(cases))('%s', (_name, { role, scopes, path, body, table }) => {
  const count = async () =>
    (await asDatabaseOwner(server.database.ownerUrl, `select count(*)::integer from ${table}`))[0] as { count: number }

  test.each([
    ['new', 0],
    ['in use', 3],
  ])('whose body comes after its key, %s, was revoked is refused, and has no effect', async (_state, uses) => {
    const [lasting, revoked] = [await newKey(role, [...scopes]), await newKey(role, [...scopes])]
    for (let i = 0; i < uses; i++)
      for (const { secret } of [lasting, revoked])
        expect((await ask('GET', '/v1/me', undefined, secret)).status).toBe(200)
    const held = await Promise.all(
      [lasting, revoked].map(({ secret }) => holdBody(server.port, 'POST', path(), secret, JSON.stringify(body))),
    )
    await revoke(revoked.id)
    const before = await count()
    expect((await held[1]!.complete()).status).toBe(410)
    expect(await count()).toEqual(before)
    // A key that nobody revoked may take as long.
    const answer = await held[0]!.complete()
    expect(answer.status, answer.text).toBeLessThan(300)
    expect(await count()).not.toEqual(before)
  })
})

test('a body that comes after the organization was suspended is refused', async () => {
  const other = await tenantOf(server, operator)
  const body = JSON.stringify(cases['a change'].body)
  const held = await holdBody(server.port, 'POST', `/v1/orgs/${other.id}/budgets`, other.key, body)
  await ask('POST', `/v1/admin/orgs/${other.id}/suspend`, undefined, operator)
  const { status, text } = await held.complete()
  expect([status, text]).toEqual([403, expect.stringContaining('org_suspended')])
})

/** Every route that changes something, with a path in an organization. */
const changeRoutes = () =>
  server.routes
    .filter(({ method, declaration }) => declaration.open !== true && !['GET', 'HEAD'].includes(method))
    .map(({ method, template, declaration }) => ({
      method,
      template,
      path: template.replace(/\{(\w+)\}/g, (_, name: string) => (['id', 'org_id'].includes(name) ? acme.id : 'x')),
      isOperators: declaration.role === 'operator',
    }))

test('on every route, a body that comes after the key was revoked is refused', async () => {
  const [tenants, operators] = [await keyOf(server, acme.id), await operatorOf(server)]
  const keyFor = (isOperators: boolean) => (isOperators ? operators : tenants).key
  const routes = changeRoutes()
  expect(routes.length).toBeGreaterThan(80)
  const held: { route: string; body: Awaited<ReturnType<typeof holdBody>> }[] = []
  onTestFinished(() => {
    for (const { body } of held) body.drop()
  })
  for (const { method, template, path, isOperators } of routes)
    held.push({
      route: `${method} ${template}`,
      body: await holdBody(server.port, method, path, keyFor(isOperators), '{}'),
    })
  await revoke(tenants.id)
  expect((await ask('POST', `/v1/admin/operator-keys/${operators.id}/revoke`, undefined, operator)).status).toBe(200)
  const answers = await Promise.all(held.map(async ({ route, body }) => [route, (await body.complete()).status]))
  expect(answers.filter(([, status]) => status !== 410)).toEqual([])
}, 20_000)

describe('a change that waits for its turn is refused', () => {
  const budget = { ...cases['a change'].body, scope_id: 'too late' }
  const uuidOf = (kind: 'key' | 'session' | 'org' | 'scimToken', id: string) => `'${requireId(kind, id)}'`
  const end = (table: string, id: string) => `update ${table} set revoked_at = clock_timestamp() where id = ${id}`
  const inSession = async (session: TestSession) => ({
    late: () => callIn(server.url, session, 'POST', inOrg('/budgets'), budget),
    takeAway: end('sessions', uuidOf('session', session.id)),
  })
  const adminKey = () => newKey('admin', ['limits:write'])
  const lateWith = (key: string) => () => ask('POST', inOrg('/budgets'), budget, key)

  interface Case {
    readonly late: () => Promise<{ status: number; text: string; headers: Headers }>
    readonly takeAway: string
  }
  const losses: Record<string, [string | RegExp, () => Promise<Case>]> = {
    'when its key is revoked meanwhile': [
      'gone',
      async () => {
        const { id, secret } = await adminKey()
        return { late: lateWith(secret), takeAway: end('api_keys', uuidOf('key', id)) }
      },
    ],
    'when its key gives way to a successor meanwhile': [
      'key_expired',
      async () => {
        const { id, secret } = await adminKey()
        const takeAway = `update api_keys set expires_at = clock_timestamp() - interval '1 second' where id = ${uuidOf('key', id)}`
        return { late: lateWith(secret), takeAway }
      },
    ],
    'when its key’s session is ended meanwhile': [
      'session_revoked',
      async () => inSession(await signIn(server.url, (await adminKey()).secret)),
    ],
    'when its member’s session is ended meanwhile': [
      'session_revoked',
      async () => {
        const member = { email: 'late@acme.example', role: 'admin' }
        return inSession(await signInAsMember(server.url, { orgId: acme.id, key: acme.key }, member))
      },
    ],
    'when its organization is suspended meanwhile': [
      'org_suspended',
      async () => {
        const { secret } = await adminKey()
        return {
          late: lateWith(secret),
          takeAway: `update orgs set status = 'suspended' where id = ${uuidOf('org', acme.id)}`,
        }
      },
    ],
    'when its directory’s token is revoked meanwhile': [
      'This token was revoked.',
      async () => {
        const { token, tokenId } = await directoryOf(server.url, acme)
        const late = () =>
          askScim(server.url, token, 'POST', '/Users', {
            userName: 'too late',
            emails: [{ value: 'too-late@acme.example' }],
          })
        return { late, takeAway: end('scim_tokens', uuidOf('scimToken', tokenId)) }
      },
    ],
  }

  test.each(Object.entries(losses))('%s', async (_name, [refusal, make]) => {
    const { late, takeAway } = await make()
    const other = new pg.Client(server.database.ownerUrl)
    await other.connect()
    // Somebody else's change is at the chain of the organization, and takes the authority away.
    await other.query('begin')
    await other.query('select from audit_heads where org_id = $1 for no key update', [requireId('org', acme.id)])
    const answer = late()
    await vi.waitFor(async () => {
      const waiting = await asDatabaseOwner(
        server.database.ownerUrl,
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%audit_heads%' and datname = current_database()`,
      )
      expect(waiting).toHaveLength(1)
    }, 20_000)
    await other.query(takeAway)
    await other.query('commit')
    await other.end()
    const { text, headers } = await answer
    expect(text).toContain(refusal)
    expect(clearedCookie.test(headers.get('set-cookie') ?? '')).toBe(refusal === 'session_revoked')
    await asDatabaseOwner(server.database.ownerUrl, `update orgs set status = 'active'`)
    const rows = await Promise.all(['/budgets', '/members'].map((path) => ask('GET', inOrg(path))))
    expect(rows.map(({ status }) => status)).toEqual([200, 200])
    expect(JSON.stringify(rows)).not.toMatch(/too.late/)
  })
})

test('a directory whose token was revoked changes nothing by a body that it held back', async () => {
  const { token, tokenId } = await directoryOf(server.url, acme)
  const body = JSON.stringify({ userName: 'held', emails: [{ value: 'held@acme.example' }] })
  const held = await holdBody(server.port, 'POST', '/scim/v2/Users', token, body)
  expect((await ask('POST', inOrg(`/scim-tokens/${tokenId}/revoke`))).status).toBe(200)
  expect((await held.complete()).status).toBe(401)
  expect((await ask('GET', inOrg('/members'))).text).not.toContain('held@acme.example')
})

test('who ends their own session, or their own membership, is answered', async () => {
  const owner = (name: string) =>
    signInAsMember(server.url, { orgId: acme.id, key: acme.key }, { email: `${name}@acme.example`, role: 'owner' })
  const [first, second] = [await owner('first'), await owner('second')]
  await owner('staying')
  expect((await callIn(server.url, first, 'DELETE', inOrg(`/members/${first.memberId}`))).status).toBeLessThan(300)
  expect(
    (await callIn(server.url, second, 'PATCH', inOrg(`/members/${second.memberId}`), { role: 'viewer' })).status,
  ).toBe(200)
  expect((await callIn(server.url, second, 'POST', `/v1/me/sessions/${second.id}/revoke`)).status).toBe(200)
})

test('a key may revoke itself', async () => {
  const key = await newKey('admin', ['keys:write'])
  expect((await ask('POST', inOrg(`/keys/${key.id}/revoke`), undefined, key.secret)).status).toBe(200)
  expect((await ask('GET', '/v1/me', undefined, key.secret)).status).toBe(410)
})
