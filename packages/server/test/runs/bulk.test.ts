import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney()

interface BulkAnswer {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: number
  readonly results: readonly {
    readonly index: number
    readonly run_id: string | null
    readonly duplicate: boolean
    readonly error?: { readonly code: string; readonly details: Record<string, unknown> }
  }[]
}

const bulk = (org: MoneyOrg, runs: readonly object[], more: object = {}, headers: Record<string, string> = {}) =>
  org.post('/v1/runs/bulk', { runs, ...more }, headers)
const recorded = async (org: MoneyOrg, runs: readonly object[], more: object = {}) => {
  const { status, json } = await bulk(org, runs, more)
  expect(json.error).toBeUndefined()
  expect(status).toBe(200)
  return json as unknown as BulkAnswer
}
const run = (usd: string, more: object = {}) => ({ model: 'gpt-4o', cost_usd: usd, ...more })
const get = async (org: MoneyOrg, path: string) => (await call(money.server.url, 'GET', path, { key: org.key })).json
const stored = async (org: MoneyOrg) =>
  (await org.rows<{ n: number }>('select count(*)::int as n from runs where org_id = $1'))[0]!.n
const usage = async (org: MoneyOrg) =>
  (await get(org, `/v1/orgs/${org.id}/usage?granularity=day`))['totals'] as Record<string, unknown>
const fieldsOf = ({ json }: Awaited<ReturnType<typeof bulk>>) =>
  (json.error!.details as { fields: { field: string; code: string }[] }).fields.map(({ field, code }) => [field, code])

