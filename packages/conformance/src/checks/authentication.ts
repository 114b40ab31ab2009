import type { Check } from '../check.ts'
import { type Answer, readAnswer } from '../client.ts'
import {
  expectBareRefusal,
  expectMatch,
  expectRefusal,
  expectSame,
  expectStatus,
  expectThat,
  faultsIn,
  objectIn,
  rowsIn,
  summaryOf,
  textIn,
} from '../expectations.ts'
import { aBudget, readGrant, refusalOf, revokedKey } from '../refusals.ts'
import { costing, type Org, type World } from '../world.ts'

const missing = '00000000000000000000000000'

/** What the organization has that another tenant must not see, with an id of the same kind that does not exist. */
const belongings = (world: World) =>
  world.once('belongings', async () => {
    const org = await world.shared()
    const budget = await org.ask('POST', '/budgets', aBudget('1000000', 'workflow', 'belonging'))
    const run = await org.call('POST', '/v1/runs', costing('0.01'))
    const key = await org.mint({ role: 'viewer', scopes: ['orgs:read'] })
    const id = (answer: Answer) => textIn(objectIn(expectStatus(answer, 201)), 'id')
    return { org, budget: id(budget), run: id(run), key: key.id }
  })

/** How the request under a grant stands in the log of the organization. */
const entriesOf = async (org: Org, grantId: string) => {
  const entries = rowsIn(await org.ask('GET', `/audit-log?actor_id=${grantId}&limit=200`))
  return entries.map((entry) => `${String(entry['action'])} ${String(entry['outcome'])}`)
}

