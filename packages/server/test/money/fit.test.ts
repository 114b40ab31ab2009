import { describe, expect, test } from 'vitest'
import { type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'
import { Random } from '../support/random.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney()

type Body = Record<string, unknown>

/** $2.50 a million tokens of input, $10 a million of output. */
const asked = { model: 'gpt-4o', input_tokens: 10_000, max_output_tokens: 16_000 }
const period = { period: 'month', timezone: quietZone() }

/** Asks with the output that a refusal says would fit, and with one token more. */
async function expectExact(org: MoneyOrg, path: string, body: Body, found: unknown) {
  expect(found).toEqual(expect.any(Number))
  const above = await org.post(path, { ...body, max_output_tokens: Number(found) + 1 })
  expect(refusalIn(above)).toMatchObject({ fits_max_output_tokens: found })
  const passed = await org.post(path, { ...body, max_output_tokens: found })
  expect(passed.status, passed.text).toBeLessThan(300)
  return passed.json
}

async function expectNone(org: MoneyOrg, body: Body) {
  expect((await org.post('/v1/runs', { ...body, max_output_tokens: 0 })).status).toBe(402)
}

const limits: readonly [name: string, fits: number, setUp: (org: MoneyOrg) => Promise<unknown>, body?: Body][] = [
  ['a budget', 7_500, (org) => org.budget('0.1')],
  ['a budget of a part', 7_500, (org) => org.budget('0.1', { scope_kind: 'key', scope_id: org.keyId })],
  ['the spend cap', 7_500, (org) => org.set('PUT', '/spend-cap', { cap_usd: '0.1', timezone: quietZone() })],
  ['a customer limit', 7_500, (org) => org.set('PUT', '/customers/c/limit', { limit_usd: '0.1', ...period })],
  [
    'credits in two packs',
    7_500,
    async (org) => {
      await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.04' })
      await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.06' })
    },
  ],
  ['the prepaid quota', 7_500, (org) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.1' })],
  ['the cost of a chain', 7_500, async () => {}, { chain_id: 'c', chain_limits: { max_cost_usd: '0.1' } }],
  ['the tokens of a chain', 345, async () => {}, { chain_id: 'c', chain_limits: { max_tokens: 10_345 } }],
  [
    'the tokens of a plan',
    345,
    (org) =>
      org.setAsOperator('PUT', '/plan', {
        name: 'Team',
        overage_policy: 'block',
        runs_per_month: 10,
        tokens_per_month: 10_345,
      }),
  ],
]

describe('a refusal says how much output would have fitted', () => {
  test.each(limits)('of %s: exactly', async (_name, fits, setUp, more) => {
    const org = await money.org()
    await setUp(org)
    const body = { ...asked, customer_id: 'c', ...more }
    const isMoney = fits === 7_500
    const refused = refusalIn(await org.post('/v1/runs', body))
    expect(refused).toMatchObject({ fits_max_output_tokens: fits, ...(isMoney && { remaining_usd: '0.1' }) })
    const run = await expectExact(org, '/v1/runs', body, fits)
    expect(run).toMatchObject(isMoney ? { reserved_usd: '0.1', remaining_usd: '0' } : { remaining_usd: null })
  })

  test('of the tightest limit, whichever refuses first', async () => {
    const org = await money.org()
    await org.set('PUT', '/spend-cap', { cap_usd: '0.12', timezone: quietZone() })
    await org.budget('0.1', { scope_kind: 'workflow', scope_id: 'w' })
    await org.budget('0.01', { scope_kind: 'workflow', scope_id: 'w', enforcement: 'alert' })
    const body = { ...asked, workflow_id: 'w' }
    const refused = refusalIn(await org.post('/v1/runs', body))
    expect(refused).toMatchObject({ code: 'spend_cap_exceeded', remaining_usd: '0.1', fits_max_output_tokens: 7_500 })
    await expectExact(org, '/v1/runs', body, 7_500)
  })

  describe.each(['/v1/runs', '/v1/edge/decision'])('by POST %s', (path) => {
    const rated = async (...policies: object[]) => {
      const org = await money.org()
      await org.budget('0.1')
      await org.setAsOperator('PUT', '/rate-limits', {
        read_rpm: null,
        policies: policies.map((policy) => ({ kind: 'tokens', per: 'org', window_seconds: 3_600, ...policy })),
      })
      return org
    }
    const fitsOf = async (org: MoneyOrg, body: Body = asked) => {
      const { code, fits_max_output_tokens: fits } = refusalIn(await org.post(path, body))
      return [code, fits]
    }

    test('of a rate of tokens too, where that is the tightest: what it leaves after the attempt', async () => {
      // The refused call of 26,000 tokens counts: 13,000 are left, of which the input takes 10,000.
      const org = await rated({ amount: 39_000 }, { amount: 100_000, per: 'key' })
      expect(await fitsOf(org)).toEqual(['budget_exceeded', 3_000])
      const above = refusalIn(await org.post(path, { ...asked, max_output_tokens: 3_001 }))
      expect(above).toMatchObject({ status: 429, code: 'rate_limited' })
      const passed = await org.post(path, { ...asked, max_output_tokens: 3_000 })
      expect(passed.status, passed.text).toBeLessThan(300)
    })

    test('of the rate of its model and of none of another', async () => {
      const org = await rated(
        { amount: 50_000, per: 'model', match: 'gpt-4o' },
        { amount: 100, per: 'model', match: 'gpt-4o-mini' },
        { kind: 'requests', per: 'model', amount: 50 },
      )
      expect(await fitsOf(org)).toEqual(['budget_exceeded', 7_500])
      const passed = await org.post(path, { ...asked, max_output_tokens: 7_500 })
      expect(passed.status, passed.text).toBeLessThan(300)
    })

    test('and not at all where not even the input is left of it', async () => {
      const org = await rated({ amount: 35_999 })
      expect(await fitsOf(org)).toEqual(['budget_exceeded', undefined])
    })
  })

  test('at the edge, of the limits that bind there', async () => {
    const org = await money.org()
    await org.budget('0.1')
    const path = '/v1/edge/decision'
    const refused = refusalIn(await org.post(path, asked))
    expect(refused).toMatchObject({ remaining_usd: '0.1', fits_max_output_tokens: 7_500 })
    expect(await expectExact(org, path, asked, 7_500)).toMatchObject({ remaining_usd: '0' })
  })

  test('only where some output fits: not where the input, an estimate or the minimum does not, nor for what has no size', async () => {
    const org = await money.org()
    await org.budget('0.0251', { scope_kind: 'workflow', scope_id: 'small' })
    await org.budget('0.025', { scope_kind: 'workflow', scope_id: 'smaller' })
    await org.budget('0.0249', { scope_kind: 'workflow', scope_id: 'smallest' })
    await org.budget('0.0009', { scope_kind: 'workflow', scope_id: 'tiny' })
    const said = async (body: Body) => refusalIn(await org.post('/v1/runs', body))['fits_max_output_tokens']
    expect(await said({ ...asked, workflow_id: 'small' })).toBe(10)
    expect(await said({ ...asked, workflow_id: 'smaller' })).toBe(0)
    expect(await said({ ...asked, workflow_id: 'smallest' })).toBeUndefined()
    expect(await said({ ...asked, workflow_id: 'small', estimated_cost_usd: '0.03' })).toBeUndefined()
    expect(await said({ model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1, workflow_id: 'tiny' })).toBeUndefined()
    await org.set('POST', '/concurrency-limits', { name: 'one', scope_kind: 'org', max_runs: 1 })
    expect((await org.post('/v1/runs', asked)).status).toBe(201)
    expect(refusalIn(await org.post('/v1/runs', asked))).toMatchObject({ code: 'concurrency_exceeded' })
    expect(await said(asked)).toBeUndefined()
    expect(await said({ ...asked, workflow_id: 'small' })).toBeUndefined()
  })

  test('to a key that may not read limits too: no more than its allowed calls are told', async () => {
    const org = await money.org()
    await org.budget('0.1')
    const { key } = await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write'] })
    const start = (body: Body) => call(money.server.url, 'POST', '/v1/runs', { key, body })
    const refused = refusalIn(await start(asked))
    const allowed = (await start({ ...asked, max_output_tokens: 0, dry_run: true })).json
    expect(refused).toMatchObject({ remaining_usd: '0.1' })
    expect(allowed).toMatchObject({ reserved_usd: '0.025', remaining_usd: '0.075' })
  })

  test('whatever the price, the tier, the length of the input and the room', async () => {
    const org = await money.org()
    const random = new Random(20_261_117)
    const rate = () => (random.between(1, 40_000_000) / 1_000_000).toFixed(6)
    const own = (model: string) => ({ model, input_usd_per_million: rate(), output_usd_per_million: rate() })
    await org.set('PUT', '/prices', { prices: ['a', 'b', 'c'].map(own), min_hold_usd: '0.0005' })
    await org.set('PUT', '/spend-cap', { cap_usd: '100', timezone: quietZone() })
    let exact = 0
    for (let i = 0; i < 40; i++) {
      const workflow_id = `w${i}`
      await org.budget((random.between(1, 3_000_000) / 1_000_000).toFixed(6), {
        scope_kind: 'workflow',
        scope_id: workflow_id,
      })
      const body = {
        model: random.pick(['a', 'b', 'c', 'gpt-5.5', 'claude-sonnet-4-5', 'gemini-2.5-pro']),
        ...(random.chance(0.8) && { input_tokens: random.between(0, 400_000) }),
        service_tier: random.pick(['standard', 'priority', 'flex', 'batch']),
        max_output_tokens: random.between(1, 1_000_000),
        workflow_id,
        dry_run: true,
      }
      const answer = await org.post('/v1/runs', body)
      const { fits_max_output_tokens: fits, status } = refusalIn(answer)
      if (status === 200) continue
      if (fits !== undefined) exact++
      await (fits === undefined ? expectNone(org, body) : expectExact(org, '/v1/runs', body, fits))
    }
    expect(exact).toBeGreaterThan(10)
  })
})
