import { describe, expect, test } from 'vitest'
import { addRule, startRun } from '../support/governed.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

const spellings = [
  'gpt-4o',
  'GPT-4o',
  'gpt-4o ',
  'gpt\u20114o',
  'gpt-4o\u200b',
  'gpt-4o/',
  'models/GPT-4O',
  'openai/gpt-4o',
  'gpt-4o-2024-08-06',
  'gpt-4o:latest',
]

const large = { input_tokens: 1_000_000, max_output_tokens: 16_000 }

describe('a model', () => {
  test.each(spellings)('spelled %j is held and charged at its price', async (model) => {
    const org = await money.org()
    const { json } = await org.post('/v1/runs', { model, estimated_cost_usd: '0', ...large })
    expect(json).toMatchObject({ reserved_usd: '2.66', model })
    const finished = await org.post(`/v1/runs/${String(json['id'])}/finish`, {
      status: 'succeeded',
      input_tokens: 1_000_000,
      output_tokens: 16_000,
    })
    expect(finished.json).toMatchObject({ cost_usd: '2.66', cost_basis: 'computed' })
  })

  test('is one line of usage, however it is spelled, and each run keeps what was sent', async () => {
    const org = await money.org()
    for (const model of ['GPT-4o', 'gpt-4o ', 'gpt-4o'])
      expect((await org.post('/v1/runs/bulk', { runs: [{ model, cost_usd: '0.25' }] })).status).toBe(200)
    const usage = async (more: string) =>
      (await call(money.server.url, 'GET', `/v1/orgs/${org.id}/usage?granularity=day${more}`, { key: org.key })).json
    expect((await usage('&group_by=model'))['data']).toMatchObject([{ model: 'gpt-4o', runs: 3 }])
    expect((await usage('&model=GPT-4O'))['totals']).toMatchObject({ runs: 3, cost_usd: '0.75' })
  })

  test('is no other one when a settlement spells it otherwise, and the dearer one when it names that', async () => {
    const org = await money.org()
    const settle = async (model: string) => {
      const { json } = await org.decide({ model: 'gpt-4.1-nano', input_tokens: 100_000, max_output_tokens: 10_000 })
      const used = { reservation_id: json['reservation_id'], model, input_tokens: 100_000, output_tokens: 10_000 }
      const { json: settled } = await org.post('/v1/runs/bulk', { runs: [used] })
      const [{ run_id } = { run_id: '' }] = settled['results'] as { run_id: string }[]
      return (await call(money.server.url, 'GET', `/v1/runs/${run_id}`, { key: org.key })).json
    }
    expect(await settle('GPT-4.1-Nano ')).toMatchObject({ cost_usd: '0.014' })
    expect(await settle('gpt-5.2-pro')).toMatchObject({ cost_usd: '3.78', overrun_usd: '3.766' })
    expect(await settle('openai/GPT-5.2-pro')).toMatchObject({ cost_usd: '3.78' })
  })

  test('of one’s own that is free is not to be had under the name of a dearer one', async () => {
    const org = await money.org()
    const free = { model: 'llama-local', input_usd_per_million: '0', output_usd_per_million: '0' }
    await org.set('PUT', '/prices', { prices: [free] })
    expect((await org.decide({ model: 'Llama-Local', ...large })).json).toMatchObject({ reserved_usd: '0' })
    for (const model of ['gpt-4o/llama-local', 'openai/gpt-5.2-pro/llama-local'])
      expect(refusalIn(await org.decide({ model, ...large }))).toMatchObject({ status: 422 })
  })

  test('without a price is refused with the nearest name that has one', async () => {
    const org = await money.org()
    const { json } = await org.decide({ model: 'gpt-4oo', ...large })
    const message = expect.stringContaining('the nearest name that has one is gpt-4o.') as string
    expect(json.error?.details).toMatchObject({ fields: [{ field: 'model', message }] })
  })
})

const blocked = async (org: MoneyOrg, model: string) => (await startRun(org, { model })).json.error?.code

test('a rule on the name of a model is passed by no spelling of it', async () => {
  const org = await money.org()
  await addRule(org, { expression: 'run.model_base == "gpt-4o" && run.provider_base == "openai"' })
  for (const model of spellings) expect(await blocked(org, model)).toBe('policy_blocked')
  expect(await blocked(org, 'gpt-4o-mini')).toBeUndefined()
  const byProvider = await money.org()
  await addRule(byProvider, { expression: 'run.provider == "openai"' })
  expect(await blocked(byProvider, 'gpt-4o')).toBe('policy_blocked')
  expect(await blocked(byProvider, 'claude-sonnet-4')).toBeUndefined()
})

test('a rate per model counts every spelling of it', async () => {
  const org = await money.org()
  const policy = {
    kind: 'requests',
    per: 'model',
    match: 'GPT-4o',
    amount: spellings.length - 1,
    window_seconds: 3_600,
  }
  await org.setAsOperator('PUT', '/rate-limits', { read_rpm: null, policies: [policy] })
  const statuses: number[] = []
  for (const model of spellings) statuses.push((await org.decide({ model, ...large })).status)
  expect(statuses).toEqual([...spellings.slice(1).map(() => 200), 429])
  expect((await org.decide({ model: 'gpt-4o-mini', ...large })).status).toBe(200)
})
