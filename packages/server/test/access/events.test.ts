import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { announceDeprecations, eventKinds, setOptIns } from '../../src/access/events/events.ts'
import type { Deprecation } from '../../src/contract/deprecations/registry.ts'
import { lockLedgerForConfigChange } from '../../src/money/ledger/ledger.ts'
import { parseId } from '../../src/values/id.ts'
import { documentOf } from '../support/document.ts'
import { eventsOf } from '../support/events.ts'
import { costing, type MoneyOrg, quietZone, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

const maxRefusals = 4
const money = useMoney({ SVC_REFUSAL_EVENTS_PER_MINUTE: `${maxRefusals}` })

const told = (org: MoneyOrg) => eventsOf(money.superuser.client, org.uuid)
const toldOf = async (org: MoneyOrg, wanted: string) => (await told(org)).filter(({ kind }) => kind === wanted)
const kindsTold = async (org: MoneyOrg) => (await told(org)).map(({ kind }) => kind)
const spend = async (org: MoneyOrg, usd: string, more: object = {}) =>
  org.settle(await org.hold('0.001', more as Record<string, unknown>), usd)
const optIn = (org: MoneyOrg, ...kinds: string[]) =>
  money.server.platform.sql.asOrgs([org.uuid], async (tx) => {
    await lockLedgerForConfigChange(tx, org.uuid)
    await setOptIns(tx, org.uuid, kinds)
  })

describe('limits tell', () => {
  test('of a budget with what it is for', async () => {
    const org = await money.org()
    const { id, period_start, period_end } = await org.budget('10', {
      scope_kind: 'workflow',
      scope_id: 'w',
      thresholds: [50],
    })
    await spend(org, '11', { workflow_id: 'w' })
    const data = {
      budget_id: id,
      scope_kind: 'workflow',
      scope_id: 'w',
      limit_usd: '10',
      spent_usd: '11',
      period_start,
      period_end,
    }
    expect(await told(org)).toEqual([
      { kind: 'budget.threshold_crossed', subject: id, data: { threshold_percent: 50, ...data } },
      { kind: 'budget.exceeded', subject: id, data },
    ])
  })

  test('of the spend cap at 80 and 100 percent, and when it is passed', async () => {
    const org = await money.org()
    const { id } = await org.set('PUT', '/spend-cap', { cap_usd: '10', timezone: quietZone() })
    const last = [await org.hold('0.5'), await org.hold('0.5')]
    for (const usd of ['7.99', '0.01', '1']) await spend(org, usd)
    for (const hold of last) await org.settle(hold, '1')
    const events = await told(org)
    expect(events.map(({ kind, data }) => [kind, data['threshold_percent'], data['spent_usd']])).toEqual([
      ['spend_cap.threshold_crossed', 80, '8'],
      ['spend_cap.threshold_crossed', 100, '10'],
      ['spend_cap.exceeded', undefined, '11'],
    ])
    expect(events[0]!.data).toMatchObject({ spend_cap_id: id, limit_usd: '10' })
  })

  test('of the spend cap again once it is raised', async () => {
    const org = await money.org()
    const raise = (cap: string) => org.set('PUT', '/spend-cap', { cap_usd: cap, timezone: quietZone() })
    await raise('1')
    await spend(org, '1')
    await raise('2')
    await spend(org, '0.6')
    expect((await told(org)).map(({ data }) => [data['threshold_percent'], data['spent_usd']])).toEqual([
      [80, '1'],
      [100, '1'],
      [80, '1.6'],
    ])
  })

  test('of a customer by its name, of a plan by its unit and of a chain by its reason', async () => {
    const org = await money.org()
    const { id: limit } = await org.set('PUT', '/customer-limit-default', {
      limit_usd: '1',
      period: 'year',
      timezone: quietZone(),
    })
    const { id: plan } = await org.setAsOperator('PUT', '/plan', {
      name: 'P',
      runs_per_month: 0,
      tokens_per_month: 10,
      overage_policy: 'allow',
    })
    const started = await org.post('/v1/runs', {
      ...costing('0.01'),
      customer_id: 'c',
      chain_id: 'mine',
      chain_limits: { max_cost_usd: '0.5', max_tokens: 100_000 },
    })
    const finished = await org.post(`/v1/runs/${String(started.json['id'])}/finish`, {
      status: 'succeeded',
      cost_usd: '2',
      input_tokens: 200_000,
      output_tokens: 1,
    })
    expect(finished.status, finished.text).toBe(200)
    const events = await told(org)
    const names = events.map(
      ({ kind, data }) => `${kind} ${String(data['unit'] ?? data['reason'] ?? data['customer_id'])}`,
    )
    expect(names.sort()).toEqual([
      'chain.exceeded cost',
      'chain.exceeded tokens',
      'customer_limit.exceeded c',
      'plan.exceeded runs',
      'plan.exceeded tokens',
    ])
    const dataOf = (kind: string) => events.filter((event) => event.kind === kind).map(({ data }) => data)
    expect(dataOf('customer_limit.exceeded')).toMatchObject([
      { customer_limit_id: limit, limit_usd: '1', spent_usd: '2' },
    ])
    expect(dataOf('plan.exceeded')).toMatchObject([{ plan_id: plan }, { plan_id: plan }])
    expect(dataOf('plan.exceeded')).toContainEqual(
      expect.objectContaining({ unit: 'tokens', limit: 10, used: 200_001 }),
    )
    expect(dataOf('chain.exceeded')).toContainEqual({ chain_id: 'mine', reason: 'cost', limit: '0.5', current: '2' })
  })

  test('of a credit pack once when it is low and once when it is gone, however it is drawn', async () => {
    const org = await money.org()
    const { id } = await org.set('POST', '/customers/c/credit-packs', { amount_usd: '10' })
    await spend(org, '7', { customer_id: 'c' })
    const started = await org.post('/v1/runs', { ...costing('2'), customer_id: 'c' })
    await org.post(`/v1/runs/${String(started.json['id'])}/finish`, { status: 'succeeded', cost_usd: '1.5' })
    await spend(org, '2', { customer_id: 'c' })
    await spend(org, '2', { customer_id: 'c' })
    expect(await told(org)).toEqual([
      {
        kind: 'credit_pack.low',
        subject: id,
        data: { credit_pack_id: id, customer_id: 'c', amount_usd: '10', spent_usd: '8.5' },
      },
      {
        kind: 'credit_pack.depleted',
        subject: id,
        data: { credit_pack_id: id, customer_id: 'c', amount_usd: '10', spent_usd: '10.5' },
      },
    ])
  })
})

describe('the quota tells', () => {
  const topUp = async (org: MoneyOrg, usd: string) =>
    (await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: usd }))['id']

  test('of everything that was prepaid, measured by the newest top-up, and again after the next', async () => {
    const org = await money.org()
    await topUp(org, '10')
    const second = await topUp(org, '5')
    for (const usd of ['9', '4.9', '0.2']) await spend(org, usd)
    expect(await told(org)).toEqual([
      { kind: 'quota.low', subject: second, data: { top_up_id: second, limit_usd: '15', spent_usd: '14.1' } },
    ])
    const third = await topUp(org, '5')
    for (const usd of ['4', '0.9', '0.1', '0.9']) await spend(org, usd)
    expect((await told(org)).slice(1)).toEqual([
      { kind: 'quota.low', subject: third, data: { top_up_id: third, limit_usd: '20', spent_usd: '19' } },
      { kind: 'quota.depleted', subject: third, data: { top_up_id: third, limit_usd: '20', spent_usd: '20' } },
    ])
  })

  test('of what a cost above its hold has taken from all of it, although it was held on one part', async () => {
    const org = await money.org()
    await topUp(org, '10')
    await topUp(org, '5')
    await spend(org, '15')
    expect(await kindsTold(org)).toEqual(['quota.low', 'quota.depleted'])
  })

  test('of what an adjustment or a run recorded afterwards takes', async () => {
    const org = await money.org()
    const first = await topUp(org, '10')
    await topUp(org, '5')
    await org.set('POST', '/ledger/adjustments', { limit_id: first, amount_usd: '10', reason: 'spent elsewhere' })
    expect(await kindsTold(org)).toEqual([])
    await org.set('POST', '/ledger/adjustments', { limit_id: first, amount_usd: '4', reason: 'spent elsewhere' })
    expect(await kindsTold(org)).toEqual(['quota.low'])
    const now = new Date().toISOString()
    const recorded = await org.post('/v1/runs/bulk', {
      runs: [{ model: 'gpt-4o', cost_usd: '1', started_at: now, ended_at: now, status: 'succeeded' }],
    })
    expect(recorded.status, recorded.text).toBe(200)
    expect(await kindsTold(org)).toEqual(['quota.low', 'quota.depleted'])
  })
})

