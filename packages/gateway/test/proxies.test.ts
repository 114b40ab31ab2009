import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../server/test/support/harness.ts'
import { eventually } from '../../server/test/support/programs.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../../server/test/support/tenants.ts'
import { type PracticeProvider, startPracticeProvider } from '../src/practice/provider.ts'

/** The examples of proxies that ask for decisions, as they are in the repository, with real programs and the practice provider. */
const weir = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let provider: PracticeProvider
let tenant: Tenant

beforeAll(async () => {
  provider = await startPracticeProvider()
  tenant = await tenantOf(weir, (await operatorOf(weir)).key, 'Proxies')
})
afterAll(() => provider?.stop())

const examples = new URL('../../../examples/', import.meta.url)

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}

interface Proxy {
  readonly url: string
  readonly folder: string
  stop(): Promise<void>
}

const programs = {
  nginx: { config: 'nginx.conf', script: 'weir.js', command: 'nginx', flags: ['-g', 'daemon off;', '-c'] },
  haproxy: { config: 'haproxy.cfg', script: 'weir.lua', command: 'haproxy', flags: ['-db', '-f'] },
} as const

/** Starts a proxy with the files of its example, of which only the addresses and the provider's key are changed. */
async function startProxy(name: keyof typeof programs, weirHost: string): Promise<Proxy> {
  const { config, script, command, flags } = programs[name]
  if (!existsSync(`/usr/sbin/${command}`))
    throw new Error('A proxy is missing: scripts/debian-packages nginx-light libnginx-mod-http-js haproxy')
  const folder = mkdtempSync(join(tmpdir(), `weir-${name}-`))
  const port = await freePort()
  const read = (file: string) => readFileSync(new URL(`${name}/${file}`, examples), 'utf8')
  const adapted = read(config)
    .replaceAll('127.0.0.1:8080', weirHost)
    .replaceAll('127.0.0.1:9090', new URL(provider.url).host)
    .replaceAll('127.0.0.1:8090', `127.0.0.1:${port}`)
    .replace('load_module modules/', 'load_module /usr/lib/nginx/modules/')
    .replaceAll(/PROVIDER_KEY;|change-me/g, (found) => found.replace(/PROVIDER_KEY|change-me/, 'sk-provider'))
  writeFileSync(join(folder, config), adapted)
  writeFileSync(join(folder, script), read(script))
  const path = join(folder, config)
  const child: ChildProcess = spawn(command, name === 'nginx' ? ['-p', folder, ...flags, path] : [...flags, path], {
    cwd: folder,
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/other`).then(
      ({ status }) => status === 404,
      () => false,
    )
  await eventually(isUp).catch(() => {
    child.kill('SIGKILL')
    throw new Error(`${name} did not start: ${said}`)
  })
  return {
    url,
    folder,
    stop: async () => {
      const ended = new Promise((end) => child.once('exit', end))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/** A key of a proxy's caller, under a budget of its own: it may ask for decisions, and report nothing. */
async function callerOf(workflowId: string, limitUsd: string) {
  const org = `/v1/orgs/${tenant.id}`
  const budget = {
    name: workflowId,
    scope_kind: 'workflow',
    scope_id: workflowId,
    period: 'month',
    limit_usd: limitUsd,
  }
  const made = await call(weir.url, 'POST', `${org}/budgets`, { key: tenant.key, body: budget })
  const pins = { workflow_id: workflowId }
  const { key } = await keyOf(weir, tenant.id, { role: 'service', scopes: ['edge:decide'], pins })
  const path = `${org}/budgets/${String(made.json['id'])}`
  return { key, read: async () => (await call(weir.url, 'GET', path, { key: tenant.key })).json }
}

const completion = { model: 'gpt-4o', max_completion_tokens: 400, messages: [{ role: 'user', content: 'hi' }] }

/** Bodies by which a caller would pay for less than the provider does. */
const smuggled: [string, string | object][] = [
  ['no JSON', 'model=gpt-4o'],
  ['a list', '[]'],
  ['no model', { messages: completion.messages, max_completion_tokens: 5 }],
  ['a bound of nothing', { ...completion, max_completion_tokens: 0 }],
  ['a bound as text', { ...completion, max_completion_tokens: '5' }],
  ['a fraction of a choice', { ...completion, n: 0.1 }],
  ['an image by its address', { ...completion, messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
  ['a tool of the provider', { ...completion, tools: [{ type: 'web_search' }] }],
  ['another tier', { ...completion, service_tier: 'priority' }],
]

describe.each(['nginx', 'haproxy'] as const)('%s', (name) => {
  let proxy: Proxy
  beforeAll(async () => {
    proxy = await startProxy(name, new URL(weir.url).host)
  })
  afterAll(() => proxy?.stop())

  const ask = (key: string | undefined, body: object | string, path = '/v1/chat/completions') =>
    fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test('sends on what fits, and relays the refusal of what does not, unchanged', async () => {
    const { key, read } = await callerOf(`${name}-limit`, '0.015')
    const first = provider.books.entries.length
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const answer = await ask(key, completion)
      statuses.push(answer.status)
      await answer.text()
    }
    expect(statuses).toEqual([200, 200, 200, 402])
    expect(provider.books.entries.length - first).toBe(3)
    const refused = await ask(key, completion)
    const direct = await call(weir.url, 'POST', '/v1/edge/decision', {
      key,
      body: { model: 'gpt-4o', input_tokens: 200, max_output_tokens: 400 },
    })
    const { error } = (await refused.json()) as { error: Record<string, unknown> }
    expect([refused.status, error['code'], refused.headers.get('content-type')]).toEqual([
      direct.status,
      'budget_exceeded',
      direct.headers.get('content-type'),
    ])
    expect(Object.keys(error)).toEqual(Object.keys(direct.json['error'] as object))
    expect(refused.headers.get('x-svc-trace-id')).toMatch(/\w/)
    expect(Number((await read())['held_usd'])).toBeGreaterThan(0)
  })

  test('knows no other way to the provider', async () => {
    const { key } = await callerOf(`${name}-paths`, '1')
    const first = provider.books.entries.length
    expect((await ask(undefined, completion)).status).toBe(401)
    expect((await ask('weir_made_up', completion)).status).toBe(401)
    for (const path of ['/v1/embeddings', '/v1/chat/completions/', '/V1/chat/completions', '/weir/decision'])
      expect([path, (await ask(key, completion, path)).status]).toEqual([path, 404])
    expect(provider.books.entries.length).toBe(first)
  })

  test.each(smuggled)('refuses %s', async (_, body) => {
    const { key } = await callerOf(`${name}-smuggled-${smuggled.findIndex(([, one]) => one === body)}`, '1')
    const first = provider.books.entries.length
    const answer = await ask(key, body)
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'validation_failed',
    ])
    expect(provider.books.entries.length).toBe(first)
  })

  test('holds what the provider can bill, whichever of two members it reads', async () => {
    const { key } = await callerOf(`${name}-twice`, '0.01')
    const first = provider.books.entries.length
    const twice =
      '{"model":"gpt-4o","max_completion_tokens":5,"max_completion_tokens":5000,"messages":[{"role":"user","content":"hi"}]}'
    const swapped = twice.replace(':5,', ':5000,').replace(':5000,"m', ':5,"m')
    for (const body of [twice, swapped]) {
      const answer = await ask(key, body)
      await answer.text()
    }
    for (const { maxOutput } of provider.books.entries.slice(first)) expect(maxOutput).toBe(5)
  })

  test('answers 503 while Weir is away, and sends nothing on', async () => {
    const first = provider.books.entries.length
    const alone = await startProxy(name, `127.0.0.1:${await freePort()}`)
    const answer = await fetch(`${alone.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(completion),
    })
    await alone.stop()
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }])
    expect(provider.books.entries.length).toBe(first)
  })
})

