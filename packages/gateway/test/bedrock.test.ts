import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk'
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { startGateway } from '../src/gateway.ts'
import { judgeBedrock } from './support/bedrock.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { useCloud } from './support/clouds.ts'
import { keptLog, practice, useGateway } from './support/gateway.ts'
import { clientInGuide, configInGuide } from './support/guide.ts'

const shown = configInGuide('Bedrock')
const inGuide = shown.providers['bedrock']!
const [[name, id] = ['', '']] = Object.entries(inGuide.model_ids!)
const account = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: inGuide.region!,
  models: { [id]: name, 'us.anthropic.claude-opus-4-1-20250805-v1:0': 'claude-opus-4-1' },
  nowMs: () => Date.now(),
}
const keysFile = join(mkdtempSync(join(tmpdir(), 'weir-aws-')), 'keys.json')
const writeKeys = (sessionToken: string) => {
  const { accessKeyId, secretAccessKey } = account
  const keys = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken }
  writeFileSync(`${keysFile}.new`, JSON.stringify(keys))
  renameSync(`${keysFile}.new`, keysFile)
}
const { log, lines } = keptLog()
let session = 'session-token-0123456789+/=='
writeKeys(session)
const cloud = useCloud(
  (request) => judgeBedrock(account, request),
  () => under.provider.url,
  true,
)
const secured = useCloud(
  (request) => judgeBedrock({ ...account, sessionToken: session }, request),
  () => under.provider.url,
  true,
)
const under = useGateway(
  (base) => ({
    ...base,
    ...shown,
    providers: {
      bedrock: { ...inGuide, base_url: cloud.server.url },
      // Temporary keys, which the first cloud refuses.
      temporary: {
        ...inGuide,
        base_url: secured.server.url,
        credential: { aws: { exported: { file: keysFile } } },
      },
      wrong: {
        ...inGuide,
        base_url: cloud.server.url,
        credential: {
          aws: { access_key_id: { env: 'AWS_ACCESS_KEY_ID' }, secret_access_key: { env: 'AWS_SESSION_TOKEN' } },
        },
      },
      away: { ...base.providers['anthropic']!, base_url: 'http://127.0.0.1:1' },
    },
    models: [...(shown.models ?? []), { name, provider: 'away', fallback: ['bedrock'] }],
  }),
  {
    AWS_ACCESS_KEY_ID: account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    AWS_SESSION_TOKEN: session,
  },
  log,
)

const messages = [{ role: 'user' as const, content: 'hi' }]
const bedrock = (key = under.ownerKey) =>
  new AnthropicBedrock({ baseURL: under.gateway.url, apiKey: key, awsRegion: account.region })
const anthropic = (key = under.ownerKey) => new Anthropic({ baseURL: `${under.gateway.url}/p/bedrock`, apiKey: key })
const lastEntry = () => under.provider.books.entries.at(-1)!
const invoke = `/model/${encodeURIComponent(id)}/invoke`
const native = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages }

describe('clients work with a changed address and key, and are settled at what Bedrock billed, by its prices', () => {
  const calls: Record<string, (script: Record<string, string>) => Promise<[string, Response]>> = {
    'the client of Anthropic': async (headers) => {
      const { data, response } = await anthropic()
        .messages.create({ model: name, max_tokens: 100, messages }, { headers })
        .withResponse()
      return [data.content[0]?.type === 'text' ? data.content[0].text : '', response]
    },
    'the client of Anthropic, streamed': async (headers) => {
      const { data, response } = await anthropic()
        .messages.create({ model: name, max_tokens: 100, messages, stream: true }, { headers })
        .withResponse()
      return [await textOf(data), response]
    },
    'the client of Bedrock': async (headers) => {
      const { data, response } = await bedrock()
        .messages.create({ model: id, max_tokens: 100, messages }, { headers })
        .withResponse()
      return [data.content[0]?.type === 'text' ? data.content[0].text : '', response]
    },
    'the client of Bedrock, streamed': async (headers) => {
      const { data, response } = await bedrock()
        .messages.create({ model: id, max_tokens: 100, messages, stream: true }, { headers })
        .withResponse()
      return [await textOf(data), response]
    },
  }
  const textOf = async (stream: AsyncIterable<Anthropic.RawMessageStreamEvent>) => {
    let text = ''
    for await (const event of stream)
      text += event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : ''
    return text
  }
  test.each(Object.entries(calls))('%s', async (_, run) => {
    const refused = cloud.server.refused.length
    const [text, response] = await run(practice({ output: 30 }))
    expect(text).toMatch(/^the quick brown fox.* $/)
    const { input, output, state } = lastEntry()
    expect(state).toBe('complete')
    expect(await endedRun(under, response)).toMatchObject({
      model: id,
      provider: 'aws',
      input_tokens: input,
      output_tokens: output,
      // The price of a region, a tenth above that of Anthropic and of Bedrock's global endpoint.
      cost_usd: String((input * 11 + output * 55) / 10_000_000),
      cost_basis: 'computed',
      overrun_usd: '0',
    })
    expect(cloud.server.refused.length).toBe(refused)
    expect(cloud.server.arrived.at(-1)!.rawPath).toMatch(/^\/model\/eu\.anthropic\.[^/]+%3A0\/invoke/)
  })
})

