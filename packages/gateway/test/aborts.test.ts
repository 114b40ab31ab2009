import { describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { ask, endedRun } from './support/callers.ts'
import { dialects } from './support/dialects.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway((base) => ({
  ...base,
  providers: {
    ...base.providers,
    drained: { ...base.providers['anthropic']!, on_client_gone: 'drain' },
  },
  models: [...(base.models ?? []), { name: 'thinker', alias: 'gpt-5' }],
}))

/** Reads some of a stream, hangs up, and returns the time. */
async function hangUp(answer: Response, chunks: number): Promise<number> {
  const reader = answer.body!.getReader()
  for (let i = 0; i < chunks; i += 1) await reader.read()
  const at = performance.now()
  await reader.cancel()
  return at
}

describe.each(['chat', 'responses', 'messages'] as const)('%s', (dialect) => {
  const { path, body } = dialects[dialect]({ max: 2_000, stream: true })

  test('a caller that hangs up stops the provider, and pays for what it got', async () => {
    const answer = await ask(under, path, body, practice({ output: 2_000, chunkMs: 5 }))
    const entry = under.provider.books.entries.at(-1)!
    const at = await hangUp(answer, 20)
    const run = await endedRun(under, answer)
    expect(entry.state).toBe('aborted')
    // At 5 ms a token it would take 10 s to its end; a machine may pause.
    expect(entry.goneAtMs! - at).toBeLessThan(5_000)
    expect(entry.output).toBeLessThan(1_000)
    expect(run).toMatchObject({ status: 'cancelled', cost_basis: 'estimated' })
    expect(run['output_tokens']).toBeGreaterThanOrEqual(entry.output)
    expect(run['input_tokens']).toBeGreaterThanOrEqual(entry.input)
  })

  test('a caller that hangs up before the first byte stops the provider too', async () => {
    const controller = new AbortController()
    const before = under.provider.books.entries.length
    const asked = fetch(under.gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${under.ownerKey}`,
        'content-type': 'application/json',
        ...practice({ output: 500, chunkMs: 20, firstMs: 60_000 }),
      },
      body: JSON.stringify({ ...body, stream: false }),
      signal: controller.signal,
    })
    await expect.poll(() => under.provider.books.entries.length).toBe(before + 1)
    controller.abort()
    await expect(asked).rejects.toThrow('abort')
    const list = async () =>
      (await call(under.weir.url, 'GET', '/v1/runs?status=running', { key: under.ownerKey })).json['data'] as unknown[]
    await expect.poll(list).toEqual([])
  })
})

describe('where the provider bills to the end', () => {
  const script = { output: 300, chunkMs: 2, billsToTheEnd: true }

  test.each([
    ['by its configuration', '/p/drained', dialects.messages],
    ['as Gemini does', '', dialects.gemini],
  ] as const)('%s, the answer is read to its end and settled exactly', async (_, prefix, dialect) => {
    const { path, body } = dialect({ max: 300, stream: true })
    const answer = await ask(under, prefix + path, body, practice(script))
    const entry = under.provider.books.entries.at(-1)!
    await hangUp(answer, 3)
    const run = await endedRun(under, answer)
    expect(entry).toMatchObject({ state: 'complete', output: 300 })
    expect(run).toMatchObject({ cost_basis: 'computed', output_tokens: 300, input_tokens: entry.input })
  })
})

test('a caller that hangs up before the end pays for the searches that may have been made', async () => {
  const { path, body } = dialects.responses({ max: 2_000, stream: true })
  const script = practice({ output: 2_000, chunkMs: 5, searches: 5 })
  const answer = await ask(under, path, { ...body, tools: [{ type: 'web_search' }] }, script)
  await hangUp(answer, 20)
  expect((await endedRun(under, answer))['usage_detail']).toMatchObject({ units: { web_search: 8 } })
})

test('a caller that hangs up pays for reasoning that it was not shown, whatever it calls the model', async () => {
  const { path, body } = dialects.chat({ max: 2_000, stream: true })
  const script = practice({ output: 2_000, reasoning: 250, firstMs: 2_000, chunkMs: 5 })
  const answer = await ask(under, path, { ...body, model: 'thinker' }, script)
  const entry = under.provider.books.entries.at(-1)!
  await hangUp(answer, 10)
  expect((await endedRun(under, answer))['output_tokens']).toBeGreaterThanOrEqual(entry.output)
  expect(entry.output).toBeGreaterThan(250)
})
