import { describe, expect, test } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import { exampleId } from '../../src/contract/wire.ts'
import { counted, guessedKey, tenantIn, useCells } from '../support/cells.ts'
import { Random } from '../support/random.ts'
import { exchange, holdBody, request } from '../support/raw-http.ts'
import { callIn, openPage, signIn } from '../support/sessions.ts'
import { type Answer, call, keyOf, type Tenant } from '../support/tenants.ts'

/** Routes that show what a home sees, and that end badly. */
const effects: string[] = []
function oddRoutes(app: App) {
  const schema = (operationId: string) => ({ operationId })
  const config = { anyKey: true, ignoresIdempotencyKey: true } as const
  app.get('/v1/test/heads', { config, schema: schema('heads') }, ({ raw, headers, clientAddress }, reply) =>
    reply.send({ lines: raw.rawHeaders, host: headers.host, link: headers['x-svc-cell-link'], clientAddress }),
  )
  app.post('/v1/test/cut', { config, schema: schema('cut') }, async ({ id, raw }, reply) => {
    effects.push(id)
    raw.socket.destroy()
    return reply
  })
  app.get('/v1/test/drip', { config, schema: schema('drip') }, (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson' })
    reply.raw.write('{"n":1}\n')
    finishDrip = () => reply.raw.end('{"n":2}\n')
  })
}
let finishDrip = () => undefined as unknown

const { eu, us } = useCells({
  environment: { SVC_BULK_BODY_LIMIT_BYTES: '33554432' },
  arrival: { SVC_TRUSTED_PROXIES: '127.0.0.1' },
  domain: oddRoutes,
})
const wrong = () => eu.server.url
const right = () => us.server.url

/** Headers that may differ between two answers to one request. */
const ownHeaders = new Set(['date', 'x-svc-trace-id', 'connection', 'keep-alive', 'transfer-encoding'])
const shown = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !ownHeaders.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)),
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly options: { key?: string; body?: unknown; headers?: Record<string, string> }
}

/** Makes requests of every kind to the routes of `/v1`: to what is there and is not, allowed and not, whole and broken. */
function requestsOf(tenant: Tenant, viewer: string, count: number): Sent[] {
  const random = new Random(4_711)
  const routes = us.server.routes.filter(
    ({ declaration, template }) => declaration.open !== true && !template.startsWith('/v1/test/'),
  )
  const pick = <T>(list: readonly T[]): T => list[random.int(list.length)]!
  const bodies = ['{', '[]', '{}', { name: 7 }, { residency: 'no' }, '"text"', { model: 'gpt-4o', dry_run: true }]
  const queries = ['', '', '', '?limit=1', '?sort=nothing', '?limit=x', '?from=2026-01-01&to=2026-12-31', '?a=%zz']
  return Array.from({ length: count }, (_, i) => {
    const { method, template } = pick(routes)
    const path = template
      .replace(/\{(?:id|org_id)\}/, random.int(10) === 0 ? exampleId('org') : tenant.id)
      .replaceAll(/\{\w+\}/g, () => pick([exampleId('run'), exampleId('budget'), 'a%20b', 'ü', '..%2f..']))
    const isRead = method === 'GET'
    const key = pick([tenant.key, tenant.key, tenant.key, viewer, `${tenant.key.slice(0, -1)}!`])
    // What changes something is sent broken: three answers to it could not be equal.
    const isChange = !isRead && random.int(2) === 0
    const headers = {
      ...(random.int(3) === 0 && { traceparent: `00-${i.toString(16).padStart(32, 'a')}-00000000000000ab-01` }),
      ...(random.int(4) === 0 && { 'if-none-match': pick(['*', '"x"', 'x']) }),
      ...(random.int(4) === 0 && { accept: pick(['text/csv', '*/*']) }),
      ...(isChange && { 'idempotency-key': 'ä' }),
    }
    return { method, path: path + pick(queries), options: { key, headers, ...(!isRead && { body: pick(bodies) }) } }
  })
}