describe('keys and organizations tell', () => {
  test('of a key that is minted, rotated and revoked, once each', async () => {
    const org = await money.org()
    const { id, name, role } = await org.set('POST', '/keys', { name: 'k', role: 'viewer', scopes: ['runs:read'] })
    const rotated = await org.set('POST', `/keys/${String(id)}/rotate`, { overlap_seconds: 60 })
    for (let i = 0; i < 2; i++) await org.set('POST', `/keys/${String(id)}/revoke`, undefined)
    const { expires_at, revoked_at } = await org.set('GET', `/keys/${String(id)}`, undefined)
    const key = { key_id: id, name, role }
    expect(await told(org)).toEqual([
      { kind: 'key.created', subject: id, data: { ...key, expires_at: null } },
      { kind: 'key.rotated', subject: id, data: { ...key, replaced_by: rotated['id'], expires_at } },
      { kind: 'key.revoked', subject: id, data: { ...key, revoked_at } },
    ])
  })

  test('of nothing that was refused', async () => {
    const org = await money.org()
    const { id } = await org.set('POST', '/keys', { name: 'k', role: 'viewer', scopes: ['runs:read'] })
    await org.set('POST', `/keys/${String(id)}/revoke`, undefined)
    expect((await org.ask('POST', `/keys/${String(id)}/rotate`, {})).status).toBe(409)
    expect(await kindsTold(org)).toEqual(['key.created', 'key.revoked'])
  })

  test('of a suspension and its end, and not of being told twice', async () => {
    const org = await money.org()
    for (const verb of ['suspend', 'suspend', 'resume', 'resume']) await org.setAsOperator('POST', `/${verb}`, {})
    expect(await told(org)).toEqual([
      { kind: 'org.suspended', subject: org.id, data: { name: 'Acme', status: 'suspended' } },
      { kind: 'org.resumed', subject: org.id, data: { name: 'Acme', status: 'active' } },
    ])
  })
})

