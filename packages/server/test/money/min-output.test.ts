import { describe, expect, test } from 'vitest'
import { quietZone, refusalIn, useMoney } from '../support/money.ts'
import { Random } from '../support/random.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

/** $2.50 a million tokens of input, $10 a million of output. */
const asked = { model: 'gpt-4o', input_tokens: 10_000, max_output_tokens: 16_000, min_output_tokens: 1_000 }

describe('a start with a minimum of output', () => {
  test('is granted what it asks for where that fits, else what fits, and is refused below its minimum', async () => {
    const org = await money.org()
    const budget = await org.budget('0.3')
    const granted = async () => {
      const { json } = await org.post('/v1/runs', asked)
      return [json['max_output_tokens'], json['reserved_usd'], json['remaining_usd']]
    }
    expect(await granted()).toEqual([16_000, '0.185', '0.115'])
    expect(await granted()).toEqual([9_000, '0.115', '0'])
    expect(refusalIn(await org.post('/v1/runs', asked))).toMatchObject({
      code: 'budget_exceeded',
      attempted_usd: '0.185',
    })
    expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: '0.3', remaining_usd: '0' })
  })

  test('is refused one token above what fits, and granted exactly that', async () => {
    const org = await money.org()
    await org.budget('0.1')
    const above = await org.post('/v1/runs', { ...asked, min_output_tokens: 7_501 })
    expect(refusalIn(above)).toMatchObject({ status: 402, fits_max_output_tokens: 7_500 })
    const exact = await org.post('/v1/runs', { ...asked, min_output_tokens: 7_500, dry_run: true })
    expect(exact.json).toMatchObject({ max_output_tokens: 7_500, reserved_usd: '0.1', remaining_usd: '0' })
    const held = await org.post('/v1/runs', { ...asked, min_output_tokens: 7_500 })
    expect(held.json).toMatchObject({ max_output_tokens: 7_500, reserved_usd: '0.1' })
  })

  test('at the edge, and by the tokens of a chain', async () => {
    const org = await money.org()
    await org.budget('0.1')
    const { json } = await org.decide(asked)
    expect(json).toMatchObject({ max_output_tokens: 7_500, reserved_usd: '0.1', remaining_usd: '0' })
    const other = await money.org()
    const chain = { chain_id: 'c', chain_limits: { max_tokens: 12_000 } }
    const run = await other.post('/v1/runs', { ...asked, ...chain })
    expect(run.json).toMatchObject({ max_output_tokens: 2_000, reserved_usd: '0.045' })
    const chained = await call(money.server.url, 'GET', '/v1/chains/c', { key: other.key })
    expect(chained.json).toMatchObject({ chain_id: 'c' })
    expect((await other.post('/v1/runs', { ...asked, chain_id: 'c' })).status).toBe(429)
  })

  test('at the rates of its length and its tier of service', async () => {
    const org = await money.org()
    await org.budget('7')
    // Above 272,000 tokens $10 and $45 a million, twice that in priority.
    const long = { model: 'gpt-5.5', input_tokens: 300_000, service_tier: 'priority', min_output_tokens: 1 }
    const { json } = await org.post('/v1/runs', { ...long, max_output_tokens: 100_000 })
    expect(json).toMatchObject({ max_output_tokens: 11_111, reserved_usd: '6.99999' })
    const used = { status: 'succeeded', input_tokens: 300_000, output_tokens: 11_111 }
    const finished = await org.post(`/v1/runs/${String(json['id'])}/finish`, used)
    expect(finished.json).toMatchObject({ cost_usd: '6.99999', overrun_usd: '0' })
  })

  test('is explained by what was asked and what was granted; a repetition gets the same grant', async () => {
    const org = await money.org()
    await org.budget('0.1')
    const headers = { 'idempotency-key': 'once' }
    const body = { ...asked, external_id: 'x' }
    const first = await org.post('/v1/runs', body, headers)
    expect(first.json).toMatchObject({ max_output_tokens: 7_500 })
    expect((await org.post('/v1/runs', body, headers)).text).toBe(first.text)
    expect((await org.post('/v1/runs', body)).json).toMatchObject({ id: first.json['id'], max_output_tokens: 7_500 })
    const { json } = await org.explain(String(first.json['decision_id']))
    expect(json).toMatchObject({
      decision: 'allow',
      inputs: { max_output_tokens: 16_000, min_output_tokens: 1_000 },
      granted_output_tokens: 7_500,
      price: { amount_usd: '0.1' },
    })
    const shown = await call(money.server.url, 'GET', `/v1/runs/${String(first.json['id'])}`, { key: org.key })
    expect(shown.json).toMatchObject({ status: 'running', max_output_tokens: 7_500, reserved_usd: '0.1' })
  })

  test('takes the room of leases that are over before it is granted less', async () => {
    const org = await money.org()
    await org.budget('0.2')
    const reservation = await org.hold('0.1')
    await org.endLease(reservation)
    expect((await org.post('/v1/runs', asked)).json).toMatchObject({ max_output_tokens: 16_000 })
    expect(await org.holdState(reservation)).toBe('expired')
  })

  test('must not ask for more than its maximum', async () => {
    const org = await money.org()
    for (const path of ['/v1/runs', '/v1/edge/decision'])
      expect(refusalIn(await org.post(path, { ...asked, min_output_tokens: 16_001 }))).toMatchObject({
        code: 'validation_failed',
        fields: [{ field: 'min_output_tokens', code: 'out_of_range' }],
      })
  })

  test('of 200 at once on one budget: never above the limit, and none is refused while its minimum fits', async () => {
    const org = await money.org()
    const budget = await org.budget('3')
    await org.set('PUT', '/spend-cap', { cap_usd: '2.9', timezone: quietZone() })
    const random = new Random(7)
    const bodies = Array.from({ length: 200 }, () => {
      const max_output_tokens = random.between(100, 8_000)
      const min_output_tokens = random.between(1, max_output_tokens)
      return { model: 'gpt-4o', input_tokens: random.between(0, 4_000), max_output_tokens, min_output_tokens }
    })
    const answers = await Promise.all(bodies.map((body) => org.post('/v1/runs', body)))
    const nano = (usd: unknown) => Math.round(Number(usd) * 1e9)
    let held = 0
    for (const [i, { status, json }] of answers.entries()) {
      const { input_tokens, max_output_tokens, min_output_tokens } = bodies[i]!
      const granted = Number(json['max_output_tokens'])
      const isRight =
        status === 201
          ? granted >= min_output_tokens &&
            granted <= max_output_tokens &&
            nano(json['reserved_usd']) === Math.max(1_000_000, input_tokens * 2_500 + granted * 10_000)
          : status === 402
      expect(isRight, JSON.stringify([bodies[i], json])).toBe(true)
      if (status === 201) held += nano(json['reserved_usd'])
    }
    expect(held).toBeLessThanOrEqual(2_900_000_000)
    expect(nano((await org.readBudget(budget.id))['held_usd'])).toBe(held)
    // What each that was refused was told fits less than it needs, at that moment and so ever after.
    const refused = answers.flatMap((answer, i) => (answer.status === 402 ? [{ answer, body: bodies[i]! }] : []))
    expect(refused.length).toBeGreaterThan(20)
    for (const { answer, body } of refused) {
      const { fits_max_output_tokens: fits = 0 } = refusalIn(answer)
      expect(Number(fits)).toBeLessThan(body.min_output_tokens)
      const again = await org.post('/v1/runs', { ...body, max_output_tokens: body.min_output_tokens, dry_run: true })
      expect(again.status).toBe(402)
    }
  })
})
