import { beforeAll, describe, expect, test } from 'vitest'
import { drainEvents } from '../../src/webhooks/delivery/event-drain.ts'
import { PayloadCache } from '../../src/webhooks/delivery/payload-cache.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { eventually } from '../support/programs.ts'
import { call, keyOf } from '../support/tenants.ts'

// A machine that is slow must not run out of time for reads.
const money = useMoney({ SVC_REFUSAL_ROWS_PER_DAY: '12', SVC_EXPENSIVE_READ_BURST_MS: '86400000' })

type Entry = Record<string, unknown> & { id: string; count: number; explanation: Record<string, unknown> }

const list = async (org: MoneyOrg, query = ''): Promise<Entry[]> => {
  const { status, json } = await org.ask('GET', `/refusals${query}`)
  expect(status).toBe(200)
  return json['data'] as Entry[]
}
const countOf = (entries: readonly Entry[]) => entries.reduce((sum, { count }) => sum + count, 0)
/** What was refused is listed a moment later. */
async function listed(org: MoneyOrg, count: number, query = ''): Promise<Entry[]> {
  await eventually(async () => countOf(await list(org, query)) >= count)
  return list(org, query)
}

describe('what limits refuse', () => {
  let org: MoneyOrg
  let budgetId: string
  beforeAll(async () => {
    org = await money.org()
    budgetId = (await org.budget('1', { scope_kind: 'workflow', scope_id: 'triage', thresholds: [80] })).id
    await org.settle(await org.hold('0.9', { workflow_id: 'triage' }), '0.9')
    for (let i = 0; i < 3; i++) await org.decide(costing('0.5', { workflow_id: 'triage', customer_id: 'c-1' }))
    await org.decide(costing('0.6', { workflow_id: 'triage', model: 'gpt-4o-mini' }))
    await org.decide(costing('0.5', { workflow_id: 'triage', dry_run: true }))
    await org.post('/v1/runs', costing('0.5', { workflow_id: 'triage', chain_id: 'ticket-1' }))
    const bulk = { runs: [{ model: 'gpt-4o', cost_usd: '0.7', workflow_id: 'triage' }], mode: 'partial' }
    await org.post('/v1/runs/bulk', bulk)
    await listed(org, 6)
  })

  test('is listed with why, alike ones of a minute as one entry, and without dry runs', async () => {
    const entries = await list(org)
    expect(countOf(entries)).toBe(6)
    const alike = entries.filter(({ customer_id }) => customer_id === 'c-1')
    // Three calls that a minute's end lies between are two entries.
    expect(countOf(alike)).toBe(3)
    expect(alike.length).toBeLessThanOrEqual(2)
    expect(alike[0]).toMatchObject({
      id: expect.stringMatching(/^rfs_/),
      error_code: 'budget_exceeded',
      message: '$0.50 would exceed the $1.00 budget of workflow triage: $0.90 is spent and $0.00 is held.',
      limit_id: budgetId,
      rule_id: null,
      surface: 'edge',
      key_id: org.keyId,
      model: 'gpt-4o',
      workflow_id: 'triage',
      explanation: {
        decision: 'deny',
        decided_by: budgetId,
        inputs: { customer_id: 'c-1' },
        limits: [{ limit_id: budgetId, spent: '0.9', held: '0', attempted: '0.5', fits: false }],
      },
    })
    expect(new Set(entries.map((entry) => entry['surface']))).toEqual(new Set(['bulk', 'edge', 'run']))
    const { json } = await org.ask('GET', `/refusals/${alike[0]!.id}`)
    expect(json).toEqual(alike[0])
    expect((await org.ask('GET', '/refusals/rfs_01jbsteb4peb5vskx602h9mw4q')).status).toBe(404)
  })

  test.each([
    ['customer_id=c-1', 3],
    ['workflow_id=triage', 6],
    ['workflow_id=other', 0],
    ['model=gpt-4o-mini', 1],
    ['surface=bulk', 1],
    ['chain_id=ticket-1', 1],
    ['error_code=budget_exceeded', 6],
    ['error_code=rate_limited', 0],
    ['key_id=key_01jbsteb4peb5vskx602h9mw4q', 0],
    ['rule_id=rul_01jbsteb4peb5vskx602h9mw4q', 0],
    ['from=2000-01-01&to=2000-02-01', 0],
  ])('is found by %s', async (query, count) => {
    expect(countOf(await list(org, `?${query}`))).toBe(count)
  })

  test('is found by the limit, the key and the time', async () => {
    expect(countOf(await list(org, `?limit_id=${budgetId}`))).toBe(6)
    expect(countOf(await list(org, `?key_id=${org.keyId}`))).toBe(6)
    const [{ last_at }] = (await list(org, '?customer_id=c-1&sort=-minute')) as [Entry]
    const after = new Date(Date.parse(String(last_at)) + 1).toISOString()
    expect(countOf(await list(org, `?customer_id=c-1&from=${after}`))).toBe(0)
    expect(countOf(await list(org, `?customer_id=c-1&to=${after}`))).toBe(3)
    for (const [name, value] of Object.entries({
      workflow: 'triage',
      limit_id: 'zzz',
      rule_id: budgetId,
      key_id: 'key_1',
    })) {
      const { status, json } = await org.ask('GET', `/refusals?${name}=${value}`)
      expect({ status, fields: json.error?.details['fields'] }, name).toMatchObject({
        status: 422,
        fields: [{ field: name, code: 'invalid_filter' }],
      })
    }
  })

  test('is paged', async () => {
    const first = await org.ask('GET', '/refusals?limit=1')
    const second = await org.ask('GET', `/refusals?limit=200&cursor=${String(first.json['next_cursor'])}`)
    const ids = [first, second].flatMap(({ json }) => (json['data'] as Entry[]).map(({ id }) => id))
    expect(ids).toEqual((await list(org)).map(({ id }) => id))
  })

  test('is counted at its chain', async () => {
    await org.budget('9', { scope_kind: 'workflow', scope_id: 'other' })
    const run = await org.post(
      '/v1/runs',
      costing('0.1', { workflow_id: 'other', chain_id: 'ticket-1', operation: 'chat' }),
    )
    expect(run.status).toBe(201)
    const { json } = await call(money.server.url, 'GET', '/v1/chains/ticket-1', { key: org.key })
    expect(json).toMatchObject({ refused_count: 1, exhausted_at: null, nodes: [{ operation: 'chat' }] })
  })

  test('is told at its chain with its time where the chain’s own limit refused', async () => {
    const chained = await money.org()
    await chained.set('PUT', '/chain-limits', { default: { max_cost_usd: '1' } })
    const start = (usd: string) => chained.post('/v1/runs', costing(usd, { chain_id: 'ticket-2' }))
    expect((await start('0.7')).status).toBe(201)
    const [refused] = [await start('0.7'), await start('0.8')]
    expect(refused).toMatchObject({
      status: 402,
      json: {
        error: {
          code: 'chain_budget_exceeded',
          message: 'The chain’s cost would exceed $1.00: it stands at $0.70, and this run asks for $0.70.',
        },
      },
    })
    const entries = await listed(chained, 2)
    const first = entries.map((entry) => String(entry['first_at'])).sort()[0]
    const { json } = await call(money.server.url, 'GET', '/v1/chains/ticket-2', { key: chained.key })
    expect(json).toMatchObject({ refused_count: 2, exhausted_at: first })
  })

  test('is counted by day and code, and at the limit', async () => {
    const { json } = await org.ask('GET', '/refusals/daily')
    const days = json['data'] as { error_code: string; count: number }[]
    expect(days.map(({ error_code }) => error_code)).toEqual(days.map(() => 'budget_exceeded'))
    expect(days.reduce((sum, { count }) => sum + count, 0)).toBe(6)
    expect(await org.readBudget(budgetId)).toMatchObject({ refused_count: 6, exhausted_at: expect.any(String) })
  })
})

