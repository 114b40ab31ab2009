import { describe, expect, test } from 'vitest'
import { costing, useMoney } from '../support/money.ts'

const money = useMoney()

const million = () => ({ model: 'gpt-4o', cost_usd: '1000000', started_at: new Date().toISOString() })
const bulk = (count: number, more: Record<string, unknown> = {}) => ({
  enforce: false,
  runs: Array.from({ length: count }, () => ({ ...million(), ...more })),
})
const outOfRange = (field: string) => ({
  status: 422,
  json: { error: { code: 'validation_failed', details: { fields: [{ field, code: 'out_of_range' }] } } },
})

describe('what can no longer be counted', () => {
  test('is refused where it enters, while what was admitted is finished and everything can be read', async () => {
    const [org, neighbour] = [await money.org(), await money.org()]
    const budget = await org.budget(null)
    const start = () => org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' })
    const runs = await Promise.all(Array.from({ length: 3 }, start))
    const [finished, settled] = runs.map(({ json }) => json['id'] as string)
    const reservation = await org.hold('1')

    expect((await org.post('/v1/runs/bulk', bulk(5_000))).status).toBe(200)
    expect((await org.post('/v1/runs/bulk', bulk(2_999))).status).toBe(200)
    for (const more of [{}, { mode: 'partial' }])
      expect(await org.post('/v1/runs/bulk', { ...bulk(2), ...more })).toMatchObject(
        'mode' in more ? { status: 200 } : outOfRange('runs.0.cost_usd'),
      )
    expect(await org.decide(costing('1000000'))).toMatchObject(outOfRange('estimated_cost_usd'))
    expect(await org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1000000' })).toMatchObject(
      outOfRange('estimated_cost_usd'),
    )
    const adjustment = { limit_id: budget.id, amount_usd: '2000000', reason: 'too much' }
    expect(await org.ask('POST', '/ledger/adjustments', adjustment)).toMatchObject(outOfRange('amount_usd'))

    // What was admitted before is booked, at whatever one call may cost.
    expect((await org.post(`/v1/runs/${finished!}/finish`, { status: 'succeeded', cost_usd: '1000000' })).status).toBe(
      200,
    )
    const late = await org.post('/v1/runs/bulk', {
      runs: [
        { ...million(), run_id: settled },
        { ...million(), reservation_id: reservation },
      ],
    })
    expect(late.status, late.text).toBe(200)

    for (const path of ['/budgets', `/budgets/${budget.id}`, '/quota', '/ledger', '/usage'])
      expect((await org.ask('GET', path)).status, path).toBe(200)
    expect((await neighbour.decide(costing('0.01'))).status).toBe(200)
    expect(await money.metric('svc_lane_failures_total')).toBe(0)
  })

  test('is not prepaid either: top-ups and packs are refused with the sum', async () => {
    const org = await money.org()
    const topUp = (amount_usd: string) => org.admin('POST', '/quota/top-ups', { amount_usd })
    expect((await topUp('5000000000')).status).toBe(201)
    expect(await topUp('5000000000')).toMatchObject(outOfRange('amount_usd'))
    expect((await topUp('3000000000')).status).toBe(201)
    expect((await org.ask('GET', '/quota')).json).toMatchObject({ limit_usd: '8000000000' })
    expect((await org.post('/v1/edge/decision', costing('0.01'))).status).toBe(200)
    const pack = (amount_usd: string) => org.ask('POST', '/customers/c/credit-packs', { amount_usd })
    expect((await pack('8000000000')).status).toBe(201)
    expect(await pack('1')).toMatchObject(outOfRange('amount_usd'))
  })

  test('that was prepaid before there was a bound is shown as far as it can be written', async () => {
    const org = await money.org()
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '5000000000' })
    await org.rows(
      `insert into packs (org_id, owner, id, name, amount, priority)
       select org_id, owner, gen_random_uuid(), name, amount, priority from packs where org_id = $1`,
    )
    expect(await org.ask('GET', '/quota')).toMatchObject({ status: 200, json: { limit_usd: '8999999999.999999999' } })
    const forecast = await fetch(`${money.server.url}/v1/capacity/forecasts`, {
      headers: { authorization: `Bearer ${org.key}` },
    })
    expect(forecast.status).toBe(200)
  })

  test('is no price either: what is held for an unknown model is bounded like any call', async () => {
    const org = await money.org()
    const prices = { prices: [], unpriced_ceiling_usd: '8000000000', min_hold_usd: '1000001' }
    expect(await org.ask('PUT', '/prices', prices)).toMatchObject({
      status: 422,
      json: { error: { details: { fields: [{ field: 'min_hold_usd' }, { field: 'unpriced_ceiling_usd' }] } } },
    })
  })
})
