import { describe, expect, test } from 'vitest'
import { periodAt } from '../../src/values/period.ts'
import { timestamp } from '../../src/values/timestamp.ts'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'

const money = useMoney()

const anId = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{26}$`)) as string

/** The bounds of a period as its limit shows them. */
const bounds = (view: Record<string, unknown>) => ({
  period_start: view['period_start'],
  period_end: view['period_end'],
})

describe('each kind of limit refuses with everything that its caller needs', () => {
  test('the daily spend cap: spend_cap_exceeded, 402', async () => {
    const org = await money.org()
    await org.set('PUT', '/spend-cap', { cap_usd: '1', timezone: quietZone() })
    await org.settle(await org.hold('0.3'), '0.25')
    await org.hold('0.5')
    const refused = await org.decide(costing('0.250000001'))
    const cap = await org.ask('GET', '/spend-cap')
    expect(refusalIn(refused)).toEqual({
      status: 402,
      code: 'spend_cap_exceeded',
      cap_usd: '1',
      spent_usd: '0.25',
      held_usd: '0.5',
      attempted_usd: '0.250000001',
      remaining_usd: '0.25',
      resets_at: cap.json['resets_at'],
      reason: 'pre_flight',
      decision_id: anId('dec'),
    })
    const { endMs } = periodAt(
      { unit: 'day', anchor: null, timezone: quietZone() },
      Date.parse(cap.json['period_start'] as string),
    )
    expect(refusalIn(refused)).toMatchObject({ resets_at: timestamp(new Date(endMs)) })
  })

  test.each([
    ['org', {}, {}],
    ['department', { scope_id: 'sales' }, { department_id: 'sales' }],
    ['workflow', { scope_id: 'checkout' }, { workflow_id: 'checkout' }],
    ['deployment', { scope_id: 'eu-1' }, { deployment_id: 'eu-1' }],
  ])('a budget of the %s: budget_exceeded, 402', async (scope, fields, dimensions) => {
    const org = await money.org()
    const budget = await org.budget('2.5', { scope_kind: scope, period: 'week', ...fields })
    await org.settle(await org.hold('1', dimensions), '0.000000001')
    await org.hold('1.25', dimensions)
    expect(refusalIn(await org.decide(costing('1.25', dimensions)))).toEqual({
      status: 402,
      code: 'budget_exceeded',
      budget_id: budget.id,
      scope_kind: scope,
      limit_usd: '2.5',
      spent_usd: '0.000000001',
      held_usd: '1.25',
      attempted_usd: '1.25',
      remaining_usd: '1.249999999',
      ...bounds(await org.readBudget(budget.id)),
      decision_id: anId('dec'),
    })
    // What is none of its business passes.
    expect((await org.decide(costing('100'))).status).toBe(scope === 'org' ? 402 : 200)
  })

  test("a customer's own limit: budget_exceeded of scope customer, with the customer limit's id", async () => {
    const org = await money.org()
    const own = await org.set('PUT', '/customers/c1/limit', {
      limit_usd: '0.01',
      period: 'month',
      anchor: '2026-01-31',
    })
    await org.hold('0.004', { customer_id: 'c1' })
    expect(refusalIn(await org.decide(costing('0.007', { customer_id: 'c1' })))).toEqual({
      status: 402,
      code: 'budget_exceeded',
      budget_id: own['id'],
      scope_kind: 'customer',
      limit_usd: '0.01',
      spent_usd: '0',
      held_usd: '0.004',
      attempted_usd: '0.007',
      remaining_usd: '0.006',
      ...bounds(own),
      decision_id: anId('dec'),
    })
    expect(own['id']).toEqual(anId('clm'))
  })

  test('the default of customers: the same, with the id of the default', async () => {
    const org = await money.org()
    const byDefault = await org.set('PUT', '/customer-limit-default', {
      limit_usd: '3',
      period: 'day',
      timezone: quietZone(),
    })
    await org.settle(await org.hold('2', { customer_id: 'anybody' }), '2')
    expect(refusalIn(await org.decide(costing('1.5', { customer_id: 'anybody' })))).toEqual({
      status: 402,
      code: 'budget_exceeded',
      budget_id: byDefault['id'],
      scope_kind: 'customer',
      limit_usd: '3',
      spent_usd: '2',
      held_usd: '0',
      attempted_usd: '1.5',
      remaining_usd: '1',
      ...bounds(byDefault),
      decision_id: anId('dec'),
    })
    expect((await org.decide(costing('1.5', { customer_id: 'another' }))).status).toBe(200)
  })

  test('the prepaid quota: quota_exhausted, 402 at the edge, over all top-ups together', async () => {
    const org = await money.org()
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '3' })
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '4' })
    await org.settle(await org.hold('5'), '4.5')
    await org.hold('1')
    expect(refusalIn(await org.decide(costing('1.6')))).toEqual({
      status: 402,
      code: 'quota_exhausted',
      quota_kind: 'prepaid',
      limit: '7',
      used: '5.5',
      attempted: '1.6',
      remaining_usd: '1.5',
      resets_at: null,
      decision_id: anId('dec'),
    })
    expect((await org.decide(costing('1.5'))).status).toBe(200)
  })

  test.each([
    ['runs', { runs_per_month: 2, tokens_per_month: null }, { limit: 2, used: 2 }],
    ['tokens', { runs_per_month: null, tokens_per_month: 2_500 }, { limit: 2_500, used: 2_000 }],
  ])('a plan (%s), at the start of a run: plan_limit_exceeded, 402', async (unit, entitlement, numbers) => {
    const org = await money.org()
    await org.setAsOperator('PUT', '/plan', { name: 'Team', overage_policy: 'block', ...entitlement })
    const run = { model: 'gpt-4o', input_tokens: 400, max_output_tokens: 600 }
    const { reservation } = await org.start(run)
    await org.settle(reservation!, '0.001', 1_000n)
    await org.start(run)
    const { error } = await org.start(run)
    expect({ status: error!.status, code: error!.code, ...error!.details }).toEqual({
      status: 402,
      code: 'plan_limit_exceeded',
      limit_kind: unit,
      ...numbers,
    })
  })

  test('credits, at the start of a run: credits_exhausted, 402', async () => {
    const org = await money.org()
    await org.set('POST', '/customers/c1/credit-packs', { amount_usd: '3' })
    await org.set('POST', '/customers/c1/credit-packs', { amount_usd: '4' })
    await org.start(costing('5.25', { customer_id: 'c1' }))
    const { error } = await org.start(costing('2', { customer_id: 'c1' }))
    expect({ status: error!.status, code: error!.code, ...error!.details }).toEqual({
      status: 402,
      code: 'credits_exhausted',
      available_usd: '1.75',
      attempted_usd: '2',
    })
    expect((await org.start(costing('1000', { customer_id: 'without a pack' }))).error).toBeUndefined()
  })
})

test('every time in a refusal has a numeric offset, and never Z', async () => {
  const org = await money.org()
  await org.budget('0')
  const capped = await money.org()
  await capped.set('PUT', '/spend-cap', { cap_usd: '0' })
  const texts = [await org.decide(costing('1')), await capped.decide(costing('1'))].map(({ text }) => text)
  for (const text of texts) {
    const times = text.match(/\d{4}-\d{2}-\d{2}T[^"]*/g)!
    expect(times.length).toBeGreaterThan(0)
    for (const time of times) expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/)
  }
})

describe('where several limits would refuse, the first in this order is told', () => {
  const dimensions = { department_id: 'd', workflow_id: 'w', deployment_id: 'p', customer_id: 'c' }

  /** What refuses, from the last to be told to the first: each is set on top of all the others. */
  const inReverse: [told: string, set: (org: MoneyOrg) => Promise<unknown>][] = [
    ['budget_exceeded customer', (org) => org.set('PUT', '/customers/c/limit', { limit_usd: '0', period: 'day' })],
    ['budget_exceeded deployment', (org) => org.budget('0', { scope_kind: 'deployment', scope_id: 'p' })],
    ['budget_exceeded workflow', (org) => org.budget('0', { scope_kind: 'workflow', scope_id: 'w' })],
    ['budget_exceeded department', (org) => org.budget('0', { scope_kind: 'department', scope_id: 'd' })],
    ['budget_exceeded org', (org) => org.budget('0')],
    ['spend_cap_exceeded', (org) => org.set('PUT', '/spend-cap', { cap_usd: '0' })],
    ['quota_exhausted', (org) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.000000001' })],
  ]

  test('at the edge: quota, cap, budgets from the widest to the narrowest, customer', async () => {
    const org = await money.org()
    for (const [told, set] of inReverse) {
      await set(org)
      const { code, details } = (await org.decide(costing('1', dimensions))).json.error!
      expect({ code, scope_kind: details['scope_kind'] }).toEqual({
        code: told.split(' ')[0],
        scope_kind: told.split(' ')[1],
      })
    }
  })

  test('at the start of a run: the plan after the quota, credits last', async () => {
    const org = await money.org()
    const start = async () => (await org.start(costing('1', dimensions))).error?.code
    await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.5' })
    expect(await start()).toBe('credits_exhausted')
    await inReverse[0]![1](org)
    expect(await start()).toBe('budget_exceeded')
    await org.set('PUT', '/spend-cap', { cap_usd: '0' })
    expect(await start()).toBe('spend_cap_exceeded')
    await org.setAsOperator('PUT', '/plan', {
      name: 'None',
      runs_per_month: 0,
      tokens_per_month: 0,
      overage_policy: 'block',
    })
    expect(await start()).toBe('plan_limit_exceeded')
    await inReverse.at(-1)![1](org)
    expect(await start()).toBe('quota_exhausted')
  })
})