export const authenticationChecks: Record<number, Check> = {
  42: async (world) => {
    const { client } = world
    const { key } = await world.shared()
    const as = (authorization: string) => client.call('GET', '/v1/me', { headers: { authorization } })
    expectStatus(await as(`Bearer ${key}`), 200)
    expectStatus(await as(`bearer ${key}`), 200)
    for (const authorization of [key, `Basic ${key}`, `Bearer`, `Token ${key}`])
      expectRefusal(await as(authorization), 401, 'unauthorized')
    for (const parameter of ['api_key', 'access_token'])
      expectThat((await client.call('GET', `/v1/me?${parameter}=${key}`)).status !== 200, `?${parameter}= is believed`)
    expectRefusal(await client.call('GET', '/v1/me', { headers: { 'x-api-key': key } }), 401, 'unauthorized')
    const twice = client.head(
      'GET',
      '/v1/me',
      `authorization: Bearer ${key}`,
      'authorization: Bearer x',
      'connection: close',
    )
    const answer = readAnswer('two Authorization headers', await client.wire(twice))
    expectThat(answer !== undefined && answer.status !== 200, 'of two Authorization headers one is believed')
  },
  43: async (world) => {
    const { client } = world
    const head = (...lines: string[]) =>
      client.head('POST', '/v1/runs', 'content-type: application/json', 'content-length: 100', ...lines)
    // The body never comes: whoever waits for it does not answer.
    const answer = readAnswer('a POST without its body', await client.wire(head()))
    expectThat(answer !== undefined, 'a call without a key is not answered before its body has come')
    expectBareRefusal(answer, 401, 'unauthorized')
    const received = await client.wire(head('expect: 100-continue'), (text) => text.includes('\r\n\r\n'))
    expectMatch(received, /^HTTP\/1\.1 401 /, 'the first answer to Expect: 100-continue without a key')
    expectRefusal(await client.call('POST', '/v1/runs', { body: '{' }), 401, 'unauthorized')
  },
  45: async (world) => {
    const { client } = world
    const { key } = await world.shared()
    expectBareRefusal(await client.call('GET', '/v1/me'), 401, 'unauthorized')
    const wrong = [`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, 'nonsense', key.toUpperCase()]
    for (const text of wrong) expectBareRefusal(await client.call('GET', '/v1/me', { key: text }), 401, 'unauthorized')
    const { headers } = await client.call('GET', '/v1/me')
    expectMatch(headers['www-authenticate'], /^Bearer\b/, 'WWW-Authenticate of a 401')
  },
  46: async (world) => {
    const org = await world.shared()
    expectBareRefusal(await refusalOf(world, 'key_expired'), 401, 'key_expired')
    const old = await org.mint({ role: 'viewer', scopes: ['orgs:read'] })
    expectStatus(await org.ask('POST', `/keys/${old.id}/rotate`, { overlap_seconds: 0 }), 200)
    expectBareRefusal(await world.client.call('GET', '/v1/me', { key: old.key }), 401, 'key_expired')
  },
  47: async (world) => {
    const org = await world.shared()
    const old = await org.mint({ role: 'viewer', scopes: ['orgs:read'] })
    const rotated = await org.ask('POST', `/keys/${old.id}/rotate`, { overlap_seconds: 0 })
    const next = textIn(objectIn(expectStatus(rotated, 200)), 'secret')
    for (let i = 0; i < 3; i++) {
      const answer = await world.client.call('GET', '/v1/me', { key: old.key })
      expectRefusal(answer, 401, 'key_expired')
      expectThat(answer.headers['retry-after'] === undefined, 'key_expired has Retry-After, and no retry helps')
    }
    expectStatus(await world.client.call('GET', '/v1/me', { key: next }), 200)
  },
  48: async (world) => {
    expectBareRefusal(await refusalOf(world, 'forbidden'), 403, 'forbidden')
    const org = await world.shared()
    const { key } = await org.mint({ role: 'admin', scopes: ['keys:write'] })
    const owner = { name: 'x', role: 'owner', scopes: ['keys:write'] }
    expectBareRefusal(await org.ask('POST', '/keys', owner, { key }), 403, 'forbidden')
    // No tenant is named, so there is nothing to hide from an operator.
    expectBareRefusal(await world.operator('GET', '/v1/runs'), 403, 'forbidden')
    expectBareRefusal(await world.operator('GET', '/v1/forecast'), 403, 'forbidden')
    expectBareRefusal(await org.call('GET', '/v1/admin/orgs'), 403, 'forbidden')
  },
  49: async (world) => {
    const details = expectRefusal(await refusalOf(world, 'missing_scope'), 403, 'missing_scope')
    expectSame(details, { required: 'limits:write' }, 'details of missing_scope')
  },
  50: async (world) => {
    const org = await world.shared()
    const { id, key } = await org.mint({ role: 'viewer', scopes: ['orgs:read'] })
    const wider = { name: 'renamed', scopes: ['orgs:read', 'keys:read'] }
    for (const method of ['PATCH', 'PUT', 'POST']) {
      const answer = await org.ask(method, `/keys/${id}`, wider)
      // A key may be renamed where a server serves that; its scopes are another matter.
      if (answer.status !== 404)
        expectSame(
          faultsIn(answer).map(({ field }) => field),
          ['scopes'],
          `the faults of ${method} with other scopes`,
        )
    }
    const me = objectIn(expectStatus(await world.client.call('GET', '/v1/me', { key }), 200))
    expectSame(me['scopes'], ['orgs:read'], 'scopes of the key')
  },
  51: async (world) => expectBareRefusal(await refusalOf(world, 'ip_not_allowed'), 403, 'ip_not_allowed'),
  52: async (world) => {
    const org = await world.makeOrg()
    expectStatus(await org.ask('GET', ''), 200)
    expectStatus(await org.admin('POST', '/suspend', { reason: 'Conformance check' }), 200)
    expectBareRefusal(await org.ask('GET', ''), 403, 'org_suspended')
    expectBareRefusal(await org.call('POST', '/v1/edge/decision', costing('0.01')), 403, 'org_suspended')
    expectStatus(await org.admin('POST', '/resume', { reason: 'Conformance check' }), 200)
    expectStatus(await org.ask('GET', ''), 200)
  },
  53: async (world) => expectBareRefusal(await refusalOf(world, 'gone'), 410, 'gone'),
  55: async (world) => {
    expectBareRefusal(await refusalOf(world, 'session_revoked'), 401, 'session_revoked')
    const cookie = `weir=${'x'.repeat(80)}; __Host-weir=${'x'.repeat(80)}`
    const unknown = await world.client.call('GET', '/v1/me', { headers: { cookie } })
    expectBareRefusal(unknown, 401, 'unauthorized')
  },
  56: async (world) => {
    const { headers } = await refusalOf(world, 'session_revoked')
    const cleared = /^(?:__Host-)?weir=;.*max-age=0/i.test(headers['set-cookie'] ?? '')
    expectThat(cleared, `the cookie is not cleared: ${headers['set-cookie']}`)
  },
  54: async (world) => {
    const { org, budget, run, key } = await belongings(world)
    const stranger = await world.stranger()
    const asked = (method: string, path: string, body?: unknown) => stranger.call(method, path, body)
    const cases: [string, (id: string) => string, string, unknown?][] = [
      ['GET', (id) => `/v1/orgs/${id}`, org.id],
      ['PATCH', (id) => `/v1/orgs/${id}`, org.id, { name: 'Mine' }],
      ['GET', (id) => `/v1/orgs/${id}/keys`, org.id],
      ['GET', (id) => `/v1/orgs/${id}/audit-log`, org.id],
      ['POST', (id) => `/v1/orgs/${id}/budgets`, org.id, aBudget('1')],
      ['GET', (id) => `/v1/orgs/${stranger.id}/budgets/${id}`, budget],
      ['DELETE', (id) => `/v1/orgs/${stranger.id}/budgets/${id}`, budget],
      ['GET', (id) => `/v1/orgs/${stranger.id}/keys/${id}`, key],
      ['POST', (id) => `/v1/orgs/${stranger.id}/keys/${id}/revoke`, key, {}],
      ['GET', (id) => `/v1/runs/${id}`, run],
      ['POST', (id) => `/v1/runs/${id}/finish`, run, { status: 'succeeded' }],
    ]
    for (const [method, path, id, body] of cases) {
      const foreign = await asked(method, path(id), body)
      const absent = await asked(method, path(`${id.slice(0, id.indexOf('_'))}_${missing}`), body)
      expectBareRefusal(foreign, 404, 'not_found')
      expectSame(foreign.text, absent.text, `the answer to ${method} ${path('{id}')} of another tenant`)
    }
  },
  57: async (world) => {
    const { id, view } = await readGrant(world)
    expectSame(view['scope'], 'read', 'scope of the grant')
    for (const method of ['PATCH', 'PUT'])
      expectStatus(await world.operator(method, `/v1/admin/support-grants/${id}`, { scope: 'configuration' }), 404)
    const read = objectIn(expectStatus(await world.operator('GET', `/v1/admin/support-grants/${id}`), 200))
    expectSame(read['scope'], 'read', 'scope of the grant')
  },
  58: async (world) => {
    const details = expectRefusal(await refusalOf(world, 'support_scope_denied'), 403, 'support_scope_denied')
    expectSame(details['scope'], 'read', 'scope of support_scope_denied')
    expectSame(details['method'], 'POST', 'method of support_scope_denied')
    expectThat(typeof details['reason'] === 'string' && details['reason'] !== '', 'support_scope_denied has no reason')
  },
  59: async (world) => {
    const org = await world.shared()
    const read = await readGrant(world)
    const wider = await world.grant(org, 'configuration')
    expectThat(wider.id !== read.id && wider.token !== read.token, 'a wider grant is the one before')
    expectStatus(await org.ask('PATCH', '', { name: 'Conformance, shared' }, { key: wider.token }), 200)
    const denied = await org.ask('PATCH', '', { name: 'Conformance' }, { key: read.token })
    expectRefusal(denied, 403, 'support_scope_denied')
  },
  60: async (world) => {
    const org = await world.makeOrg()
    const { id, token } = await world.grant(org, 'read')
    const asked = async (method: string, path: string, status: number, outcome: string, body?: unknown) => {
      const before = await entriesOf(org, id)
      const answer = expectStatus(await org.ask(method, path, body, { key: token }), status)
      const entries = await entriesOf(org, id)
      expectThat(entries.length > before.length, `${summaryOf(answer)}, and the log had no entry of it`)
      const more = entries.filter((entry) => entry.endsWith(outcome)).length
      expectThat(
        more > before.filter((entry) => entry.endsWith(outcome)).length,
        `${summaryOf(answer)}, and the log has it as ${entries.at(-1)}`,
      )
    }
    await asked('GET', '', 200, 'allowed')
    await asked('POST', '/budgets', 403, 'denied', aBudget('1'))
    await asked('GET', '/budgets?limit=abc', 422, 'denied')
    expectStatus(await world.operator('POST', `/v1/admin/support-grants/${id}/revoke`), 200)
    await asked('GET', '', 410, 'denied')
  },
  86: async (world) => {
    const { key } = await revokedKey(world)
    for (let i = 0; i < 3; i++) {
      const answer = await world.client.call('GET', '/v1/me', { key })
      expectBareRefusal(answer, 410, 'gone')
      expectThat(answer.headers['retry-after'] === undefined, 'gone has Retry-After, and no retry helps')
    }
  },
}
