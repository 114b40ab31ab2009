import { describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { type DialectName, dialectNames, dialects } from './support/dialects.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway()
const lastEntry = () => under.provider.books.entries.at(-1)!

/** Dialects whose answers say how much of them was reasoning. Gemini's is billed beside the maximum. */
const reasoning = new Set<DialectName>(['chat', 'responses', 'gemini'])

describe.each(dialectNames)('%s', (dialect) => {
  const { path, body } = dialects[dialect]({ max: 200 })

  test.each([false, true])('is settled at exactly what the provider billed, streamed: %s', async (stream) => {
    const request = dialects[dialect]({ max: 200, stream })
    const script = { output: 40, cached: 3, ...(reasoning.has(dialect) && { reasoning: 10 }) }
    const answer = await ask(under, request.path, request.body, practice(script))
    await answer.text()
    expect(answer.status).toBe(200)
    const entry = lastEntry()
    expect(entry).toMatchObject({ dialect, state: 'complete', output: dialect === 'gemini' ? 50 : 40 })
    expect(await endedRun(under, answer)).toMatchObject({
      status: 'succeeded',
      cost_basis: 'computed',
      input_tokens: entry.input,
      output_tokens: entry.output,
      cache_read_input_tokens: 3,
      overrun_usd: '0',
    })
  })

  test('cannot be longer than was granted, and says so as the provider does', async () => {
    const answer = await ask(under, path, body, practice({ output: 5_000 }))
    expect(await answer.text()).toMatch(/"length"|"max_tokens"|"max_output_tokens"|"MAX_TOKENS"/)
    expect(lastEntry().output).toBe(200)
    expect((await endedRun(under, answer))['overrun_usd']).toBe('0')
  })

  test.each([400, 429, 500])('with an error of the provider is passed on as it is: %d', async (status) => {
    const answer = await ask(under, path, body, practice({ status }))
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(`told to answer ${status}`)
    const run = await endedRun(under, answer)
    expect(run).toMatchObject(
      status === 500 ? { status: 'failed', cost_basis: 'estimated' } : { status: 'failed', cost_usd: '0' },
    )
  })

  test('that breaks in the middle is settled at no less than was billed', async () => {
    const request = dialects[dialect]({ max: 200, stream: true })
    const script = practice({ output: 100, breakAfter: 30, chunkMs: 1 })
    const answer = await ask(under, request.path, request.body, script)
    expect(await answer.text()).toContain('upstream_failed')
    const run = await endedRun(under, answer)
    expect(run).toMatchObject({ status: 'failed', cost_basis: 'estimated' })
    expect(run['output_tokens']).toBeGreaterThanOrEqual(lastEntry().output)
    expect(run['input_tokens']).toBeGreaterThanOrEqual(lastEntry().input)
  })
})

test('embeddings are settled at their input', async () => {
  const answer = await ask(under, '/v1/embeddings', { model: 'text-embedding-3-small', input: ['one', 'two'] })
  expect(await answer.json()).toMatchObject({ data: [{ embedding: [0.25, -0.5, 0.125] }] })
  expect(await endedRun(under, answer)).toMatchObject({ input_tokens: lastEntry().input, output_tokens: 0 })
})

describe('what is billed beside the totals', () => {
  const { path, body } = dialects.messages({ max: 200 })

  test.each([false, true])('a compaction and an advisor, streamed: %s', async (stream) => {
    const script = {
      compaction: { input: 61_067, output: 592 },
      advisor: { model: 'claude-opus-4-5', input: 2_728, output: 3_880 },
    }
    const answer = await ask(under, path, { ...body, stream }, practice(script))
    await answer.text()
    const entry = lastEntry()
    const run = await endedRun(under, answer)
    expect(run).toMatchObject({ input_tokens: entry.input, output_tokens: entry.output })
    expect(entry.input).toBeGreaterThan(61_067)
    expect(run['usage_detail']).toMatchObject({
      parts: [{ model: 'claude-opus-4-5', usage: { input_tokens: 2_728, output_tokens: 3_880 } }],
    })
  })

  test('searches of the provider have a fee, which is held before and settled after', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const answer = await ask(under, path, { ...body, tools }, practice({ searches: 2 }))
    expect(answer.headers.get('x-weir-bound')).toBe('soft')
    expect(JSON.parse(lastEntry().body)).toMatchObject({ tools: [{ max_uses: 8 }] })
    // Eight searches at $0.01 are held, beside what they may add to the input.
    expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(0.08)
    expect((await endedRun(under, answer))['usage_detail']).toMatchObject({ units: { web_search: 2 } })
  })

  test('the search of a chat has its fee, though the answer does not say that it searched', async () => {
    const chat = dialects.chat({ max: 200 })
    const answer = await ask(under, chat.path, { ...chat.body, web_search_options: {} })
    await answer.text()
    expect((await endedRun(under, answer))['usage_detail']).toMatchObject({ units: { web_search: 1 } })
  })
})