describe('runs in bulk', () => {
  test('are recorded, charged to every limit, and counted at once', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const own = await org.budget('5', { scope_kind: 'workflow', scope_id: 'w' })
    const answer = await recorded(org, [
      run('1.5', { workflow_id: 'w', external_id: 'a', tags: ['t'], started_at: new Date().toISOString() }),
      run('0.25'),
      { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 100, status: 'failed' },
    ])
    expect(answer).toMatchObject({ accepted: 3, duplicates: 0, refused: 0 })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '1.7535', held_usd: '0' })
    expect(await org.readBudget(own.id)).toMatchObject({ spent_usd: '1.5' })
    expect(await usage(org)).toMatchObject({ runs: 3, failed_runs: 1, cost_usd: '1.7535' })
    expect(await get(org, `/v1/runs/${answer.results[0]!.run_id}`)).toMatchObject({
      external_id: 'a',
      cost_usd: '1.5',
      cost_basis: 'reported',
      tags: ['t'],
    })
  })

  test('go all or none: a refusal is the envelope, and nothing is left of the batch', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const refused = await bulk(org, [run('0.6', { external_id: 'a' }), run('0.6', { external_id: 'b' }), run('0.1')])
    expect(refused.status).toBe(402)
    expect(refused.json.error).toMatchObject({ code: 'budget_exceeded', details: { index: 1, spent_usd: '0.6' } })
    expect(refused.json.error!.details).not.toHaveProperty('reason')
    expect(await stored(org)).toBe(0)
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0' })
    // Their names are free again.
    expect(await recorded(org, [run('0.6', { external_id: 'a' })])).toMatchObject({ accepted: 1 })
  })

  test('may go one by one: each that fits is recorded, in order, and each refusal told', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const answer = await recorded(org, [run('0.6'), run('0.6', { external_id: 'x' }), run('0.4'), run('0.1')], {
      mode: 'partial',
    })
    expect(answer).toMatchObject({ accepted: 2, refused: 2 })
    expect(answer.results.map(({ error }) => error?.code)).toEqual([
      undefined,
      'budget_exceeded',
      undefined,
      'budget_exceeded',
    ])
    expect(await stored(org)).toBe(2)
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '1' })
    expect(await usage(org)).toMatchObject({ runs: 2, cost_usd: '1' })
  })

  test('are never refused when they settle reservations, also in a batch that is', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const reservation = await org.hold('0.5')
    const refused = await bulk(org, [run('0.9'), run('0.7', { reservation_id: reservation })])
    expect(refused.status).toBe(402)
    expect(refused.json.error!.details).toMatchObject({ index: 0, settled: [{ index: 1 }] })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.7', held_usd: '0' })
    const [kept] = (await get(org, '/v1/runs'))['data'] as Record<string, unknown>[]
    expect(kept).toMatchObject({
      reservation_id: reservation,
      reserved_usd: '0.5',
      overrun_usd: '0.2',
      cost_usd: '0.7',
    })
    // Settled once, whoever sends it again.
    const again = await recorded(org, [run('0.7', { reservation_id: reservation })])
    expect(again).toMatchObject({ accepted: 0, duplicates: 1, results: [{ run_id: kept!['id'], duplicate: true }] })
    expect(await usage(org)).toMatchObject({ runs: 1, cost_usd: '0.7' })
  })

  test('with an external id are recorded once; the same id with other content is a conflict', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const a = run('1', { external_id: 'a', metadata: { x: 1, y: 2 } })
    const first = await recorded(org, [a, a])
    expect(first).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(first.results[1]!.run_id).toBe(first.results[0]!.run_id)
    // The order of fields is no content.
    const again = await recorded(org, [
      { metadata: { y: 2, x: 1 }, external_id: 'a', cost_usd: '1', model: 'gpt-4o' },
      run('2'),
    ])
    expect(again).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(again.results[0]!.run_id).toBe(first.results[0]!.run_id)
    const other = await bulk(org, [run('1'), run('3', { external_id: 'a' })])
    expect(other.status).toBe(409)
    expect(other.json.error).toEqual({
      code: 'conflict',
      message: 'runs.1 (external_id "a"): Another run has this external_id.',
      details: {},
    })
    const others = Array.from({ length: 25 }, () => run('3', { external_id: 'a' }))
    const { message } = (await bulk(org, [run('1'), ...others])).json.error as unknown as { message: string }
    expect(message.match(/runs\.\d+ \(external_id "a"\)/g)).toHaveLength(20)
    expect(message).toMatch(/5 more runs are in conflict\.$/)
    const partial = await recorded(org, [run('1'), run('3', { external_id: 'a' })], { mode: 'partial' })
    expect(partial).toMatchObject({ accepted: 1, refused: 1 })
    expect(partial.results[1]!.error?.code).toBe('conflict')
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '4' })
    // Somebody else's ids are their own.
    const stranger = await money.org()
    expect(await recorded(stranger, [a])).toMatchObject({ accepted: 1 })
  })

  test('that name a running run are its end, by its id or by its external id', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const start = async (body: object) =>
      (await org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1', max_output_tokens: 1, ...body })).json[
        'id'
      ] as string
    const byName = await start({ external_id: 'n', workflow_id: 'w' })
    const byId = await start({})
    const runs = [run('0.5', { external_id: 'n' }), run('0.25', { run_id: byId })]
    const answer = await recorded(org, runs)
    expect(answer).toMatchObject({ accepted: 2, results: [{ run_id: byName }, { run_id: byId }] })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.75', held_usd: '0' })
    expect(await get(org, `/v1/runs/${byName}`)).toMatchObject({
      status: 'succeeded',
      cost_usd: '0.5',
      workflow_id: 'w',
    })
    expect(await recorded(org, runs)).toMatchObject({ accepted: 0, duplicates: 2 })
    expect(await usage(org)).toMatchObject({ runs: 2, cost_usd: '0.75' })
  })

  test.each([
    ['quota_exhausted', (org: MoneyOrg) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.5' })],
    [
      'plan_limit_exceeded',
      (org: MoneyOrg) =>
        org.setAsOperator('PUT', '/plan', {
          name: 'p',
          runs_per_month: 0,
          tokens_per_month: null,
          overage_policy: 'block',
        }),
    ],
    ['spend_cap_exceeded', (org: MoneyOrg) => org.set('PUT', '/spend-cap', { cap_usd: '0.5' })],
    ['budget_exceeded', (org: MoneyOrg) => org.set('PUT', '/customers/c/limit', { limit_usd: '0.5', period: 'month' })],
    ['credits_exhausted', (org: MoneyOrg) => org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.5' })],
    ['chain_budget_exceeded', (org: MoneyOrg) => org.set('PUT', '/chain-limits', { default: { max_cost_usd: '0.5' } })],
  ])('meet every limit: %s', async (code, limit) => {
    const org = await money.org()
    await limit(org)
    const runs = [run('1', { customer_id: 'c', chain_id: 'k', external_id: 'z' })]
    const refused = await bulk(org, runs)
    expect([refused.status, refused.json.error?.code]).toEqual([402, code])
    expect(refused.json.error!.details).not.toMatchObject({ reason: 'pre_flight' })
    expect(await stored(org)).toBe(0)
    // What has happened can be recorded all the same, by whoever may.
    const writer = await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write'] })
    const body = { runs, enforce: false }
    const denied = await call(money.server.url, 'POST', '/v1/runs/bulk', { key: writer.key, body })
    expect(denied.json.error).toMatchObject({ code: 'missing_scope', details: { required: 'runs:import' } })
    const importer = await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write', 'runs:import'] })
    const imported = await call(money.server.url, 'POST', '/v1/runs/bulk', { key: importer.key, body })
    expect(imported.json).toMatchObject({ accepted: 1, refused: 0 })
    expect((await org.allowances()).some(({ overrun }) => Number(overrun) > 0)).toBe(true)
  })

  test('stand in chains, below parents that ran before', async () => {
    const org = await money.org()
    await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '1', max_depth: 2 } })
    const first = await recorded(org, [run('0.5', { chain_id: 'k' })])
    const parent = first.results[0]!.run_id
    const second = await recorded(org, [run('0.25', { parent_run_id: parent })])
    expect(await get(org, `/v1/runs/${second.results[0]!.run_id}`)).toMatchObject({
      chain_id: 'k',
      depth: 2,
      parent_run_id: parent,
    })
    const deep = await bulk(org, [run('0.1', { parent_run_id: second.results[0]!.run_id })])
    expect([deep.status, deep.json.error?.details['reason']]).toEqual([429, 'depth'])
    const dear = await bulk(org, [run('0.2', { chain_id: 'k' }), run('0.2', { parent_run_id: parent })])
    expect(dear.json.error?.details).toMatchObject({
      reason: 'cost',
      current: '0.95',
      attempted: '0.2',
      limit: '1',
      index: 1,
    })
    expect(
      fieldsOf(await bulk(org, [run('0'), run('0', { parent_run_id: 'run_01jfb5nb4pexxbskpk0846kr2q' })])),
    ).toEqual([['runs.1.parent_run_id', 'invalid_value']])
  })

  test('say with its index what is wrong with each run', async () => {
    const org = await money.org()
    expect(fieldsOf(await bulk(org, []))).toEqual([['runs', 'empty']])
    expect(
      fieldsOf(
        await bulk(
          org,
          Array.from({ length: 5_001 }, () => ({ nonsense: 1 })),
        ),
      ),
    ).toEqual([['runs', 'too_many']])
    const key_id = 'key_01jfb5nb4pexxbskpk0846kr2q'
    const late = { key_id, started_at: new Date(Date.now() + 3 * 86_400_000).toISOString() }
    expect(fieldsOf(await bulk(org, [run('1', late), run('1', { key_id })], { enforce: false }))).toEqual([
      ['runs.0.key_id', 'invalid_value'],
      ['runs.0.started_at', 'out_of_range'],
      ['runs.1.key_id', 'invalid_value'],
    ])
    const faulty = await bulk(org, [
      run('1'),
      { cost_usd: '1' },
      run('-1', { color: 'red' }),
      run('1', { input_tokens: 'many', status: 'running' }),
      run('1', { external_id: 'a\u0000b' }),
    ])
    expect(fieldsOf(faulty).toSorted(([a], [b]) => (a! < b! ? -1 : 1))).toEqual([
      ['runs.1.model', 'required'],
      ['runs.2.color', 'unknown_field'],
      ['runs.2.cost_usd', 'out_of_range'],
      ['runs.3.input_tokens', 'invalid_type'],
      ['runs.3.status', 'invalid_value'],
      ['runs.4.external_id', 'invalid_format'],
    ])
    expect(fieldsOf(await bulk(org, [run('1'), run('1000000.000000001')]))).toEqual([
      ['runs.1.cost_usd', 'out_of_range'],
    ])
    const day = 86_400_000
    const meant = await bulk(org, [
      run('1', { started_at: new Date(Date.now() - 91 * day).toISOString() }),
      run('1', { started_at: new Date(Date.now() + day).toISOString() }),
      { model: 'gpt-4o' },
      { model: 'nobody-priced-this', input_tokens: 1 },
      run('1', { started_at: new Date().toISOString(), ended_at: '2020-01-01T00:00:00Z' }),
    ])
    expect(meant.status).toBe(422)
    expect(fieldsOf(meant)).toEqual([
      ['runs.0.started_at', 'out_of_range'],
      ['runs.1.started_at', 'out_of_range'],
    ])
    expect(
      fieldsOf(
        await bulk(org, [
          { model: 'gpt-4o' },
          { model: 'nobody-priced-this', input_tokens: 1 },
          run('1', { started_at: new Date().toISOString(), ended_at: '2020-01-01T00:00:00Z' }),
        ]),
      ),
    ).toEqual([
      ['runs.0.cost_usd', 'required'],
      ['runs.1.model', 'invalid_value'],
      ['runs.2.ended_at', 'out_of_range'],
    ])
    const unknown = [run('1', { reservation_id: 'rsv_01jfb5nb4pexxbskpk0846kr2q' }), run('1', { run_id: 'nonsense' })]
    expect(fieldsOf(await bulk(org, unknown, { mode: 'partial' }))).toEqual([
      ['runs.0.reservation_id', 'invalid_value'],
      ['runs.1.run_id', 'invalid_value'],
    ])
    expect(await stored(org)).toBe(0)
  })

  test('come as gzip and as lines, and a body that grows too large is refused', async () => {
    const org = await money.org()
    const send = (body: Buffer | string, headers: Record<string, string>) =>
      fetch(`${money.server.url}/v1/runs/bulk`, {
        method: 'POST',
        headers: { authorization: `Bearer ${org.key}`, ...headers },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      })
    const lines = Array.from({ length: 100 }, (_, i) => JSON.stringify(run('0.01', { external_id: `l-${i}` }))).join(
      '\n',
    )
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const plain = await send(lines, ndjson)
    expect(await plain.json()).toMatchObject({ accepted: 100 })
    const zipped = await send(gzipSync(lines), { ...ndjson, 'content-encoding': 'gzip' })
    expect(await zipped.json()).toMatchObject({ accepted: 0, duplicates: 100 })
    const bomb = gzipSync(Buffer.alloc(17 * 2 ** 20, ' '))
    const refused = await send(bomb, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    expect(refused.status).toBe(413)
  })

  test('with an idempotency key are answered with the same bytes; a refusal frees the key', async () => {
    const org = await money.org()
    const budget = await org.budget('0')
    const key = { 'idempotency-key': 'b-1' }
    expect((await bulk(org, [run('1')], {}, key)).status).toBe(402)
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '5' })
    const [first, again] = [await bulk(org, [run('1')], {}, key), await bulk(org, [run('1')], {}, key)]
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await bulk(org, [run('2')], {}, key)).json.error?.code).toBe('idempotency_key_conflict')
    expect(await stored(org)).toBe(1)
  })

  test('sent twice at once are recorded once', async () => {
    const org = await money.org()
    const budget = await org.budget('1000')
    const batches = Array.from({ length: 10 }, (_, b) =>
      Array.from({ length: 200 }, (_, i) => run('0.001', { external_id: `r-${b}-${i}`, customer_id: `c-${i % 7}` })),
    )
    const answers = await Promise.all([...batches, ...batches, ...batches].map((runs) => recorded(org, runs)))
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(2_000)
    expect(answers.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(4_000)
    expect(await stored(org)).toBe(2_000)
    expect(await usage(org)).toMatchObject({ runs: 2_000, cost_usd: '2' })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '2' })
  })
})

