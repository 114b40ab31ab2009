import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney()

const spend = async (org: MoneyOrg, usd: string) => org.settle(await org.hold(usd), usd)
/** In the order in which they happened. */
async function crossed(org: MoneyOrg): Promise<string[]> {
  const rows = await org.rows<{ threshold: number; spent: string }>(
    `select (body ->> 'threshold_percent')::int as threshold, body ->> 'spent_usd' as spent from outbox
      where org_id = $1 and kind = 'budget.threshold_crossed' order by id`,
  )
  return rows.map(({ threshold, spent }) => `${threshold}% at ${spent}`)
}

describe('a threshold is told', () => {
  test('once, when what is spent reaches it, with everything that a reader needs', async () => {
    const org = await money.org()
    const { id, period_start, period_end } = await org.budget('1', { thresholds: [100, 50, 80] })
    await org.release(await org.hold('1'))
    expect(await crossed(org)).toEqual([])
    for (let i = 0; i < 10; i++) await spend(org, '0.1')
    expect(await crossed(org)).toEqual(['50% at 0.5', '80% at 0.8', '100% at 1'])
    expect(await org.events('budget.exceeded')).toEqual([])
    expect((await org.events('budget.threshold_crossed'))[0]).toEqual({
      budget_id: id,
      scope_kind: 'org',
      scope_id: null,
      threshold_percent: 50,
      limit_usd: '1',
      spent_usd: '0.5',
      period_start,
      period_end,
    })
  })

  test('once, however many settlements pass it at once', async () => {
    const org = await money.org()
    await org.budget('1', { thresholds: [50, 80] })
    const holds = await Promise.all(Array.from({ length: 10 }, () => org.hold('0.1')))
    await Promise.all(holds.map((hold) => org.settle(hold, '0.1')))
    expect((await crossed(org)).map((text) => text.slice(0, 3))).toEqual(['50%', '80%'])
  })

  test('all that one settlement passes, also above the limit', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { thresholds: [50, 80, 100] })
    await org.settle(await org.hold('0.1'), '3')
    expect(await crossed(org)).toEqual(['50% at 3', '80% at 3', '100% at 3'])
    expect(await org.events('budget.exceeded')).toMatchObject([{ budget_id: id, spent_usd: '3', limit_usd: '1' }])
  })

  test('again after the limit was raised above the spend, and not what is still reached', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { thresholds: [50, 80, 100] })
    await spend(org, '1')
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '2' })
    await spend(org, '0.6')
    expect(await crossed(org)).toEqual(['50% at 1', '80% at 1', '100% at 1', '80% at 1.6'])
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '1' })
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '2' })
    await spend(org, '0.4')
    expect((await crossed(org)).slice(4)).toEqual(['100% at 1.6', '100% at 2'])
  })

  test('at once, when the limit is lowered to what is spent already, and not what was told before', async () => {
    const org = await money.org()
    const { id } = await org.budget('10', { thresholds: [50, 80, 100] })
    await spend(org, '5')
    expect(await crossed(org)).toEqual(['50% at 5'])
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '4.5' })
    expect(await crossed(org)).toEqual(['50% at 5', '80% at 5', '100% at 5'])
    expect(await org.events('budget.exceeded')).toMatchObject([{ budget_id: id, spent_usd: '5', limit_usd: '4.5' }])
  })

  test('again in the next period', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { thresholds: [50] })
    await spend(org, '0.5')
    await spend(org, '0.1')
    await org.endPeriod(id, { period: 'year' })
    await spend(org, '0.5')
    expect(await crossed(org)).toEqual(['50% at 0.5', '50% at 0.5'])
  })

  test('in the transaction that crosses it, and by nothing that was refused', async () => {
    const org = await money.org()
    await org.budget('1', { thresholds: [50] })
    expect((await org.decide(costing('2'))).status).toBe(402)
    expect(await crossed(org)).toEqual([])
    const settled = await spend(org, '0.5')
    expect(settled.type).toBe('ended')
    expect(await crossed(org)).toEqual(['50% at 0.5'])
    const [both] = await org.rows(
      `select (select count(*) from movements m where m.org_id = $1 and m.at = t.at and m.kind = 'settle')::int as settlements
         from threshold_events t where t.org_id = $1 and t.threshold > 0`,
    )
    expect(both).toEqual({ settlements: 1 })
  })
})

describe('a budget that only alerts', () => {
  test('never refuses, and counts what it would have refused', async () => {
    const org = await money.org()
    const { id } = await org.budget('0.5', { enforcement: 'alert', thresholds: [80] })
    const holds = [await org.hold('0.4'), await org.hold('0.4'), await org.hold('0.4')]
    expect(await org.readBudget(id)).toMatchObject({ would_refuse_count: 2, held_usd: '1.2', remaining_usd: '0' })
    for (const hold of holds) await org.settle(hold, '0.4')
    expect(await org.readBudget(id)).toMatchObject({ would_refuse_count: 2, spent_usd: '1.2', overrun_usd: '0' })
    expect(await crossed(org)).toEqual(['80% at 0.4'])
    expect(await org.events('budget.exceeded')).toMatchObject([{ budget_id: id, spent_usd: '0.8' }])
  })

  test('counts nothing for a dry run, nor for what another limit refuses', async () => {
    const org = await money.org()
    const { id } = await org.budget('0', { enforcement: 'alert' })
    await org.budget('1', { scope_kind: 'workflow', scope_id: 'w' })
    expect((await org.decide(costing('0.1', { dry_run: true }))).status).toBe(200)
    expect((await org.decide(costing('2', { workflow_id: 'w' }))).status).toBe(402)
    expect(await org.readBudget(id)).toMatchObject({ would_refuse_count: 0, held_usd: '0' })
  })

  test('refuses from the moment on at which it is set to block', async () => {
    const org = await money.org()
    const { id } = await org.budget('0.5', { enforcement: 'alert' })
    await org.hold('0.6')
    await org.set('PATCH', `/budgets/${id}`, { enforcement: 'block' })
    expect((await org.decide(costing('0.1'))).status).toBe(402)
    await org.set('PATCH', `/budgets/${id}`, { enforcement: 'alert' })
    expect((await org.decide(costing('0.1'))).status).toBe(200)
  })

  test('a plan whose overage is allowed counts it and does not refuse where a run starts', async () => {
    const org = await money.org()
    await org.setAsOperator('PUT', '/plan', {
      name: 'P',
      runs_per_month: 1,
      tokens_per_month: 0,
      overage_policy: 'allow',
    })
    for (let i = 0; i < 3; i++) {
      const { reservation } = await org.start({ model: 'gpt-4o', input_tokens: 10, max_output_tokens: 10 })
      await org.settle(reservation!, '0.001', 20n)
    }
    expect((await org.ask('GET', '/plan')).json).toMatchObject({
      runs: { used: 3, remaining: 0 },
      tokens: { used: 60 },
    })
  })
})
