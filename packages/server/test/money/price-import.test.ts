import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readInstallation, writeInstallation } from '../../src/commands/installation-client.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { programEnvironment } from '../support/programs.ts'
import { call, operatorOf } from '../support/tenants.ts'

const money = useMoney()
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const fileOf = (name: string) => fileURLToPath(new URL(`../support/price-files/${name}.json`, import.meta.url))

let key = ''
let folder = ''
beforeAll(async () => {
  key = (await operatorOf(money.server)).key
  folder = await mkdtemp(join(tmpdir(), 'weir-prices-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs `prices import` as a process of its own, with nothing of Weir's settings in its environment. */
async function importing(path: string, ...options: string[]) {
  const env = { ...programEnvironment, WEIR_OPERATOR_KEY: key }
  const run = promisify(execFile)(process.execPath, [main, 'prices', 'import', path, ...options], { env })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}
const server = () => ['--url', money.server.url]
const written = async (name: string, text: string) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const setForAll = async (prices: object[]) => {
  const answer = await call(money.server.url, 'PUT', '/v1/admin/prices', { key, body: { prices } })
  expect(answer.status, answer.text).toBe(200)
}
const listed = async () => {
  const { json } = await call(money.server.url, 'GET', '/v1/admin/prices', { key })
  return (json['prices'] as { model: string; provider: string | null }[]).map(
    ({ model, provider }) => `${provider}/${model}`,
  )
}
async function cost(org: MoneyOrg, model: string, inputTokens: number, more: object = {}) {
  const { json: run, text } = await org.post('/v1/runs', {
    model,
    input_tokens: inputTokens,
    max_output_tokens: 10_000,
    ...more,
  })
  expect(run['id'], text).toBeDefined()
  const end = { status: 'succeeded', input_tokens: inputTokens, output_tokens: 10_000, ...more }
  const { json } = await org.post(`/v1/runs/${String(run['id'])}/finish`, end)
  return [run['reserved_usd'], json['cost_usd']]
}

describe('an imported model is held and settled at what the file says', () => {
  test.each([
    // Input may turn out to be written to a cache: for an hour where the format knows of that.
    ['genai-prices', '0.75', '3.825'],
    ['litellm', '0.75', '3.825'],
    ['models-dev', '0.525', '2.475'],
  ])('in the format of %s', async (name, short, long) => {
    await setForAll([])
    const org = await money.org()
    const { code, stdout, stderr } = await importing(fileOf(name), ...server(), '--only', '*claude-next-9*', '--apply')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ {2}anthropic\/claude-next-9: input 3, output 15/m)
    expect(stdout).toMatch(/^Applied/m)
    for (const model of ['claude-next-9', 'anthropic/claude-next-9', 'claude-next-9-20261101']) {
      expect(await cost(org, model, 100_000)).toEqual([short, '0.45'])
      expect(await cost(org, model, 300_000)).toEqual([long, '2.025'])
    }
    expect(await cost(org, 'claude-next-9', 100_000, { provider: 'anthropic' })).toEqual([short, '0.45'])
    // Nobody has priced it at this gateway, so it costs what its maker asks.
    expect(await cost(org, 'claude-next-9', 100_000, { provider: 'some-gateway' })).toEqual([short, '0.45'])
  })

  test('at its provider, under each of the provider’s names, and in its tiers of service', async () => {
    await setForAll([])
    const org = await money.org()
    expect((await importing(fileOf('models-dev'), ...server(), '--apply')).code).toBe(0)
    for (const more of [{ provider: 'bedrock' }, { provider: 'aws' }, {}])
      expect(await cost(org, 'anthropic.claude-next-9-v1:0', 100_000, more)).toEqual(['0.495', '0.495'])
    expect(await cost(org, 'gpt-next-9', 100_000)).toEqual(['0.8', '0.8'])
    expect(await cost(org, 'gpt-next-9', 100_000, { service_tier: 'priority' })).toEqual(['2', '2'])
  })
})

test('an import shows what it would change, and changes nothing that it is not told to', async () => {
  await setForAll([{ model: 'ours', input_usd_per_million: '1', output_usd_per_million: '1' }])
  const shown = await importing(fileOf('models-dev'), ...server(), '--json')
  expect([shown.code, await listed()]).toEqual([0, ['null/ours']])
  const plan = JSON.parse(shown.stdout) as { changed: { model: string; comparison: string }[] }
  expect(plan).toMatchObject({ format: 'models.dev', kept: 1, entries: 5, applied: false })
  expect(plan.changed.map(({ model, comparison }) => [model, comparison])).toContainEqual([
    'claude-sonnet-4-5',
    expect.stringMatching(/dearer|both/),
  ])
  const applied = await importing(fileOf('models-dev'), ...server(), '--apply', '--provider', 'openai')
  expect([applied.code, await listed()]).toEqual([0, ['openai/gpt-next-9', 'null/ours']])
  const again = await importing(fileOf('models-dev'), ...server(), '--apply', '--provider', 'openai')
  expect(again.stdout).toMatch(/There is nothing to change/)
})

test('an import is refused where somebody else has changed the prices since they were compared', async () => {
  await setForAll([])
  const compared = await readInstallation(money.server.url, key)
  await setForAll([{ model: 'meanwhile', input_usd_per_million: '1', output_usd_per_million: '1' }])
  await expect(writeInstallation(compared, [])).rejects.toThrow(/changed meanwhile/)
  expect(await listed()).toEqual(['null/meanwhile'])
  await writeInstallation(await readInstallation(money.server.url, key), [])
  expect(await listed()).toEqual([])
})

test('a file with invalid prices, or with too many, is refused with advice', async () => {
  await setForAll([])
  const odd = await importing(fileOf('litellm'), ...server(), '--apply')
  expect([odd.code, await listed()]).toEqual([1, []])
  expect(odd.stdout).toMatch(/^ {2}wandb\/openai\/gpt-oss-next: input_cost_per_token is 0.015: more than/m)
  expect(odd.stderr).toMatch(/--skip-refused/)
  const skipped = await importing(fileOf('litellm'), ...server(), '--apply', '--skip-refused')
  expect([skipped.code, (await listed()).length]).toEqual([0, 5])

  const models = Array.from({ length: 1_001 }, (_, i) => [`many-${i}`, { cost: { input: 1, output: 1 } }])
  const many = await written('many.json', JSON.stringify({ manymaker: { models: Object.fromEntries(models) } }))
  const refused = await importing(many, ...server(), '--apply')
  expect([refused.code, (await listed()).length]).toEqual([1, 5])
  expect(refused.stderr).toMatch(
    /1,006 entries, and an installation has at most 1,000.*--provider or --only.*manymaker 1,001/,
  )
  const chosen = await importing(many, ...server(), '--apply', '--replace', '--only', 'many-1*')
  expect([chosen.code, (await listed()).length]).toEqual([0, 5 + 112])
})

test('a name in a file does not move the terminal', async () => {
  const path = await written(
    'escape.json',
    JSON.stringify({ evil: { models: { '\u001b[2J\nx': { cost: { input: 1, output: 1 } } } } }),
  )
  const { stdout } = await importing(path)
  expect(stdout).toContain('evil/?[2J?x: input 1')
})

test.each([
  [['nowhere.json'], 1, /cannot be read/],
  [[fileOf('litellm'), '--apply'], 1, /--apply needs --url/],
  [[fileOf('litellm'), '--url', 'http://127.0.0.1:1'], 1, /cannot be asked/],
  [[fileOf('litellm'), '--format', 'csv'], 64, /^Usage/],
  [[fileOf('litellm'), '--format', 'models.dev'], 1, /not in the format of models.dev/],
])('a command that cannot be done says why (%j)', async ([path = '', ...options], code, message) => {
  expect(await importing(path, ...options)).toMatchObject({ code, stderr: expect.stringMatching(message) })
})

test('a key that is no operator’s is refused by the server', async () => {
  const org = await money.org()
  const answer = await importing(fileOf('litellm'), ...server(), '--operator-key', org.key)
  expect([answer.code, answer.stderr]).toEqual([1, expect.stringMatching(/The server answered 403/)])
})