test('what rates, rules, missing prices and routes refuse is listed too, also before the body was read', async () => {
  const org = await money.org()
  await org.set('POST', '/policies', {
    name: 'no o1',
    effect: 'block',
    target: 'model',
    priority: 1,
    expression: 'run.model == "o1"',
    reason: 'Too dear.',
  })
  expect((await org.post('/v1/runs', costing('0.1', { model: 'o1', input: 'a secret text' }))).status).toBe(403)
  expect((await org.decide({ model: 'nobody-priced-this', workflow_id: 'w' })).status).toBe(422)
  expect((await org.decide({ model: 'gpt-4o', max_output_tokens: -1 })).status).toBe(422)
  await org.setAsOperator('PUT', '/rate-limits', {
    read_rpm: null,
    policies: [{ per: 'route_class', match: 'decision', kind: 'requests', amount: 1, window_seconds: 3600 }],
  })
  await eventually(async () => (await org.decide(costing('0.1'))).status === 429)
  const entries = await listed(org, 3)
  const codes = new Map(entries.map((entry) => [entry['error_code'], entry]))
  expect(new Set(codes.keys())).toEqual(new Set(['policy_blocked', 'rate_limited', 'validation_failed']))
  expect(codes.get('policy_blocked')).toMatchObject({
    rule_id: expect.stringMatching(/^rul_/),
    limit_id: null,
    model: 'o1',
  })
  expect(codes.get('validation_failed')).toMatchObject({ model: 'nobody-priced-this', workflow_id: 'w' })
  expect(codes.get('rate_limited')).toMatchObject({ model: null, key_id: org.keyId })
  expect(JSON.stringify(entries)).not.toContain('a secret text')
})