describe('history of another key', () => {
  const history = { enforce: false, count_in: 'started_period' }
  const scopes = ['runs:write', 'runs:import', 'keys:write']
  const used = { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 1_000 }

  test('is recorded by admins who may make keys and are not pinned, and by nobody else', async () => {
    const org = await money.org()
    const [agent, stranger] = [await keyOf(money.server, org.id), await keyOf(money.server, (await money.org()).id)]
    const record = async (by: Parameters<typeof keyOf>[2], runs: readonly object[], more: object = history) => {
      const { key } = await keyOf(money.server, org.id, by)
      return call(money.server.url, 'POST', '/v1/runs/bulk', { key, body: { runs, ...more } })
    }
    const own = run('1', { key_id: agent.id })
    for (const role of ['service', 'member'] as const)
      expect(await record({ role, scopes }, [own])).toMatchObject({
        status: 403,
        json: { error: { code: 'forbidden' } },
      })
    expect(await record({ role: 'admin', scopes: ['runs:write', 'runs:import'] }, [own])).toMatchObject({
      status: 403,
      json: { error: { code: 'missing_scope', details: { required: 'keys:write' } } },
    })
    expect(await record({ role: 'admin', scopes: ['runs:write', 'keys:write'] }, [own])).toMatchObject({
      status: 403,
      json: { error: { code: 'missing_scope', details: { required: 'runs:import' } } },
    })
    expect(await record({ role: 'admin', scopes, pins: { workflow_id: 'w' } }, [own])).toMatchObject({
      status: 403,
      json: { error: { code: 'forbidden' } },
    })
    const admin = { role: 'admin', scopes } as const
    expect((await record(admin, [own], {})).status).toBe(422)
    expect((await record(admin, [run('1', { key_id: stranger.id })])).status).toBe(422)
    expect(await stored(org)).toBe(0)
    expect(await record(admin, [own])).toMatchObject({ status: 200, json: { accepted: 1 } })
    expect(await get(org, '/v1/runs')).toMatchObject({ data: [{ key_id: agent.id, cost_usd: '1' }] })
  })

  test.each([
    ['less, the key itself', { reported_cost: 'ignore' }, {}],
    ['less, whoever reports it', {}, { reported_cost: 'ignore' }],
    ['less, both', { reported_cost: 'raise_only' }, { reported_cost: 'ignore' }],
  ])('is believed no more than either of the two would be: %s', async (_who, ofAgent, ofAdmin) => {
    const org = await money.org()
    const agent = await keyOf(money.server, org.id)
    const admin = await keyOf(money.server, org.id, { role: 'admin', scopes })
    await org.set('PUT', `/keys/${agent.id}/trust`, ofAgent)
    await org.set('PUT', `/keys/${admin.id}/trust`, ofAdmin)
    const answer = await call(money.server.url, 'POST', '/v1/runs/bulk', {
      key: admin.key,
      body: { runs: [{ ...used, cost_usd: '0', key_id: agent.id }], ...history },
    })
    expect(answer.status).toBe(200)
    expect(await get(org, '/v1/runs')).toMatchObject({
      data: [{ key_id: agent.id, cost_usd: '0.0125', cost_basis: 'computed' }],
    })
  })
})
