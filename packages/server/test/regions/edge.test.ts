import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { edgeConfiguration, readEdgeArguments } from '../../src/commands/edge/edge.ts'
import { bind, counted, guessedKey, linkKeys, tenantIn, useCellsAt } from '../support/cells.ts'
import { certificate, certificateKey } from '../support/certificate.ts'
import { type Haproxy, haproxyFaults, startHaproxy } from '../support/haproxy.ts'
import { exchange, request } from '../support/raw-http.ts'
import { freePort } from '../support/redis-servers.ts'
import { call, type Tenant } from '../support/tenants.ts'

/** HAProxy before one of two cells of a region, with the configuration that the server makes for it; a third cell is elsewhere. */
const environment = {
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://weir.example.com',
  SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
}
const { eu1, eu2, us1 } = useCellsAt({
  eu1: {
    region: 'eu',
    environment,
    others: [
      { name: 'eu2', region: 'eu' },
      { name: 'us1', region: 'us' },
    ],
  },
  eu2: {
    region: 'eu',
    environment,
    others: [
      { name: 'eu1', region: 'eu' },
      { name: 'us1', region: 'us' },
    ],
  },
  us1: {
    region: 'us',
    environment,
    others: [
      { name: 'eu1', region: 'eu' },
      { name: 'eu2', region: 'eu' },
    ],
  },
})

/** The settings of the cell `eu1`, as its processes have them. */
const settings = () => ({
  SVC_CELL: 'eu1',
  SVC_REGION: 'eu',
  SVC_CELLS: JSON.stringify(eu1.server.platform.config.cells),
})
const configurationOf = (...args: string[]) =>
  edgeConfiguration(readEdgeArguments(['haproxy', '--local', eu1.server.url, ...args])!, settings())

let port = 0
let haproxy: Haproxy
const edge = () => `http://127.0.0.1:${port}`
const answers = (url: string) => () =>
  fetch(`${url}/healthz`).then(
    ({ status }) => status === 200,
    () => false,
  )

beforeAll(async () => {
  port = await freePort()
  haproxy = await startHaproxy(configurationOf('--listen', `127.0.0.1:${port}`), answers(edge()))
})
afterAll(() => haproxy?.stop())

const forwardedBy = (cell: typeof eu1) => async (to: string) =>
  (
    await Promise.all(
      ['answered', 'unavailable', 'unanswered', 'residency_violation'].map((outcome) =>
        counted(cell, 'svc_forwarded_requests_total', { cell: to, outcome }),
      ),
    )
  ).reduce((sum, count) => sum + count, 0)
const handedOn = forwardedBy(eu1)

/** Bytes that callers and cells send to a cell of the list, by its way, while something happens. */
async function sentTo({ way }: typeof eu1, work: () => Promise<unknown>): Promise<string> {
  const sent: Buffer[] = []
  way.watch = (chunk) => sent.push(chunk)
  await work()
  way.watch = undefined
  return Buffer.concat(sent).toString('latin1')
}

const tenantAt = async (cell: typeof eu1): Promise<Tenant> => tenantIn(cell)
const me = (key: string, headers: Record<string, string> = {}) => call(edge(), 'GET', '/v1/me', { key, headers })

