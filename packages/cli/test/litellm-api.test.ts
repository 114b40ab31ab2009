import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, databaseUrl, dropDatabase } from '../../server/scripts/private-services.ts'
import { type LitellmApi, startLitellmApi } from '../proofs/litellm-import/litellm-api.ts'
import { fillLitellm } from '../proofs/litellm-import/litellm-database.ts'
import { openLitellmApi } from '../src/litellm/api.ts'
import { openLitellmDatabase } from '../src/litellm/database.ts'
import { planImport } from '../src/litellm/plan.ts'
import { runOf } from '../src/litellm/runs.ts'
import type { LitellmSource, SpendLog } from '../src/litellm/source.ts'
import { weir } from './support/weir.ts'

const masterKey = 'sk-master-0123456789abcdef'
const name = `litellm_api_${randomBytes(6).toString('hex')}`
const since = new Date(Math.ceil(Date.now() / 1_000 - 90 * 86_400) * 1_000)
let api: LitellmApi

beforeAll(async () => {
  await createDatabase(name, { fresh: true })
  await fillLitellm(databaseUrl(name), { keys: 230, teams: 12, logs: 1_500 })
  const client = new pg.Client({ connectionString: databaseUrl(name) })
  await client.connect()
  await client.query(`
    insert into "LiteLLM_OrganizationTable" (organization_id, organization_alias) values ('acme', 'Acme'), ('other', 'Other');
    update "LiteLLM_VerificationToken" set organization_id = 'acme' where key_alias like 'agent 1%';
    update "LiteLLM_TeamTable" set organization_id = 'other' where team_id = 'team-3';
    insert into "LiteLLM_VerificationToken" (token, team_id) values ('ui', 'litellm-dashboard');
    -- A second with more calls than a page has, all at the same millisecond.
    insert into "LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, "startTime", "endTime")
      select 'burst-' || i, 'acompletion', '', 1e-7 * i, date_trunc('second', now() at time zone 'utc' - interval '3 days') + interval '500 ms', now()
        from generate_series(1, 2300) i;
    -- At the very end of the first window, which is the beginning of the next.
    insert into "LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, "startTime", "endTime")
      values ('turn', 'acompletion', '', 0.1, timestamp '${since.toISOString().replace('Z', '')}' + interval '1 hour', now());`)
  await client.end()
  api = await startLitellmApi(databaseUrl(name), masterKey)
})
afterAll(async () => {
  await api.close()
  await dropDatabase(name)
})

const logsOf = async (source: LitellmSource) => {
  const found: SpendLog[] = []
  for await (const page of source.logs(since, 5_000)) found.push(...page)
  return found
}