describe('runs tell', () => {
  const start = async (org: MoneyOrg, body: object) => {
    const { json, status, text } = await org.post('/v1/runs', { ...costing('0.01'), ...body })
    expect(status, text).toBe(201)
    return json['id'] as string
  }
  const finish = (org: MoneyOrg, id: string) =>
    org.post(`/v1/runs/${id}/finish`, { status: 'failed', cost_usd: '0.02', input_tokens: 3 })
  const recorded = (started_at: string, external_id: string) => ({
    runs: [{ model: 'gpt-4o', cost_usd: '1', started_at, status: 'succeeded', external_id }],
  })

  test('nothing where nobody has asked', async () => {
    const org = await money.org()
    expect((await finish(org, await start(org, {}))).status).toBe(200)
    await optIn(org, 'decision.refused')
    expect((await finish(org, await start(org, {}))).status).toBe(200)
    expect(await told(org)).toEqual([])
  })

  test('once that they have ended, from the moment it is asked for until it is not any more', async () => {
    const org = await money.org()
    const running = await start(org, { workflow_id: 'w', customer_id: 'c', external_id: 'x', provider: 'openai' })
    await optIn(org, 'run.finished')
    for (let i = 0; i < 2; i++) expect((await finish(org, running)).status).toBe(200)
    const { json } = await call(money.server.url, 'GET', `/v1/runs/${running}`, { key: org.key })
    expect(await told(org)).toEqual([
      {
        kind: 'run.finished',
        subject: running,
        data: {
          run_id: running,
          external_id: 'x',
          reservation_id: null,
          key_id: org.keyId,
          status: 'failed',
          model: 'gpt-4o',
          provider: 'openai',
          workflow_id: 'w',
          deployment_id: null,
          department_id: null,
          customer_id: 'c',
          user_id: null,
          chain_id: null,
          cost_usd: '0.02',
          cost_basis: 'reported',
          input_tokens: 3,
          output_tokens: null,
          started_at: json['started_at'],
          ended_at: json['ended_at'],
        },
      },
    ])
    await optIn(org)
    await finish(org, await start(org, {}))
    expect(await told(org)).toHaveLength(1)
  })

  test('of one that had expired twice: what was estimated, and what it was in the end', async () => {
    const org = await money.org()
    await optIn(org, 'run.finished')
    const id = await start(org, {})
    await org.budget('0')
    await org.rows(
      `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
      parseId('run', id),
    )
    // A refusal looks for leases that are over.
    expect((await org.decide(costing('1'))).status).toBe(402)
    expect((await finish(org, id)).status).toBe(200)
    expect(
      (await told(org))
        .filter(({ kind }) => kind === 'run.finished')
        .map(({ data }) => [data['status'], data['cost_usd'], data['cost_basis']]),
    ).toEqual([
      ['expired', '0.01', 'estimated'],
      ['failed', '0.02', 'reported'],
    ])
  })

  test('of those recorded in bulk, also beyond what is kept, and not of a repetition or a refusal', async () => {
    const org = await money.org()
    await optIn(org, 'run.finished')
    const now = new Date().toISOString()
    const old = new Date(Date.now() - 89 * 86_400_000).toISOString()
    await org.set('PUT', '/retention-policy', { raw_days: 7 })
    for (const body of [recorded(now, 'a'), recorded(now, 'a'), recorded(old, 'b')])
      expect((await org.post('/v1/runs/bulk', body)).status).toBe(200)
    await org.budget('0')
    await org.post('/v1/runs/bulk', recorded(now, 'c'))
    expect((await told(org)).map(({ kind, data }) => [kind, data['external_id']])).toEqual([
      ['run.finished', 'a'],
      ['run.finished', 'b'],
      ['budget.stopped', undefined],
    ])
  })
})

describe('refusals tell', () => {
  const refuse = async (org: MoneyOrg, more: object = {}) =>
    expect((await org.decide(costing('2', more as Record<string, unknown>))).status).toBe(402)

  test('who asks for them, with what the caller was told, and no dry run', async () => {
    const [org, other] = [await money.org(), await money.org()]
    const { id } = await org.budget('1')
    await other.budget('1')
    await optIn(org, 'decision.refused')
    await refuse(other)
    await refuse(org, { dry_run: true })
    const { json } = await org.decide(costing('2', { workflow_id: 'w', customer_id: 'c' }))
    await eventually(async () => (await toldOf(org, 'decision.refused')).length > 0)
    const error = json.error as unknown as { message: string; details: { decision_id: string } }
    expect(await toldOf(org, 'decision.refused')).toEqual([
      {
        kind: 'decision.refused',
        subject: error.details.decision_id,
        data: {
          decision_id: error.details.decision_id,
          error_code: 'budget_exceeded',
          message: error.message,
          decided_by: id,
          estimated_cost_usd: '2',
          model: 'gpt-4o',
          provider: null,
          workflow_id: 'w',
          deployment_id: null,
          department_id: null,
          customer_id: 'c',
          user_id: null,
        },
      },
    ])
    expect(await toldOf(other, 'decision.refused')).toEqual([])
  })

  test('as many a minute as they may, however many there are', async () => {
    const org = await money.org()
    await org.budget('1')
    await optIn(org, 'decision.refused')
    const startedAt = Date.now()
    for (let i = 0; i < 30; i++) await refuse(org)
    await eventually(async () => (await toldOf(org, 'decision.refused')).length >= maxRefusals)
    const records = async () =>
      Number((await org.rows<{ count: string }>('select count(*) from decision_records where org_id = $1'))[0]!.count)
    await eventually(async () => (await records()) >= 10)
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(startedAt / 60_000) + 1
    expect((await toldOf(org, 'decision.refused')).length).toBeLessThanOrEqual(maxRefusals * minutes)
  })
})

describe('a deprecation is announced', () => {
  const registry: Deprecation[] = [
    { kind: 'setting', id: 'old-setting', variable: 'SVC_OLD', since: '2020-01-10', migration: 'Use another.' },
    {
      kind: 'route',
      id: 'old-route',
      method: 'GET',
      route: '/v1/old',
      since: '2021-01-10',
      sunset: '2030-12-31T23:59:59Z',
      noticeClass: 'v1_api',
      migration: 'Use another.',
    },
    { kind: 'setting', id: 'future', variable: 'SVC_FUTURE', since: '2999-01-01', migration: 'Wait.' },
  ]
  const subscribe = (org: MoneyOrg, createdAt: string, isEnabled = true) =>
    org.rows(
      `insert into webhook_subscriptions (org_id, id, url, description, events, ordered, enabled, disabled_reason, created_at)
       values ($1, $2, 'https://example.com/', '', '{}', false, $3, $4, $5)`,
      randomUUID(),
      isEnabled,
      isEnabled ? null : 'requested',
      createdAt,
    )
  const announce = () => announceDeprecations(money.server.platform, registry)

  test('once to everybody who had a subscription when it was', async () => {
    const orgs = [await money.org(), await money.org(), await money.org(), await money.org()] as const
    const [early, late, disabled] = orgs
    await subscribe(early, '2020-01-01T00:00:00Z')
    await subscribe(early, '2020-01-02T00:00:00Z')
    await subscribe(late, '2020-06-01T00:00:00Z')
    await subscribe(disabled, '2020-01-01T00:00:00Z', false)
    await Promise.all([announce(), announce()])
    await announce()
    const docs = money.server.platform.addresses.docsUrl()
    const [setting, route] = [
      {
        kind: 'deprecation.announced',
        subject: 'old-setting',
        data: {
          deprecation_id: 'old-setting',
          surface: 'SVC_OLD environment variable',
          since: '2020-01-10',
          sunset: null,
          migration: 'Use another.',
          documentation: `${docs}/deprecations#old-setting`,
        },
      },
      {
        kind: 'deprecation.announced',
        subject: 'old-route',
        data: {
          deprecation_id: 'old-route',
          surface: 'GET /v1/old',
          since: '2021-01-10',
          sunset: '2030-12-31T23:59:59.000+00:00',
          migration: 'Use another.',
          documentation: `${docs}/deprecations#old-route`,
        },
      },
    ]
    const heard = []
    for (const org of orgs) heard.push(await told(org))
    expect(heard).toEqual([[setting, route], [route], [], []])
  })

  test('to as many as there are, page by page', async () => {
    const { client } = money.superuser
    const many = 1_203
    await client.query(
      `with made as (insert into orgs (id, name) select gen_random_uuid(), 'many' from generate_series(1, $1) returning id)
       insert into webhook_subscriptions (org_id, id, url, description, events, ordered, enabled, created_at)
       select id, gen_random_uuid(), 'https://example.com/', '', '{}', false, true, '2020-06-01' from made`,
      [many],
    )
    await announce()
    const { rows } = await client.query<{ orgs: number; events: number }>(
      `select count(distinct o.org_id)::int as orgs, count(*)::int as events from outbox o join orgs on orgs.id = o.org_id where orgs.name = 'many'`,
    )
    expect(rows).toEqual([{ orgs: many, events: many }])
  })
})

test('the OpenAPI document has every kind as a webhook', async () => {
  const { webhooks: described } = await documentOf(money.server.url)
  const webhooks = described as unknown as Record<string, { post: { requestBody: { content: object } } }>
  expect(Object.keys(webhooks).sort()).toEqual(Object.keys(eventKinds).sort())
  expect(webhooks['key.created']!.post.requestBody.content).toMatchObject({
    'application/json': {
      schema: { properties: { type: { const: 'key.created' } } },
      example: { type: 'key.created' },
    },
  })
})
