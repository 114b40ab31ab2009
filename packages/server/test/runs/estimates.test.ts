import { describe, expect, test } from 'vitest'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

type Body = Record<string, unknown>

/** Held at $0.075: $2.50 a million tokens of input, $10 a million of output. */
const asked = { model: 'gpt-4o', input_tokens: 10_000, max_output_tokens: 5_000 }
const guess = { status: 'cancelled', input_tokens: 10_000, output_tokens: 2_000, estimated: true }
const exact = { status: 'succeeded', input_tokens: 9_000, output_tokens: 1_000 }

const started = async (org: MoneyOrg, more: Body = {}) => {
  const { status, json, text } = await org.post('/v1/runs', { ...asked, ...more })
  expect(status, text).toBe(201)
  return String(json['id'])
}
const finish = (org: MoneyOrg, id: string, body: Body, headers?: Record<string, string>) =>
  org.post(`/v1/runs/${id}/finish`, body, headers)
const get = (org: MoneyOrg, path: string) => call(money.server.url, 'GET', path, { key: org.key })

describe('a run that is finished by an estimate', () => {
  test('is charged as told, marked, and replaced once by what is exact', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const id = await started(org, { customer_id: 'c' })
    const first = await finish(org, id, guess)
    expect(first.json).toMatchObject({ status: 'cancelled', cost_usd: '0.045', cost_basis: 'estimated' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.045', held_usd: '0' })
    expect((await finish(org, id, guess)).json).toEqual(first.json)

    const second = await finish(org, id, exact)
    expect(second.json).toMatchObject({ status: 'succeeded', cost_usd: '0.0325', cost_basis: 'computed' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.0325', held_usd: '0' })
    expect((await get(org, `/v1/runs/${id}`)).json).toMatchObject({ ...exact, cost_usd: '0.0325' })
    expect((await finish(org, id, exact)).json).toEqual(second.json)
    for (const other of [guess, { ...exact, output_tokens: 1_001 }])
      expect((await finish(org, id, other)).status).toBe(409)
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.0325' })
  })

  test('counts as estimated in usage until it is replaced', async () => {
    const org = await money.org()
    const id = await started(org)
    await finish(org, id, { ...guess, cost_usd: '0.05' })
    const rows = () =>
      org.rows<{ cost: string; estimated: string; runs: string; tokens: string }>(
        `select sum(cost_nano)::text as cost, sum(estimated_nano)::text as estimated, sum(runs)::text as runs,
                sum(output_tokens)::text as tokens from usage_deltas where org_id = $1 and customer_id is null`,
      )
    expect(await rows()).toEqual([{ cost: '50000000', estimated: '50000000', runs: '1', tokens: '2000' }])
    await finish(org, id, { ...exact, cost_usd: '0.02' })
    expect(await rows()).toEqual([{ cost: '20000000', estimated: '0', runs: '1', tokens: '1000' }])
  })

  test('above its reservation is overrun, which the exact cost corrects', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const id = await started(org)
    await finish(org, id, { ...guess, cost_usd: '0.175' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.175', overrun_usd: '0.1' })
    expect((await finish(org, id, { ...exact, cost_usd: '0.085' })).json).toMatchObject({ overrun_usd: '0.01' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.085', overrun_usd: '0.01' })
  })

  test('draws on the credits of its reservation, and gives back what it did not cost', async () => {
    const org = await money.org()
    await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.05' })
    await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.05' })
    const id = await started(org, { customer_id: 'c' })
    const left = async () => {
      const { json } = await org.ask('GET', '/customers/c/credit-packs')
      return (json['data'] as Body[]).map(({ remaining_usd }) => String(remaining_usd)).toSorted()
    }
    await finish(org, id, { ...guess, cost_usd: '0.06' })
    expect(await left()).toEqual(['0', '0.04'])
    await finish(org, id, { ...exact, cost_usd: '0.03' })
    expect(await left()).toEqual(['0.02', '0.05'])
    const other = await started(org, { ...asked, max_output_tokens: 4_000, customer_id: 'c' })
    await finish(org, other, { ...guess, cost_usd: '0.05' })
    await finish(org, other, { ...exact, cost_usd: '0.07' })
    expect(await left()).toEqual(['0', '0'])
  })

  test('after its lease, and in bulk by its id and by its external id', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const ids = [await started(org), await started(org), await started(org, { external_id: 'x' })] as const
    await org.rows(`update holds set expires_at = clock_timestamp() - interval '1 minute' where org_id = $1 and id in
      (select id from holds where org_id = $1 order by id limit 1)`)
    expect((await finish(org, ids[0], guess)).json).toMatchObject({ cost_usd: '0.045', cost_basis: 'estimated' })
    const bulk = (...runs: Body[]) => org.post('/v1/runs/bulk', { runs, mode: 'partial' })
    const said = ({ json }: Awaited<ReturnType<typeof bulk>>) => [json['accepted'], json['duplicates'], json['refused']]
    const named = { model: 'gpt-4o', external_id: 'x' }
    expect(said(await bulk({ run_id: ids[1], ...guess }, { ...named, ...guess }))).toEqual([2, 0, 0])
    expect(said(await bulk({ run_id: ids[1], ...guess }, { ...named, ...guess }))).toEqual([0, 2, 0])
    expect(said(await bulk({ run_id: ids[1], ...guess, cost_usd: '0.01' }))).toEqual([0, 0, 1])
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.135', held_usd: '0' })
    const all = [
      { run_id: ids[0], ...exact },
      { run_id: ids[1], ...exact },
      { ...named, ...exact },
    ]
    expect(said(await bulk(...all, { run_id: ids[1], ...exact }))).toEqual([3, 1, 0])
    expect(said(await bulk(...all))).toEqual([0, 3, 0])
    expect(said(await bulk({ run_id: ids[1], ...exact, output_tokens: 1 }))).toEqual([0, 0, 1])
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.0975', held_usd: '0' })
  })

  test('under an idempotency key, concurrent exact reports replace it once', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const id = await started(org)
    await finish(org, id, guess)
    const reports = Array.from({ length: 12 }, (_, i) => ({ ...exact, output_tokens: 1_000 + (i % 3) }))
    const answers = await Promise.all(reports.map((body) => finish(org, id, body)))
    const { json: run } = await get(org, `/v1/runs/${id}`)
    for (const [i, { status, json }] of answers.entries()) {
      const isSame = reports[i]!.output_tokens === run['output_tokens']
      expect([status, isSame ? json['cost_usd'] : undefined]).toEqual(
        isSame ? [200, run['cost_usd']] : [409, undefined],
      )
    }
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: run['cost_usd'] })
    const key = { 'idempotency-key': 'once' }
    const other = await started(org)
    const first = await finish(org, other, guess, key)
    await finish(org, other, exact)
    expect((await finish(org, other, guess, key)).text).toBe(first.text)
  })

  test('without a start is marked, and stays', async () => {
    const org = await money.org()
    const run = { model: 'gpt-4o', external_id: 'y', input_tokens: 10, output_tokens: 10, estimated: true }
    const { json } = await org.post('/v1/runs/bulk', { runs: [run] })
    const [{ run_id } = { run_id: '' }] = json['results'] as { run_id: string }[]
    expect((await get(org, `/v1/runs/${run_id}`)).json).toMatchObject({ cost_basis: 'estimated' })
    expect((await org.post('/v1/runs/bulk', { runs: [{ ...run, estimated: false }] })).status).toBe(409)
  })
})

describe('where reports only raise a charge, an exact one does not lower an estimate:', () => {
  test.each([
    [{ reported_cost: 'raise_only' }, { cost_usd: '0.01' }, '0.045'],
    [{ reported_cost: 'raise_only' }, {}, '0.045'],
    [{ reported_cost: 'raise_only' }, { cost_usd: '0.06' }, '0.06'],
    [{ reported_usage: 'raise_only' }, {}, '0.075'],
    [{ reported_cost: 'ignore' }, { cost_usd: '0.01' }, '0.0325'],
    [{ reported_cost: 'accept' }, { cost_usd: '0.01' }, '0.01'],
  ])('%o with %o costs %s', async (trust, said, cost_usd) => {
    const org = await money.org()
    await org.set('PUT', '/trust', trust)
    const budget = await org.budget('1')
    const id = await started(org)
    await finish(org, id, guess)
    expect((await finish(org, id, { ...exact, ...said })).json).toMatchObject({ cost_usd })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: cost_usd })
  })
})