describe('the API of LiteLLM', () => {
  test('gives the plan and the calls that its database gives', async () => {
    const [byApi, byDatabase] = [openLitellmApi(api.url, masterKey), await openLitellmDatabase(databaseUrl(name))]
    try {
      const [one, other] = [await byApi.state(), await byDatabase.state()]
      const now = new Date()
      for (const organization of ['all', 'none', 'acme', 'other']) {
        const [{ isChosen: _, notes, ...plan }, { isChosen: __, notes: others, ...planned }] = [
          planImport(one, organization, now),
          planImport(other, organization, now),
        ]
        expect(plan).toEqual(planned)
        expect([notes.left, notes.said]).toEqual([others.left, others.said])
        expect(plan.keys.length).toBeGreaterThan(10)
      }
      const [calls, logged] = [await logsOf(byApi), await logsOf(byDatabase)]
      expect(calls.length).toBeGreaterThan(3_500)
      const runs = (logs: readonly SpendLog[]) =>
        new Map(
          logs.map((log) => [log.request_id, runOf(log, new Map())] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      expect(calls).toHaveLength(logged.length)
      expect(runs(calls)).toEqual(runs(logged))
      expect(await byApi.count(since)).toBe(logged.length)
    } finally {
      await byDatabase.close()
    }
  })

  test('gets the key in a header, and nothing else shows it', async () => {
    expect(api.asked.length).toBeGreaterThan(10)
    expect(new Set(api.asked.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${masterKey}`]))
    const wrong = openLitellmApi(api.url, 'sk-wrong-0123456789abcdef')
    const fault = await wrong.state().catch((error: unknown) => error as Error & { hint?: string })
    expect(fault).toMatchObject({ reason: 'unauthorized', message: 'LiteLLM does not take the key' })
    expect(JSON.stringify(fault)).not.toContain('sk-wrong')
  })
})

describe('a stranger in the place of LiteLLM', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const json =
    (value: unknown): RequestListener =>
    (_request, response) =>
      void response
        .setHeader('content-type', 'application/json')
        .end(typeof value === 'string' ? value : JSON.stringify(value))
  /** A LiteLLM with nothing in it but what is given. */
  const litellm = (given: Record<string, unknown>) =>
    listen((request, response) => {
      const path = new URL(request.url ?? '', 'http://x').pathname
      const lists = { '/organization/list': [], '/team/list': [], '/customer/list': [], '/budget/list': [] }
      const page = { page: 1, total: 0, total_pages: 0, total_count: 0 }
      const empty = { ...lists, '/user/list': { ...page, users: [] }, '/key/list': { ...page, keys: [] } }
      const answer = { ...empty, '/spend/logs/v2': { ...page, data: [] }, ...given } as Record<string, unknown>
      json(answer[path] ?? null)(request, response)
    })
  const faultOf = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: Error) => error.message,
    )

  test('that redirects never gets the key led to another host', async () => {
    const seen: (string | undefined)[] = []
    const thief = await listen((request, response) => {
      seen.push(request.headers.authorization)
      response.end('[]')
    })
    for (const status of [301, 302, 307, 308]) {
      const url = await listen((_request, response) =>
        response.writeHead(status, { location: `${thief}/key/list` }).end(),
      )
      expect(await faultOf(openLitellmApi(url, masterKey).state())).toContain('leads to another one')
    }
    expect(seen).toEqual([])
  })

  test('that never stops talking is not listened to for ever', async () => {
    let written = 0
    const url = await listen((_request, response) => {
      const chunk = Buffer.alloc(1_048_576, '[')
      const write = () => {
        while (!response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) return
        }
      }
      response.on('drain', write)
      write()
    })
    expect(await faultOf(openLitellmApi(url, masterKey).state())).toBe('an answer of LiteLLM is larger than 256 MiB')
    expect(written).toBeLessThan(300 * 1_048_576)
  })

  test.each([
    ['text', { '/team/list': '<html>' }],
    ['an object for a list', { '/budget/list': { data: [] } }],
    ['a count that is none', { '/key/list': { keys: [], total_count: '7', total_pages: 1 } }],
    ['pages without end', { '/key/list': { keys: [{ token: 'a' }], total_count: 2, total_pages: 3 } }],
  ])('that answers with %s is told so', async (_what, given) => {
    expect(await faultOf(openLitellmApi(await litellm(given), masterKey).state())).toMatch(
      /cannot be understood|shows 1/,
    )
  })

  test('that answers with calls of another time, or with more in a second than it shows, is told so', async () => {
    const of = async (data: unknown[], total: number) => {
      const url = await litellm({ '/spend/logs/v2': { data, total, total_pages: 1 } })
      return faultOf(logsOf(openLitellmApi(url, masterKey)))
    }
    expect(await of([{ request_id: 'a', startTime: '1999-01-01T00:00:00Z' }], 1)).toContain('calls of another time')
    expect(await of([{ request_id: 'a', startTime: since.toISOString() }], 5_000)).toContain('does not show all calls')
  })

  test('that answers with fields of other types gives a plan without them', async () => {
    const odd = [
      null,
      7,
      'x',
      [],
      {},
      { token: {} },
      { token: 'b'.repeat(64), user_id: ['u'], spend: '∞', max_budget: {}, expires: [] },
    ]
    const url = await litellm({
      '/team/list': [
        ...odd,
        { team_id: 'a\u0000b\u001b[31m', max_budget: 1e308, spend: 1e308, created_at: '+275760-09-13T00:00:00Z' },
      ],
      '/customer/list': odd,
      '/key/list': { keys: odd, total_count: 1, total_pages: 1 },
    })
    const plan = planImport(await openLitellmApi(url, masterKey).state(), 'all', new Date())
    expect(plan.keys).toMatchObject([{ token: 'b'.repeat(64), pins: {}, limits: [] }])
    expect(plan.limits).toMatchObject([
      { scope: { scope_id: 'ab[31m' }, spent: 8_999_999_999_999_999_999n, body: { limit_usd: '8999999999.999999999' } },
    ])
    expect(plan.limits[0]?.body).not.toHaveProperty('anchor')
  })

  test('that is busy is asked again', async () => {
    let asked = 0
    const url = await listen((request, response) => {
      if (++asked === 1) response.writeHead(429, { 'retry-after': '0.01' }).end()
      else if (asked === 2) response.destroy()
      else json(request.url?.startsWith('/organization') ? [] : null)(request, response)
    })
    expect(await faultOf(openLitellmApi(url, masterKey).state())).toContain('/team/list cannot be understood')
    expect(asked).toBe(4)
  })
})

test('a place for LiteLLM is wanted, one alone, and the key only from the environment', async () => {
  const base = { WEIR_BASE_URL: 'http://127.0.0.1:1', WEIR_API_KEY: 'weir_x' }
  const run = async (args: string[], env: Record<string, string> = {}) =>
    (await weir(['import', 'litellm', ...args], { env: { ...base, ...env } })).err
  expect(await run([])).toContain('where is LiteLLM?')
  expect(await run(['--litellm-url', 'http://127.0.0.1:1'])).toContain('no key was given')
  expect(await run(['--litellm-url', 'http://a:b@127.0.0.1:1'], { LITELLM_MASTER_KEY: 'k' })).toContain('password')
  expect(await run(['--litellm-url', 'http://x', '--database-url', 'y'])).toContain('not both')
})
