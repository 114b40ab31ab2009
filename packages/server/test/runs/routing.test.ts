import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { publishExpired } from '../../src/runs/routing/expiry.ts'
import { eventsOf } from '../support/events.ts'
import { environmentFor } from '../support/harness.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { eventually, startApi } from '../support/processes.ts'
import { type Answer, call, keyOf } from '../support/tenants.ts'

const { server, superuser, org } = useMoney()

type Body = Record<string, unknown>
const hour = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const bar = { suite: 'quality', min_score: 0.9, min_samples: 100, max_age_seconds: 86_400 }

const decide = (of: MoneyOrg, body: Body, url = server.url, headers: Record<string, string> = {}) =>
  of.post('/v1/routing/decision', { input_tokens: 1_000, max_output_tokens: 1_000, ...body }, headers, url)
const model = (of: MoneyOrg, name: string, more: Body = {}) => of.set('POST', '/models', { model: name, ...more })
const measure = (of: MoneyOrg, name: string, score: number, more: Body = {}) =>
  of.set('POST', '/evals', { results: [{ suite: 'quality', model: name, score, samples: 200, ...more }] })
const route = (of: MoneyOrg, more: Body = {}) =>
  of.set('POST', '/routes', { name: 'chat', strategy: 'cheapest', bar: null, ...more })
const reasonsIn = ({ json }: Answer) =>
  Object.fromEntries(
    (json['excluded'] as { model: string; reasons: { code: string }[] }[]).map(({ model: name, reasons }) => [
      name,
      reasons.map(({ code }) => code),
    ]),
  )
const fieldsIn = ({ json }: Answer) =>
  (json.error!.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => [field, code])

/** Dollars per million tokens of models of the organization's own. */
const prices = (of: MoneyOrg, usd: Record<string, string>) =>
  of.set('PUT', '/prices', {
    prices: Object.entries(usd).map(([name, each]) => ({
      model: name,
      input_usd_per_million: each,
      output_usd_per_million: each,
    })),
  })

/** Three models that cost 1, 10 and 100 dollars a million tokens, of which each has passed. */
async function threeModels(): Promise<MoneyOrg> {
  const of = await org()
  await prices(of, { small: '1', middle: '10', large: '100' })
  for (const [name, score] of [
    ['small', 0.91],
    ['middle', 0.95],
    ['large', 0.99],
  ] as const) {
    await model(of, name)
    await measure(of, name, score)
  }
  return of
}

describe('models', () => {
  test('are shown with the price of the price book, replaced, listed and removed, on the record', async () => {
    const of = await org()
    const made = await model(of, 'gpt-4o', {
      region: 'eu',
      capabilities: ['tools'],
      context_tokens: 128_000,
      latency_ms: 900,
    })
    expect(made).toMatchObject({
      model: 'gpt-4o',
      provider: null,
      region: 'eu',
      capabilities: ['tools'],
      context_tokens: 128_000,
      latency_ms: 900,
      enabled: true,
      price: { price_id: 'list:gpt-4o@2024-08-06', input_usd_per_million: '2.5', output_usd_per_million: '10' },
    })
    const path = `/models/${String(made['id'])}`
    expect((await of.ask('GET', path)).json).toEqual(made)
    const changed = await of.set('PUT', path, { model: 'house-model', provider: 'ours' })
    expect(changed).toMatchObject({ id: made['id'], region: null, capabilities: [], latency_ms: null, price: null })
    const list = (await of.ask('GET', '/models?provider=ours&enabled=true')).json
    expect(list).toMatchObject({ data: [{ id: made['id'] }], next_cursor: null })
    expect((await of.ask('DELETE', path)).status).toBe(204)
    expect((await of.ask('GET', path)).status).toBe(404)
    expect((await of.ask('DELETE', path)).status).toBe(404)
    const log = await of.rows<{ action: string }>(
      `select action from audit_log where org_id = $1 and action like 'model.%' order by seq`,
    )
    expect(log.map(({ action }) => action)).toEqual(['model.created', 'model.updated', 'model.deleted'])
  })

  test('have a name of their own: the same one at another provider is another model', async () => {
    const of = await org()
    await model(of, 'm')
    await model(of, 'm', { provider: 'azure' })
    const again = await of.ask('POST', '/models', { model: 'm', provider: 'azure' })
    expect(refusalIn(again)).toEqual({ status: 409, code: 'conflict' })
    const other = await model(of, 'n')
    expect((await of.ask('PUT', `/models/${String(other['id'])}`, { model: 'm' })).status).toBe(409)
  })

  test('that a route names are neither removed nor called otherwise', async () => {
    const of = await org()
    const { id } = await model(of, 'm')
    const { id: routeId } = await route(of, { candidates: [{ model: 'm' }] })
    expect((await of.ask('DELETE', `/models/${String(id)}`)).status).toBe(409)
    expect((await of.ask('PUT', `/models/${String(id)}`, { model: 'other' })).status).toBe(409)
    expect((await of.ask('PUT', `/models/${String(id)}`, { model: 'm', enabled: false })).status).toBe(200)
    expect((await of.ask('DELETE', `/routes/${String(routeId)}`)).status).toBe(204)
    expect((await of.ask('DELETE', `/models/${String(id)}`)).status).toBe(204)
  })
})

