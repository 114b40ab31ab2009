import { describe, expect, test } from 'vitest'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'

const money = useMoney()

const reserved = async (org: MoneyOrg, body: Record<string, unknown>) => {
  const { status, json, text } = await org.decide({ model: 'gpt-4o', ...body })
  expect(status, text).toBe(200)
  return json['reserved_usd']
}

describe('an estimate', () => {
  test('of 0 holds the minimum and cannot open a limit', async () => {
    const org = await money.org()
    expect(await reserved(org, { estimated_cost_usd: '0' })).toBe('0.001')
    await org.budget('0.0009')
    expect(refusalIn(await org.decide(costing('0')))).toMatchObject({ code: 'budget_exceeded', attempted_usd: '0.001' })
  })

  test('raises what can be computed, and never lowers it', async () => {
    const org = await money.org()
    const tokens = { input_tokens: 1_000, max_output_tokens: 500 }
    expect(await reserved(org, tokens)).toBe('0.0075')
    expect(await reserved(org, { ...tokens, estimated_cost_usd: '0' })).toBe('0.0075')
    expect(await reserved(org, { ...tokens, estimated_cost_usd: '0.007499999' })).toBe('0.0075')
    expect(await reserved(org, { ...tokens, estimated_cost_usd: '0.007500001' })).toBe('0.007500001')
  })

  test('that was too low is overrun when it is settled, and spent at once', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const before = await money.metric('svc_ledger_overrun_nano_usd_total')
    const settled = await org.settle(await org.hold('0'), '5')
    expect(settled).toMatchObject({
      type: 'ended',
      hold: { chargedNano: parseUsd('5'), overrunNano: parseUsd('4.999') },
    })
    expect(await org.readBudget(id)).toMatchObject({
      spent_usd: '5',
      overrun_usd: '4.999',
      late_usd: '0',
      remaining_usd: '0',
    })
    expect((await money.metric('svc_ledger_overrun_nano_usd_total')) - before).toBe(4_999_000_000)
    expect(await org.events('budget.exceeded')).toMatchObject([{ budget_id: id, limit_usd: '1', spent_usd: '5' }])
    expect((await org.decide(costing('0'))).status).toBe(402)
  })
})

