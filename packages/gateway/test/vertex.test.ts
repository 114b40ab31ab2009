import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { useCloud } from './support/clouds.ts'
import { keptLog, practice, useGateway } from './support/gateway.ts'
import { googleAccount, type IssuedTokens, judgeClaim, judgeVertex } from './support/google.ts'
import { clientInGuide, configInGuide } from './support/guide.ts'

const shown = configInGuide('Vertex AI')
const inGuide = shown.providers['vertex']!
const [[name, id] = ['', '']] = Object.entries(inGuide.model_ids!)
const place = { project: inGuide.project!, region: inGuide.region! }
const account = googleAccount()
const issued: IssuedTokens = new Map()
const folder = mkdtempSync(join(tmpdir(), 'weir-google-'))
const keyFile = join(folder, 'account.json')
const strangerFile = join(folder, 'stranger.json')

const tokens = useCloud(
  (request) => judgeClaim(account, issued, 3_600, request, Date.now()),
  () => '',
  false,
)
const models = { [id]: name, 'claude-opus-4-1@20250805': 'claude-opus-4-1' }
const cloud = useCloud(
  (request) => judgeVertex({ ...place, models }, issued, request, Date.now()),
  () => under.provider.url,
  true,
)
beforeAll(() => {
  writeFileSync(keyFile, account.file(`${tokens.server.url}/token`))
  writeFileSync(strangerFile, googleAccount(account.email).file(`${tokens.server.url}/token`))
})
const { log, lines } = keptLog()
const under = useGateway(
  (base) => {
    const vertex = { ...inGuide, base_url: cloud.server.url, credential: { google: { file: keyFile } } }
    return {
      ...base,
      ...shown,
      providers: {
        vertex,
        stranger: { ...vertex, credential: { google: { file: strangerFile } } },
        revoked: { ...vertex, credential: { header: 'authorization', prefix: 'Bearer ', env: 'PROVIDER_KEY' } },
        anthropic: base.providers['anthropic']!,
      },
    }
  },
  {},
  log,
)