describe('eval results', () => {
  test('are posted together by a service key, listed by suite and model, and told one by one', async () => {
    const of = await org()
    const ci = await keyOf(server, of.id, { role: 'service', scopes: ['routing:write'] })
    const results = [
      { suite: 'quality', model: 'a', score: 0.5, samples: 10 },
      { suite: 'safety', model: 'a', provider: 'p', score: -1.25, samples: 1, latency_ms: 20, measured_at: ago(hour) },
    ]
    const posted = await call(server.url, 'POST', `/v1/orgs/${of.id}/evals`, { key: ci.key, body: { results } })
    expect(posted.status).toBe(201)
    const [first, second] = posted.json['data'] as { id: string }[]
    expect(second).toMatchObject({
      suite: 'safety',
      model: 'a',
      provider: 'p',
      score: -1.25,
      samples: 1,
      latency_ms: 20,
    })
    expect((await of.ask('GET', `/evals/${first!.id}`)).json).toEqual(first)
    expect((await of.ask('GET', '/evals?suite=safety&model=a')).json['data']).toEqual([second])
    expect((await of.ask('GET', '/evals?suite=nothing')).json['data']).toEqual([])
    expect((await of.ask('DELETE', `/evals/${first!.id}`)).status).toBe(204)
    expect((await of.ask('DELETE', `/evals/${first!.id}`)).status).toBe(404)
    expect((await of.ask('GET', `/evals/${first!.id}`)).status).toBe(404)
    const more = await call(server.url, 'POST', `/v1/orgs/${of.id}/models`, { key: ci.key, body: { model: 'x' } })
    expect(more.json.error!.code).toBe('forbidden')
  })

  test('from the future, without samples, or too many at once are refused, and then none counts', async () => {
    const of = await org()
    const good = { suite: 's', model: 'm', score: 1, samples: 1 }
    const refused = await of.ask('POST', '/evals', { results: [good, { ...good, measured_at: ago(-6 * 60_000) }] })
    expect(fieldsIn(refused)).toEqual([['results.1.measured_at', 'out_of_range']])
    const faulty = [
      { ...good, samples: 0 },
      { ...good, score: '1' },
      { ...good, score: 1e300 },
    ]
    expect(fieldsIn(await of.ask('POST', '/evals', { results: faulty }))).toEqual([
      ['results.0.samples', 'out_of_range'],
      ['results.1.score', 'invalid_type'],
      ['results.2.score', 'out_of_range'],
    ])
    expect(fieldsIn(await of.ask('POST', '/evals', { results: [] }))).toEqual([['results', 'empty']])
    const many = Array.from({ length: 501 }, () => good)
    expect(fieldsIn(await of.ask('POST', '/evals', { results: many }))).toEqual([['results', 'too_many']])
    expect((await of.ask('GET', '/evals')).json['data']).toEqual([])
    expect((await of.ask('POST', '/evals', { results: many.slice(1) })).status).toBe(201)
  })
})