test('a stream reaches the client of Bedrock as Bedrock sent it', async () => {
  const answer = await ask(under, `${invoke}-with-response-stream`, native)
  expect(answer.headers.get('content-type')).toBe('application/vnd.amazon.eventstream')
  const bytes = Buffer.from(await answer.arrayBuffer())
  let at = 0
  let last = Buffer.alloc(0)
  while (at < bytes.length) {
    last = bytes.subarray(at, at + bytes.readUInt32BE(at))
    at += last.length
  }
  expect(at).toBe(bytes.length)
  const { bytes: data } = JSON.parse(last.toString('latin1').replace(/^.*?(\{.*\}).*$/s, '$1')) as { bytes: string }
  expect(Buffer.from(data, 'base64').toString()).toContain('amazon-bedrock-invocationMetrics')
})

test('betas of a header stand in the body, and temporary keys sign too, also when they change', async () => {
  const path = '/p/temporary/v1/messages'
  const answer = await ask(
    under,
    path,
    { model: name, max_tokens: 9, messages },
    { 'anthropic-beta': 'one-2025-01-01, two-2025-02-02' },
  )
  expect(answer.status).toBe(200)
  expect(JSON.parse(secured.server.arrived.at(-1)!.body.toString())).toEqual({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['one-2025-01-01', 'two-2025-02-02'],
    max_tokens: 9,
    messages,
  })
  session = 'the-next-session-token+/=='
  writeKeys(session)
  const ask9 = () => ask(under, path, { model: name, max_tokens: 9, messages })
  // The gateway looks at the file once a second.
  await expect.poll(async () => (await ask9()).status).toBe(200)
})

test('a provider that is away is passed over for Bedrock, at Bedrock’s price', async () => {
  const answer = await ask(under, '/v1/messages', { model: name, max_tokens: 9, messages })
  expect([answer.status, answer.headers.get('x-weir-attempts')]).toEqual([200, '2'])
  expect(await endedRun(under, answer)).toMatchObject({ model: id, provider: 'aws' })
})

test('a route of Weir may choose a model of Bedrock, by the id that prices name', async () => {
  const chosen = { model: id, provider: 'aws' }
  const made = {
    models: chosen,
    evals: { results: [{ suite: 'quality', ...chosen, score: 0.99, samples: 400 }] },
    routes: {
      name: 'cloud',
      strategy: 'cheapest',
      bar: { suite: 'quality', min_score: 0.9, max_age_seconds: 86_400 },
      candidates: [chosen],
      constraints: {},
    },
  }
  for (const [rest, body] of Object.entries(made))
    await call(under.weir.url, 'POST', `/v1/orgs/${under.orgId}/${rest}`, { key: under.ownerKey, body })
  const answer = await ask(under, '/v1/messages', { model: 'route:cloud', max_tokens: 9, messages })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')])
  expect(await endedRun(under, answer)).toMatchObject({ ...chosen, output_tokens: 9, overrun_usd: '0' })
})

