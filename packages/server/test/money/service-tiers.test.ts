import { expect, test } from 'vitest'
import { useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

const asked = { model: 'gpt-5.5', input_tokens: 100_000, max_output_tokens: 10_000 }
const used = { status: 'succeeded', input_tokens: 100_000, output_tokens: 10_000 }

test.each([
  [undefined, '0.8', '0.8'],
  ['standard', '0.8', '0.8'],
  ['priority', '1.6', '1.6'],
  ['flex', '0.8', '0.4'],
  ['batch', '0.8', '0.4'],
])('a call in the tier %s holds %s and costs %s', async (service_tier, reserved_usd, cost_usd) => {
  const org = await money.org()
  const { json } = await org.post('/v1/runs', { ...asked, ...(service_tier !== undefined && { service_tier }) })
  expect(json).toMatchObject({ reserved_usd })
  const finished = await org.post(`/v1/runs/${String(json['id'])}/finish`, used)
  expect(finished.json).toMatchObject({ cost_usd, cost_basis: 'computed' })
})

test('another model that ran is charged in the tier that was asked for, and the explanation names it', async () => {
  const org = await money.org()
  const { json } = await org.decide({ ...asked, model: 'gpt-5', service_tier: 'priority' })
  expect((await org.explain(String(json['decision_id']))).json).toMatchObject({ inputs: { service_tier: 'priority' } })
  const settled = { reservation_id: json['reservation_id'], ...used, model: 'gpt-5.5' }
  const { json: done } = await org.post('/v1/runs/bulk', { runs: [settled] })
  const [{ run_id } = { run_id: '' }] = done['results'] as { run_id: string }[]
  const run = await call(money.server.url, 'GET', `/v1/runs/${run_id}`, { key: org.key })
  expect(run.json).toMatchObject({ cost_usd: '1.6', cost_basis: 'computed' })
})

test('a long call is held and charged at the rates of its length, also in a tier', async () => {
  const org = await money.org()
  const long = { ...asked, input_tokens: 300_000 }
  expect((await org.decide(long)).json).toMatchObject({ reserved_usd: '3.45' })
  const { json } = await org.post('/v1/runs', { ...long, service_tier: 'priority' })
  expect(json).toMatchObject({ reserved_usd: '6.9' })
  const finish = `/v1/runs/${String(json['id'])}/finish`
  const finished = await org.post(finish, { ...used, input_tokens: 300_000 })
  expect(finished.json).toMatchObject({ cost_usd: '6.9' })
})