describe('routes', () => {
  test('are told back as they can be put again', async () => {
    const of = await org()
    await model(of, 'a')
    const made = await route(of, {
      strategy: 'weighted',
      bar: { suite: 'quality', min_score: 0.9, max_age_seconds: 60 },
      constraints: { capabilities: ['tools'], max_price_usd: '0.5' },
      candidates: [{ model: 'a', weight: 3 }],
    })
    const { id, created_at: _created, updated_at: _updated, ...definition } = made
    expect(definition).toEqual({
      name: 'chat',
      strategy: 'weighted',
      bar: { suite: 'quality', min_score: 0.9, min_samples: 1, max_age_seconds: 60 },
      constraints: {
        capabilities: ['tools'],
        regions: [],
        max_price_usd: '0.5',
        max_latency_ms: null,
        min_context_tokens: null,
      },
      candidates: [{ model: 'a', provider: null, weight: 3 }],
    })
    expect(await of.set('PUT', `/routes/${String(id)}`, definition)).toMatchObject(definition)
    expect((await of.ask('GET', '/routes')).json['data']).toMatchObject([definition])
    expect((await of.ask('POST', '/routes', definition)).json.error!.code).toBe('conflict')
    expect(fieldsIn(await of.ask('POST', '/routes', { name: 'x', strategy: 'best' }))).toEqual([['bar', 'required']])
  })

  test('that make no sense are refused by the field', async () => {
    const of = await org()
    await model(of, 'a')
    const faults = async (more: Body) =>
      fieldsIn(await of.ask('POST', '/routes', { name: 'r', strategy: 'cheapest', bar: null, ...more }))
    expect(await faults({ strategy: 'best' })).toEqual([['bar', 'required']])
    expect(await faults({ strategy: 'weighted' })).toEqual([['candidates', 'required']])
    expect(await faults({ strategy: 'weighted', candidates: [{ model: 'a' }] })).toEqual([
      ['candidates.0.weight', 'required'],
    ])
    expect(await faults({ candidates: [{ model: 'a', weight: 1 }] })).toEqual([
      ['candidates.0.weight', 'invalid_value'],
    ])
    expect(await faults({ candidates: [{ model: 'a' }, { model: 'a', provider: null }] })).toEqual([
      ['candidates.1', 'invalid_value'],
    ])
    expect(await faults({ candidates: [{ model: 'a' }, { model: 'a', provider: 'elsewhere' }] })).toEqual([
      ['candidates.1', 'invalid_value'],
    ])
    expect(await faults({ name: 'rte_mine' })).toEqual([['name', 'invalid_value']])
    expect(await faults({ bar: { suite: 's', min_score: 1 } })).toContainEqual(['bar.max_age_seconds', 'required'])
  })
})