describe('through HAProxy', () => {
  test('callers reach the cell that their key names, without a cell between', async () => {
    const [here, beside] = [await tenantAt(eu1), await tenantAt(eu2)]
    const before = await handedOn('eu2')
    const sent = await sentTo(eu2, async () => {
      expect((await me(beside.key)).json['org_id']).toBe(beside.id)
      expect((await me(here.key)).json['org_id']).toBe(here.id)
      const body = { name: 'one', scope_kind: 'org', limit_usd: '5', period: 'month' }
      const made = await call(edge(), 'POST', `/v1/orgs/${beside.id}/budgets`, { key: beside.key, body })
      expect(made.status).toBe(201)
    })
    expect(await handedOn('eu2')).toBe(before)
    expect(sent).toContain(beside.key)
    expect(sent).not.toContain(here.key)
    expect(sent.toLowerCase()).not.toContain('x-svc-cell-link')
  })

  test('so do sessions and directories', async () => {
    const tenant = await tenantAt(eu2)
    const session = await fetch(`${edge()}/console/signin`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://weir.example.com' },
      body: new URLSearchParams({ key: tenant.key }).toString(),
    })
    // Signing in is done at home: the form has no token yet, so the local cell is asked.
    expect(session.headers.get('set-cookie')).toBeNull()
    const atHome = await fetch(`${eu2.server.url}/console/signin`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://weir.example.com' },
      body: new URLSearchParams({ key: tenant.key }).toString(),
    })
    const [cookie = ''] = (atHome.headers.get('set-cookie') ?? '').split(';')
    expect(cookie).toMatch(/^__Host-weir=weirsession_eu2/)
    const directory = await call(eu2.server.url, 'POST', `/v1/orgs/${tenant.id}/scim-tokens`, {
      key: tenant.key,
      body: { name: 'Directory' },
    })
    const before = await handedOn('eu2')
    const asked = [
      await call(edge(), 'GET', '/v1/me', { headers: { cookie: `first=1; ${cookie}; last=2` } }),
      await call(edge(), 'GET', '/console/profile', { headers: { cookie } }),
      await call(edge(), 'GET', '/scim/v2/Users', { key: String(directory.json['secret']) }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await handedOn('eu2')).toBe(before)
  })

  test('a caller of another region is the business of the local cell, which knows who is bound', async () => {
    const [free, bound] = [await tenantAt(us1), await tenantAt(us1)]
    await bind(us1, bound)
    const marker = 'body-of-a-bound-organization-'
    const before = await handedOn('us1')
    const sent = await sentTo(us1, async () => {
      expect((await me(free.key)).status).toBe(200)
      for (const [method, body] of [
        ['GET', undefined],
        ['POST', { note: marker.repeat(5_000) }],
      ] as const) {
        const refused = await call(edge(), method, '/v1/runs', { key: bound.key, ...(body && { body }) })
        expect([refused.status, refused.json.error?.code]).toEqual([403, 'residency_violation'])
      }
    })
    expect(await handedOn('us1')).toBe(before + 3)
    expect(sent).not.toContain(marker)
    expect(sent).not.toContain(bound.key)
  })

  test('the address of a client is that of its connection, whatever it says', async () => {
    for (const cell of [eu1, eu2]) {
      const tenant = await tenantAt(cell)
      const list = { ip_allow_list: ['203.0.113.9'], force: true }
      await call(cell.server.url, 'PUT', `/v1/orgs/${tenant.id}/ip-allow-list`, { key: tenant.key, body: list })
      for (const headers of [
        { 'x-forwarded-for': '203.0.113.9' },
        { 'X-Forwarded-For': '203.0.113.9, 127.0.0.1' },
        { forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' },
      ] as Record<string, string>[])
        expect((await me(tenant.key, headers)).json.error?.code, JSON.stringify(headers)).toBe('ip_not_allowed')
    }
  })

  test('a refusal comes before the body is sent, in the envelope: 401, 403, 404 with 20 MB unread', async () => {
    const tenant = await tenantAt(eu2)
    const head = { 'content-type': 'application/json', 'content-length': '20000000', expect: '100-continue' }
    for (const [key, path, status] of [
      [guessedKey(tenant.key), '/v1/runs/bulk', 401],
      [tenant.key, '/v1/admin/orgs', 403],
      [tenant.key, '/v1/nothing', 404],
    ] as const) {
      const answer = await exchange(port, [request('POST', path, { ...head, authorization: `Bearer ${key}` })])
      expect([path, answer.status, JSON.parse(answer.text)]).toEqual([
        path,
        status,
        { error: { code: expect.any(String), message: expect.any(String), details: {} } },
      ])
    }
  })
})

/** What a caller is told: status and code, and who the service takes it for. */
const told = ({ status, text }: { status: number; text: string }) => {
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { code: string }; org_id?: string }
  return [status, json.error?.code, json.org_id]
}

