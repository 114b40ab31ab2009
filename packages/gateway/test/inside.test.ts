import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentFor } from '../../server/test/support/harness.ts'
import { type RunningRole, startRole } from '../../server/test/support/processes.ts'
import { call, keyOf, operatorOf, tenantOf } from '../../server/test/support/tenants.ts'
import type { GatewayConfig } from '../src/config-schema.ts'
import { startPracticeProvider } from '../src/practice/provider.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { baseConfig, practice, useGateway } from './support/gateway.ts'

const outside = useGateway()
const folder = mkdtempSync(join(tmpdir(), 'weir-inside-'))
const file = join(folder, 'gateway.json')
const path = '/v1/chat/completions'
const body = { model: 'gpt-4o', max_tokens: 200, messages: [{ role: 'user', content: 'hi' }] }

/** A gateway inside the real program, which has the database of the server under test. */
const inside = { ...outside } as typeof outside & { program: RunningRole }

function configWith(provider: string) {
  const { weir, listen, ...base } = baseConfig('', provider)
  const { url: _none, ...rest } = weir
  return JSON.stringify({ ...base, listen: { ...listen, trusted_proxies: ['127.0.0.2'] }, weir: rest })
}

async function startProgramWith(environment: Record<string, string>) {
  const { key } = await keyOf(outside.weir, outside.orgId, {
    role: 'service',
    scopes: ['runs:read', 'runs:write', 'runs:manage'],
  })
  return startRole(
    'api',
    environmentFor(outside.weir.database, {
      SVC_GATEWAY_CONFIG: file,
      SETTLEMENT_KEY: key,
      PROVIDER_KEY: 'sk-provider-secret',
      ...environment,
    }),
  )
}

beforeAll(async () => {
  writeFileSync(file, configWith(outside.provider.url))
  const program = await startProgramWith({})
  const { url } = await program.line(({ message }) => message === 'the gateway listens')
  Object.assign(inside, outside, { program, gateway: { ...outside.gateway, url: String(url) } })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('calls are admitted, refused and settled as by a gateway outside', async () => {
  const answer = await ask(inside, path, { ...body, stream: true }, practice({ output: 40 }))
  await answer.text()
  const entry = outside.provider.books.entries.at(-1)!
  expect(await endedRun(outside, answer)).toMatchObject({
    status: 'succeeded',
    input_tokens: entry.input,
    output_tokens: 40,
    overrun_usd: '0',
  })
  const { key } = await budgetedKey(outside, 'inside', '0.0001')
  const refused = await ask(inside, path, body, { authorization: `Bearer ${key}` })
  expect(refused.status).toBe(402)
  expect(refused.headers.get('x-should-retry')).toBe('false')
  expect((await ask(inside, path, body, { authorization: 'Bearer weir_nobody_at_all' })).status).toBe(401)
})

test('no header gives a caller another address than that of its connection, except behind a proxy that is trusted', async () => {
  const { key: operator } = await operatorOf(outside.weir)
  const { id, key } = await tenantOf(outside.weir, operator)
  const list = { ip_allow_list: ['203.0.113.0/24'], force: true }
  const { status } = await call(outside.weir.url, 'PUT', `/v1/orgs/${id}/ip-allow-list`, { key, body: list })
  expect(status).toBe(200)
  const before = outside.provider.books.entries.length
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
    const value = header === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9'
    const answer = await ask(inside, path, body, { authorization: `Bearer ${key}`, [header]: value })
    expect(answer.status, header).toBe(403)
  }
  expect(outside.provider.books.entries.length).toBe(before)
  const proxied = request(`${inside.gateway.url}${path}`, {
    method: 'POST',
    localAddress: '127.0.0.2',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
  }).end(JSON.stringify(body))
  const [answer] = (await once(proxied, 'response')) as [IncomingMessage]
  expect([answer.statusCode, await text(answer)]).toEqual([200, expect.stringContaining('quick brown fox')])
})

test('SIGHUP reads the configuration again: faults are all named and change nothing; calls in progress end where they began', async () => {
  const { process: child } = inside.program
  const nowhere = JSON.parse(configWith('nowhere')) as GatewayConfig
  const faults = { ...nowhere, models: [{ name: 'a', provider: 'b' }], listen: { port: 0 } }
  writeFileSync(file, JSON.stringify(faults))
  child.kill('SIGHUP')
  const said = await inside.program.line(
    ({ message }) => message === 'the new configuration has faults: the old one stays',
  )
  expect(said['faults']).toHaveLength(Object.keys(faults.providers).length + 1)
  const slow = await ask(inside, path, { ...body, stream: true }, practice({ output: 100, chunkMs: 10 }))
  const first = outside.provider.books.entries.at(-1)!
  const other = await startPracticeProvider()
  writeFileSync(file, configWith(other.url))
  child.kill('SIGHUP')
  await inside.program.line(({ message }) => message === 'the configuration was read again')
  expect((await ask(inside, path, body)).status).toBe(200)
  expect(other.books.entries).toHaveLength(1)
  await slow.text()
  expect(first).toMatchObject({ state: 'complete', output: 100 })
  expect(await endedRun(outside, slow)).toMatchObject({ status: 'succeeded', output_tokens: 100 })
  writeFileSync(file, configWith(outside.provider.url))
  child.kill('SIGHUP')
  const last = () => outside.provider.books.entries.length
  const before = last()
  await expect.poll(async () => ((await ask(inside, path, body)).status === 200 ? last() > before : false)).toBe(true)
  await other.stop()
})

test('asked to stop, it lets answers end and settles them before the API goes', async () => {
  const answer = await ask(inside, path, { ...body, stream: true }, practice({ output: 100, chunkMs: 20 }))
  inside.program.process.kill('SIGTERM')
  expect((await answer.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  expect(await inside.program.exit).toBe(0)
  expect(await endedRun(outside, answer)).toMatchObject({
    status: 'succeeded',
    cost_basis: 'computed',
    output_tokens: 100,
  })
})

test('a configuration with faults keeps the program from starting', async () => {
  writeFileSync(file, JSON.stringify({ weir: {}, providers: {} }))
  const program = await startProgramWith({})
  expect(await program.exit).toBe(78)
  expect(program.errors.join('\n')).toContain('SVC_GATEWAY_CONFIG: providers must have at least one')
})