describe('a request through another cell', () => {
  test('gets the very answer that its home gives: 200 at random, status, headers and bytes', async () => {
    const tenant = await tenantIn(us)
    const { key: viewer } = await keyOf(us.server, tenant.id, { role: 'viewer', scopes: ['orgs:read', 'runs:read'] })
    const differing: unknown[] = []
    const statuses = new Set<number>()
    let compared = 0
    for (const { method, path, options } of requestsOf(tenant, viewer, 200)) {
      const before = shown(await call(right(), method, path, options))
      const forwarded = shown(await call(wrong(), method, path, options))
      const after = shown(await call(right(), method, path, options))
      // An answer that tells the time differs at home too.
      if (JSON.stringify(before) !== JSON.stringify(after)) continue
      compared++
      statuses.add(before.status)
      if (JSON.stringify(before) !== JSON.stringify(forwarded))
        differing.push({ method, path, options, before, forwarded })
    }
    expect(differing).toEqual([])
    expect(compared).toBeGreaterThan(150)
    for (const status of [200, 401, 403, 404, 422]) expect(statuses, String(status)).toContain(status)
  })

  test('is one request: one effect for one idempotency key through both cells, on record with the address of its client', async () => {
    const tenant = await tenantIn(us)
    const path = `/v1/orgs/${tenant.id}/budgets`
    const body = { name: 'one', scope_kind: 'org', limit_usd: '5', period: 'month' }
    const headers = { 'idempotency-key': 'once', 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }
    const sent = Array.from({ length: 12 }, (_, i) =>
      call(i % 2 === 0 ? wrong() : right(), 'POST', path, { key: tenant.key, body, headers }),
    )
    const answers = await Promise.all(sent)
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
    const replayed = await call(wrong(), 'POST', path, { key: tenant.key, body, headers })
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([made[0]!.text, 'true'])

    const change = { key: tenant.key, body: { name: 'two' }, headers: { 'x-forwarded-for': '203.0.113.9' } }
    const changed = await call(wrong(), 'PATCH', `${path}/${String(replayed.json['id'])}`, change)
    expect(changed.status).toBe(200)
    const log = await call(right(), 'GET', `/v1/orgs/${tenant.id}/audit-log?limit=100`, { key: tenant.key })
    const entries = log.json['data'] as { action: string; address: string; trace_id: string }[]
    const ofBudget = entries.filter(({ action }) => action.startsWith('budget.'))
    expect(ofBudget.map(({ action }) => action).sort()).toEqual(['budget.created', 'budget.updated'])
    const updated = ofBudget.find(({ action }) => action === 'budget.updated')
    expect(updated).toMatchObject({ address: '203.0.113.9', trace_id: changed.headers.get('x-svc-trace-id') })
    // The cell that it came through has recorded nothing.
    const { rows } = await eu.server.platform.sql.pool.query('select count(*)::int as n from audit_log')
    expect(rows).toEqual([{ n: 0 }])
  })

  test('comes from the address of its client: for the allow-list of its organization, whatever headers say', async () => {
    const tenant = await tenantIn(us)
    const list = { ip_allow_list: ['203.0.113.9'], force: true }
    await call(right(), 'PUT', `/v1/orgs/${tenant.id}/ip-allow-list`, { key: tenant.key, body: list })
    const from = (address: string) => ({ key: tenant.key, headers: { 'x-forwarded-for': address } })
    expect((await call(wrong(), 'GET', '/v1/me', from('203.0.113.9'))).status).toBe(200)
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' },
      { 'x-real-ip': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
    ])
      expect((await call(wrong(), 'GET', '/v1/me', { key: tenant.key, headers })).json.error?.code).toBe(
        'ip_not_allowed',
      )
    // The home trusts no proxy.
    expect((await call(right(), 'GET', '/v1/me', from('203.0.113.9'))).json.error?.code).toBe('ip_not_allowed')
  })

  test('counts once, at home: against the rates, and as a call of a deprecated route', async () => {
    const tenant = await tenantIn(us)
    const { key: operator } = await keyOf(us.server, '00000000-0000-0000-0000-000000000000', {
      role: 'operator',
      scopes: ['admin:read', 'admin:write'],
    })
    const rates = { read_rpm: 5, policies: [] }
    await call(right(), 'PUT', `/v1/admin/orgs/${tenant.id}/rate-limits`, { key: operator, body: rates })
    const calls = async () => ({
      home: await counted(us, 'svc_deprecated_route_calls_total', { route: '/v1/forecast' }),
      arrival: await counted(eu, 'svc_deprecated_route_calls_total', { route: '/v1/forecast' }),
    })
    const before = await calls()
    const answers: Answer[] = []
    for (let i = 0; i < 8; i++)
      answers.push(await call(i % 2 === 0 ? wrong() : right(), 'GET', '/v1/forecast', { key: tenant.key }))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
    expect(answers.every(({ headers }) => headers.get('deprecation') !== null)).toBe(true)
    expect(await calls()).toEqual({ home: before.home + 8, arrival: before.arrival })
  })

  test('keeps its own headers and loses those of the connection', async () => {
    const { key } = await tenantIn(us)
    const { port } = eu.server
    const heads = {
      authorization: `Bearer ${key}`,
      connection: 'keep-alive, X-Hop, idempotency-key',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      'proxy-authorization': 'Basic eA==',
      upgrade: 'websocket',
      'x-hop': '1',
      'idempotency-key': 'dropped',
      'x-kept': 'kept',
      'X-Twice': 'a',
      'x-twice': 'b',
    }
    const answer = await exchange(port, [request('GET', '/v1/test/heads', heads).replace('localhost', 'front.example')])
    const { lines, host, link } = JSON.parse(answer.text) as { lines: string[]; host: string; link?: string }
    const names = lines.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
    for (const dropped of ['x-hop', 'te', 'keep-alive', 'upgrade', 'proxy-authorization', 'idempotency-key'])
      expect(names).not.toContain(dropped)
    expect(lines).toEqual(expect.arrayContaining(['x-kept', 'kept', 'X-Twice', 'a', 'x-twice', 'b']))
    // What only cells say to each other is gone once it was read, and the client's own host is back.
    expect({ host, link }).toEqual({ host: 'front.example', link: undefined })
    expect(answer.headers['keep-alive']).not.toBe('timeout=5')
  })

  test('streams its answer: what the home has written is there before it writes the rest', async () => {
    const { key } = await tenantIn(us)
    const response = await fetch(`${wrong()}/v1/test/drip`, { headers: { authorization: `Bearer ${key}` } })
    const reader = response.body!.getReader()
    const text = async () => new TextDecoder().decode((await reader.read()).value)
    expect(await text()).toBe('{"n":1}\n')
    finishDrip()
    expect(await text()).toBe('{"n":2}\n')
    expect((await reader.read()).done).toBe(true)
  })

  test('may have a large body, of which its home takes what it would have taken itself', async () => {
    const { key } = await tenantIn(us)
    const run = { model: 'gpt-4o', status: 'succeeded', cost_usd: '0.01', metadata: { note: 'x'.repeat(1_000) } }
    const runs = Array.from({ length: 2_000 }, (_, i) => ({ ...run, external_id: `run-${i}` }))
    const taken = await call(wrong(), 'POST', '/v1/runs/bulk', { key, body: { runs } })
    expect([taken.status, taken.json['accepted']]).toEqual([200, 2_000])
    const again = await call(right(), 'POST', '/v1/runs/bulk', { key, body: { runs } })
    expect(again.json['duplicates']).toBe(2_000)
    const held = await holdBody(
      eu.server.port,
      'POST',
      '/v1/runs/bulk',
      key,
      JSON.stringify({ runs: runs.slice(0, 1) }),
    )
    expect((await held.complete()).status).toBe(200)
  })
})

