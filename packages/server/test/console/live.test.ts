import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitAsSupport, visitorOf, visitWithKey } from '../support/console.ts'
import { recordCalls } from '../support/console-crawl.ts'
import { useServer } from '../support/harness.ts'
import { signIn } from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

let nowMs = Date.now()
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: string
let tenant: Tenant
let owner: ConsoleVisitor
let calls: ReturnType<typeof recordCalls>
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
  owner = await visitWithKey(server.url, tenant.key)
  calls = recordCalls(server)
  const { clock } = server.platform
  nowMs = clock.now().getTime()
  Object.assign(clock, { now: () => new Date(nowMs) })
})

const eventsOf = async (visitor: ConsoleVisitor) => {
  // What was read is kept for five seconds.
  nowMs += 6_000
  const { html, status, headers } = await visitor.openConsole('/console/live')
  return { status, type: headers.get('content-type'), data: /^data: (.*)$/m.exec(html)?.[1] ?? '' }
}

describe('the events of open pages', () => {
  test('tell that a budget has changed, and nothing else', async () => {
    const before = await eventsOf(owner)
    expect(before).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' })
    expect(await eventsOf(owner)).toEqual(before)
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
      key: tenant.key,
      body: { name: 'secret name', scope_kind: 'org', limit_usd: '77', period: 'day' },
    })
    const after = await eventsOf(owner)
    const [first, second] = [before, after].map(({ data }) => JSON.parse(data) as Record<string, string>)
    expect(second!['budgets']).not.toBe(first!['budgets'])
    expect(second!['approvals']).toBe(first!['approvals'])
    expect(after.data).not.toMatch(/secret|77/)
  })

  test('of a hundred readers are read once', async () => {
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => visitorOf(server.url, await signIn(server.url, tenant.key))),
    )
    nowMs += 6_000
    const { calls: made } = await calls.during(() =>
      Promise.all(Array.from({ length: 100 }, (_, i) => readers[i % 10]!.openConsole('/console/live'))),
    )
    expect(made.map(({ url }) => url.replace(/[?].*/, '').replace(tenant.id, 'org')).sort()).toEqual([
      '/v1/orgs/org/approvals',
      '/v1/orgs/org/budgets',
      '/v1/orgs/org/refusals',
      '/v1/runs',
    ])
  })

  test('tell of everything, whatever another reader was not answered at the same time', async () => {
    const slow = await keyOf(server, tenant.id, {
      role: 'viewer',
      scopes: ['limits:read', 'policies:read', 'runs:read'],
    })
    const policies = [{ kind: 'requests', per: 'key', match: slow.id, amount: 2, window_seconds: 3_600 }]
    const rates = `/v1/admin/orgs/${tenant.id}/rate-limits`
    const visitor = await visitWithKey(server.url, slow.key)
    const set = await call(server.url, 'PUT', rates, { key: operator, body: { read_rpm: null, policies } })
    expect(set.status).toBe(200)
    const all = await eventsOf(owner)
    expect(Object.keys(JSON.parse(all.data) as object).toSorted()).toEqual(['approvals', 'budgets', 'refusals', 'runs'])
    // The page's own request and one of its calls fit the rate; the others are refused.
    const cut = await eventsOf(visitor)
    expect(Object.keys(JSON.parse(cut.data) as object).length).toBe(1)
    nowMs -= 6_000
    expect(await eventsOf(owner)).toEqual(all)
    await call(server.url, 'PUT', rates, { key: operator, body: { default_rates: true } })
  })

  test('tell that a call was refused, or has run', async () => {
    const revisionsOf = async () => JSON.parse((await eventsOf(owner)).data) as Record<string, string>
    const before = await revisionsOf()
    const attempt = { model: 'gpt-4o', estimated_cost_usd: '79' }
    expect((await call(server.url, 'POST', '/v1/runs', { key: tenant.key, body: attempt })).status).toBe(402)
    // Refusals are recorded after the answer.
    await expect.poll(async () => (await revisionsOf())['refusals']).not.toBe(before['refusals'])
    expect((await revisionsOf())['runs']).toBe(before['runs'])
    const small = { model: 'gpt-4o', estimated_cost_usd: '0.01' }
    expect((await call(server.url, 'POST', '/v1/runs', { key: tenant.key, body: small })).status).toBe(201)
    await expect.poll(async () => (await revisionsOf())['runs']).not.toBe(before['runs'])
  })

  test.each([
    ['/console', '1'],
    ['/console/refusals', '2'],
    ['/console/budgets', '3'],
  ])('make a hundred readers of %s read it again for the calls of one', async (path, mark) => {
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => visitorOf(server.url, await signIn(server.url, tenant.key))),
    )
    const callsOf = async (count: number, letter: string) => {
      nowMs += 16_000
      const { calls: made } = await calls.during(() =>
        Promise.all(
          Array.from({ length: count }, async (_, i) => {
            const headers = { cookie: readers[i % 10]!.session.cookie, 'x-weir-revision': letter.repeat(63) + mark }
            return (await fetch(server.url + path, { headers })).text()
          }),
        ),
      )
      expect(made.filter(({ status }) => status !== 200)).toEqual([])
      return made.map(({ url }) => url).toSorted()
    }
    await callsOf(1, 'a')
    const one = await callsOf(1, 'b')
    expect(one.length).toBeGreaterThan(2)
    expect(await callsOf(100, 'c')).toEqual(one)
  })

  test('make readers of one page share what they see, and see what has changed since', async () => {
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => visitorOf(server.url, await signIn(server.url, tenant.key))),
    )
    const again = (reader: ConsoleVisitor, revision: string) =>
      fetch(`${server.url}/console/budgets`, {
        headers: { cookie: reader.session.cookie, 'x-weir-revision': revision },
      }).then((answer) => answer.text())
    const callsOf = async (count: number, revision: string) => {
      nowMs += 16_000
      return calls.during(() => Promise.all(Array.from({ length: count }, (_, i) => again(readers[i % 10]!, revision))))
    }
    const one = await callsOf(1, 'a'.repeat(32))
    const hundred = await callsOf(100, 'b'.repeat(32))
    expect(one.calls.length).toBeGreaterThan(2)
    expect(hundred.calls.map(({ url }) => url).sort()).toEqual(one.calls.map(({ url }) => url).sort())
    // Everybody's page has their own tokens all the same.
    const tokens = hundred.result.map((html) => /name="csrf_token" value="([^"]+)"/.exec(html)?.[1])
    expect(new Set(tokens).size).toBe(10)
    // A later revision is read anew, and shows what has changed since.
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
      key: tenant.key,
      body: { name: 'of the next revision', scope_kind: 'org', limit_usd: '78', period: 'day' },
    })
    expect(await again(readers[0]!, 'c'.repeat(32))).toContain('of the next revision')
  })

  test('share nothing with those who may see less, or whose reads are on record', async () => {
    const revision = 'd'.repeat(32)
    const read = ({ session }: ConsoleVisitor) =>
      fetch(`${server.url}/console/budgets`, { headers: { cookie: session.cookie, 'x-weir-revision': revision } })
    expect(await (await read(owner)).text()).toContain('secret name')
    const pinned = await keyOf(server, tenant.id, { role: 'viewer', scopes: ['limits:read'], pins: { user_id: 'mei' } })
    const shown = await (await read(await visitWithKey(server.url, pinned.key))).text()
    expect(shown).toContain('<h1>Budgets</h1>')
    expect(shown).not.toContain('secret name')
    const narrow = await keyOf(server, tenant.id, { scopes: ['runs:read'] })
    expect((await read(await visitWithKey(server.url, narrow.key))).status).toBe(403)
    const support = await visitAsSupport(server.url, operator, tenant.id, 'read')
    for (let i = 0; i < 2; i++) {
      const { calls: made } = await calls.during(() => read(support))
      expect(made.filter(({ url }) => url.includes('/budgets')).length).toBe(1)
    }
  })

  test('end with the session, and tell nobody of what they may not see', async () => {
    const reader = visitorOf(server.url, await signIn(server.url, tenant.key))
    expect((await eventsOf(reader)).status).toBe(200)
    await call(server.url, 'POST', `/v1/me/sessions/${reader.session.id}/revoke`, { key: tenant.key })
    // Also where somebody else has just read.
    await owner.openConsole('/console/live')
    expect((await reader.openConsole('/console/live')).status).toBe(401)
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    expect((await eventsOf(viewer)).status).toBe(200)
    const narrow = await keyOf(server, tenant.id, { scopes: ['runs:read'] })
    const { status, data } = await eventsOf(await visitWithKey(server.url, narrow.key))
    expect([status, Object.keys(JSON.parse(data) as object)]).toEqual([200, ['runs']])
  })
})

describe('the jump list without script', () => {
  test('leads to what an id names, and finds pages by their name', async () => {
    expect((await owner.openConsole(`/console/search?q=+${tenant.keyId}`)).location).toBe(
      `/console/keys/${tenant.keyId}`,
    )
    expect((await owner.openConsole('/console/search?q=budg')).links.map(({ href }) => href)).toEqual([
      '/console/budgets',
    ])
    expect((await owner.openConsole('/console/search?q=%3Cb%3Enothing')).text).toContain('Nothing has this name')
    expect((await owner.openConsole('/console/search?q=key_//evil.example')).status).toBe(200)
  })
})

test('scripts of a page are small, and each can be read', async () => {
  const folder = new URL('../../src/console/islands/browser/', import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const texts = names.map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
  expect(texts.filter(({ text }) => text.split('\n').length > 400)).toEqual([])
  const bytes = texts.reduce((sum, { text }) => sum + gzipSync(text).length, 0)
  expect(bytes).toBeLessThan(60_000)
  for (const { name } of texts) expect((await owner.openConsole(`/console/${name}`)).status, name).toBe(200)
})
