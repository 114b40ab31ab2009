import { expect, test } from 'vitest'
import { quietZone, refusalIn, useMoney } from '../support/money.ts'

const money = useMoney()

const none = { model: 'gpt-4o', input_tokens: 0, max_output_tokens: 0 }
const used = { status: 'succeeded', input_tokens: 100_000, output_tokens: 100_000 }

test('a limit of nothing refuses a call that says it needs no tokens', async () => {
  const org = await money.org()
  await org.budget('0', { scope_kind: 'workflow', scope_id: 'zero' })
  const call = { ...none, workflow_id: 'zero' }
  expect(refusalIn(await org.decide(call))).toMatchObject({ code: 'budget_exceeded' })
  expect(refusalIn(await org.post('/v1/runs', call))).toMatchObject({ code: 'budget_exceeded' })
  expect((await org.decide({ ...none, workflow_id: 'other' })).json).toMatchObject({ reserved_usd: '0.001' })
})

test('a limit that is spent refuses every call that has a price, whatever amount it asks for', async () => {
  const org = await money.org()
  await org.set('PUT', '/spend-cap', { cap_usd: '1', timezone: quietZone() })
  const { status, json } = await org.post('/v1/runs', none)
  expect([status, json['reserved_usd']]).toEqual([201, '0.001'])
  const { json: finished } = await org.post(`/v1/runs/${String(json['id'])}/finish`, used)
  expect(finished).toMatchObject({ cost_usd: '1.25' })
  const asked = [none, { ...none, estimated_cost_usd: '0' }, { ...none, input_tokens: 1 }]
  for (const body of asked) {
    expect(refusalIn(await org.post('/v1/runs', body))).toMatchObject({ code: 'spend_cap_exceeded' })
    expect(refusalIn(await org.decide(body))).toMatchObject({ code: 'spend_cap_exceeded' })
  }
})

test('a minimum of zero is not a way around: what costs anything holds something', async () => {
  const org = await money.org()
  const free = { model: 'free', input_usd_per_million: '0', output_usd_per_million: '0' }
  await org.set('PUT', '/prices', { prices: [free], min_hold_usd: '0' })
  await org.budget('0')
  expect(refusalIn(await org.decide(none))).toMatchObject({ code: 'budget_exceeded' })
  expect((await org.decide({ ...none, model: 'free' })).json).toMatchObject({ decision: 'allow', reserved_usd: '0' })
})
