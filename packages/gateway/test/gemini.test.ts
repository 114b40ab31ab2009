import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { checkConfig } from '../src/config.ts'
import { startGateway } from '../src/gateway.ts'
import type { Script } from '../src/practice/script.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { baseConfig, practice, useGateway } from './support/gateway.ts'

const under = useGateway((base) => ({
  ...base,
  models: [
    ...(base.models ?? []),
    { name: 'gemini-2.5-flash', provider: 'gemini' },
    { name: 'flash', alias: 'gemini-2.5-flash' },
    { name: 'vectors', alias: 'gemini-embedding-001' },
  ],
}))

const model = 'gemini-2.5-flash'
const flash = `/v1beta/models/${model}`
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const entries = () => under.provider.books.entries
const lastEntry = () => entries().at(-1)!

const clientOf = (script: Script = {}, apiKey = under.ownerKey) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: under.gateway.url, headers: practice(script) } })

/** Waits until the newest run has ended, and returns it. */
async function newestRun(): Promise<Record<string, unknown>> {
  const read = async () =>
    (await call(under.weir.url, 'GET', '/v1/runs?limit=1', { key: under.ownerKey })).json['data'] as [
      Record<string, unknown>,
    ]
  await expect.poll(async () => (await read())[0]['status']).not.toBe('running')
  return (await read())[0]
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as Error & { status?: number },
  )