test.each(['/p/bedrock/v1/messages', `${invoke}-with-response-stream`])(
  'a caller that hangs up on %s pays for the answer to its end, as Bedrock bills it',
  async (path) => {
    const body = path.includes('/v1/') ? { model: name, max_tokens: 300, messages, stream: true } : native
    const answer = await ask(under, path, body, practice({ output: 100, chunkMs: 2 }))
    const entry = lastEntry()
    const reader = answer.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(await endedRun(under, answer)).toMatchObject({
      cost_basis: 'computed',
      input_tokens: entry.input,
      output_tokens: 100,
    })
    expect(entry).toMatchObject({ state: 'complete', output: 100 })
  },
)

test('a gateway that stops reads such an answer to its end first', async () => {
  const { config } = under.gateway.parts
  const env = { AWS_ACCESS_KEY_ID: account.accessKeyId, AWS_SECRET_ACCESS_KEY: account.secretAccessKey }
  const { bedrock: provider } = config.providers
  const gateway = await startGateway({
    config: { ...config, weir: { url: config.weir.url! }, providers: { bedrock: provider! } },
    env,
    log,
  })
  const path = `${invoke}-with-response-stream`
  const answer = await ask({ ...under, gateway }, path, native, practice({ output: 100, chunkMs: 5 }))
  await answer.body!.cancel()
  await gateway.stop()
  expect(gateway.parts.settlements.size).toBe(0)
  expect(await endedRun(under, answer)).toMatchObject({ cost_basis: 'computed', output_tokens: 100 })
})

describe('a caller cannot reach another model or region, or pay another price', () => {
  const other = 'us.anthropic.claude-opus-4-1-20250805-v1:0'
  test.each([
    `/model/${encodeURIComponent(other)}/invoke`,
    `/model/${other}/invoke-with-response-stream`,
    // A name that the configuration sends to Bedrock, and that is not listed there.
    '/model/claude-opus-4-1/invoke',
    `/model/${encodeURIComponent(`${id}/../${other}`)}/invoke`,
    `/model/${encodeURIComponent(id)}%2finvoke%3f/invoke`,
    `/model/${encodeURIComponent(encodeURIComponent(id))}/invoke`,
    `/model/${encodeURIComponent(`arn:aws:bedrock:us-east-1:123456789012:inference-profile/${other}`)}/invoke`,
    `/model/${encodeURIComponent(`arn:aws:bedrock:eu-central-1::foundation-model/${id}`)}/invoke`,
    '/model/__proto__/invoke',
    '/model/%zz/invoke',
    `${invoke}/`,
    `/model/${encodeURIComponent(id)}/converse`,
    `/model/${encodeURIComponent(id)}/async-invoke`,
    `/p/away${invoke}`,
  ])('%s', async (path) => {
    const before = cloud.server.arrived.length
    const answer = await ask(under, path, native)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('x-amzn-errortype')).toBe('ResourceNotFoundException')
    expect(cloud.server.arrived.length).toBe(before)
  })

  test('by its body or its headers', async () => {
    const attack = {
      'x-amzn-bedrock-service-tier': 'priority',
      'x-amzn-bedrock-performanceconfig-latency': 'optimized',
      'x-amz-security-token': 'mine',
      'x-amz-date': '20200101T000000Z',
    }
    const answer = await ask(under, invoke, { ...native, model: other, stream: true }, attack)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(lastEntry().model).toBe(name)
    expect(JSON.stringify(cloud.server.arrived.at(-1)!.headers)).not.toMatch(/priority|optimized|mine|20200101|weir_/)
    for (const model of [other, 'claude-opus-4-1'])
      expect((await ask(under, '/p/bedrock/v1/messages', { model, max_tokens: 9, messages })).status).toBe(404)
  })
})