test('a caller cannot end a call as free, while it is served or after, and its run is settled at what was billed', async () => {
  const { weir } = under
  const { key, read } = await budgetedKey(under, 'cheat', '1')
  const { path, body } = dialects.messages({ max: 200, stream: true })
  const answer = await ask(under, path, body, {
    authorization: `Bearer ${key}`,
    ...practice({ output: 100, chunkMs: 5 }),
  })
  const id = String(answer.headers.get('x-weir-run-id'))
  const free = { status: 'succeeded', cost_usd: '0' }
  const cheat = async () => [
    (await call(weir.url, 'POST', `/v1/runs/${id}/finish`, { key, body: free })).status,
    (await call(weir.url, 'POST', '/v1/runs/bulk', { key, body: { runs: [{ run_id: id, ...free }] } })).status,
    (await call(weir.url, 'POST', `/v1/edge/reservations/${id.replace('run_', 'rsv_')}/release`, { key })).status,
  ]
  const during = await cheat()
  const extended = await call(weir.url, 'POST', `/v1/runs/${id}/extend`, { key, body: { lease_seconds: 120 } })
  await answer.text()
  const { cost_usd: cost } = await endedRun(under, answer)
  const after = await cheat()
  expect([during, extended.status]).toEqual([[403, 403, expect.any(Number)], 200])
  for (const status of [...during, ...after]) expect(status).toBeGreaterThanOrEqual(400)
  expect(Number(cost)).toBeGreaterThan(0)
  expect(await read()).toMatchObject({ spent_usd: cost, held_usd: '0' })
})

test('a key that is not believed pays what was held for a call, though it says first that it was free', async () => {
  const { weir, orgId, ownerKey } = under
  const { key, read } = await budgetedKey(under, 'doubted', '1')
  const { path, body } = dialects.messages({ max: 200, stream: true })
  const stream = { authorization: `Bearer ${key}`, ...practice({ output: 100, chunkMs: 5 }) }
  const keyId = String((await endedRun(under, await ask(under, path, body, stream)))['key_id'])
  const { spent_usd: before } = await read()
  const trust = { reported_cost: 'ignore', reported_usage: 'raise_only' }
  const set = await call(weir.url, 'PUT', `/v1/orgs/${orgId}/keys/${keyId}/trust`, { key: ownerKey, body: trust })
  expect(set.status).toBe(200)
  const answer = await ask(under, path, body, stream)
  const free = { status: 'succeeded', cost_usd: '0' }
  await call(weir.url, 'POST', `/v1/runs/${answer.headers.get('x-weir-run-id')}/finish`, { key, body: free })
  await answer.text()
  const held = Number(answer.headers.get('x-weir-reserved-usd'))
  expect(Number((await endedRun(under, answer))['cost_usd'])).toBe(held)
  expect(Number((await read())['spent_usd'])).toBeCloseTo(Number(before) + held, 9)
})

test('a call right after another is not refused for what that one has not used', async () => {
  // Two calls at their most do not fit, one beside the cost of others does.
  const { key } = await budgetedKey(under, 'in-a-row', '0.0025')
  const headers = { authorization: `Bearer ${key}`, ...practice({ output: 5 }) }
  const { path, body } = dialects.chat({ max: 100 })
  for (let i = 0; i < 5; i += 1) {
    const answer = await ask(under, path, body, headers)
    expect(answer.status).toBe(200)
    expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(0.00125)
    await answer.text()
  }
})
