import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { startProgram } from '../../server/test/support/programs.ts'
import { keyOf } from '../../server/test/support/tenants.ts'
import { startGateway } from '../src/gateway.ts'
import { createLog } from '../src/infra/log.ts'
import { ask, endedRun } from './support/callers.ts'
import { baseConfig, practice, useGateway } from './support/gateway.ts'

const under = useGateway()
const folder = mkdtempSync(join(tmpdir(), 'weir-gateway-'))
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts a gateway as a process of its own, with a journal. */
async function startProcess(weirUrl = under.weir.url) {
  const { key } = await keyOf(under.weir, under.orgId, {
    role: 'service',
    scopes: ['runs:read', 'runs:write', 'runs:manage'],
  })
  const config = join(folder, 'gateway.json')
  const journal = { folder: join(folder, 'journal') }
  writeFileSync(config, JSON.stringify({ ...baseConfig(weirUrl, under.provider.url), journal }))
  const program = startProgram('gateway', [process.execPath, main], {
    WEIR_GATEWAY_CONFIG: config,
    SETTLEMENT_KEY: key,
    PROVIDER_KEY: 'sk-provider-secret',
  })
  const { url } = await program.line(({ message }) => message === 'the gateway listens')
  return { ...program, url: String(url) }
}

test('a call in the middle of which the gateway is killed is settled by the next one that starts', async () => {
  const first = await startProcess()
  const gateway = { ...under.gateway, url: first.url }
  const body = { model: 'gpt-4o', max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }], stream: true }
  const answer = await ask({ ...under, gateway }, '/v1/chat/completions', body, practice({ output: 4_000, chunkMs: 5 }))
  const reader = answer.body!.getReader()
  const began = performance.now()
  while (performance.now() - began < 700) await reader.read()
  first.process.kill('SIGKILL')
  await first.exit
  await reader.cancel().catch(() => undefined)
  const entry = under.provider.books.entries.at(-1)!
  await expect.poll(() => entry.state).toBe('aborted')
  const second = await startProcess()
  const run = await endedRun(under, answer)
  expect(run).toMatchObject({ status: 'failed', cost_basis: 'estimated' })
  expect(run['output_tokens']).toBeGreaterThanOrEqual(entry.output)
  // Not what was held: the journal knows how far it had come.
  expect(run['output_tokens']).toBeLessThan(4_000)
  second.process.kill('SIGTERM')
  expect(await second.exit).toBe(0)
  expect(readdirSync(join(folder, 'journal'))).toEqual([])
})

test('a call that was admitted when the gateway was killed, and not yet sent, costs nothing', async () => {
  // Between the gateway and Weir: starts arrive, and their answers do not.
  const starts: string[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: await text(request) }
    const answer = await fetch(under.weir.url + request.url, sent)
    const made = (await answer.json()) as { id: string }
    if (request.url === '/v1/runs') starts.push(made.id)
    else response.writeHead(answer.status).end(JSON.stringify(made))
  }
  const proxy = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const first = await startProcess(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  const gateway = { ...under.gateway, url: first.url }
  const body = { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }
  const before = under.provider.books.entries.length
  const calls = Promise.allSettled([
    ask({ ...under, gateway }, '/v1/chat/completions', body),
    ask({ ...under, gateway }, '/v1/chat/completions', body, { 'idempotency-key': 'crash' }),
  ])
  await expect.poll(() => starts.length).toBe(2)
  first.process.kill('SIGKILL')
  await first.exit
  await calls
  const second = await startProcess()
  for (const id of starts) {
    const answer = new Response(null, { headers: { 'x-weir-run-id': id } })
    expect(await endedRun(under, answer)).toMatchObject({ status: 'cancelled', cost_usd: '0' })
  }
  expect(under.provider.books.entries.length).toBe(before)
  const again = { ...under, gateway: { ...under.gateway, url: second.url } }
  expect((await ask(again, '/v1/chat/completions', body, { 'idempotency-key': 'crash' })).status).toBe(200)
  second.process.kill('SIGTERM')
  expect(await second.exit).toBe(0)
  proxy.closeAllConnections()
  proxy.close()
})

test('a gateway that is told to stop lets a stream end, and settles it', async () => {
  const program = await startProcess()
  const gateway = { ...under.gateway, url: program.url }
  const body = {
    model: 'claude-sonnet-4-5',
    max_tokens: 200,
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  }
  const answer = await ask({ ...under, gateway }, '/v1/messages', body, practice({ output: 200, chunkMs: 10 }))
  const reader = answer.body!.getReader()
  await reader.read()
  program.process.kill('SIGTERM')
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length
  expect(bytes).toBeGreaterThan(0)
  expect(await program.exit).toBe(0)
  expect(await endedRun(under, answer)).toMatchObject({
    status: 'succeeded',
    cost_basis: 'computed',
    output_tokens: 200,
  })
})

test('a gateway that may wait no longer cuts its streams, and settles them by judgement before it ends', async () => {
  const { config } = under.gateway.parts
  const gateway = await startGateway({
    config: { ...config, limits: { drain_seconds: 0.1 } },
    env: { SETTLEMENT_KEY: under.ownerKey, PROVIDER_KEY: 'sk-provider-secret' },
    log: createLog('silent'),
  })
  const body = { model: 'gpt-4o', max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }], stream: true }
  const answer = await ask({ ...under, gateway }, '/v1/chat/completions', body, practice({ output: 50, hangAfter: 30 }))
  await answer.body!.getReader().read()
  await gateway.stop()
  expect(gateway.parts.settlements.size).toBe(0)
  const run = await endedRun(under, answer)
  expect(run).toMatchObject({ status: 'cancelled', cost_basis: 'estimated' })
  expect(run['output_tokens']).toBeGreaterThanOrEqual(under.provider.books.entries.at(-1)!.output)
})

test('a configuration with faults is refused with all of them', async () => {
  const config = join(folder, 'faulty.json')
  writeFileSync(config, JSON.stringify({ weir: { url: 'nowhere' }, providers: {} }))
  const program = startProgram('gateway', [process.execPath, main], { WEIR_GATEWAY_CONFIG: config })
  expect(await program.exit).toBe(78)
  expect(program.errors.join('\n')).toMatch(/2 faults[\s\S]*providers must have at least one[\s\S]*weir\.url/)
})
