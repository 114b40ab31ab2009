import { describe, expect, test, vi } from 'vitest'
import { addRule, startRun } from '../support/governed.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { keyOf } from '../support/tenants.ts'

const money = useMoney()
const card = '4242 4242 4242 4242'
const patience = { timeout: 120_000, interval: 50 }

const detecting = (org: MoneyOrg, mode: 'off' | 'alert' | 'block') =>
  org.set('PUT', '/content-safety', { detectors: { card_number: { mode } } })
const rates = (org: MoneyOrg, policies: object[]) =>
  org.setAsOperator('PUT', '/rate-limits', { read_rpm: null, policies })

/** An organization in which everything refuses, and what opens each door in turn. */
async function walled(start: Record<string, unknown>) {
  const org = await money.org()
  const rule = await addRule(org, { reason: 'No.' })
  await detecting(org, 'block')
  for (const model of ['gpt-4o', 'gpt-4o-mini']) await org.set('POST', '/models', { model })
  const bar = { suite: 's', min_score: 0.9, min_samples: 1, max_age_seconds: 3_600 }
  await org.set('POST', '/routes', { name: 'chat', strategy: 'best', bar })
  await rates(org, [{ kind: 'tokens', per: 'org', match: null, amount: 1, window_seconds: 60 }])
  await org.budget('0')
  const ask = (more: object = {}) =>
    org.post('/v1/runs', { input_tokens: 100, max_output_tokens: 100, input: `Pay with ${card}.`, ...start, ...more })
  const doors: Record<string, () => Promise<unknown>> = {
    policy_blocked: () => org.ask('DELETE', `/policies/${rule}`),
    content_safety_blocked: () => detecting(org, 'alert'),
    no_model_passes_eval: () =>
      org.set('POST', '/evals', { results: [{ suite: 's', model: 'gpt-4o', score: 0.95, samples: 5 }] }),
    // No window has room for the call at all.
    validation_failed: () => rates(org, []),
    budget_exceeded: async () => {
      const { data } = (await org.ask('GET', '/budgets?sort=created_at')).json as unknown as { data: { id: string }[] }
      return org.set('PATCH', `/budgets/${data[0]!.id}`, { limit_usd: '5' })
    },
  }
  return { org, ask, doors }
}

