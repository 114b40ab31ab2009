import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/values/id.ts'
import { useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

async function runner() {
  const org = await money.org()
  const get = async (path: string) => call(money.server.url, 'GET', path, { key: org.key })
  const start = async (body: object = {}, headers: Record<string, string> = {}) =>
    org.post('/v1/runs', { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000, ...body }, headers)
  const finish = (id: string, body: object, headers: Record<string, string> = {}) =>
    org.post(`/v1/runs/${id}/finish`, body, headers)
  const usage = async () => {
    const { json } = await get(`/v1/orgs/${org.id}/usage?granularity=day`)
    return json['totals'] as Record<string, unknown>
  }
  const endLease = (id: string) =>
    org.rows(
      `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
      parseId('run', id),
    )
  return { org, get, start, finish, usage, endLease }
}

/** gpt-4o: $2.50 and $10 per million tokens. */
const held = '0.0125'

describe('a run', () => {
  test('starts, is shown running, and is settled at what its tokens cost', async () => {
    const { get, start, finish, usage } = await runner()
    const started = await start({ tags: ['beta'], metadata: { release: 7 }, operation: 'chat', customer_id: 'c' })
    expect(started.status).toBe(201)
    expect(started.json).toMatchObject({
      status: 'running',
      cost_usd: null,
      reserved_usd: held,
      tags: ['beta'],
      metadata: { release: 7 },
      customer_id: 'c',
    })
    const { remaining_usd, ...run } = started.json
    expect(remaining_usd).toBeNull()
    expect((await get(`/v1/runs/${String(started.json['id'])}`)).json).toEqual(run)
    expect((await get(`/v1/decisions/${String(started.json['decision_id'])}`)).json).toMatchObject({
      decision: 'allow',
      price: { amount_usd: held },
    })
    const finished = await finish(started.json['id'] as string, {
      status: 'succeeded',
      input_tokens: 1_000,
      output_tokens: 100,
      cache_read_input_tokens: 200,
      value_usd: '3',
    })
    expect(finished.status).toBe(200)
    expect(finished.json).toMatchObject({
      status: 'succeeded',
      cost_basis: 'computed',
      cost_usd: '0.00325',
      overrun_usd: '0',
      reserved_usd: held,
      expires_at: null,
      started_at: started.json['started_at'],
    })
    expect((await get(`/v1/runs/${String(started.json['id'])}`)).json).toEqual(finished.json)
    expect(await usage()).toMatchObject({ runs: 1, cost_usd: '0.00325', input_tokens: 1_000, value_usd: '3' })
  })

  test.each([
    ['with a reported cost', { cost_usd: '0.5', input_tokens: 1 }, '0.5', 'reported', '0.4875'],
    ['with a cost of nothing', { cost_usd: '0' }, '0', 'reported', '0'],
    ['with no tokens used', { input_tokens: 0, output_tokens: 0 }, '0', 'computed', '0'],
    ['with the input only', { input_tokens: 400 }, '0.001', 'computed', '0'],
    ['without a word of what it used', {}, held, 'estimated', '0'],
  ])('that failed %s is settled at it', async (_, body, cost, basis, overrun) => {
    const { org, start, finish } = await runner()
    const budget = await org.budget('10')
    const { json } = await start()
    const finished = await finish(json['id'] as string, { status: 'failed', ...body })
    expect(finished.json).toMatchObject({ status: 'failed', cost_usd: cost, cost_basis: basis, overrun_usd: overrun })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: cost, held_usd: '0' })
  })

  test('is finished once: the same finish answers the first result, another one is a conflict, and neither changes anything', async () => {
    const { org, start, finish, usage } = await runner()
    const budget = await org.budget('10')
    const { json } = await start()
    const end = { status: 'succeeded', cost_usd: '0.001', output_tokens: 5 }
    const first = await finish(json['id'] as string, end)
    const second = await finish(json['id'] as string, { ...end, cost_usd: '0.0010' })
    expect([second.status, second.json]).toEqual([200, first.json])
    const others = [
      { ...end, status: 'failed' },
      { ...end, cost_usd: '5' },
      { status: 'succeeded', output_tokens: 5 },
      { ...end, output_tokens: 6 },
      { ...end, input_tokens: 0 },
      { ...end, value_usd: '1' },
      { ...end, model: 'gpt-4o-mini' },
      { ...end, ended_at: new Date(Date.now() + 60_000).toISOString() },
    ]
    for (const other of others) {
      const refused = await finish(json['id'] as string, other)
      expect([other, refused.status, refused.json.error?.code]).toEqual([other, 409, 'conflict'])
    }
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.001', held_usd: '0' })
    expect(await usage()).toMatchObject({ runs: 1, cost_usd: '0.001' })
  })

  test('says what its acknowledged finish said, also where an extension or another finish meets it', async () => {
    const { org, start, get } = await runner()
    const end = { status: 'failed', input_tokens: 777, output_tokens: 333, value_usd: '5' }
    for (const [verb, other] of [
      ['extend', { lease_seconds: 100 }],
      ['finish', { ...end, status: 'succeeded', input_tokens: 1 }],
    ] as const) {
      for (let i = 0; i < 30; i++) {
        const id = (await start()).json['id'] as string
        // What else is decided keeps the lane busy, so that both wait and go together.
        const noise = [start(), start(), start()]
        const answers = await Promise.all([
          org.post(`/v1/runs/${id}/finish`, end),
          org.post(`/v1/runs/${id}/${verb}`, other),
        ])
        await Promise.all(noise)
        const finished = answers.filter(({ status, json }) => status === 200 && json['status'] !== 'running')
        const run = (await get(`/v1/runs/${id}`)).json
        expect(finished.length).toBeGreaterThan(0)
        expect(finished.map(({ json }) => json)).toEqual(finished.map(() => run))
        expect([end, other]).toContainEqual(
          expect.objectContaining({ status: run['status'], input_tokens: run['input_tokens'] }),
        )
        expect(run).toMatchObject({ value_usd: '5', output_tokens: 333, cost_basis: 'computed' })
      }
    }
  })

  test('is refused by what is spent, and nothing changes', async () => {
    const { org, start, get } = await runner()
    await org.budget('0.02')
    expect((await start()).status).toBe(201)
    const refused = await start()
    expect(refused.status).toBe(402)
    expect(refused.json.error).toMatchObject({ code: 'budget_exceeded', details: { held_usd: held } })
    expect((await get('/v1/runs')).json['data']).toHaveLength(1)
  })

  test('whose lease ends is charged what was held, and a later finish replaces the estimate', async () => {
    const { org, start, finish, get, usage, endLease } = await runner()
    const budget = await org.budget('0.02')
    const { json } = await start()
    const id = json['id'] as string
    await endLease(id)
    // No room: the look for leases that are over finds it, and charges it.
    expect((await start()).status).toBe(402)
    const expired = (await get(`/v1/runs/${id}`)).json
    expect(expired).toMatchObject({ status: 'expired', cost_usd: held, cost_basis: 'estimated' })
    expect(await usage()).toMatchObject({ runs: 1, cost_usd: held, estimated_usd: held })
    const late = await finish(id, { status: 'succeeded', cost_usd: '0.002' })
    expect(late.json).toMatchObject({ status: 'succeeded', cost_usd: '0.002', cost_basis: 'reported' })
    expect((await get(`/v1/runs/${id}`)).json).toEqual(late.json)
    expect(await usage()).toMatchObject({ runs: 1, cost_usd: '0.002', estimated_usd: '0' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.002' })
  })

  test('is extended while it runs, and not afterwards', async () => {
    const { org, start, finish } = await runner()
    const { json } = await start({ lease_seconds: 60 })
    const extended = await org.post(`/v1/runs/${String(json['id'])}/extend`, { lease_seconds: 3_600 })
    expect(extended.status).toBe(200)
    expect(Date.parse(extended.json['expires_at'] as string)).toBeGreaterThan(Date.parse(json['expires_at'] as string))
    await finish(json['id'] as string, { status: 'cancelled', cost_usd: '0' })
    expect((await org.post(`/v1/runs/${String(json['id'])}/extend`, {})).json.error?.code).toBe('conflict')
  })

  test('with an external id starts once; another with the same id is a conflict', async () => {
    const { org, start, finish } = await runner()
    const budget = await org.budget('10')
    const first = await start({ external_id: 'x-1' })
    const again = await start({ external_id: 'x-1' })
    expect(again.status).toBe(201)
    const { remaining_usd: _then, ...run } = first.json
    expect(again.json).toEqual(run)
    expect((await start({ external_id: 'x-1', input_tokens: 7 })).json.error?.code).toBe('conflict')
    expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: held })
    const finished = await finish(first.json['id'] as string, { status: 'succeeded', cost_usd: '0.001' })
    expect((await start({ external_id: 'x-1' })).json).toEqual(finished.json)
  })

  test('that was refused leaves its external id free', async () => {
    const { org, start } = await runner()
    const budget = await org.budget('0')
    expect((await start({ external_id: 'x-2' })).status).toBe(402)
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '1' })
    expect((await start({ external_id: 'x-2', max_output_tokens: 5 })).status).toBe(201)
  })

  test('with an idempotency key is answered with the same bytes', async () => {
    const { start, finish } = await runner()
    const key = { 'idempotency-key': 'k-1' }
    const [first, again] = [await start({}, key), await start({}, key)]
    expect(again.text).toBe(first.text)
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const end = { 'idempotency-key': 'k-2' }
    const body = { status: 'succeeded', cost_usd: '0.1' }
    const ends = [
      await finish(first.json['id'] as string, body, end),
      await finish(first.json['id'] as string, body, end),
    ]
    expect(ends[1]!.text).toBe(ends[0]!.text)
  })

  test('that is none is not found, whatever its id is of', async () => {
    const { org, finish } = await runner()
    const reservation = await org.hold('0.01')
    const asRun = reservation.replace('rsv_', 'run_')
    for (const id of [asRun, 'run_01jfb5nb4pexxbskpk0846kr2q', 'nonsense']) {
      expect((await finish(id, { status: 'failed' })).status).toBe(404)
      expect((await org.post(`/v1/runs/${id}/extend`, {})).status).toBe(404)
    }
    const { json } = await org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '0.01' })
    const released = await org.release((json['id'] as string).replace('run_', 'rsv_'))
    expect(released.json.error?.code).toBe('conflict')
  })

  test('cannot end before it started, nor in the future', async () => {
    const { start, finish } = await runner()
    const { json } = await start()
    for (const ended_at of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const { json: answer } = await finish(json['id'] as string, { status: 'failed', ended_at })
      expect(answer.error?.details).toMatchObject({ fields: [{ field: 'ended_at', code: 'out_of_range' }] })
    }
  })
})
