import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { programEnvironment } from '../../server/test/support/programs.ts'
import { call } from '../../server/test/support/tenants.ts'
import type { GatewayConfig } from '../src/config-schema.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { useGateway } from './support/gateway.ts'

/** The guide to clients, followed word by word: its programs are run as they stand there, its configuration is the gateway's. */
const guide = readFileSync(new URL('../../../docs/gateway-clients.md', import.meta.url), 'utf8')
const examples = [...guide.matchAll(/^## (.+)\n+```js\n([\s\S]+?)```/gm)].map(([, name = '', code = '']) => ({
  name,
  code,
}))
const [, written = ''] = /```json\n([\s\S]+?)```/.exec(guide)!
const own = JSON.parse(written) as {
  providers: GatewayConfig['providers']
  models: { name: string; provider: string }[]
}

const under = useGateway((base) => {
  const { base_url } = base.providers['openai']!
  const moved = Object.entries(own.providers).map(([name, provider]) => [name, { ...provider, base_url }])
  return {
    ...base,
    providers: { ...base.providers, ...(Object.fromEntries(moved) as GatewayConfig['providers']) },
    models: [...own.models, ...(base.models ?? [])],
  }
})

const run = (code: string, key: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...programEnvironment, GATEWAY: under.gateway.url, AGENT_KEY: key },
  })

test('has an example for each SDK', () => {
  expect(examples.map(({ name }) => name)).toEqual([
    'OpenAI SDK',
    'Anthropic SDK',
    'Google Gen AI SDK',
    'AI SDK',
    'LangChain',
  ])
})

describe.each(examples)('$name', ({ name, code }) => {
  test('prints an answer, and a refusal where a limit is reached', async () => {
    const before = under.provider.books.entries.length
    expect((await run(code, under.ownerKey)).stdout).toMatch(/^the quick brown fox/)
    const asked = under.provider.books.entries.length - before
    expect(asked).toBe(code.includes('const models') ? 2 : 1)
    const { key } = await budgetedKey(under, `guide to ${name}`, '0.0001')
    expect((await run(code, key)).stdout).toMatch(/Weir: the workflow budget has \$[0-9.]+ of \$0\.0001 left/)
    expect(under.provider.books.entries.length - before).toBe(asked)
  })
})

test.each(own.models.map(({ name }) => name))(
  '%s, a model of our own, is held and settled at its price',
  async (model) => {
    const price = { model, input_usd_per_million: '0.2', output_usd_per_million: '0.6' }
    const body = { key: under.ownerKey, body: price }
    expect((await call(under.weir.url, 'POST', `/v1/orgs/${under.orgId}/prices`, body)).status).toBe(201)
    for (const stream of [false, true]) {
      const answer = await ask(under, '/v1/chat/completions', {
        model,
        stream,
        messages: [{ role: 'user', content: 'hi' }],
      })
      expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
      const { input, output } = under.provider.books.entries.at(-1)!
      expect(await endedRun(under, answer)).toMatchObject({ input_tokens: input, output_tokens: output })
    }
  },
)
