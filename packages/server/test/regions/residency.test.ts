import { describe, expect, test } from 'vitest'
import { exampleId } from '../../src/contract/wire.ts'
import { bind, counted, guessedKey, tenantIn, useCells } from '../support/cells.ts'
import { useServer } from '../support/harness.ts'
import { exchange, request } from '../support/raw-http.ts'
import { signIn } from '../support/sessions.ts'
import { call, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

const { eu, us } = useCells({ arrival: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
const single = useServer()
const marker = 'resident-of-the-us-'

/** Collects what the cell in the other region is sent, while something happens. */
async function sentMeanwhile(work: () => Promise<void>): Promise<string> {
  const sent: Buffer[] = []
  us.way.watch = (chunk) => sent.push(chunk)
  await work()
  us.way.watch = undefined
  return Buffer.concat(sent).toString('latin1')
}

describe('an organization that is bound to its region', () => {
  test('is refused on every route in another region, reads and writes alike, and nothing leaves but the question', async () => {
    const tenant = await tenantIn(us)
    await bind(us, tenant)
    const routes = eu.server.routes.filter(({ declaration }) => declaration.open !== true)
    expect(routes.length).toBeGreaterThan(150)
    const others: string[] = []
    const sent = await sentMeanwhile(async () => {
      for (const { method, template } of routes) {
        const path = template
          .replace(/\{(?:id|org_id)\}/, tenant.id)
          .replaceAll(/\{\w+\}/g, () => encodeURIComponent(`${marker}path`))
        const { status, json, headers } = await call(eu.server.url, method, `${path}?${marker}query=1`, {
          key: tenant.key,
          headers: { 'idempotency-key': `${marker}key`, 'x-note': `${marker}header` },
          ...(method !== 'GET' && { body: { note: `${marker}body` } }),
        })
        const isRefused = status === 403 && json.error?.code === 'residency_violation'
        if (!isRefused || JSON.stringify(json.error?.details) !== '{}' || headers.get('x-svc-trace-id') === null)
          others.push(`${method} ${template} ${status}`)
      }
    })
    expect(others).toEqual([])
    expect(sent).not.toContain(marker)
    expect(sent).not.toContain(tenant.key.slice(-20))
    const heads = [...sent.matchAll(/^([A-Z]+) (\S+) HTTP\/1.1\r$/gm)].map(([, method, path]) => `${method} ${path}`)
    expect(new Set(heads).size).toBe(1)
    expect(heads[0]).toMatch(/^GET \/internal\/directory\/[0-9a-z]{26}$/)
    expect(JSON.stringify(eu.server.logs)).not.toContain(marker)
    expect(await counted(eu, 'svc_forwarded_requests_total', { cell: 'us1', outcome: 'residency_violation' })).toBe(
      routes.length,
    )
    expect((await call(us.server.url, 'GET', '/v1/me', { key: tenant.key })).status).toBe(200)
  })

  test('is refused before a body of 20 MB is read, and without having been asked for it', async () => {
    const tenant = await tenantIn(us)
    await bind(us, tenant)
    const head = { authorization: `Bearer ${tenant.key}`, 'content-length': '20000000' }
    const sent = await sentMeanwhile(async () => {
      for (const more of [{}, { expect: '100-continue' }]) {
        const heads = request('POST', '/v1/runs/bulk', { ...head, ...more })
        const answer = await exchange(eu.server.port, [heads, ...('expect' in more ? [] : [marker.repeat(1_000)])])
        expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([403, 'residency_violation'])
      }
    })
    expect(sent).not.toContain(marker)
  })

  test('is refused for everybody who acts in it: sessions, support, agents, directories', async () => {
    const tenant = await tenantIn(us)
    const session = await signIn(us.server.url, tenant.key)
    const { key: operator } = await operatorOf(us.server)
    const grant = await call(us.server.url, 'POST', '/v1/admin/support-grants', {
      key: operator,
      body: { org_id: tenant.id, scope: 'read', reason: 'A question', duration_seconds: 600 },
    })
    const directory = await call(us.server.url, 'POST', `/v1/orgs/${tenant.id}/scim-tokens`, {
      key: tenant.key,
      body: { name: 'Directory' },
    })
    expect([grant.status, directory.status]).toEqual([201, 201])
    const scim = String(directory.json['secret'])
    expect(scim).toMatch(/^weirscim_us1/)
    const ways = (): Promise<[string, number]>[] =>
      (
        [
          ['session', 'GET', '/v1/me', { cookie: session.cookie }],
          ['page', 'GET', '/console', { cookie: session.cookie }],
          ['support', 'GET', `/v1/orgs/${tenant.id}`, { authorization: `Bearer ${String(grant.json['token'])}` }],
          ['agent', 'POST', '/mcp', { authorization: `Bearer ${tenant.key}` }],
          ['directory', 'GET', '/scim/v2/Users', { authorization: `Bearer ${scim}` }],
        ] as const
      ).map(async ([name, method, path, headers]): Promise<[string, number]> => {
        const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
        const accept = 'application/json, text/event-stream'
        const options = method === 'POST' ? { body: ping, headers: { ...headers, accept } } : { headers }
        const { status, text } = await call(eu.server.url, method, path, options)
        return [status >= 400 ? `${name}: ${text.slice(0, 200)}` : name, status]
      })
    expect(await Promise.all(ways())).toEqual([
      ['session', 200],
      ['page', 200],
      ['support', 200],
      ['agent', 200],
      ['directory', 200],
    ])
    await bind(us, tenant)
    // What other cells know is at most two seconds old.
    await expect
      .poll(async () => (await Promise.all(ways())).map(([, status]) => status), { timeout: 15_000 })
      .toEqual([403, 403, 403, 403, 403])
  })

  test('has on record at home, before support is told, what was refused to support elsewhere', async () => {
    const [tenant, operator] = [await tenantIn(us), await operatorOf(us.server)]
    await bind(us, tenant)
    const body = { org_id: tenant.id, scope: 'read', reason: 'A question', duration_seconds: 600 }
    const grant = await call(us.server.url, 'POST', '/v1/admin/support-grants', { key: operator.key, body })
    const key = String(grant.json['token'])
    const address = '203.0.113.9'
    const headers = { 'x-forwarded-for': address, 'x-note': `${marker}header` }
    const ask = (method: string, path: string, token = key) =>
      call(eu.server.url, method, path, {
        key: token,
        headers,
        ...(method !== 'GET' && { body: { note: `${marker}body` } }),
      })
    const recorded = async () => {
      const log = await call(us.server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?limit=100`, { key: tenant.key })
      const entries = log.json['data'] as Record<string, unknown>[]
      return entries.filter(({ action }) => String(action).startsWith('request '))
    }
    const sent = await sentMeanwhile(async () => {
      const answers = [
        await ask('GET', `/v1/orgs/${tenant.id}?${marker}query=1`),
        await ask('POST', '/v1/runs'),
        await ask('GET', '/v1/nothing/at-all'),
      ]
      expect(answers.map(({ status, json }) => [status, json.error?.code])).toEqual([
        [403, 'residency_violation'],
        [403, 'residency_violation'],
        [404, 'not_found'],
      ])
      const traces = answers.map((answer) => answer.headers.get('x-svc-trace-id'))
      expect(await recorded()).toMatchObject(
        [
          { action: 'request GET /v1/orgs/{id}', after: { status: 403, path: `/v1/orgs/${tenant.id}` } },
          { action: 'request POST /v1/runs', after: { status: 403, path: '/v1/runs' } },
          { action: 'request GET (unmatched)', after: { status: 404, path: '/v1/nothing/at-all' } },
        ].map((entry, i) => ({
          ...entry,
          outcome: 'denied',
          address,
          trace_id: traces[i],
          actor: { kind: 'support' },
        })),
      )
    })
    expect(sent).not.toContain(marker)
    // Whoever knows only the id of a grant leaves no trace in its organization, and a caller with a key is none of support.
    expect((await ask('GET', '/v1/me', guessedKey(key))).status).toBe(403)
    expect((await ask('GET', '/v1/me', tenant.key)).status).toBe(403)
    expect(await recorded()).toHaveLength(3)
    // What cannot be put on record is not answered.
    expect((await ask('GET', '/v1/me')).status).toBe(403)
    us.way.cut()
    try {
      expect((await ask('GET', '/v1/me')).json.error?.code).toBe('service_unavailable')
    } finally {
      us.way.mend()
    }
    expect(await recorded()).toHaveLength(4)
    const verified = await call(us.server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log/verify`, { key: tenant.key })
    expect(verified.json['valid']).toBe(true)
  })

  test('is refused in the word of the contract for whoever guesses its keys, and its key works again once it is free', async () => {
    const tenant = await tenantIn(us)
    await bind(us, tenant)
    const me = () => call(eu.server.url, 'GET', '/v1/me', { key: tenant.key })
    expect((await me()).status).toBe(403)
    const free = { key: tenant.key, body: { residency: 'none' } }
    expect((await call(us.server.url, 'PUT', `/v1/orgs/${tenant.id}/residency`, free)).status).toBe(200)
    await expect.poll(async () => (await me()).status, { timeout: 15_000 }).toBe(200)
  })
})

describe('residency', () => {
  test('is set by the owner, shown on the organization, on record and announced', async () => {
    const tenant = await tenantIn(us)
    const path = `/v1/orgs/${tenant.id}/residency`
    const url = us.server.url
    const { key: admin } = await keyOf(us.server, tenant.id, { role: 'admin', scopes: ['orgs:read', 'orgs:write'] })
    const before = await call(url, 'GET', path, { key: tenant.key })
    expect(before.json).toEqual({ residency: 'none', home_region: 'us' })
    const strict = { residency: 'strict' }
    expect((await call(url, 'PUT', path, { key: admin, body: strict })).json.error?.code).toBe('forbidden')
    const headers = { 'if-match': before.headers.get('etag') ?? '', 'idempotency-key': 'bind' }
    const set = await call(url, 'PUT', path, { key: tenant.key, body: strict, headers })
    expect([set.status, set.json['residency'], set.json['home_region']]).toEqual([200, 'strict', 'us'])
    expect((await call(url, 'PUT', path, { key: tenant.key, body: strict, headers })).text).toBe(set.text)
    const stale = { 'if-match': headers['if-match'] }
    expect((await call(url, 'PUT', path, { key: tenant.key, body: strict, headers: stale })).status).toBe(412)
    expect((await call(url, 'GET', `/v1/orgs/${tenant.id}`, { key: admin })).json['residency']).toBe('strict')
    expect((await call(url, 'PUT', path, { key: tenant.key, body: { residency: 'eu' } })).status).toBe(422)
    const log = await call(url, 'GET', `/v1/orgs/${tenant.id}/audit-log`, { key: tenant.key })
    const actions = (log.json['data'] as { action: string }[]).map(({ action }) => action)
    expect(actions.filter((action) => action === 'org.residency_changed')).toHaveLength(1)
    const events = await call(url, 'GET', `/v1/orgs/${tenant.id}/events`, { key: tenant.key })
    expect(events.text).toContain('org.residency_changed')
  })

  test('is not for support to change', async () => {
    const tenant = await tenantIn(us)
    const grant = await call(us.server.url, 'POST', '/v1/admin/support-grants', {
      key: (await operatorOf(us.server)).key,
      body: { org_id: tenant.id, scope: 'configuration', reason: 'A question', duration_seconds: 600 },
    })
    const key = String(grant.json['token'])
    const wanted = { key, body: { residency: 'strict' } }
    const { json } = await call(us.server.url, 'PUT', `/v1/orgs/${tenant.id}/residency`, wanted)
    expect(json.error?.code).toBe('support_scope_denied')
  })

  test('cannot be promised by an installation that names no region', async () => {
    const tenant = await tenantOf(single, (await operatorOf(single)).key)
    const path = `/v1/orgs/${tenant.id}/residency`
    const strict = await call(single.url, 'PUT', path, { key: tenant.key, body: { residency: 'strict' } })
    expect([strict.status, strict.json.error?.code]).toEqual([409, 'conflict'])
    const none = await call(single.url, 'PUT', path, { key: tenant.key, body: { residency: 'none' } })
    expect([none.status, none.json['home_region']]).toEqual([200, null])
  })
})

test('a single cell shows nothing of all this', async () => {
  const tenant = await tenantOf(single, (await operatorOf(single)).key)
  const session = await signIn(single.url, tenant.key)
  expect(session.cookie).toMatch(/weirsession_[0-9a-z]{26}_/)
  for (const path of ['/internal/cell', `/internal/directory/${exampleId('key').slice(4)}`]) {
    const answer = await call(single.url, 'GET', path, { headers: { 'x-svc-cell-link': 'a.b' } })
    expect([answer.status, answer.json.error?.code]).toEqual([404, 'not_found'])
  }
  const ignored = { key: tenant.key, headers: { 'x-svc-cell-link': 'a.b' } }
  expect((await call(single.url, 'GET', '/v1/me', ignored)).status).toBe(200)
  expect(await single.platform.metrics.metrics()).not.toMatch(/svc_(?:forwarded|cell)_/)
})