describe('a decision', () => {
  let of: MoneyOrg
  beforeAll(async () => {
    of = await threeModels()
    await model(of, 'unmeasured')
    await model(of, 'off', { enabled: false })
    await route(of, { bar })
    await route(of, { name: 'finest', strategy: 'best', bar })
  })

  test('names the first model, those after it, and why each other one is out', async () => {
    const answer = await decide(of, { route: 'chat' })
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      route: 'chat',
      model: 'small',
      provider: null,
      estimated_cost_usd: '0.002',
      score: 0.91,
      runners_up: [
        { model: 'middle', estimated_cost_usd: '0.02', score: 0.95 },
        { model: 'large', estimated_cost_usd: '0.2', score: 0.99 },
      ],
    })
    expect(reasonsIn(answer)).toEqual({ unmeasured: ['no_eval'], off: ['disabled', 'no_eval'] })
    expect((await decide(of, { route: 'finest' })).json['model']).toBe('large')
    const byId = await decide(of, { route: answer.json['route_id'] })
    expect(byId.json['model']).toBe('small')
    const explained = await of.explain(answer.json['decision_id'] as string)
    expect(explained.json).toMatchObject({ decision: 'allow', dry_run: true, inputs: { model: 'small' } })
  })

  test('is made with the price that is set, also where this process did not know of it yet', async () => {
    await prices(of, { small: '1000', middle: '10', large: '100' })
    const answer = await decide(of, { route: 'chat' })
    expect(answer.json).toMatchObject({ model: 'middle', estimated_cost_usd: '0.02' })
    await prices(of, { small: '1', middle: '10', large: '100' })
    expect((await decide(of, { route: 'chat' })).json['model']).toBe('small')
  })

  test('goes by the latest measurement, not by the latest post', async () => {
    await measure(of, 'small', 0.1, { measured_at: ago(hour) })
    expect((await decide(of, { route: 'chat' })).json['model']).toBe('small')
    await measure(of, 'small', 0.1)
    const out = await decide(of, { route: 'chat' })
    expect(out.json['model']).toBe('middle')
    expect(reasonsIn(out)).toMatchObject({ small: ['below_bar'] })
    await measure(of, 'small', 0.92, { samples: 99 })
    expect(reasonsIn(await decide(of, { route: 'chat' }))).toMatchObject({ small: ['too_few_samples'] })
    await measure(of, 'small', 0.92)
    expect((await decide(of, { route: 'chat' })).json['model']).toBe('small')
  })

  test('about a route that does not exist is not found, by name, by id, and where another organization has it', async () => {
    const other = await org()
    const made = await route(other, { name: 'secret' })
    const answers = await Promise.all(
      ['nothing', 'secret', made['id'], 'rte_nonsense'].map((name) => decide(of, { route: name })),
    )
    for (const answer of answers) expect(answer.text).toBe(answers[0]!.text)
    expect(refusalIn(answers[0]!)).toEqual({ status: 404, code: 'not_found' })
  })

  test('under a key is the same when it is asked again, whatever has become of the models', async () => {
    const key = { 'idempotency-key': 'again' }
    const lone = await org()
    await prices(lone, { m: '1' })
    const { id } = await model(lone, 'm')
    await route(lone)
    const first = await decide(lone, { route: 'chat' }, server.url, key)
    expect(first.status).toBe(200)
    await lone.set('PUT', `/models/${String(id)}`, { model: 'm', enabled: false })
    const second = await decide(lone, { route: 'chat' }, server.url, key)
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await decide(lone, { route: 'chat' })).status).toBe(503)
  })

  test('needs the scope to read routing and the role of a service', async () => {
    const without = await keyOf(server, of.id, { role: 'service', scopes: ['routing:write'] })
    const answer = await call(server.url, 'POST', '/v1/routing/decision', { key: without.key, body: { route: 'chat' } })
    expect(answer.json.error).toMatchObject({ code: 'missing_scope', details: { required: 'routing:read' } })
  })
})

describe('where no model is left', () => {
  test('the answer is 503 with the envelope and the counts, never another model', async () => {
    const of = await org()
    await prices(of, { old: '1', bad: '1', few: '1' })
    for (const name of ['old', 'bad', 'few', 'new', 'dear']) await model(of, name)
    await of.set('POST', '/evals', {
      results: [
        { suite: 'quality', model: 'old', score: 1, samples: 500, measured_at: ago(25 * hour) },
        { suite: 'quality', model: 'bad', score: 0.8999, samples: 500 },
        { suite: 'quality', model: 'few', score: 1, samples: 99 },
        { suite: 'quality', model: 'dear', score: 1, samples: 500 },
        // Of another suite, of another provider: it counts for nobody here.
        { suite: 'other', model: 'new', score: 1, samples: 500 },
        { suite: 'quality', model: 'new', provider: 'p', score: 1, samples: 500 },
      ],
    })
    await route(of, { bar })
    const answer = await decide(of, { route: 'chat' })
    expect(answer.status).toBe(503)
    expect(answer.json).toEqual({
      error: {
        code: 'no_model_passes_eval',
        message:
          'None of 5 models passes the requirements of the route chat: 1 no_eval, 1 below_bar, 1 too_few_samples, 1 eval_expired, 1 unpriced.',
        details: {},
      },
    })
    // Somebody has to price it: it is written down beside the answer.
    await eventually(async () => {
      const unpriced = (await of.ask('GET', '/prices')).json['unpriced_models'] as { model: string }[]
      return unpriced.map((each) => each.model).join() === 'dear'
    })
  })

  test('also where there are no models at all, and for every strategy', async () => {
    const of = await org()
    for (const strategy of ['cheapest', 'fastest', 'best']) {
      await route(of, { name: strategy, strategy, bar })
      expect(refusalIn(await decide(of, { route: strategy }))).toEqual({ status: 503, code: 'no_model_passes_eval' })
    }
  })

  test('a result that becomes too old drops its model at once, by time alone', async () => {
    const of = await org()
    await prices(of, { m: '1' })
    await model(of, 'm')
    await measure(of, 'm', 1, { measured_at: ago(hour) })
    const { id } = await route(of, { bar })
    expect((await decide(of, { route: 'chat' })).status).toBe(200)
    await of.set('PUT', `/routes/${String(id)}`, {
      name: 'chat',
      strategy: 'cheapest',
      bar: { ...bar, max_age_seconds: 3_599 },
    })
    expect((await decide(of, { route: 'chat' })).json.error!.code).toBe('no_model_passes_eval')
  })
})