describe('the start of a run', () => {
  test.each([
    [
      'a model',
      { model: 'gpt-4o' },
      ['policy_blocked', 'content_safety_blocked', 'validation_failed', 'budget_exceeded'],
    ],
    [
      'a route',
      { route: 'chat' },
      // Rules are asked about the models that a route may choose, so nothing is asked of them before one passes.
      ['content_safety_blocked', 'no_model_passes_eval', 'policy_blocked', 'validation_failed', 'budget_exceeded'],
    ],
  ])('with %s is refused in the order that is promised, also as a dry run', async (_what, start, order) => {
    const { org, ask, doors } = await walled(start)
    for (const code of order) {
      expect(refusalIn(await ask({ dry_run: true }))).toMatchObject({ code })
      expect(refusalIn(await ask())).toMatchObject({ code })
      await doors[code]!()
    }
    expect(await ask({ dry_run: true })).toMatchObject({ status: 200, json: { model: 'gpt-4o' } })
    expect(await ask()).toMatchObject({ status: 201, json: { model: 'gpt-4o', status: 'running' } })
    expect(await org.rows('select from holds where org_id = $1')).toHaveLength(1)
  })

  test('what detectors look at is neither kept nor logged nor told; that something was found is', async () => {
    const org = await money.org()
    const canary = 'canary-5ad1e7b0'
    const text = `${canary} card ${card} ${canary}`
    await detecting(org, 'block')
    const blocked = await startRun(org, { input: [text], external_id: 'a' }, { 'idempotency-key': 'k' })
    expect(refusalIn(blocked)).toMatchObject({
      status: 403,
      code: 'content_safety_blocked',
      detector: 'card_number',
      sample: expect.stringContaining('4242'),
    })
    await detecting(org, 'alert')
    expect((await startRun(org, { input: [text], external_id: 'b' }, { 'idempotency-key': 'l' })).status).toBe(201)
    await addRule(org, { shadow: true })
    await addRule(org, { effect: 'require_approval', priority: 200 })
    expect((await startRun(org, { input: text })).json.error?.code).toBe('policy_approval_required')
    await vi.waitFor(
      async () => expect(await org.rows('select from policy_matches where org_id = $1')).toHaveLength(2),
      patience,
    )

    const { rows: tables } = await money.superuser.client.query<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    for (const { name } of tables) {
      const { rows } = await money.superuser.client.query<{ found: string }>(
        `select t::text as found from ${name} t where t::text like $1 or t::text like $2`,
        [`%${canary}%`, '%4242%4242%'],
      )
      expect(rows, name).toEqual([])
    }
    const logged = JSON.stringify(money.server.logs)
    expect(logged).not.toContain(canary)
    expect(logged).not.toContain(card)
    const metrics = await (await fetch(`${money.server.url}/metrics`)).text()
    expect(metrics).toMatch(/svc_content_safety_hits_total\{detector="card_number",mode="block"\} [1-9]/)
  })

  test('a refusal for money names a cheaper model of the route that still fits', async () => {
    const org = await money.org()
    await org.set('PUT', '/prices', {
      prices: [
        { model: 'large', input_usd_per_million: '100', output_usd_per_million: '100' },
        { model: 'small', input_usd_per_million: '1', output_usd_per_million: '1' },
      ],
    })
    for (const model of ['large', 'small']) await org.set('POST', '/models', { model })
    const results = ['large', 'small'].map((model) => ({
      suite: 's',
      model,
      score: model === 'large' ? 2 : 1,
      samples: 1,
    }))
    await org.set('POST', '/evals', { results })
    const bar = { suite: 's', min_score: 0, min_samples: 1, max_age_seconds: 3_600 }
    await org.set('POST', '/routes', { name: 'chat', strategy: 'best', bar })
    await org.budget('0.01')
    const start = (more: object = {}) =>
      org.post('/v1/runs', { route: 'chat', input_tokens: 1_000, max_output_tokens: 1_000, ...more })
    expect(refusalIn(await start())).toMatchObject({ status: 402, code: 'budget_exceeded', fits: 'small' })
    await addRule(org, { expression: 'run.model == "small"' })
    expect((await start()).json.error?.details).not.toHaveProperty('fits')
  })

  test('either a model or a route is named, and only a route is told what to stick to', async () => {
    const org = await money.org()
    const fieldsOf = async (body: object) =>
      ((await org.post('/v1/runs', body)).json.error?.details['fields'] as { field: string; code: string }[])?.map(
        ({ field, code }) => `${field} ${code}`,
      )
    expect(await fieldsOf({})).toEqual(['model required'])
    expect(await fieldsOf({ model: 'm', route: 'r', provider: 'p' })).toEqual([
      'model invalid_value',
      'provider invalid_value',
    ])
    expect(await fieldsOf({ model: 'm', sticky: 's' })).toEqual(['sticky invalid_value'])
    expect((await org.post('/v1/runs', { route: 'nowhere' })).status).toBe(404)
  })

  test('where rules want an approval of every model of a route, the first is asked for, and started once granted', async () => {
    const org = await money.org()
    await addRule(org, { effect: 'require_approval' })
    for (const model of ['gpt-4o', 'gpt-4o-mini']) await org.set('POST', '/models', { model })
    await org.set('POST', '/routes', { name: 'chat', strategy: 'cheapest', bar: null })
    const start = () => org.post('/v1/runs', { route: 'chat', input_tokens: 1, max_output_tokens: 1 })
    const refusal = refusalIn(await start())
    expect(refusal).toMatchObject({ attempted: 'gpt-4o-mini' })
    const { key: approver } = await keyOf(money.server, org.id, { role: 'admin' })
    const approved = await org.ask('POST', `/approvals/${String(refusal['approval_id'])}/approve`, {}, approver)
    expect(approved.status).toBe(200)
    expect(await start()).toMatchObject({ status: 201, json: { model: 'gpt-4o-mini' } })
    expect(refusalIn(await start())).toMatchObject({ code: 'policy_approval_required' })
  })
})