describe('Google Gen AI', () => {
  test('calls functions, and is settled at what the provider billed', async () => {
    const config = {
      maxOutputTokens: 300,
      tools: [{ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.' }] }],
    }
    const answer = await clientOf({ tool: true, output: 7 }).models.generateContent({ model, contents: 'hi', config })
    expect(answer.functionCalls).toMatchObject([{ name: 'weather', args: { city: 'Paris' } }])
    expect(lastEntry()).toMatchObject({ maxOutput: 300, output: 7, state: 'complete' })
    expect(await newestRun()).toMatchObject({
      status: 'succeeded',
      operation: 'gemini',
      input_tokens: lastEntry().input,
      output_tokens: 7,
    })
  })

  test('that hangs up is read to its end, because Google bills it to its end', async () => {
    const controller = new AbortController()
    const config = { maxOutputTokens: 400, abortSignal: controller.signal }
    const script = { output: 400, chunkMs: 2, billsToTheEnd: true }
    const stream = await clientOf(script).models.generateContentStream({ model, contents: 'hi', config })
    const failure = failureOf(
      (async () => {
        for await (const _ of stream) controller.abort()
      })(),
    )
    expect((await failure)?.name).toBe('AbortError')
    const run = await newestRun()
    expect(lastEntry()).toMatchObject({ state: 'complete', output: 400 })
    expect(run).toMatchObject({ status: 'succeeded', input_tokens: lastEntry().input, output_tokens: 400 })
  })

  test('shows an error in the middle of a stream', async () => {
    const stream = await clientOf({ output: 50, breakAfter: 20, chunkMs: 5 }).models.generateContentStream({
      model,
      contents: 'hi',
    })
    const failure = await failureOf(
      (async () => {
        for await (const chunk of stream) expect(chunk.text).toBeDefined()
      })(),
    )
    expect(failure?.message).toMatch(/Weir: the answer of the provider broke off|Incomplete JSON segment/)
  })

  test('gets a rate limit of the provider as it is', async () => {
    const failure = await failureOf(clientOf({ status: 429 }).models.generateContent({ model, contents: 'hi' }))
    expect(failure).toMatchObject({ status: 429, message: expect.stringContaining('RESOURCE_EXHAUSTED') })
    expect(await newestRun()).toMatchObject({ status: 'failed', cost_usd: '0' })
  })

  test('counts tokens and lists models at no cost, and embeds at that of its input', async () => {
    const client = clientOf()
    const runs = async () =>
      (await call(under.weir.url, 'GET', '/v1/runs?limit=200', { key: under.ownerKey })).json['data'] as unknown[]
    const before = (await runs()).length
    expect((await client.models.countTokens({ model: 'flash', contents: 'hi' })).totalTokens).toBeGreaterThan(0)
    const names = (await client.models.list()).page.map(({ name }) => name)
    expect(names).toEqual([`models/${model}`, 'models/flash', 'models/vectors'])
    expect((await runs()).length).toBe(before)
    const { embeddings } = await client.models.embedContent({ model: 'vectors', contents: ['one', 'two'] })
    expect(embeddings).toHaveLength(2)
    // Under its own name, wherever the request has one.
    expect(lastEntry()).toMatchObject({ dialect: 'gemini-embeddings', model: 'gemini-embedding-001' })
    expect(lastEntry().body).toContain('models/gemini-embedding-001')
    expect(await newestRun()).toMatchObject({ operation: 'gemini-embeddings', input_tokens: lastEntry().input })
  })
})

describe('a key in the address', () => {
  const post = (path: string) =>
    fetch(`${under.gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-fieldmask': 'candidates', ...practice({ output: 3 }) },
      body: JSON.stringify({ contents }),
    })

  test('counts as one in a header, and goes no further', async () => {
    const answer = await post(`${flash}:streamGenerateContent?key=${under.ownerKey}&alt=sse`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('data: {')
    const { path, headers } = lastEntry()
    expect(path).toBe(`${flash}:streamGenerateContent?alt=sse`)
    expect(JSON.stringify(headers)).not.toMatch(/weir_|fieldmask/)
    expect(headers['x-goog-api-key']).toBe('sk-provider-secret')
  })

  test('is in no log, no metric and no journal', async () => {
    const lines: string[] = []
    const folder = mkdtempSync(join(tmpdir(), 'weir-gemini-'))
    const env = { PROVIDER_KEY: 'sk-provider-secret', SETTLEMENT_KEY: under.ownerKey }
    const base = baseConfig(under.weir.url, under.provider.url)
    const gateway = await startGateway({
      config: checkConfig({ ...base, journal: { folder } }, env),
      env,
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    })
    const key = `key=${under.ownerKey}`
    const asked = [
      `:generateContent?${key}`,
      `:generateContent?${key}&fields=x`,
      `:predict?${key}`,
      `:countTokens?${key}`,
    ]
    const scripts = [{ output: 3 }, { breakAfter: 0 }, { status: 401 }]
    for (const path of asked)
      for (const script of scripts) {
        const headers = { 'content-type': 'application/json', ...practice(script) }
        const answer = await fetch(gateway.url + flash + path, {
          method: 'POST',
          headers,
          body: JSON.stringify({ contents }),
        })
        lines.push(await answer.text())
      }
    lines.push(await gateway.parts.metrics.registry.metrics())
    lines.push(...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')))
    await gateway.stop()
    rmSync(folder, { recursive: true })
    expect(lines.length).toBeGreaterThan(asked.length * scripts.length)
    expect(lines.join('\n')).not.toContain(under.ownerKey.slice(-20))
  })

  test('that is wrong is refused in the words of Google', async () => {
    const answer = await post(`${flash}:generateContent?key=weir_wrong_0000000000000000`)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } })
  })
})

test('a stream without events is an array, and metered like any other', async () => {
  const answer = await ask(
    under,
    `${flash}:streamGenerateContent`,
    { contents },
    practice({ output: 12, reasoning: 4 }),
  )
  expect(await answer.json()).toHaveLength(13)
  expect(await endedRun(under, answer)).toMatchObject({
    cost_basis: 'computed',
    input_tokens: lastEntry().input,
    output_tokens: 16,
  })
})

describe('what is held', () => {
  const reserved = async (generationConfig: object) => {
    const answer = await ask(under, `${flash}:generateContent`, { contents, generationConfig })
    return Number(answer.headers.get('x-weir-reserved-usd'))
  }

  test('covers thinking beside the maximum, and every candidate', async () => {
    // gemini-2.5-flash: $2.50 a million tokens of output; a candidate of 1,000 is held at 16 more.
    const none = await reserved({ maxOutputTokens: 1_000, thinkingConfig: { thinkingBudget: 0 } })
    const some = await reserved({ maxOutputTokens: 1_000, thinking_config: { thinking_budget: 8_000 } })
    const all = await reserved({ maxOutputTokens: 1_000, thinkingConfig: { thinkingBudget: -1 } })
    const two = await reserved({ maxOutputTokens: 1_000, thinkingConfig: {}, candidateCount: 2 })
    expect(none).toBeGreaterThan(1_016 * 2.5e-6)
    expect(some - none).toBeGreaterThanOrEqual(8_000 * 2.5e-6)
    expect(all - none).toBeGreaterThanOrEqual(24_576 * 2.5e-6)
    expect(two - none).toBeGreaterThanOrEqual((1_016 + 2 * 24_576) * 2.5e-6)
  })

  test('is never passed, however long the model thinks', async () => {
    const body = { contents, generation_config: { max_output_tokens: 50, candidate_count: 2 } }
    const script = practice({ output: 5_000, reasoning: 24_576, worst: true })
    const answer = await ask(under, `${flash}:generateContent`, body, script)
    const run = await endedRun(under, answer)
    expect(lastEntry().output).toBe(2 * (50 + 24_576))
    expect(run).toMatchObject({ output_tokens: lastEntry().output, overrun_usd: '0' })
    const violations = await under.gateway.parts.metrics.violations.get()
    expect(violations.values).toEqual([])
  })

  test('is the context window for a file, and the provider’s own count where that is too much', async () => {
    const parts = [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/film' } }]
    const body = {
      contents: [{ parts }],
      generationConfig: { maxOutputTokens: 10, thinkingConfig: { thinkingBudget: 0 } },
    }
    const answer = await ask(under, `${flash}:generateContent`, body)
    expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(1_048_576 * 0.3e-6)
    const { key } = await budgetedKey(under, 'films', '0.01')
    const counted = await ask(under, `${flash}:generateContent`, body, { authorization: `Bearer ${key}` })
    expect(counted.headers.get('x-weir-bound')).toBe('counted')
  })
})

test('a search has a fee, where the price has one', async () => {
  const price = {
    model,
    input_usd_per_million: '0.3',
    output_usd_per_million: '2.5',
    units_usd: { web_search: '0.035' },
  }
  const made = await call(under.weir.url, 'POST', `/v1/orgs/${under.orgId}/prices`, {
    key: under.ownerKey,
    body: price,
  })
  expect(made.status).toBe(201)
  const body = { contents, tools: [{ google_search: {} }] }
  const answer = await ask(under, `${flash}:generateContent`, body, practice({ searches: 3 }))
  expect(answer.headers.get('x-weir-bound')).toBe('soft')
  expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(8 * 0.035)
  expect((await endedRun(under, answer))['usage_detail']).toMatchObject({ units: { web_search: 1 } })
})

test('the configuration of the guide is one', () => {
  const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8')
  const [, written = ''] = /\n### Gemini\n[\s\S]*?```json\n([\s\S]*?)```/.exec(guide)!
  const config = { ...(JSON.parse(written) as object), weir: { url: under.weir.url } }
  expect(checkConfig(config, { GOOGLE_API_KEY: 'secret' }).providers['gemini']?.kind).toBe('gemini')
})
