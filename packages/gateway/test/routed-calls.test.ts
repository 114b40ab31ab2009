import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { ask, budgetedKey, endedRun } from './support/callers.ts'
import { useGateway } from './support/gateway.ts'

const under = useGateway((base) => ({ ...base, models: [...(base.models ?? []), { name: 'nice', alias: 'gpt-4o' }] }))
const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hi' }]
const entries = () => under.provider.books.entries
const post = async (rest: string, body: object) => {
  const { weir, orgId, ownerKey } = under
  const answer = await call(weir.url, 'POST', `/v1/orgs/${orgId}/${rest}`, { key: ownerKey, body })
  expect(answer.status, answer.text).toBeLessThan(300)
}
const askAs = (key: string, model: string, more: Record<string, string> = {}) =>
  ask(under, path, { model, messages, max_tokens: 1_000 }, { authorization: `Bearer ${key}`, ...more })

beforeAll(async () => {
  const models = [
    { model: 'gpt-4o', provider: 'openai' },
    { model: 'gpt-4o-mini', provider: 'openai' },
    { model: 'gpt-5-nano', provider: 'openai' },
    { model: 'claude-sonnet-4-5', provider: 'anthropic' },
    { model: 'gpt-4o', provider: 'elsewhere' },
  ]
  for (const model of models) await post('models', model)
  await post('prices', {
    model: 'gpt-4o',
    provider: 'elsewhere',
    input_usd_per_million: '1',
    output_usd_per_million: '1',
  })
  const scores = [0.97, 0.93, 0.5, 0.99, 0.99]
  const results = models.map((model, i) => ({ suite: 'quality', ...model, score: scores[i], samples: 400 }))
  await post('evals', { results })
  const bar = { suite: 'quality', min_score: 0.9, max_age_seconds: 86_400 }
  const route = (name: string, strategy: string, candidates: object[]) =>
    post('routes', { name, strategy, bar, candidates, constraints: {} })
  const [large, small, failing, claude, elsewhere] = models as [object, object, object, object, object]
  await route('best', 'best', [large, small])
  await route('cheapest', 'cheapest', [large, small, failing])
  await route('failing', 'cheapest', [failing])
  await route('claude', 'cheapest', [claude])
  await route('elsewhere', 'cheapest', [elsewhere])
  const rule = (workflow: string, model: string) =>
    post('policies', {
      name: `${workflow} ${model}`,
      effect: 'block',
      target: 'model',
      priority: 100,
      expression: `run.workflow_id == "${workflow}" && run.model == "${model}"`,
      reason: `${model} is not for ${workflow}.`,
    })
  await rule('no-large', 'gpt-4o')
  await rule('no-small', 'gpt-4o-mini')
  await rule('nothing', 'gpt-4o')
  await rule('nothing', 'gpt-4o-mini')
})

test('a route chooses the model among those that pass its evals, and the call is settled at what it billed', async () => {
  for (const [route, model] of [
    ['best', 'gpt-4o'],
    ['cheapest', 'gpt-4o-mini'],
  ] as const) {
    const answer = await ask(under, path, { model: `route:${route}`, messages })
    expect(answer.status, await answer.text()).toBe(200)
    expect(answer.headers.get('x-weir-model')).toBe(model)
    const entry = entries().at(-1)!
    expect(JSON.parse(entry.body)).toMatchObject({ model, max_completion_tokens: 16_384 })
    expect(await endedRun(under, answer)).toMatchObject({
      model,
      provider: 'openai',
      input_tokens: entry.input,
      output_tokens: entry.output,
      overrun_usd: '0',
    })
  }
})

describe('a route is no way to', () => {
  const never = async (answer: Response, before: number) => {
    expect(entries().length).toBe(before)
    return (await answer.json()) as { error: { code: string } }
  }

  test('a model that the rules forbid the caller', async () => {
    const { key } = await budgetedKey(under, 'no-large', '5')
    expect((await askAs(key, 'gpt-4o')).status).toBe(403)
    const answer = await askAs(key, 'route:best')
    expect(answer.headers.get('x-weir-model')).toBe('gpt-4o-mini')
    const before = entries().length
    const none = await askAs((await budgetedKey(under, 'nothing', '5')).key, 'route:best')
    expect(none.status).toBe(403)
    expect(await never(none, before)).toMatchObject({ error: { code: 'policy_blocked' } })
  })

  test('a model below the bar, a route that does not exist, or one of another API or provider', async () => {
    const before = entries().length
    const refused: [string, string, number, string][] = [
      [path, 'route:failing', 403, 'no_model_passes_eval'],
      [path, 'route:', 400, 'validation_failed'],
      [path, 'route:nowhere', 404, 'model_not_found'],
      [path, 'route:claude', 404, 'model_not_found'],
      [path, 'route:elsewhere', 404, 'model_not_found'],
      ['/p/anthropic/v1/chat/completions', 'route:best', 404, 'model_not_found'],
      ['/openai/deployments/route:best/chat/completions', 'route:best', 404, 'model_not_found'],
      ['/v1/responses/input_tokens', 'route:best', 404, 'model_not_found'],
    ]
    for (const [at, model, status, code] of refused) {
      const answer = await ask(under, at, { model, messages })
      expect([at, model, answer.status]).toEqual([at, model, status])
      expect(await never(answer, before)).toMatchObject({ error: { code } })
    }
    // What was held for them is free again.
    const running = async () =>
      (await call(under.weir.url, 'GET', '/v1/runs?status=running', { key: under.ownerKey })).json['data']
    await expect.poll(running).toEqual([])
  })

  test('more than is held: content of unknown length is refused', async () => {
    const before = entries().length
    const content = [{ type: 'file', file: { file_id: 'file-1' } }]
    const answer = await ask(under, path, { model: 'route:best', messages: [{ role: 'user', content }] })
    expect(answer.status).toBe(400)
    expect(await never(answer, before)).toMatchObject({ error: { code: 'unbounded' } })
  })
})

describe('where money refuses the model of a route', () => {
  // 1,000 tokens of output: $0.01 for gpt-4o, $0.0006 for gpt-4o-mini.
  test('the one that fits is named, and used where the caller allows it', async () => {
    const { key } = await budgetedKey(under, 'thrifty', '0.002')
    const refused = await askAs(key, 'route:best')
    expect(refused.status).toBe(402)
    expect(((await refused.json()) as { error: { message: string } }).error.message).toContain(
      'or with openai/gpt-4o-mini.',
    )
    const answer = await askAs(key, 'route:best', { 'x-weir-downgrade': 'allow' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-weir-model')).toBe('gpt-4o-mini')
    expect(JSON.parse(entries().at(-1)!.body)).toMatchObject({ model: 'gpt-4o-mini' })
  })

  test('one that fits and is forbidden stays forbidden', async () => {
    const { key } = await budgetedKey(under, 'no-small', '0.002')
    const before = entries().length
    expect((await askAs(key, 'route:best', { 'x-weir-downgrade': 'allow' })).status).toBe(402)
    expect(entries().length).toBe(before)
  })
})