describe('with 20 MB that nobody reads', () => {
  const guessed = (key: string) => guessedKey(key)
  const marker = 'unread-body-'
  const head = (path: string, key: string) =>
    request('POST', path, {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': '20000000',
    })

  test.each([
    ['an unknown path', 404, '/v1/nothing', (key: string) => key],
    ['a key with another secret', 401, '/v1/runs/bulk', guessed],
    ['a role that is too low', 403, '/v1/runs/bulk', (_key: string, viewer: string) => viewer],
  ])('%s is %i in the envelope, and no byte of the body leaves the cell', async (_name, status, path, keyFrom) => {
    const tenant = await tenantIn(us)
    const { key: viewer } = await keyOf(us.server, tenant.id, { role: 'viewer', scopes: ['orgs:read'] })
    const sent: Buffer[] = []
    us.way.watch = (chunk) => sent.push(chunk)
    const answer = await exchange(eu.server.port, [head(path, keyFrom(tenant.key, viewer)), marker.repeat(5_000)])
    us.way.watch = undefined
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: expect.any(String), details: {} } })
    expect(Buffer.concat(sent).includes(marker)).toBe(false)
  })
})

describe('with 20 MB that nobody reads, and a home that', () => {
  const head = (key: string, more: Record<string, string> = {}) =>
    request('POST', '/v1/runs/bulk', { authorization: `Bearer ${key}`, 'content-length': '20000000', ...more })
  const unavailable = { error: { code: 'service_unavailable', message: expect.any(String), details: {} } }

  test('cannot be reached, the answer is 503 in the envelope, asked for or not', async () => {
    const { key } = await tenantIn(us)
    us.way.cut()
    try {
      for (const chunks of [[head(key), 'x'.repeat(60_000)], [head(key, { expect: '100-continue' })]]) {
        const answer = await exchange(eu.server.port, chunks)
        expect([answer.status, JSON.parse(answer.text)]).toEqual([503, unavailable])
      }
    } finally {
      us.way.mend()
    }
    await expect.poll(async () => (await call(wrong(), 'GET', '/v1/me', { key })).status).toBe(200)
  })

  test('is cut off meanwhile, the answer is 503 too', async () => {
    const { key } = await tenantIn(us)
    // The cell knows where the organization lives, and has connections that seem to be there.
    expect((await call(wrong(), 'GET', '/v1/me', { key })).status).toBe(200)
    us.way.cut()
    try {
      const answer = await exchange(eu.server.port, [head(key), 'x'.repeat(60_000)])
      expect([answer.status, JSON.parse(answer.text)]).toEqual([503, unavailable])
    } finally {
      us.way.mend()
    }
    await expect.poll(async () => (await call(wrong(), 'GET', '/v1/me', { key })).status).toBe(200)
  })
})