describe('constraints', () => {
  test('keep out what does not say that it fulfils them', async () => {
    const of = await org()
    const names = ['good', 'blunt', 'far', 'slow', 'short', 'silent']
    await prices(of, Object.fromEntries(names.map((name) => [name, '1'])))
    const good = { region: 'eu', capabilities: ['tools', 'vision'], context_tokens: 9_000, latency_ms: 100 }
    await model(of, 'good', good)
    await model(of, 'blunt', { ...good, capabilities: ['tools'] })
    await model(of, 'far', { ...good, region: 'us' })
    await model(of, 'slow', { ...good, latency_ms: 501 })
    await model(of, 'short', { ...good, context_tokens: 8_000 })
    await model(of, 'silent')
    await route(of, {
      constraints: {
        capabilities: ['vision'],
        regions: ['eu', 'ch'],
        max_latency_ms: 500,
        min_context_tokens: 8_001,
        max_price_usd: '0.002',
      },
    })
    const answer = await decide(of, { route: 'chat' })
    expect(answer.json).toMatchObject({ model: 'good', runners_up: [] })
    expect(reasonsIn(answer)).toEqual({
      blunt: ['missing_capability'],
      far: ['region'],
      slow: ['latency'],
      short: ['context'],
      silent: ['region', 'missing_capability', 'latency', 'context'],
    })
    expect((await decide(of, { route: 'chat', max_output_tokens: 1_001 })).status).toBe(503)
    expect((await decide(of, { route: 'chat', input_tokens: 9_001 })).status).toBe(503)
  })

  test('an organization whose data must stay in its region uses models of that region only', async () => {
    const of = await org()
    await prices(of, { here: '5', there: '1', nowhere: '1' })
    await model(of, 'here', { region: 'eu' })
    await model(of, 'there', { region: 'us' })
    await model(of, 'nowhere')
    await of.rows(`update orgs set home_region = 'eu', residency = 'strict' where id = $1`)
    await route(of)
    const answer = await decide(of, { route: 'chat' })
    expect(answer.json['model']).toBe('here')
    expect(reasonsIn(answer)).toEqual({ there: ['residency'], nowhere: ['residency'] })
  })
})

describe('money', () => {
  test('that does not suffice is refused with the limit, and names a cheaper model that fits', async () => {
    const of = await threeModels()
    await route(of, { strategy: 'best', bar })
    const { id } = await of.budget('0.1')
    const refused = await decide(of, { route: 'chat' })
    expect(refusalIn(refused)).toMatchObject({
      status: 402,
      code: 'budget_exceeded',
      budget_id: id,
      attempted_usd: '0.2',
      fits: 'middle',
    })
    await of.budget('0.01', { scope_kind: 'workflow', scope_id: 'w' })
    expect(refusalIn(await decide(of, { route: 'chat', workflow_id: 'w' }))).toMatchObject({ fits: 'small' })
    await of.budget('0.001', { scope_kind: 'workflow', scope_id: 'v' })
    expect(refusalIn(await decide(of, { route: 'chat', workflow_id: 'v' }))).not.toHaveProperty('fits')
    expect(await of.rows('select id from holds where org_id = $1')).toEqual([])
    expect(await of.readBudget(id)).toMatchObject({ held_usd: '0', spent_usd: '0' })
  })

  test('a cheaper model that is below the bar is not named, however well it would fit', async () => {
    const of = await threeModels()
    await route(of, { strategy: 'best', bar })
    await measure(of, 'middle', 0.5)
    await of.budget('0.1')
    expect(refusalIn(await decide(of, { route: 'chat' }))).toMatchObject({ code: 'budget_exceeded', fits: 'small' })
    await measure(of, 'small', 0.5)
    expect(refusalIn(await decide(of, { route: 'chat' }))).not.toHaveProperty('fits')
  })

  test('counts with every limit of a start: credits of the customer too', async () => {
    const of = await threeModels()
    await route(of, { strategy: 'best', bar })
    await of.set('POST', '/customers/c/credit-packs', { amount_usd: '0.05' })
    expect(refusalIn(await decide(of, { route: 'chat', customer_id: 'c' }))).toMatchObject({
      status: 402,
      code: 'credits_exhausted',
      fits: 'middle',
    })
  })
})

