import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'
import { eventually } from '../support/programs.ts'

const money = useMoney()

const byDefault = (org: MoneyOrg, scope: string, limit: string | null, more: object = {}) =>
  org.set('PUT', `/budget-defaults/${scope}`, { limit_usd: limit, period: 'day', timezone: quietZone(), ...more })
const usage = async (org: MoneyOrg, scope: string, query = '') =>
  (await org.ask('GET', `/budget-defaults/${scope}/usage${query}`)).json['data'] as Record<string, unknown>[]

describe.each(['department', 'workflow', 'deployment'])('a default budget of a %s', (scope) => {
  const dimension = `${scope}_id`

  test('binds each that has no budget of its own, from the next decision on, and shows which', async () => {
    const org = await money.org()
    await org.hold('5', { [dimension]: 'a' })
    const { id } = await byDefault(org, scope, '1', { thresholds: [50] })
    await org.settle(await org.hold('0.8', { [dimension]: 'a' }), '0.8')
    await org.hold('0.8', { [dimension]: 'b' })
    await org.hold('0.8')
    expect(refusalIn(await org.decide(costing('0.3', { [dimension]: 'a' })))).toMatchObject({
      status: 402,
      code: 'budget_exceeded',
      budget_id: id,
      scope_kind: scope,
      limit_usd: '1',
      spent_usd: '0.8',
    })
    expect(await org.events('budget.threshold_crossed')).toMatchObject([
      { budget_id: id, scope_id: 'a', scope_kind: scope },
    ])
    expect(await org.events('budget.stopped')).toMatchObject([{ budget_id: id, scope_id: 'a', attempted_usd: '0.3' }])
    await eventually(async () => (await usage(org, scope))[0]!['refused_count'] === 1)
    expect(await usage(org, scope)).toMatchObject([
      { scope_id: 'a', limit_usd: '1', spent_usd: '0.8', held_usd: '0', remaining_usd: '0.2' },
      { scope_id: 'b', spent_usd: '0', held_usd: '0.8', refused_count: 0, exhausted_at: null },
    ])
    expect(await usage(org, scope, '?scope_id=b')).toHaveLength(1)
    // One that gets a budget of its own is bound by that alone.
    await org.budget('2', { scope_kind: scope, scope_id: 'a' })
    await org.hold('2', { [dimension]: 'a' })
  })
})

test('parallel decisions never jointly pass a default, whoever is met first', async () => {
  const org = await money.org()
  await byDefault(org, 'workflow', '1')
  const names = ['x', 'y', 'z']
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const workflow_id = names[i % 3]!
      return { workflow_id, status: (await org.decide(costing('0.3', { workflow_id }))).status }
    }),
  )
  expect(answers.filter(({ status }) => status === 402).length).toBeGreaterThan(0)
  // On a machine that is slow some are turned away at the door: room that they left is still there.
  for (const workflow_id of names) for (let i = 0; i < 3; i++) await org.decide(costing('0.3', { workflow_id }))
  expect((await usage(org, 'workflow')).map(({ held_usd }) => held_usd)).toEqual(['0.9', '0.9', '0.9'])
})

test('made-up names share one allowance once a day has brought its new ones', async () => {
  const org = await money.org()
  await byDefault(org, 'workflow', '1', { max_new_per_day: 2 })
  for (const workflow_id of ['a', 'b', 'c']) await org.hold('0.6', { workflow_id })
  expect((await org.decide(costing('0.6', { workflow_id: 'd' }))).status).toBe(402)
  await org.hold('0.4', { workflow_id: 'a' })
  expect((await usage(org, 'workflow')).map(({ scope_id }) => scope_id)).toEqual(['a', 'b'])
})

test('is bound by runs that had happened, is replaced and removed, and stays what it is otherwise', async () => {
  const org = await money.org()
  expect((await org.ask('GET', '/budget-defaults/department')).json).toMatchObject({
    id: null,
    scope_kind: 'department',
  })
  expect((await org.ask('GET', '/budget-defaults/customer')).status).toBe(404)
  const set = await byDefault(org, 'department', '1')
  expect((await org.ask('GET', '/budget-defaults/department')).json).toEqual(set)
  expect((await org.ask('GET', '/budget-defaults')).json).toEqual({ data: [set] })
  const bulk = (cost_usd: string) =>
    org.post('/v1/runs/bulk', { runs: [{ model: 'gpt-4o', cost_usd, department_id: 'sales' }] })
  expect((await bulk('0.9')).status).toBe(200)
  expect((await bulk('0.2')).status).toBe(402)
  expect(await byDefault(org, 'department', '2')).toMatchObject({ id: set['id'], limit_usd: '2' })
  expect((await bulk('0.2')).status).toBe(200)
  expect((await org.ask('DELETE', '/budget-defaults/department')).status).toBe(204)
  expect((await org.ask('DELETE', '/budget-defaults/department')).status).toBe(404)
  expect((await bulk('50')).status).toBe(200)
  expect((await org.ask('GET', '/budgets')).json['data']).toEqual([])
})

describe('thresholds of customers', () => {
  test('are told once per customer, threshold and period, by the default and by a limit of its own', async () => {
    const org = await money.org()
    const limit = { limit_usd: '1', period: 'day', timezone: quietZone(), thresholds: [80, 50] }
    const byAll = await org.set('PUT', '/customer-limit-default', limit)
    const own = await org.set('PUT', '/customers/own/limit', { ...limit, limit_usd: '2' })
    expect([byAll['thresholds'], own['thresholds']]).toEqual([
      [50, 80],
      [50, 80],
    ])
    for (const customer_id of ['own', 'other', 'own', 'other'])
      await org.settle(await org.hold('0.45', { customer_id }), '0.45')
    await org.post('/v1/runs/bulk', { runs: [{ model: 'gpt-4o', cost_usd: '0.4', customer_id: 'own' }] })
    const told = (await org.events('customer_limit.threshold_crossed')).map(
      ({ customer_id, threshold_percent, spent_usd }) =>
        `${String(customer_id)} ${String(threshold_percent)}% at ${String(spent_usd)}`,
    )
    expect(told).toEqual(['other 50% at 0.9', 'other 80% at 0.9', 'own 50% at 1.3'])
    expect(
      (await org.explain((await org.decide(costing('0.1', { customer_id: 'own' }))).json['decision_id'] as string))
        .status,
    ).toBe(200)
    await org.set('PUT', '/customers/own/limit', { ...limit, limit_usd: '10' })
    await org.settle(await org.hold('4', { customer_id: 'own' }), '4')
    expect(await org.events('customer_limit.threshold_crossed')).toHaveLength(4)
  })
})
