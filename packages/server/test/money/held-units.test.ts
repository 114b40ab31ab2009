import { expect, test } from 'vitest'
import { refusalIn, useMoney } from '../support/money.ts'

const money = useMoney()

/** $3 a million tokens of input, held at $6 for what is cached for an hour; $15 of output; $0.01 for a search. */
const asked = { model: 'claude-sonnet-4-5', input_tokens: 1_000, max_output_tokens: 1_000 }

test('units are held at their fee beside the tokens, and bind like them', async () => {
  const org = await money.org()
  await org.budget('0.2')
  const plain = await org.post('/v1/runs', { ...asked, dry_run: true })
  const searching = await org.post('/v1/runs', { ...asked, units: { web_search: 8 }, dry_run: true })
  expect(Number(searching.json['reserved_usd']) - Number(plain.json['reserved_usd'])).toBeCloseTo(0.08, 9)
  expect((await org.post('/v1/runs', { ...asked, units: { web_search: 8 } })).status).toBe(201)
  expect(refusalIn(await org.post('/v1/runs', { ...asked, units: { web_search: 8 } }))).toMatchObject({
    code: 'budget_exceeded',
  })
  expect((await org.post('/v1/runs', asked)).status).toBe(201)
})

test('a raise keeps the units that are held', async () => {
  const org = await money.org()
  const { json } = await org.post('/v1/runs', { ...asked, units: { web_search: 8 } })
  const raised = await org.post(`/v1/runs/${String(json['id'])}/extend`, { max_output_tokens: 2_000 })
  expect(Number(raised.json['reserved_usd']) - Number(json['reserved_usd'])).toBeCloseTo(0.015, 9)
})

test('a unit that has no price is refused by its name', async () => {
  const org = await money.org()
  const refused = await org.post('/v1/runs', { ...asked, units: { moon_walk: 1 } })
  expect(refused.status).toBe(422)
  expect(refused.json.error?.details).toMatchObject({ fields: [{ field: 'units.moon_walk', code: 'invalid_value' }] })
})
