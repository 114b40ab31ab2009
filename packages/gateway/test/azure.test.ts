import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI, { AzureOpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import type { Arrived, Verdict } from './support/cloud-server.ts'
import { useCloud } from './support/clouds.ts'
import { practice, useGateway } from './support/gateway.ts'
import { clientInGuide, configInGuide } from './support/guide.ts'

const apiKey = 'azure-secret-0123456789abcdef'
const apiVersion = '2025-04-01-preview'
const tokenFile = join(mkdtempSync(join(tmpdir(), 'weir-entra-')), 'token')
const writeToken = (token: string) => {
  writeFileSync(`${tokenFile}.new`, token)
  renameSync(`${tokenFile}.new`, tokenFile)
}
let token = 'entra-token-of-the-morning'
writeToken(token)

/** Deployments of the resource: their names say nothing of the models behind them. */
const deployed: Record<string, string> = {
  'prod-4o': 'gpt-4o',
  'gpt-4o-mini': 'gpt-5-pro',
  embed: 'text-embedding-3-small',
}

/** Azure, as far as it checks requests. The resource is asked by deployments with a key, or by `/openai/v1` with a token of Entra. */
function judge({ url, headers, body }: Arrived): Verdict {
  const isV1 = url.pathname.startsWith('/openai/v1/')
  const isKnown = isV1 ? headers.authorization === `Bearer ${token}` : headers['api-key'] === apiKey
  if (!isKnown || (headers['api-key'] !== undefined && headers.authorization !== undefined))
    return {
      status: 401,
      body: { error: { code: '401', message: `Access denied due to invalid subscription key ${apiKey}` } },
    }
  if (url.search !== (isV1 ? '' : `?api-version=${apiVersion}`))
    return { status: 404, body: { error: { code: '404', message: 'Resource not found' } } }
  const [, inPath, operation] =
    /^\/openai\/(?:v1|deployments\/([^/]+)|(?=responses$))\/?(chat\/completions|completions|embeddings|responses)$/.exec(
      url.pathname,
    ) ?? []
  const asked = JSON.parse(body.toString()) as { model: string }
  // It bills what it reads before it refuses it.
  if (body.includes('forbidden words'))
    return { status: 400, body: { error: { code: 'content_filter', message: 'The prompt was filtered.' } } }
  if (body.includes('"temperature":9'))
    return { status: 400, body: { error: { code: null, message: 'Invalid value' } } }
  const deployment = inPath === undefined ? asked.model : decodeURIComponent(inPath)
  const model = deployed[deployment]
  if (operation === undefined || model === undefined)
    return { status: 404, body: { error: { code: 'DeploymentNotFound', message: `no deployment ${deployment}` } } }
  return { path: `/v1/${operation}`, body: JSON.stringify({ ...asked, model }) }
}

const cloud = useCloud(judge, () => under.provider.url, false)
const shown = configInGuide('Azure')
const inGuide = shown.providers['azure']!
const under = useGateway(
  (base) => ({
    ...base,
    ...shown,
    providers: {
      ...base.providers,
      azure: { ...inGuide, base_url: `${cloud.server.url}/openai/` },
      entra: {
        kind: 'azure',
        base_url: cloud.server.url,
        credential: { header: 'authorization', prefix: 'Bearer ', file: tokenFile },
        deployments: inGuide.deployments!,
      },
    },
  }),
  { AZURE_OPENAI_API_KEY: apiKey },
)

const client = (deployment?: string, key = under.ownerKey) =>
  new AzureOpenAI({
    endpoint: under.gateway.url,
    apiKey: key,
    apiVersion: '2024-10-21',
    ...(deployment !== undefined && { deployment }),
  })
const messages = [{ role: 'user' as const, content: 'hi' }]
const lastEntry = () => under.provider.books.entries.at(-1)!

describe('the client of Azure works with a changed endpoint and key, and is settled at what Azure billed', () => {
  const calls: Record<string, (azure: AzureOpenAI) => Promise<Response>> = {
    chat: (azure) => azure.chat.completions.create({ model: 'prod-4o', messages, max_tokens: 50 }).asResponse(),
    'streamed chat': (azure) =>
      azure.chat.completions.create({ model: 'prod-4o', messages, stream: true }).asResponse(),
    responses: (azure) => azure.responses.create({ model: 'gpt-4o', input: 'hi' }).asResponse(),
    'streamed responses': (azure) =>
      azure.responses.create({ model: 'gpt-4o', input: 'hi', stream: true }).asResponse(),
    embeddings: (azure) => azure.embeddings.create({ model: 'embed', input: 'hi' }).asResponse(),
  }
  test.each(Object.entries(calls))('%s', async (_, run) => {
    const answer = await run(client())
    const text = await answer.text()
    expect(text).toMatch(/quick|embedding/)
    const entry = lastEntry()
    expect(entry.state).toBe('complete')
    expect(await endedRun(under, answer)).toMatchObject({
      provider: 'azure',
      model: entry.model,
      input_tokens: entry.input,
      output_tokens: entry.output,
      cost_basis: 'computed',
      overrun_usd: '0',
    })
    expect(cloud.server.refused).toEqual([])
    expect(cloud.server.arrived.at(-1)!.url.search).toBe(`?api-version=${apiVersion}`)
    expect(JSON.stringify([...answer.headers]) + text).not.toContain(apiKey)
  })
})

test('the client of OpenAI works with `/openai/v1`, and a token of Entra is read again when its file changes', async () => {
  const openai = new OpenAI({ baseURL: `${under.gateway.url}/p/entra/openai/v1`, apiKey: under.ownerKey })
  const run = async () =>
    (await openai.chat.completions.create({ model: 'gpt-4o', messages })).choices[0]?.message.content
  expect(await run()).toMatch(/^the quick/)
  expect(JSON.parse(cloud.server.arrived.at(-1)!.body.toString())).toMatchObject({ model: 'prod-4o' })
  token = 'entra-token-of-the-evening'
  writeToken(token)
  // The gateway looks at the file once a second.
  await expect.poll(() => run().catch(String)).toMatch(/^the quick/)
})

describe('a caller cannot reach another deployment', () => {
  const path = (deployment: string) => `/openai/deployments/${deployment}/chat/completions`

  test('by the model in its body: the deployment in the address decides, also at other providers', async () => {
    const answer = await ask(under, path('prod-4o'), { model: 'gpt-4o-mini', messages })
    expect(answer.status).toBe(200)
    expect(lastEntry().model).toBe('gpt-4o')
    const other = await ask(under, `/p/openai${path('gpt-4o')}`, { model: 'gpt-5-pro', messages })
    expect(other.status).toBe(200)
    expect(lastEntry().model).toBe('gpt-4o')
    expect(await endedRun(under, other)).toMatchObject({ model: 'gpt-4o' })
  })

  test.each([
    path('gpt-4o-mini'),
    path('..%2fdeployments%2fgpt-4o-mini'),
    path('prod-4o%2f..%2fgpt-4o-mini'),
    path('prod-4o%3fapi-version=1'),
    path('%zz'),
    path('__proto__'),
    '/openai/deployments/prod-4o/../gpt-4o-mini/chat/completions',
    '/openai/deployments/prod-4o/images/generations',
    '/openai/images/generations',
  ])('%s', async (attack) => {
    const before = cloud.server.arrived.length
    const answer = await ask(under, attack, { model: 'gpt-4o-mini', messages })
    expect(answer.status).toBe(404)
    expect(cloud.server.arrived.length).toBe(before)
  })

  test('by the model of a response', async () => {
    const before = cloud.server.arrived.length
    for (const [route, model] of [
      ['/openai/responses', 'gpt-4o-mini'],
      ['/p/entra/openai/v1/responses', 'gpt-4o-mini'],
    ] as const)
      expect((await ask(under, route, { model, input: 'hi' })).status).toBe(404)
    expect(cloud.server.arrived.length).toBe(before)
  })
})

test('the client that the guide shows works as it stands', async () => {
  const shownClient = await clientInGuide<AzureOpenAI>('Azure', { AzureOpenAI }, under)
  const { choices } = await shownClient.chat.completions.create({ model: 'gpt-4o', messages })
  expect(choices[0]?.message.content).toMatch(/^the quick/)
})

test('a refusal reaches the client of Azure once, with its reason', async () => {
  const { key } = await budgetedKey(under, 'azure-empty', '0.0001')
  const before = cloud.server.arrived.length
  const error = await client('prod-4o', key)
    .chat.completions.create({ model: 'gpt-4o', messages })
    .catch((thrown: unknown) => thrown as Error)
  expect((error as Error).message).toMatch(/Weir: the workflow budget has \$[0-9.]+ of \$0\.0001 left/)
  expect(cloud.server.arrived.length).toBe(before)
})

test('a caller that hangs up stops the deployment', async () => {
  const stream = await client().chat.completions.create(
    { model: 'prod-4o', messages, stream: true, max_tokens: 2_000 },
    { headers: practice({ output: 2_000, chunkMs: 5 }) },
  )
  for await (const _ of stream) break
  const entry = lastEntry()
  await expect.poll(() => entry.state).toBe('aborted')
  expect(entry.output).toBeLessThan(1_500)
})

test('a request that Azure refuses for its content is charged, as Azure bills it; one that is wrong is not', async () => {
  const said = [{ role: 'user' as const, content: 'forbidden words' }]
  const path = '/openai/deployments/prod-4o/chat/completions'
  const filtered = await ask(under, path, { messages: said, max_tokens: 50 })
  expect([filtered.status, await filtered.json()]).toMatchObject([400, { error: { code: 'content_filter' } }])
  const run = await endedRun(under, filtered)
  expect(run).toMatchObject({ status: 'failed', cost_basis: 'estimated' })
  expect(Number(run['input_tokens'])).toBeGreaterThan(0)
  const wrong = await ask(under, path, { messages, max_tokens: 50, temperature: 9 })
  expect([wrong.status, (await endedRun(under, wrong))['cost_usd']]).toEqual([400, '0'])
})

test('a refused key of the gateway is not shown, though Azure repeats it', async () => {
  token = 'entra-token-that-nobody-wrote'
  const answer = await ask(under, '/p/entra/v1/chat/completions', { model: 'gpt-4o', messages })
  expect(answer.status).toBe(403)
  expect(await answer.text()).not.toContain(apiKey)
  expect(await endedRun(under, answer)).toMatchObject({ status: 'failed', cost_usd: '0' })
})