test('an organization has at most 500 models and 200 routes', async () => {
  const of = await org()
  await of.rows(`
    insert into routing_models (org_id, id, model, enabled)
    select $1, gen_random_uuid(), 'm' || n, true from generate_series(1, 499) n`)
  await model(of, 'last')
  await route(of)
  await of.rows(`
    insert into routes (org_id, id, name, definition)
    select org_id, gen_random_uuid(), 'r' || n, definition from routes, generate_series(1, 199) n where org_id = $1`)
  const more = [
    await of.ask('POST', '/models', { model: 'one-more' }),
    await of.ask('POST', '/routes', { name: 'one-more', strategy: 'cheapest', bar: null }),
  ]
  expect(more.map(({ status, json }) => `${status} ${json.error?.code}`)).toEqual(['409 conflict', '409 conflict'])
})

describe('rules', () => {
  const block = (of: MoneyOrg, expression: string, effect = 'block') =>
    of.set('POST', '/policies', {
      name: 'r',
      effect,
      target: 'model',
      priority: 1,
      expression,
      reason: 'Not this one.',
    })

  test('keep a model out, and the next one is chosen', async () => {
    const of = await threeModels()
    await route(of, { bar })
    await block(of, 'run.model == "small"')
    const answer = await decide(of, { route: 'chat' })
    expect(answer.json['model']).toBe('middle')
    expect(reasonsIn(answer)).toEqual({ small: ['policy_blocked'] })
  })

  test('that refuse every model that passes are told, with what they say of the first', async () => {
    const of = await threeModels()
    await route(of, { bar })
    await measure(of, 'large', 0.1)
    const { id } = await block(of, 'run.model != "large"', 'require_approval')
    expect(refusalIn(await decide(of, { route: 'chat' }))).toMatchObject({
      status: 403,
      code: 'policy_approval_required',
      reason: 'Not this one.',
      attempted: 'small',
      rule_id: id,
    })
  })

  test('see what the call would cost with each model, and keep what they refuse from being named as what fits', async () => {
    const of = await threeModels()
    await route(of, { strategy: 'best', bar })
    await block(of, 'run.estimated_cost_usd > 0.01 && run.estimated_cost_usd < 0.1')
    await of.budget('0.1')
    expect(refusalIn(await decide(of, { route: 'chat' }))).toMatchObject({ code: 'budget_exceeded', fits: 'small' })
  })
})

test('what the guide tells to paste works as it stands', async () => {
  const of = await org()
  const guide = readFileSync(new URL('../../../../docs/routing.md', import.meta.url), 'utf8')
  const blocks = Array.from(guide.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block!)
  const results = [{ suite: 'support-quality', model: 'gpt-4o-mini', score: 0.5, samples: 400 }]
  const decision = /^weir routing\/decision .*$/m.exec(guide)![0]
  const script = [
    'set -e; cd "$(mktemp -d)"',
    `printf %s '${JSON.stringify({ results })}' > results.json`,
    ...blocks.flatMap((block) => [block, 'echo']),
    decision,
  ].join('\n')
  const env = {
    PATH: process.env['PATH'] ?? '',
    WEIR: server.url,
    ORG: of.id,
    KEY: of.key,
    WEIR_CI_KEY: of.key,
    CI_PIPELINE_ID: '7',
  }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
  const chosen = Array.from(stdout.matchAll(/"route":"support-chat","model":"([^"]+)"/g), ([, name]) => name)
  expect(blocks).toHaveLength(2)
  expect(stdout).not.toContain('"error"')
  expect(chosen).toEqual(['gpt-4o-mini', 'gpt-4o'])
})