const messages = [{ role: 'user' as const, content: 'hi' }]
const vertex = (key = under.ownerKey) =>
  new AnthropicVertex({
    baseURL: `${under.gateway.url}/v1`,
    region: place.region,
    projectId: place.project,
    authClient: { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${key}` }) } as never,
  })
const anthropic = (key = under.ownerKey) => new Anthropic({ baseURL: under.gateway.url, apiKey: key })
const lastEntry = () => under.provider.books.entries.at(-1)!
const pathOf = (model: string, { project, region } = place, operation = 'rawPredict') =>
  `/v1/projects/${project}/locations/${region}/publishers/anthropic/models/${model}:${operation}`
const native = { anthropic_version: 'vertex-2023-10-16', max_tokens: 100, messages }

describe('clients work with a changed address and key, and are settled at what Vertex billed', () => {
  const calls: Record<string, () => Promise<Response>> = {
    'the client of Anthropic': () =>
      anthropic().messages.create({ model: name, max_tokens: 100, messages }).asResponse(),
    'the client of Anthropic, streamed': () =>
      anthropic().messages.create({ model: name, max_tokens: 100, messages, stream: true }).asResponse(),
    'the client of Vertex': () => vertex().messages.create({ model: id, max_tokens: 100, messages }).asResponse(),
    'the client of Vertex, streamed': () =>
      vertex().messages.create({ model: id, max_tokens: 100, messages, stream: true }).asResponse(),
  }
  test.each(Object.entries(calls))('%s', async (_, run) => {
    const answer = await run()
    expect(await answer.text()).toContain('quick')
    const { input, output, state } = lastEntry()
    expect(state).toBe('complete')
    expect(await endedRun(under, answer)).toMatchObject({
      model: id,
      provider: 'google',
      input_tokens: input,
      output_tokens: output,
      cost_basis: 'computed',
      overrun_usd: '0',
    })
    expect(cloud.server.refused).toEqual([])
    expect(tokens.server.arrived.length).toBe(1)
  })

  test('tokens are counted too, by both', async () => {
    expect((await anthropic().messages.countTokens({ model: name, messages })).input_tokens).toBeGreaterThan(0)
    expect((await vertex().messages.countTokens({ model: id, messages })).input_tokens).toBeGreaterThan(0)
    expect(cloud.server.arrived.at(-1)!.rawPath).toMatch(/models\/count-tokens:rawPredict$/)
  })
})

test('the client that the guide shows works as it stands', async () => {
  const shownClient = await clientInGuide<AnthropicVertex>('Vertex AI', { AnthropicVertex }, under)
  const { content } = await shownClient.messages.create({ model: id, max_tokens: 9, messages })
  expect(content[0]).toMatchObject({ type: 'text' })
})

test('a caller that hangs up pays for the answer to its end, as Vertex bills it', async () => {
  const answer = await ask(
    under,
    pathOf(id, place, 'streamRawPredict'),
    { ...native, stream: true },
    practice({ output: 100, chunkMs: 2 }),
  )
  const entry = lastEntry()
  const reader = answer.body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(await endedRun(under, answer)).toMatchObject({ cost_basis: 'computed', output_tokens: 100 })
  expect(entry).toMatchObject({ state: 'complete', output: 100 })
})

describe('a caller cannot reach another project, region or model', () => {
  const other = 'claude-opus-4-1@20250805'
  test.each([
    pathOf(other),
    pathOf(encodeURIComponent(other)),
    pathOf(id, { ...place, project: 'other-project' }),
    pathOf(id, { ...place, region: 'us-east5' }),
    pathOf(id, { ...place, region: `${place.region}%2f..%2fus-east5` }),
    pathOf(encodeURIComponent(`${id}/../${other}`)),
    pathOf('..%2f..%2fgoogle%2fmodels%2fgemini-2.5-pro'),
    pathOf(`${id}%3arawPredict%3f`),
    pathOf(id).replace('anthropic', 'google'),
    pathOf(id, place, 'predict'),
    pathOf('count-tokens', place, 'streamRawPredict'),
    pathOf('__proto__'),
    `/p/anthropic${pathOf(id)}`,
    `/v1/projects/${place.project}/locations/${place.region}/endpoints/1:rawPredict`,
  ])('%s', async (path) => {
    const before = cloud.server.arrived.length
    const answer = await ask(under, path, native)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    expect(cloud.server.arrived.length).toBe(before)
  })

  test('by its body or its headers', async () => {
    const attack = {
      'x-goog-user-project': 'other-project',
      'x-vertex-ai-llm-request-type': 'dedicated',
      'x-goog-api-key': 'AIzaMine',
    }
    const answer = await ask(under, pathOf(id), { ...native, model: other, stream: true }, attack)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(lastEntry().model).toBe(name)
    const { headers, body } = cloud.server.arrived.at(-1)!
    expect(JSON.stringify(headers)).not.toMatch(/other-project|dedicated|AIza|weir_/)
    expect(JSON.parse(body.toString())).toMatchObject({ stream: false })
    const asked = await ask(under, '/v1/messages', { model: other, max_tokens: 9, messages })
    expect(asked.status).toBe(404)
  })
})

test('a refusal reaches the client of Vertex once, with its reason', async () => {
  const { key } = await budgetedKey(under, 'vertex-empty', '0.0001')
  const before = cloud.server.arrived.length
  const error = await vertex(key)
    .messages.create({ model: id, max_tokens: 9_000, messages })
    .then(
      () => new Error('it passed'),
      (thrown: unknown) => thrown as Error & { status: number },
    )
  expect(error).toMatchObject({ status: 402 })
  expect(error.message).toMatch(/Weir: the workflow budget has \$[0-9.]+ of \$0\.0001 left/)
  expect(cloud.server.arrived.slice(before).filter(({ rawPath }) => !rawPath.includes('count-tokens'))).toEqual([])
})

test('a refused token or claim is not the caller’s fault, costs nothing, and shows nothing of the gateway’s account', async () => {
  const body = { model: name, max_tokens: 9, messages }
  const answers = await Promise.all(['revoked', 'stranger'].map((who) => ask(under, `/p/${who}/v1/messages`, body)))
  expect(answers.map(({ status }) => status)).toEqual([403, 502])
  for (const answer of answers) {
    expect((await answer.text()) + JSON.stringify([...answer.headers])).not.toMatch(/sk-provider|ya29|acme-models|JWT/)
    expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
  }
})

test('no line of the log shows a credential', () => {
  expect(lines.join('')).toContain('a request could not be authorized at its provider')
  expect(lines.join('')).not.toMatch(/ya29|PRIVATE|eyJ|weir_|sk-provider/)
})