describe('a lease that is over', () => {
  test('gives its room back five seconds later, and not before', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const first = await org.hold('1')
    await org.endLease(first, 4)
    expect((await org.decide(costing('1'))).status).toBe(402)
    expect(await org.holdState(first)).toBe('open')
    await org.endLease(first, 6)
    expect((await org.decide(costing('1'))).status).toBe(200)
    expect(await org.holdState(first)).toBe('expired')
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', held_usd: '1' })
  })

  test('is recorded once when it is settled late, with a column, a metric and an event of its own', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const first = await org.hold('0.75')
    await org.endLease(first)
    await org.hold('1')
    const before = await money.metric('svc_ledger_late_nano_usd_total')
    expect(await org.settle(first, '0.5')).toMatchObject({ type: 'ended', isLate: true, isRepeat: false })
    expect(await org.readBudget(id)).toMatchObject({
      spent_usd: '0.5',
      late_usd: '0.5',
      held_usd: '1',
      overrun_usd: '0',
    })
    expect(await org.events('budget.exceeded')).toEqual([])
    expect(await org.settle(first, '0.9')).toMatchObject({
      type: 'ended',
      isRepeat: true,
      hold: { chargedNano: 500_000_000n },
    })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0.5', late_usd: '0.5' })
    expect((await money.metric('svc_ledger_late_nano_usd_total')) - before).toBe(500_000_000)
  })

  test.each([
    ['a budget', 'budget.exceeded', '1.5', (org: MoneyOrg) => org.budget('1')],
    [
      'the spend cap',
      'spend_cap.exceeded',
      '1.5',
      (org: MoneyOrg) => org.set('PUT', '/spend-cap', { cap_usd: '1', timezone: quietZone() }),
    ],
    [
      "a customer's limit",
      'customer_limit.exceeded',
      '1.5',
      (org: MoneyOrg) =>
        org.set('PUT', '/customers/c/limit', { limit_usd: '1', period: 'year', timezone: quietZone() }),
    ],
    [
      'the default of customers',
      'customer_limit.exceeded',
      '1.5',
      (org: MoneyOrg) =>
        org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'year', timezone: quietZone() }),
    ],
    [
      'the quota',
      'quota.depleted',
      '1',
      (org: MoneyOrg) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '1' }),
    ],
  ])('and takes %s past its limit tells so, once', async (_name, kind, spent, set) => {
    const org = await money.org()
    await set(org)
    const late = [await org.hold('0.5', { customer_id: 'c' }), await org.hold('0.5', { customer_id: 'c' })]
    for (const reservation of late) await org.endLease(reservation)
    await org.settle(await org.hold('1', { customer_id: 'c' }), '1')
    for (const reservation of late) await org.settle(reservation, '0.5')
    expect(await org.events(kind)).toMatchObject([{ limit_usd: '1', spent_usd: spent }])
  })

  test('of a run is charged at its hold, and a later settlement replaces that', async () => {
    const org = await money.org()
    const { id } = await org.budget('10')
    const { reservation } = await org.start(costing('3'))
    await org.endLease(reservation!)
    expect((await org.decide(costing('8'))).status).toBe(402)
    expect(await org.settle(reservation!, '1.25')).toMatchObject({ type: 'ended', isLate: false })
    expect(await org.readBudget(id)).toMatchObject({
      spent_usd: '1.25',
      held_usd: '0',
      late_usd: '0',
      overrun_usd: '0',
    })
    expect(await org.settle(reservation!, '2')).toMatchObject({ isRepeat: true })
  })

  test('of a run that was charged and then refunded is settled without falling below 0', async () => {
    const org = await money.org()
    const { id } = await org.budget('10')
    const { reservation } = await org.start(costing('3'))
    await org.endLease(reservation!)
    expect((await org.decide(costing('8'))).status).toBe(402)
    await org.set('POST', '/ledger/adjustments', { limit_id: id, amount_usd: '-3', reason: 'refund' })
    expect(await org.settle(reservation!, '1')).toMatchObject({ type: 'ended', hold: { chargedNano: parseUsd('1') } })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', held_usd: '0' })
  })
})

describe('at the edge', () => {
  const plan = { name: 'Small', runs_per_month: 1, tokens_per_month: 1_000, overage_policy: 'block' }

  test('plan and credits never refuse; they are drawn down at settlement, and what is above them is overrun', async () => {
    const org = await money.org()
    await org.setAsOperator('PUT', '/plan', plan)
    const pack = await org.set('POST', '/customers/c/credit-packs', { amount_usd: '1' })
    const tokens = { input_tokens: 1_000, max_output_tokens: 1_000 }
    const holds = [0, 1, 2].map(() => org.hold('2', { customer_id: 'c', ...tokens }))
    for (const hold of await Promise.all(holds)) await org.settle(hold, '0.75', 600n)
    const { json } = await org.ask('GET', '/plan')
    expect(json).toMatchObject({
      runs: { used: 3, held: 0, remaining: 0 },
      tokens: { used: 1_800, held: 0, remaining: 0 },
    })
    const packs = await org.ask('GET', '/customers/c/credit-packs')
    expect(packs.json['data']).toMatchObject([
      { id: pack['id'], spent_usd: '2.25', remaining_usd: '0', status: 'depleted' },
    ])
    const counted = (await org.allowances()).filter(({ kind }) => kind === 'plan' || kind === 'credits')
    expect(counted.map(({ kind, spent, overrun }) => `${kind} ${spent} ${overrun}`).sort()).toEqual([
      'credits 2250000000 1250000000',
      'plan 1800 800',
      'plan 3 2',
    ])
    expect((await org.decide(costing('2', { customer_id: 'c' }))).status).toBe(200)
  })

  test('what never refuses there does refuse where a run starts', async () => {
    const org = await money.org()
    await org.set('POST', '/customers/c/credit-packs', { amount_usd: '1' })
    expect((await org.start(costing('1.5', { customer_id: 'c' }))).error?.code).toBe('credits_exhausted')
    await org.setAsOperator('PUT', '/plan', { ...plan, runs_per_month: 0 })
    expect((await org.start(costing('0.5', { customer_id: 'c' }))).error?.code).toBe('plan_limit_exceeded')
    expect((await org.decide(costing('1.5', { customer_id: 'c' }))).status).toBe(200)
  })

  test('a chain is no part of the request', async () => {
    const org = await money.org()
    const refused = await org.decide(costing('1', { chain_id: 'x' }))
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('unknown_field')
  })
})

