import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../test/support/harness.ts'
import { startInstallation } from '../../../test/support/installation.ts'
import {
  costing,
  type MoneyOrg,
  moneyOrg,
  refusalIn,
  useMoney,
  useSuperuser,
  verifyBooks,
} from '../../../test/support/money.ts'
import { eventually } from '../../../test/support/processes.ts'
import { call } from '../../../test/support/tenants.ts'

describe('a concurrency limit', () => {
  const money = useMoney()
  const limitOf = (org: MoneyOrg, max_runs: number, scope: object = { scope_kind: 'org' }) =>
    org.set('POST', '/concurrency-limits', { name: 'Few', max_runs, ...scope })
  const read = async (org: MoneyOrg, { id }: Record<string, unknown>) =>
    (await org.ask('GET', `/concurrency-limits/${String(id)}`)).json
  const start = async (org: MoneyOrg, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const { status, json } = await org.post('/v1/runs', costing('0.1', more), headers)
    return { status, id: json['id'] as string, code: json.error?.code, details: json.error?.details }
  }
  const finish = (org: MoneyOrg, id: string, status = 'succeeded') =>
    org.post(`/v1/runs/${id}/finish`, { status, cost_usd: '0.05' })

  test('refuses the run above it with 429, its numbers and its id, and holds nothing for it', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const limit = await limitOf(org, 2)
    await start(org)
    await start(org)
    const refused = await org.post('/v1/runs', costing('0.1'))
    expect(refusalIn(refused)).toEqual({
      status: 429,
      code: 'concurrency_exceeded',
      concurrency_limit_id: limit['id'],
      scope_kind: 'org',
      max_runs: 2,
      running: 2,
      decision_id: expect.stringMatching(/^dec_/) as string,
    })
    expect(refused.json.error).toMatchObject({
      message: 'At most 2 runs of the organization may run at once, and 2 are running. Retry when one has ended.',
    })
    expect((await org.ask('GET', `/budgets/${budget.id}`)).json).toMatchObject({ held_usd: '0.2' })
    expect(await read(org, limit)).toMatchObject({ running: 2, max_runs: 2 })
    const explained = await call(
      money.server.url,
      'GET',
      `/v1/decisions/${String(refused.json.error!.details['decision_id'])}`,
      {
        key: org.key,
      },
    )
    expect(explained.json).toMatchObject({ decided_by: limit['id'], error_code: 'concurrency_exceeded' })
  })

  test.each(['succeeded', 'failed'])('counts a run until it has %s', async (status) => {
    const org = await money.org()
    const limit = await limitOf(org, 1)
    const { id } = await start(org)
    expect((await start(org)).code).toBe('concurrency_exceeded')
    expect((await finish(org, id, status)).status).toBe(200)
    expect(await read(org, limit)).toMatchObject({ running: 0 })
    expect((await start(org)).status).toBe(201)
  })

  test('counts a run until its lease has ended, and a late end changes nothing more', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 1)
    const { id } = await start(org, { lease_seconds: 1 })
    // The refusal itself looks for leases that are over.
    await eventually(async () => (await start(org)).status === 201)
    expect(await read(org, limit)).toMatchObject({ running: 1 })
    expect((await finish(org, id)).status).toBe(200)
    expect(await read(org, limit)).toMatchObject({ running: 1 })
    expect((await start(org)).code).toBe('concurrency_exceeded')
  })

  test.each([
    ['department', { department_id: 'a' }, { department_id: 'b' }],
    ['workflow', { workflow_id: 'a' }, { workflow_id: 'ab' }],
    ['deployment', { deployment_id: 'a' }, {}],
    ['customer', { customer_id: 'a' }, { customer_id: 'b' }],
  ])('of a %s counts its runs and no others', async (scope_kind, own, other) => {
    const org = await money.org()
    await limitOf(org, 1, { scope_kind, scope_id: 'a' })
    expect((await start(org, own)).status).toBe(201)
    expect((await start(org, own)).details).toMatchObject({ scope_kind, max_runs: 1, running: 1 })
    expect((await start(org, other)).status).toBe(201)
    expect((await start(org, other)).status).toBe(201)
  })

  test('counts every run of a chain', async () => {
    const org = await money.org()
    await limitOf(org, 2)
    const parent = await start(org, { chain_id: 'tree' })
    expect((await start(org, { parent_run_id: parent.id })).status).toBe(201)
    expect((await start(org, { parent_run_id: parent.id })).code).toBe('concurrency_exceeded')
  })

  test('takes one place for a start that is repeated, and answers it when the limit is full', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 1)
    const headers = { 'idempotency-key': 'once' }
    const first = await start(org, { external_id: 'e' }, headers)
    expect(await start(org, { external_id: 'e' }, headers)).toEqual(first)
    expect((await start(org, { external_id: 'e' })).id).toBe(first.id)
    expect(await read(org, limit)).toMatchObject({ running: 1 })
    await finish(org, first.id)
    await finish(org, first.id)
    expect(await read(org, limit)).toMatchObject({ running: 0 })
  })

  test('refuses neither calls at the edge nor runs that have happened, and does not count them', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 0)
    expect((await org.decide(costing('0.1'))).status).toBe(200)
    const bulk = await org.post('/v1/runs/bulk', {
      runs: [
        {
          model: 'gpt-4o',
          cost_usd: '0.1',
          started_at: new Date(Date.parse(String(limit['created_at']))).toISOString(),
        },
      ],
    })
    expect(bulk.json).toMatchObject({ accepted: 1 })
    expect((await start(org)).code).toBe('concurrency_exceeded')
    expect(await read(org, limit)).toMatchObject({ running: 0 })
  })

  test('that is lowered stops no run, that is raised lets more start, and that is deleted refuses none', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 2)
    const path = `/concurrency-limits/${String(limit['id'])}`
    const [first, second] = [await start(org), await start(org)]
    await org.set('PATCH', path, { max_runs: 1 })
    await finish(org, first.id)
    expect((await start(org)).details).toMatchObject({ max_runs: 1, running: 1 })
    await org.set('PUT', path, { name: 'More', max_runs: 2 })
    expect((await start(org)).status).toBe(201)
    expect((await start(org)).code).toBe('concurrency_exceeded')
    expect((await org.ask('DELETE', path)).status).toBe(204)
    expect((await start(org)).status).toBe(201)
    expect((await finish(org, second.id)).status).toBe(200)
    expect((await org.ask('GET', path)).status).toBe(404)
  })

  test('is the only one of its scope', async () => {
    const org = await money.org()
    await limitOf(org, 1)
    const again = await org.ask('POST', '/concurrency-limits', { name: 'Other', scope_kind: 'org', max_runs: 5 })
    expect(again.status).toBe(409)
    await limitOf(org, 1, { scope_kind: 'workflow', scope_id: 'a' })
    const body = { name: 'Other', max_runs: 5 }
    const faulty = [
      { ...body, scope_kind: 'workflow' },
      { ...body, scope_kind: 'org', scope_id: 'a' },
    ]
    for (const input of faulty) expect((await org.ask('POST', '/concurrency-limits', input)).status).toBe(422)
  })

  test('reports the first refusal of a day, and counts them', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 0, { scope_kind: 'workflow', scope_id: 'w' })
    for (let i = 0; i < 3; i++) await start(org, { workflow_id: 'w' })
    await eventually(async () => (await read(org, limit))['refused_count'] === 3)
    expect((await read(org, limit))['exhausted_at']).not.toBeNull()
    const { rows } = await money.superuser.client.query<{ kind: string; body: unknown }>(
      'select kind, body from outbox where org_id = $1 and kind = $2',
      [org.uuid, 'concurrency_limit.reached'],
    )
    expect(rows).toEqual([
      {
        kind: 'concurrency_limit.reached',
        body: { concurrency_limit_id: limit['id'], scope_kind: 'workflow', scope_id: 'w', max_runs: 0, running: 0 },
      },
    ])
    await org.set('PATCH', `/concurrency-limits/${String(limit['id'])}`, { max_runs: 1 })
    expect((await read(org, limit))['exhausted_at']).toBeNull()
  })

  test('holds one of its unit in the journal, and spends none', async () => {
    const org = await money.org()
    const limit = await limitOf(org, 1)
    const { id } = await start(org)
    await finish(org, id)
    const { json } = await org.ask('GET', `/ledger?limit_id=${String(limit['id'])}`)
    const changes = (json['data'] as { kind: string; changes: Record<string, unknown>[] }[]).map(
      ({ kind, changes }) => {
        const { unit, spent, held } = changes.find(({ limit_id }) => limit_id === limit['id'])!
        return { kind, unit, spent, held }
      },
    )
    expect(changes).toEqual([
      { kind: 'settle', unit: 'concurrent_runs', spent: 0, held: -1 },
      { kind: 'hold', unit: 'concurrent_runs', spent: 0, held: 1 },
    ])
  })
})