describe('a session', () => {
  test('works through another cell: its pages, and what they change', async () => {
    const tenant = await tenantIn(us)
    const session = await signIn(right(), tenant.key)
    expect(session.cookie).toContain('weirsession_us1')
    expect((await openPage(wrong(), '/console', session.cookie)).status).toBe(200)
    const profile = await openPage(wrong(), '/console/profile', session.cookie)
    expect(await profile.text()).toContain('127.0.0.1')
    const renamed = await callIn(wrong(), session, 'PATCH', `/v1/orgs/${tenant.id}`, { name: 'Renamed' })
    expect([renamed.status, renamed.json['name']]).toEqual([200, 'Renamed'])
    expect((await callIn(right(), session, 'GET', `/v1/orgs/${tenant.id}`)).json['name']).toBe('Renamed')
    const foreign = { headers: { cookie: session.cookie, 'sec-fetch-site': 'cross-site' }, body: { name: 'Theirs' } }
    expect((await call(wrong(), 'PATCH', `/v1/orgs/${tenant.id}`, foreign)).status).toBe(403)
    // Whoever has no session is at the door of the cell that was asked.
    expect((await openPage(wrong(), '/console')).status).toBe(303)
    await callIn(wrong(), session, 'POST', `/v1/orgs/${tenant.id}/sessions/${session.id}/revoke`)
    expect((await callIn(wrong(), session, 'GET', '/v1/me')).json.error?.code).toBe('session_revoked')
  })
})

describe('when the home', () => {
  test('is away, its callers get 503 in the envelope, and everybody else is served', async () => {
    const [theirs, ours] = [await tenantIn(us), await tenantIn(eu)]
    us.way.cut()
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['POST', '/v1/runs'],
      ['DELETE', `/v1/orgs/${theirs.id}/spend-cap`],
    ] as const) {
      const { status, json } = await call(wrong(), method, path, { key: theirs.key })
      expect([status, json.error?.code, json.error?.details]).toEqual([503, 'service_unavailable', {}])
    }
    expect((await call(wrong(), 'GET', '/v1/me', { key: ours.key })).status).toBe(200)
    us.way.mend()
    await expect.poll(async () => (await call(wrong(), 'GET', '/v1/me', { key: theirs.key })).status).toBe(200)
  })

  test('breaks off after it has the request, the answer says that the outcome is not known', async () => {
    const { key } = await tenantIn(us)
    const { status, json } = await call(wrong(), 'POST', '/v1/test/cut', { key, body: {} })
    expect([status, json.error?.code]).toEqual([503, 'service_unavailable'])
    expect((json.error as unknown as { message: string }).message).toContain('same Idempotency-Key')
    // Nothing is sent twice by itself.
    expect(effects).toHaveLength(1)
    expect(await counted(eu, 'svc_forwarded_requests_total', { cell: 'us1', outcome: 'unanswered' })).toBe(1)
  })
})