describe('the log of nginx', () => {
  let proxy: Proxy
  beforeAll(async () => {
    proxy = await startProxy('nginx', new URL(weir.url).host)
  })
  afterAll(() => proxy?.stop())

  test('is a batch of runs that settles each call at what the provider billed', async () => {
    const { key, read } = await callerOf('nginx-log', '1')
    const first = provider.books.entries.length
    for (const stream of [false, true]) {
      const answer = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...completion,
          stream,
          messages: [{ role: 'user', content: 'Tell me „a long story“' }],
        }),
      })
      expect([answer.status, (await answer.text()).length > 50]).toEqual([200, true])
    }
    const log = join(proxy.folder, 'runs.log')
    await expect.poll(() => readFileSync(log, 'utf8').trim().split('\n').length).toBe(2)
    const { key: reporter } = await keyOf(weir, tenant.id, { role: 'service', scopes: ['runs:write', 'runs:manage'] })
    const sent = await fetch(`${weir.url}/v1/runs/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reporter}`, 'content-type': 'application/x-ndjson' },
      body: readFileSync(log, 'utf8'),
    })
    expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining('run_')])
    // gpt-4o: $2.50 a million tokens of input, $10 of output.
    const nano = provider.books.entries
      .slice(first)
      .reduce((sum, { input, output }) => sum + input * 2_500 + output * 10_000, 0)
    expect(await read()).toMatchObject({ held_usd: '0' })
    expect(Math.round(Number((await read())['spent_usd']) * 1e9)).toBe(nano)
  })
})