describe('on two processes', () => {
  const database = useDatabase()
  const superuser = useSuperuser(database)
  let urls: string[] = []
  let operator = ''

  beforeAll(async () => {
    const installation = await startInstallation(database, 2)
    urls = installation.apis.map(({ url }) => url)
    operator = installation.operator
  })

  test('concurrent starts never jointly pass the limit', async () => {
    const { json } = await call(urls[0]!, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Acme' } })
    const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
    const tenant = { id, key: owner_key.secret, keyId: owner_key.id }
    const org = moneyOrg({ url: urls[0]!, operator, superuser: superuser.client }, tenant)
    const limit = await org.set('POST', '/concurrency-limits', { name: 'Few', scope_kind: 'org', max_runs: 7 })
    let running = 0
    let most = 0
    const codes = new Set<string | undefined>()
    const worker = async (i: number) => {
      for (let round = 0; round < 6; round++) {
        const url = urls[(i + round) % 2]!
        const { status, json } = await org.post('/v1/runs', costing('0.01'), {}, url)
        if (status !== 201) {
          codes.add(json.error?.code)
          continue
        }
        most = Math.max(most, ++running)
        await org.ask('GET', '')
        // Before the request is sent: another may take the place before the answer arrives.
        running--
        const end = () =>
          org.post(`/v1/runs/${String(json['id'])}/finish`, { status: 'succeeded', cost_usd: '0.01' }, {}, url)
        while ((await end()).status === 503);
      }
    }
    await Promise.all(Array.from({ length: 30 }, (_, i) => worker(i)))
    expect(most).toBeLessThanOrEqual(7)
    expect(codes).toContain('concurrency_exceeded')
    const atOnce = await Promise.all(
      Array.from({ length: 40 }, (_, i) => org.post('/v1/runs', costing('0.01'), {}, urls[i % 2])),
    )
    expect(atOnce.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(7)
    // Starts that were not answered in time took no place for good: in the end exactly seven run.
    await eventually(
      async () => (await org.post('/v1/runs', costing('0.01'))).json.error?.code === 'concurrency_exceeded',
    )
    const { json: view } = await org.ask('GET', `/concurrency-limits/${String(limit['id'])}`)
    expect(view).toMatchObject({ running: 7, max_runs: 7 })
    expect(await verifyBooks(database)).toMatchObject({ code: 0, faults: [] })
  })
})
