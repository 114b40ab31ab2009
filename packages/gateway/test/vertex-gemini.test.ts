import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { beforeAll, expect, test } from 'vitest'
import type { ProviderConfig } from '../src/config-schema.ts'
import { ask, endedRun } from './support/callers.ts'
import { useCloud } from './support/clouds.ts'
import { practice, useGateway } from './support/gateway.ts'
import { googleAccount, type IssuedTokens, judgeClaim, judgeVertexGemini } from './support/google.ts'

/** The provider that the guide shows. */
const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8')
const [, written = ''] = /\*\*On Vertex AI\*\*[\s\S]*?```json\n([\s\S]*?)```/.exec(guide)!
const inGuide = JSON.parse(written) as ProviderConfig

const account = googleAccount()
const issued: IssuedTokens = new Map()
const keyFile = join(mkdtempSync(join(tmpdir(), 'weir-google-')), 'account.json')
const tokens = useCloud(
  (request) => judgeClaim(account, issued, 3_600, request, Date.now()),
  () => '',
  false,
)
const place = { project: inGuide.project!, region: inGuide.region!, models: inGuide.model_ids! }
const cloud = useCloud(
  (request) => judgeVertexGemini(place, issued, request, Date.now()),
  () => under.provider.url,
  true,
)
beforeAll(() => writeFileSync(keyFile, account.file(`${tokens.server.url}/token`)))
const under = useGateway((base) => {
  const vertex = { ...inGuide, base_url: cloud.server.url, credential: { google: { file: keyFile } } }
  return { ...base, providers: { vertex }, models: [{ name: 'gemini-2.5-flash', provider: 'vertex' }] }
})

const lastEntry = () => under.provider.books.entries.at(-1)!
const model = 'gemini-2.5-flash'
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

test.each([false, true])('a client of Gemini is served by Vertex AI, streamed: %s', async (stream) => {
  const client = new GoogleGenAI({ apiKey: under.ownerKey, httpOptions: { baseUrl: under.gateway.url } })
  let text = ''
  if (stream)
    for await (const chunk of await client.models.generateContentStream({ model, contents })) text += chunk.text ?? ''
  else text = (await client.models.generateContent({ model, contents })).text ?? ''
  expect(text).toMatch(/^the quick brown fox/)
  const { headers } = cloud.server.arrived.at(-1)!
  expect(JSON.stringify(headers)).not.toMatch(/weir_|x-goog-api-key/)
})

test('a call is settled at what Vertex billed, to its end when its caller hangs up', async () => {
  const body = { model: `models/${model}`, contents, generation_config: { max_output_tokens: 200 } }
  const script = practice({ output: 200, reasoning: 20, chunkMs: 2, cached: 3 })
  const answer = await ask(under, `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body, script)
  const reader = answer.body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(await endedRun(under, answer)).toMatchObject({
    provider: 'google',
    cost_basis: 'computed',
    input_tokens: lastEntry().input,
    output_tokens: 220,
    cache_read_input_tokens: 3,
  })
})

test('what it does not offer, and models that are not listed, are closed', async () => {
  const before = cloud.server.arrived.length
  expect((await ask(under, `/v1beta/models/${model}:countTokens`, { contents })).status).toBe(404)
  expect((await ask(under, `/v1beta/models/${model}:embedContent`, { content: contents[0]! })).status).toBe(404)
  expect((await ask(under, '/v1beta/models/gemini-2.5-pro:generateContent', { contents })).status).toBe(404)
  const elsewhere = { contents, generationOutputConfig: { outputUriPrefix: 'gs://theirs' } }
  expect((await ask(under, `/v1beta/models/${model}:generateContent`, elsewhere)).status).toBe(400)
  expect(cloud.server.arrived.length).toBe(before)
})