test('refusals have the form of Amazon’s errors, and its client shows them once', async () => {
  const { key } = await budgetedKey(under, 'bedrock-empty', '0.0001')
  const before = cloud.server.arrived.length
  for (const client of [bedrock(key), anthropic(key)]) {
    const model = client instanceof AnthropicBedrock ? id : name
    const error = await client.messages.create({ model, max_tokens: 9_000, messages, stream: true }).then(
      () => new Error('it passed'),
      (thrown: unknown) => thrown as Error & { status: number },
    )
    expect(error).toMatchObject({ status: 402 })
    expect(error.message).toMatch(/Weir: the workflow budget has \$[0-9.]+ of \$0\.0001 left/)
  }
  const raw = await ask(under, invoke, native, { authorization: `Bearer ${key}` })
  expect([raw.status, raw.headers.get('x-amzn-errortype')]).toEqual([402, 'ServiceQuotaExceededException'])
  expect(await raw.json()).toMatchObject({
    message: expect.stringMatching(/^Weir:/),
    weir: { code: 'budget_exceeded' },
  })
  expect(cloud.server.arrived.length).toBe(before)
})

test('errors of Bedrock reach its clients as they are, and those of Anthropic in Anthropic’s form', async () => {
  const body = { ...native, system: 'over capacity' }
  const theirs = await ask(under, invoke, body)
  expect([theirs.status, theirs.headers.get('x-amzn-errortype')]).toEqual([429, 'ThrottlingException'])
  expect(await theirs.json()).toEqual({ message: 'Too many tokens, please wait before trying again.' })
  const ours = await ask(under, '/p/bedrock/v1/messages', { ...body, model: name })
  expect(ours.status).toBe(429)
  expect(await ours.json()).toEqual({
    type: 'error',
    error: { type: 'rate_limit_error', message: 'Too many tokens, please wait before trying again.' },
  })
  for (const answer of [theirs, ours])
    expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
})

test('a stream that breaks off ends with an error in the form of its client', async () => {
  const broken = { headers: practice({ output: 20, breakAfter: 5 }), maxRetries: 0 }
  for (const client of [bedrock(), anthropic()]) {
    const model = client instanceof AnthropicBedrock ? id : name
    const stream = client.messages.stream({ model, max_tokens: 50, messages }, broken)
    await expect(stream.finalMessage()).rejects.toThrow(/Weir: the answer of the provider broke off/)
  }
})

test('a stream with a wrong checksum is taken for broken, and charged by judgement', async () => {
  const answer = await ask(under, '/p/bedrock/v1/messages', {
    ...native,
    system: 'flip a bit',
    model: name,
    stream: true,
  })
  expect(await answer.text()).toMatch(/event: error\ndata: .*broke off/)
  expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_basis: 'estimated' })
})

test('the client that the guide shows works as it stands', async () => {
  const shownClient = await clientInGuide<AnthropicBedrock>('Bedrock', { AnthropicBedrock }, under)
  const { content } = await shownClient.messages.create({ model: id, max_tokens: 9, messages })
  expect(content[0]).toMatchObject({ type: 'text' })
})

test('a refused signature is not the caller’s fault, and shows nothing of the gateway’s keys or account', async () => {
  const answer = await ask(under, '/p/wrong/v1/messages', { model: name, max_tokens: 9, messages })
  expect(answer.status).toBe(403)
  const text = (await answer.text()) + JSON.stringify([...answer.headers])
  expect(text).toContain('upstream_auth')
  expect(text).not.toMatch(/Canonical|AKIA|x-amz-/)
  expect(cloud.server.refused.at(-1)).toContain('Canonical String')
  expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
})

test('no line of the log shows a credential', () => {
  for (const secret of [account.accessKeyId, account.secretAccessKey, session, 'weir_', 'AWS4-HMAC'])
    expect(lines.join('')).not.toContain(secret)
})

test('the cloud of these tests refuses what Amazon refuses', async () => {
  await ask(under, invoke, native)
  const good = cloud.server.arrived.at(-1)!
  const judged = (change: Partial<typeof good>, nowMs = Date.now()) =>
    judgeBedrock({ ...account, nowMs: () => nowMs }, { ...good, ...change })
  expect(judged({})).toMatchObject({ path: '/v1/messages' })
  expect(judged({ body: Buffer.from(`${good.body.toString()} `) })).toMatchObject({ status: 403 })
  expect(judged({ rawPath: good.rawPath.replace('eu.', 'us.') })).toMatchObject({ status: 403 })
  expect(judged({ headers: { ...good.headers, 'x-amz-target': 'x' } })).toMatchObject({ status: 403 })
  expect(judged({}, Date.now() + 600_000)).toMatchObject({ status: 403 })
})