describe('a changed period', () => {
  test('keeps what is spent until the running period ends', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { period: 'day' })
    await org.settle(await org.hold('0.75'), '0.75')
    const changes = [{ period: 'month' }, { timezone: 'Pacific/Apia' }, { period: 'week', anchor: '2026-01-07' }]
    for (const change of changes) {
      const changed = await org.set('PATCH', `/budgets/${id}`, change)
      expect(changed).toMatchObject({ spent_usd: '0.75', period: 'day', next_schedule: change })
      expect((changed['next_schedule'] as Record<string, unknown>)['from']).toBe(changed['period_end'])
      expect((await org.decide(costing('0.250000001'))).status).toBe(402)
    }
    expect(await org.allowances()).toHaveLength(1)
    await org.endPeriod(id, { period: 'year' })
    expect((await org.decide(costing('1'))).status).toBe(200)
    expect(await org.readBudget(id)).toMatchObject({
      spent_usd: '0',
      held_usd: '1',
      period: 'year',
      next_schedule: null,
    })
  })
})

describe('a settlement is booked where its hold was admitted', () => {
  test('also when that period has ended since, with its overrun', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { period: 'day' })
    const hold = await org.hold('0.5')
    const { key } = (await org.allowances())[0]!
    await org.endPeriod(id, { period: 'month' })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', held_usd: '0' })
    await org.settle(hold, '0.75')
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', held_usd: '0' })
    expect(await org.allowances()).toMatchObject([{ key, spent: '750000000', held: '0', overrun: '250000000' }])
    expect((await org.decide(costing('1'))).status).toBe(200)
  })

  test('also when its limit has been deleted since', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const hold = await org.hold('0.5')
    expect((await org.ask('DELETE', `/budgets/${id}`)).status).toBe(204)
    await org.settle(hold, '0.25')
    expect(await org.allowances()).toMatchObject([{ spent: '250000000', held: '0' }])
  })

  test('an adjustment names its period', async () => {
    const org = await money.org()
    const { id, ...view } = await org.budget('1')
    const before = new Date(Date.parse(view['period_start'] as string) - 86_400_000).toISOString()
    const body = { limit_id: id, amount_usd: '0.4', at: before, reason: 'a bill that came late' }
    const entry = await org.set('POST', '/ledger/adjustments', body)
    expect((entry['changes'] as { period_end: string }[])[0]!.period_end).toBe(view['period_start'])
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', remaining_usd: '1' })
  })
})

test('a limit that is lowered revokes nothing, and shows nothing below 0', async () => {
  const org = await money.org()
  const { id } = await org.budget('1')
  const hold = await org.hold('0.8')
  expect(await org.set('PATCH', `/budgets/${id}`, { limit_usd: '0.5' })).toMatchObject({
    remaining_usd: '0',
    held_usd: '0.8',
  })
  expect(await org.settle(hold, '0.8')).toMatchObject({ type: 'ended', hold: { overrunNano: 0n } })
  expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0.8', overrun_usd: '0', remaining_usd: '0' })
  expect((await org.decide(costing('0.001'))).status).toBe(402)
})

test('exactly up to the limit passes, and not a nano-dollar more', async () => {
  const org = await money.org()
  await org.budget('1')
  await org.hold('0.999')
  expect(refusalIn(await org.decide(costing('0.001000001')))).toMatchObject({ code: 'budget_exceeded' })
  const last = await org.decide(costing('0.001'))
  expect(last.json).toMatchObject({ decision: 'allow', remaining_usd: formatUsd(0n) })
  expect((await org.decide(costing('0.001'))).status).toBe(402)
  expect(await org.events('budget.exceeded')).toEqual([])
})
