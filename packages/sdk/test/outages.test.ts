import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { useTcpProxy } from '../../server/test/support/tcp-proxy.ts'
import { keyOf } from '../../server/test/support/tenants.ts'
import { FileSpool } from '../src/node.ts'
import { allowUpTo, MemorySpool } from '../src/sdk.ts'
import { clientOf, endedRuns, ownerOf, useSite } from './support/site.ts'

const site = useSite()
const proxy = useTcpProxy(() => ({ host: '127.0.0.1', port: site.weir.port }))
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-spool-'))
  folders.push(folder)
  return folder
}
const through = () => ({
  baseUrl: `http://127.0.0.1:${proxy.port}`,
  timeoutMs: 1_000,
  maxRetries: 1,
  settleWaitMs: 100,
})
const call = (workflow_id: string) => ({ model: 'gpt-4o', input_tokens: 500, max_output_tokens: 200, workflow_id })
const used = { usage: { prompt_tokens: 100, completion_tokens: 10 } }
const cost = '0.00035'
/** Costs of the calls of a workflow that were made: a start without an answer is on record too, as one that was cancelled. */
const made = async (workflow: string) =>
  (await endedRuns(site, workflow)).filter(({ status }) => status === 'succeeded').map(({ cost_usd }) => cost_usd)
/** A network that carries requests to a path, and loses some of their answers. */
const losing =
  (path: string, isLost: () => boolean): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, init)
    if (typeof input === 'string' && input.endsWith(path) && isLost()) throw new TypeError('the connection was lost')
    return answer
  }

describe('while Weir is away', () => {
  test('an end is kept, and reported when Weir is back', async () => {
    const { weir, kinds } = clientOf(site, through())
    await weir.run(call('kept'), () => {
      proxy.cut()
      return used
    })
    expect(await weir.flush({ timeoutMs: 100 })).toBe(false)
    // Weir stays away until the call's own attempts are over: one of them would report it otherwise.
    await expect.poll(kinds).toContain('settlement_deferred')
    proxy.mend()
    expect(await weir.close()).toBe(true)
    expect(await endedRuns(site, 'kept')).toMatchObject([{ status: 'succeeded', cost_usd: cost }])
  })

  test('an end on disk is reported by the next process', async () => {
    const folder = newFolder()
    const first = clientOf(site, { ...through(), spool: new FileSpool(folder) }).weir
    await first.run(call('next process'), () => {
      proxy.cut()
      return used
    })
    expect(readdirSync(folder)).toHaveLength(1)
    proxy.mend()
    const next = clientOf(site, { ...through(), spool: new FileSpool(folder) }).weir
    expect(await next.close()).toBe(true)
    expect(readdirSync(folder)).toEqual([])
    expect(await endedRuns(site, 'next process')).toMatchObject([{ status: 'succeeded', cost_usd: cost }])
    await first.close()
  })

  test('an end that finds no room is sent all the same, and where that fails the caller is told', async () => {
    const { weir, kinds } = clientOf(site, { ...through(), spool: new MemorySpool({ maxEntries: 0 }) })
    const run = weir.run({ ...call('no room'), lease_seconds: 1 }, () => {
      proxy.cut()
      return used
    })
    await run
    await expect.poll(kinds).toContain('settlement_lost')
    proxy.mend()
    await weir.close()
  })

  test('no call is made, by default', async () => {
    const { weir } = clientOf(site, through())
    proxy.cut()
    let calls = 0
    await expect(weir.run(call('denied'), () => (calls += 1))).rejects.toMatchObject({ code: 'connection_failed' })
    expect(calls).toBe(0)
    proxy.mend()
    await weir.close()
  })

  test('calls go on where the caller chose so, up to the bound, and are recorded afterwards', async () => {
    const apiKey = (await keyOf(site.weir, site.orgId, { role: 'service', scopes: ['runs:write', 'runs:import'] })).key
    const options = { ...through(), apiKey, onUnavailable: allowUpTo({ calls: 2 }) }
    const { weir, kinds } = clientOf(site, options)
    proxy.cut()
    for (let i = 0; i < 2; i += 1) expect(await weir.run(call('allowed'), () => used)).toBe(used)
    await expect(weir.run(call('allowed'), () => used)).rejects.toMatchObject({
      code: 'allowance_exhausted',
      details: { reason: 'calls' },
    })
    proxy.mend()
    expect(await weir.flush()).toBe(true)
    expect(await made('allowed')).toEqual([cost, cost])
    // They are on record now: the next outage may have as many again.
    proxy.cut()
    expect(await weir.run(call('allowed'), () => used)).toBe(used)
    proxy.mend()
    expect(await weir.close()).toBe(true)
    expect(await made('allowed')).toEqual([cost, cost, cost])
    expect(kinds().filter((kind) => kind === 'failed_open')).toHaveLength(3)
  })

  test('what goes without a reservation is bounded by dollars too, over restarts', async () => {
    const spool = newFolder()
    const options = () => ({ ...through(), onUnavailable: allowUpTo({ usd: '0.01' }), spool: new FileSpool(spool) })
    const asked = { ...call('dollars'), estimated_cost_usd: '0.006' }
    proxy.cut()
    const first = clientOf(site, options()).weir
    await first.run(asked, () => used)
    const next = clientOf(site, options()).weir
    await expect(next.run(asked, () => used)).rejects.toMatchObject({ details: { reason: 'usd' } })
    await expect(next.run(call('dollars'), () => used)).rejects.toMatchObject({ details: { reason: 'unbounded' } })
    proxy.mend()
    expect(await next.close()).toBe(true)
    await first.close()
    expect(await made('dollars')).toEqual([cost])
  })

  test('a start whose answer is lost is repeated, and is the same run', async () => {
    let lost = 0
    const { weir } = clientOf(site, { ...through(), fetch: losing('/v1/runs', () => (lost += 1) === 1) })
    expect(await weir.run(call('unheard'), () => used)).toBe(used)
    expect(lost).toBe(2)
    expect(await endedRuns(site, 'unheard')).toMatchObject([{ cost_usd: cost }])
  })

  test('a start without an answer leaves no hold behind', async () => {
    const { weir } = clientOf(site, { ...through(), fetch: losing('/v1/runs', () => true) })
    await expect(weir.run(call('given up'), () => used)).rejects.toMatchObject({
      code: 'connection_failed',
      details: { may_have_arrived: true },
    })
    expect(await weir.close()).toBe(true)
    expect(await endedRuns(site, 'given up')).toMatchObject([{ status: 'cancelled', cost_usd: '0' }])
  })
})