describe('a hostile caller', () => {
  const raw = (to: number, lines: readonly string[], path = '/v1/me') =>
    exchange(to, [`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`])

  /** Everything that may be said in the text of a key, and in headers that name its sender. */
  const attempts = (ours: Tenant, theirs: Tenant, elsewhere: Tenant): Record<string, string[]> => {
    const bearer = (key: string) => `authorization: Bearer ${key}`
    const named = (cell: string) => ours.key.replace('weir_eu1', `weir_${cell}`)
    return {
      'no key': [],
      'a key that names the other cell': [bearer(named('eu2'))],
      'a key that names another region': [bearer(named('us1'))],
      'a key that names no cell of ours': [bearer(named('zz9'))],
      'a key with another secret': [bearer(guessedKey(theirs.key))],
      'a key that nobody has': [bearer(guessedKey(theirs.key, true))],
      'the name of a cell alone': ['authorization: eu2'],
      'the name of a cell as a key': [bearer('weir_eu2')],
      'the name of a backend': ['authorization: Bearer cell_eu2', 'cookie: __Host-weir=cell_eu2'],
      'two keys, the other one first': [bearer(theirs.key), bearer(ours.key)],
      'two keys, the other one last': [bearer(ours.key), bearer(theirs.key)],
      'two keys in one header': [`authorization: Bearer ${ours.key}, Bearer ${theirs.key}`],
      'a key and the session of another cell': [
        bearer(ours.key),
        `cookie: __Host-weir=${theirs.key.replace('weir_', 'weirsession_')}`,
      ],
      'a session that is a key': [`cookie: __Host-weir=${theirs.key.replace('weir_', 'weirsession_')}`],
      'two sessions': [`cookie: __Host-weir=weirsession_eu2x; __Host-weir=${theirs.key}`],
      'a header of 20 kB': [bearer(ours.key), `x-note: ${'n'.repeat(20_000)}`],
      'a key of 20 kB': [bearer(`${theirs.key}${'a'.repeat(20_000)}`)],
      'a header of the link': [bearer(elsewhere.key), 'x-svc-cell-link: a.b'],
      'an answer of the link': [bearer(theirs.key), 'x-svc-cell-answer: a.b'],
    }
  }

  test('is told what it would be told without a proxy, by forged cells, two keys, sessions and long headers', async () => {
    const [ours, theirs, elsewhere] = [await tenantAt(eu1), await tenantAt(eu2), await tenantAt(us1)]
    const differing: unknown[] = []
    const statuses = new Set<unknown>()
    for (const [name, lines] of Object.entries(attempts(ours, theirs, elsewhere))) {
      const [through, direct] = [told(await raw(port, lines)), told(await raw(eu1.server.port, lines))]
      statuses.add(direct[0])
      // The header of the link is taken away: whoever sends it is then served as what its key says.
      const expected = name === 'a header of the link' ? [200, undefined, elsewhere.id] : direct
      if (JSON.stringify(through) !== JSON.stringify(expected)) differing.push({ name, through, expected })
    }
    expect(differing).toEqual([])
    for (const status of [200, 400, 401]) expect(statuses).toContain(status)
  })

  test('is refused by the proxy where its headers are several times what any cell would read', async () => {
    const { key } = await tenantAt(eu2)
    const answer = await raw(port, [`authorization: Bearer ${key}`, `x-note: ${'n'.repeat(200_000)}`])
    expect([answer.status, answer.text]).toEqual([400, expect.not.stringContaining(key)])
    expect((await me(key)).status).toBe(200)
  })

  test('opens nothing between cells with what it has read on the link', async () => {
    const tenant = await tenantAt(us1)
    const sent = await sentTo(us1, () => call(eu1.server.url, 'GET', '/v1/me', { key: tenant.key }))
    const signatures = [...sent.matchAll(/^x-svc-cell-link: (\S+)\r$/gim)].map(([, text]) => text!)
    expect(signatures.length).toBeGreaterThan(0)
    for (const signature of signatures)
      for (const path of ['/internal/cell', `/internal/directory/${tenant.id.slice(4)}`])
        expect(told(await raw(port, [`x-svc-cell-link: ${signature}`], path))).toEqual([404, 'not_found', undefined])
    expect(sent).not.toContain(linkKeys)
  })

  test('does not smuggle a second request past the proxy', async () => {
    const { key } = await tenantAt(eu2)
    for (const framing of [
      ['content-length: 5', 'transfer-encoding: chunked'],
      ['content-length: 5', 'content-length: 6'],
      ['transfer-encoding: chunked, identity'],
      ['content-length: +5'],
    ]) {
      const answer = await exchange(port, [
        `POST /v1/runs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n${framing.join('\r\n')}\r\n\r\n0\r\n\r\nGET /internal/cell HTTP/1.1\r\nhost: x\r\n\r\n`,
      ])
      expect([framing, answer.status >= 400]).toEqual([framing, true])
      expect(answer.text).not.toContain('"region"')
    }
  })
})