test('a day of an organization has a bound: what is beyond it is only counted', async () => {
  const org = await money.org()
  const other = await money.org()
  for (const one of [org, other]) await one.budget('0')
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => org.decide(costing('0.5', { workflow_id: `w-${i}` }))),
  )
  // On a machine that is slow some are turned away at the door.
  const refused = answers.filter(({ status }) => status === 402).length
  expect(refused).toBeGreaterThan(12)
  await other.decide(costing('0.5'))
  await listed(other, 1)
  await eventually(async () => {
    const { json } = await org.ask('GET', '/refusals/daily')
    return (json['data'] as { count: number }[]).reduce((sum, { count }) => sum + count, 0) === refused
  })
  // A day's end may lie between them.
  const days = new Set((await list(org)).map(({ first_at }) => String(first_at).slice(0, 10))).size
  expect((await list(org)).length).toBeLessThanOrEqual(12 * days)
  expect((await list(org)).length).toBeGreaterThanOrEqual(12)
})

test('a pinned key sees what lies within its pins', async () => {
  const org = await money.org()
  await org.budget('0')
  for (const customer_id of ['mine', 'theirs']) await org.decide(costing('0.5', { customer_id }))
  const [mine, theirs] = (await listed(org, 2)).toSorted((a, b) =>
    String(a['customer_id']) < String(b['customer_id']) ? -1 : 1,
  )
  const { key } = await keyOf(money.server, org.id, { pins: { customer_id: 'mine' } })
  const seen = async (path: string) => call(money.server.url, 'GET', `/v1/orgs/${org.id}/refusals${path}`, { key })
  expect((await seen('')).json['data']).toEqual([mine])
  expect((await seen('?customer_id=theirs')).status).toBe(403)
  expect((await seen(`/${mine!.id}`)).status).toBe(200)
  expect((await seen(`/${theirs!.id}`)).status).toBe(404)
  expect((await seen('/daily')).json['data']).toMatchObject([{ error_code: 'budget_exceeded', count: 1 }])
})