test('a refusal is not repeated, and neither is an answer that is not Weir’s', async () => {
  let asked = 0
  const answers =
    (status: number, body: string): typeof fetch =>
    () => {
      asked += 1
      return Promise.resolve(new Response(body, { status, headers: { 'retry-after': '0' } }))
    }
  const ask = async (status: number, body: string) => {
    asked = 0
    const { weir } = clientOf(site, { fetch: answers(status, body) })
    const error = await weir.request('GET', '/v1/me').catch((fault: unknown) => fault)
    return [(error as { code: string }).code, asked]
  }
  const envelope = (code: string, details = {}) => JSON.stringify({ error: { code, message: code, details } })
  // By its code, never by its status.
  expect(await ask(503, envelope('no_model_passes_eval'))).toEqual(['no_model_passes_eval', 1])
  expect(await ask(500, envelope('internal'))).toEqual(['internal', 1])
  expect(await ask(429, envelope('concurrency_exceeded'))).toEqual(['concurrency_exceeded', 1])
  expect(await ask(429, envelope('rate_limited', { retry_after_seconds: 0 }))).toEqual(['rate_limited', 3])
  expect(await ask(503, envelope('service_unavailable'))).toEqual(['service_unavailable', 3])
  expect(await ask(409, envelope('idempotency_key_processing'))).toEqual(['idempotency_key_processing', 3])
  expect(await ask(404, '<h1>Not here</h1>')).toEqual(['unrecognized_answer', 1])
  expect(await ask(502, '<h1>Bad gateway</h1>')).toEqual(['unrecognized_answer', 3])
  expect(await ask(400, envelope('new_in_version_9', { hint: 1 }))).toEqual(['unrecognized_code', 1])
})

test('an owner can read and change everything, with the tags of what was read', async () => {
  const owner = ownerOf(site)
  const path = { id: site.orgId }
  await owner.request('PUT', '/v1/orgs/{id}/spend-cap', { path, body: { cap_usd: '100' } })
  const { etag } = await owner.answer('GET', '/v1/orgs/{id}/spend-cap', { path })
  const change = { path, body: { cap_usd: '120' }, ifMatch: etag }
  expect(await owner.request('PUT', '/v1/orgs/{id}/spend-cap', change)).toMatchObject({ cap_usd: '120' })
  const late = owner.request('PUT', '/v1/orgs/{id}/spend-cap', { ...change, body: { cap_usd: '130' } })
  await expect(late).rejects.toMatchObject({ code: 'precondition_failed' })
  await owner.request('DELETE', '/v1/orgs/{id}/spend-cap', { path })
})