describe('when a cell', () => {
  test('of the region is away, its callers are told by the local one, and nobody else notices', async () => {
    const [here, beside] = [await tenantAt(eu1), await tenantAt(eu2)]
    eu2.way.cut()
    try {
      await expect.poll(async () => told(await me(beside.key))).toEqual([503, 'service_unavailable', undefined])
      expect((await me(here.key)).status).toBe(200)
    } finally {
      eu2.way.mend()
    }
    await expect.poll(async () => (await me(beside.key)).status).toBe(200)
  })

  test('behind the proxy is away, it answers 503 in the envelope itself', async () => {
    const alone = await freePort()
    const nobody = await freePort()
    const text = edgeConfiguration(
      readEdgeArguments(['haproxy', '--local', `http://127.0.0.1:${nobody}`, '--listen', `127.0.0.1:${alone}`])!,
      settings(),
    )
    const url = `http://127.0.0.1:${alone}`
    const proxy = await startHaproxy(text, () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    )
    try {
      const answer = await call(url, 'GET', '/v1/me', { key: 'weir_nobody' })
      expect([answer.status, answer.json.error?.code, answer.json.error?.details]).toEqual([
        503,
        'service_unavailable',
        {},
      ])
    } finally {
      await proxy.stop()
    }
  })
})

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-edge-'))
  const pair = join(folder, 'pair.pem')
  beforeAll(() => writeFileSync(pair, `${certificate}\n${certificateKey}\n`))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is ended by the proxy', async () => {
    const tlsPort = await freePort()
    const { key } = await tenantAt(eu2)
    const ask = () =>
      new Promise<number>((resolve) => {
        const sent = httpsRequest(
          {
            host: '127.0.0.1',
            port: tlsPort,
            path: '/v1/me',
            ca: certificate,
            servername: 'trusted.test',
            headers: { authorization: `Bearer ${key}` },
          },
          (response) => resolve(response.resume().statusCode ?? 0),
        )
        sent.on('error', () => resolve(0))
        sent.end()
      })
    const text = configurationOf('--listen', `127.0.0.1:${tlsPort}`, '--certificate', pair)
    const proxy = await startHaproxy(text, async () => (await ask()) === 200)
    expect(await ask()).toBe(200)
    await proxy.stop()
  })

  test('to other cells is verified', () => {
    const cells = [{ name: 'eu2', region: 'eu', url: 'https://127.0.0.1:8443' }]
    const made = (args: string[]) =>
      edgeConfiguration(readEdgeArguments(['haproxy', '--local', 'https://[::1]:8443', ...args])!, {
        ...settings(),
        SVC_CELLS: JSON.stringify([...cells, { name: 'eu3', region: 'eu', url: 'https://localhost' }]),
      })
    const text = made(['--certificate', pair, '--ca-file', pair, '--proxy-protocol', '--listen', '[::1]:8443'])
    expect(haproxyFaults(text)).toBe('')
    const servers = text.split('\n').filter((line) => line.startsWith('  server '))
    expect(servers).toHaveLength(3)
    for (const line of servers) expect(line).toContain(`ssl verify required ca-file ${pair}`)
    expect(text).toContain('verifyhost localhost')
  })
})

describe('the command', () => {
  const made = (args: string[], more: Record<string, string> = {}) => {
    const given = readEdgeArguments(args)
    return (
      given &&
      edgeConfiguration(given, {
        SVC_CELL: 'eu1',
        SVC_REGION: 'eu',
        SVC_CELLS: '[{"name":"eu2","region":"eu","url":"http://eu2"}]',
        ...more,
      })
    )
  }

  test.each([
    [[]],
    [['haproxy']],
    [['nginx', '--local', 'http://x']],
    [['haproxy', '--local', 'http://x/path']],
    [['haproxy', '--local', 'ftp://x']],
    [['haproxy', '--local', 'http://x', '--listen']],
    [['haproxy', 'envoy', '--local', 'http://x']],
  ])('does not understand %j', (args) => {
    expect(made(args)).toBeUndefined()
  })

  test('says which setting or option is wrong', () => {
    const args = ['haproxy', '--local', 'http://x']
    expect(() => made(args, { SVC_REGION: '' })).toThrow('SVC_REGION')
    expect(() => made(args, { SVC_CELLS: '[' })).toThrow('SVC_CELLS')
    expect(() => made(args, { SVC_CELLS: '[{"name":"eu1","region":"eu","url":"http://x"}]' })).toThrow('this cell')
    expect(() => made([...args, '--listen', 'x:99999'])).toThrow('--listen')
    // What is written into the configuration as it is cannot say more than it should.
    expect(() => made([...args, '--certificate', '/x\n  bind :1'])).toThrow('--certificate')
    expect(() => made([...args, '--ca-file', '/x y'])).toThrow('--ca-file')
  })

  test('has made the examples of the repository, which HAProxy takes', () => {
    const example = readFileSync(new URL('../../../../deploy/edge/haproxy.cfg', import.meta.url), 'utf8')
    expect(haproxyFaults(example.replace(' ssl crt /etc/haproxy/weir.pem alpn h2,http/1.1', ''))).toBe('')
  })
})