test('the same sticky value gets the same model, and others their share', async () => {
  const of = await org()
  await prices(of, { a: '1', b: '1' })
  for (const name of ['a', 'b']) await model(of, name)
  const candidates = [
    { model: 'a', weight: 1 },
    { model: 'b', weight: 1 },
  ]
  await route(of, { strategy: 'weighted', candidates })
  const chosen = async (sticky?: string) =>
    (await decide(of, { route: 'chat', ...(sticky !== undefined && { sticky }) })).json['model']
  const firsts = await Promise.all(Array.from({ length: 40 }, (_, i) => chosen(`user-${i}`)))
  const seconds = await Promise.all(Array.from({ length: 40 }, (_, i) => chosen(`user-${i}`)))
  expect(seconds).toEqual(firsts)
  // One side only would be a chance of one in 2^39.
  expect(new Set(firsts)).toEqual(new Set(['a', 'b']))
})

test('what is set or measured on one process binds the next decision of another', async () => {
  const second = await startApi(environmentFor(server.database))
  const of = await threeModels()
  const { id } = await route(of, { bar })
  const there = async () => {
    const { json } = await decide(of, { route: 'chat' }, second.url)
    return json['model'] ?? json.error!.code
  }
  expect(await there()).toBe('small')
  for (let round = 0; round < 4; round++) {
    await measure(of, 'small', 0.1)
    expect(await there(), `round ${round}`).toBe('middle')
    await measure(of, 'small', 0.95)
    expect(await there(), `round ${round}`).toBe('small')
  }
  const models = (await of.ask('GET', '/models?model=small')).json['data'] as { id: string }[]
  await of.set('PUT', `/models/${models[0]!.id}`, { model: 'small', enabled: false })
  expect(await there()).toBe('middle')
  await of.set('PUT', `/routes/${String(id)}`, { name: 'chat', strategy: 'best', bar })
  expect(await there()).toBe('large')
  expect((await of.ask('DELETE', `/routes/${String(id)}`)).status).toBe(204)
  expect(await there()).toBe('not_found')
})

test('of a result that has become too old it is told once per route, however many workers look', async () => {
  const of = await org()
  const told = async () => (await eventsOf(superuser.client, of.uuid)).filter(({ kind }) => kind === 'eval.expired')
  for (const name of ['m', 'bad', 'fresh', 'off']) await model(of, name, { enabled: name !== 'off' })
  const posted = await of.set('POST', '/evals', {
    results: [
      { suite: 'quality', model: 'm', score: 1, samples: 500, measured_at: ago(25 * hour) },
      { suite: 'quality', model: 'bad', score: 0, samples: 500, measured_at: ago(25 * hour) },
      { suite: 'quality', model: 'fresh', score: 1, samples: 500 },
      { suite: 'quality', model: 'off', score: 1, samples: 500, measured_at: ago(25 * hour) },
    ],
  })
  const first = await route(of, { bar })
  await route(of, { name: 'patient', bar: { ...bar, max_age_seconds: 864_000 } })
  await route(of, { name: 'ungated' })
  const look = () =>
    Promise.all([publishExpired(server.platform), publishExpired(server.platform), publishExpired(server.platform)])
  await look()
  const [{ id }] = posted['data'] as [{ id: string }]
  const expected = {
    kind: 'eval.expired',
    subject: id,
    data: {
      route_id: first['id'],
      route: 'chat',
      eval_id: id,
      suite: 'quality',
      model: 'm',
      provider: null,
      measured_at: expect.any(String),
      max_age_seconds: 86_400,
    },
  }
  expect(await told()).toEqual([expected])
  await look()
  expect(await told()).toHaveLength(1)
  await route(of, { name: 'second', bar })
  await look()
  expect((await told()).map(({ data }) => data['route'])).toEqual(['chat', 'second'])
  await measure(of, 'm', 1, { measured_at: ago(24.5 * hour) })
  await look()
  expect(await told()).toHaveLength(4)
})