describe('a limit that refuses', () => {
  test('is told of once in its period, however many calls it refuses at once, and not for a dry run', async () => {
    const org = await money.org()
    const { id, period_start, period_end } = await org.budget('1')
    await org.settle(await org.hold('0.9'), '0.9')
    await org.decide(costing('0.5', { dry_run: true }))
    expect(await org.events('budget.stopped')).toEqual([])
    expect(await org.readBudget(id)).toMatchObject({ exhausted_at: null })
    const answers = await Promise.all(Array.from({ length: 20 }, () => org.decide(costing('0.5'))))
    const refused = answers.filter(({ status }) => status === 402).length + 1
    expect((await org.decide(costing('0.2'))).status).toBe(402)
    expect(await org.events('budget.stopped')).toEqual([
      {
        budget_id: id,
        scope_kind: 'org',
        scope_id: null,
        limit_usd: '1',
        spent_usd: '0.9',
        held_usd: '0',
        attempted_usd: '0.5',
        period_start,
        period_end,
      },
    ])
    await eventually(async () => (await org.readBudget(id))['refused_count'] === refused)
    expect(await org.readBudget(id)).toMatchObject({
      exhausted_at: expect.any(String),
      spent_usd: '0.9',
      held_usd: '0',
    })
    expect(await org.rows('select from movements where org_id = $1')).toHaveLength(2)
  })

  test('is told of before the refusal is answered, and again after a change that made room and in the next period', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const stops = async () => (await org.events('budget.stopped')).length
    await org.decide(costing('2'))
    expect(await stops()).toBe(1)
    await org.settle(await org.hold('1'), '1')
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '0.5' })
    await org.decide(costing('2'))
    expect(await stops()).toBe(1)
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '3' })
    expect(await org.readBudget(id)).toMatchObject({ exhausted_at: null })
    await org.decide(costing('2.5'))
    expect(await stops()).toBe(2)
    await org.endPeriod(id, { period: 'year' })
    await org.decide(costing('4'))
    expect(await stops()).toBe(3)
  })

  test('is told of in the words of its kind', async () => {
    const org = await money.org()
    const kinds = async () =>
      (
        await org.rows<{ kind: string }>(
          `select kind from outbox where org_id = $1 and kind like '%.stopped' order by seq`,
        )
      ).map(({ kind }) => kind)
    const refused = async (body: Record<string, unknown>) => expect((await org.start(body)).error).toBeDefined()
    await org.set('PUT', '/spend-cap', { cap_usd: '1' })
    await refused(costing('2'))
    await org.set('PUT', '/customers/c-1/limit', { limit_usd: '0.5', period: 'day' })
    await refused(costing('0.6', { customer_id: 'c-1' }))
    const pack = await org.set('POST', '/customers/c-2/credit-packs', { amount_usd: '0.4' })
    await refused(costing('0.5', { customer_id: 'c-2' }))
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.3' })
    await refused(costing('0.35'))
    await refused(costing('0.35'))
    expect(await kinds()).toEqual([
      'spend_cap.stopped',
      'customer_limit.stopped',
      'credit_pack.stopped',
      'quota.stopped',
    ])
    expect(await org.events('credit_pack.stopped')).toMatchObject([
      { credit_pack_id: pack['id'], amount_usd: '0.4', spent_usd: '0', attempted_usd: '0.5' },
    ])
    expect((await org.ask('GET', '/quota')).json).toMatchObject({ exhausted_at: expect.any(String) })
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.01' })
    expect((await org.ask('GET', '/quota')).json).toMatchObject({ exhausted_at: null })
    await refused(costing('0.35'))
    expect(await org.events('quota.stopped')).toHaveLength(2)
  })

  test('leaves nothing behind for names that were never admitted', async () => {
    const org = await money.org()
    await org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'day', timezone: 'UTC' })
    for (let i = 0; i < 5; i++)
      expect((await org.decide(costing('2', { customer_id: `made-up-${i}` }))).status).toBe(402)
    await org.settle(await org.hold('0.9', { customer_id: 'real' }), '0.9')
    expect((await org.decide(costing('2', { customer_id: 'real' }))).status).toBe(402)
    expect(await org.events('customer_limit.stopped')).toMatchObject([{ customer_id: 'real' }])
    await listed(org, 6)
    expect(await org.rows('select from limit_refusals where org_id = $1')).toHaveLength(1)
    expect(await org.rows('select from threshold_events where org_id = $1')).toHaveLength(1)
  })
})

describe('events', () => {
  type Logged = { id: string; type: string; subject: string; data: Record<string, unknown> }
  const events = async (org: MoneyOrg, query = '') => {
    const { status, json, text } = await org.ask('GET', `/events${query}`)
    expect(status, text).toBe(200)
    return json['data'] as Logged[]
  }

  test('are listed as webhooks tell them, drained or not, and found by type, subject and time', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { thresholds: [50] })
    await org.settle(await org.hold('0.9'), '0.9')
    await org.decide(costing('0.5'))
    const [crossed, stopped] = (await events(org, '?type=budget.*&sort=created_at')) as [Logged, Logged]
    expect([crossed.type, stopped.type]).toEqual(['budget.threshold_crossed', 'budget.stopped'])
    const { platform } = money.server
    while ((await drainEvents(platform, new PayloadCache())) > 0);
    expect(await events(org, '?type=budget.*')).toEqual([stopped, crossed])
    expect(stopped).toMatchObject({ org_id: org.id, subject: id, data: { budget_id: id, attempted_usd: '0.5' } })
    expect(await events(org, `?subject=${id}&type=budget.stopped`)).toEqual([stopped])
    expect((await events(org, `?subject=${id}&sort=-created_at`)).map((event) => event.id)).toEqual([
      stopped.id,
      crossed.id,
    ])
    expect(await events(org, `?subject=${id}&to=2020-01-01`)).toEqual([])
    expect((await org.ask('GET', `/events/${stopped.id}`)).json).toEqual(stopped)
    const other = await money.org()
    expect((await other.ask('GET', `/events/${stopped.id}`)).status).toBe(404)
    const first = await org.ask('GET', `/events?subject=${id}&limit=1`)
    expect(await events(org, `?subject=${id}&cursor=${String(first.json['next_cursor'])}`)).toEqual([crossed])
    expect((await org.ask('GET', '/events?type=Budget')).status).toBe(422)
  })
})
