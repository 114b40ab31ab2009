import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadRuleSet } from '../../src/governance/policies/policies.ts'
import type { Sql } from '../../src/platform/infra/sql.ts'
import { backtest } from '../../src/runs/backtests/backtests.ts'
import { Progress } from '../../src/runs/backtests/progress.ts'
import type { BacktestView } from '../../src/runs/backtests/schema.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { quietZone, useSuperuser } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { fillRuns, insertRecorded, recordedRun } from '../support/recorded-runs.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const path = (org: string) => `/v1/orgs/${org}/policies/backtest`
const server = useServer()
const owner = useSuperuser(server.database)
const watcher = useSuperuser(server.database)
const dayMs = 86_400_000

let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})
const newTenant = () => tenantOf(server, operator)

const ask = ({ id, key }: Tenant, body: unknown = {}): Promise<Answer> =>
  call(server.url, 'POST', path(id), { key, body })

/** An answer that must have this status. */
function answered(answer: Answer, status: number): Answer {
  expect(answer.status, answer.text).toBe(status)
  return answer
}

/** A back-test that succeeds. */
async function tested(tenant: Tenant, body: unknown = {}): Promise<BacktestView> {
  return answered(await ask(tenant, body), 200).json as unknown as BacktestView
}

type Line = Record<string, unknown> & { type: string }

/** Starts a back-test whose lines can be read one by one, and that can be left. */
async function started({ id, key }: Tenant, at = server.port) {
  const sent: ClientRequest = request({
    port: at,
    agent: false,
    path: path(id),
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const lines = createInterface({ input: response })[Symbol.asyncIterator]()
  return {
    response,
    next: async () => JSON.parse((await lines.next()).value as string) as Line,
    rest: async () => {
      const all: Line[] = []
      for (let line = await lines.next(); line.done !== true; line = await lines.next())
        all.push(JSON.parse(line.value) as Line)
      return all
    },
    leave: () => sent.destroy(),
  }
}

/** Nothing can be read of runs until it is over. */
async function whileRunsAreLocked<T>(work: () => Promise<T>): Promise<T> {
  await owner.client.query('begin; lock table runs in access exclusive mode')
  try {
    return await work()
  } finally {
    await owner.client.query('rollback')
  }
}

/** Until so many look for runs that they cannot read. */
const waiting = (count: number) =>
  eventually(async () => {
    const { rows } = await watcher.client.query<{ count: bigint }>(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return Number(rows[0]!.count) >= count
  })

const rule = (more: object) => ({
  name: 'rule',
  effect: 'block',
  target: 'model',
  priority: 100,
  expression: 'true',
  reason: 'Not here.',
  ...more,
})

describe('after real runs', () => {
  let tenant: Tenant
  let ids: { blocking: string; approving: string }
  const post = (at: string, body: unknown, key = tenant.key) => call(server.url, 'POST', at, { key, body })
  const start = (more: object) => post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1', ...more })
  const admitted: string[] = []

  async function run(more: object, costUsd: string) {
    const id = answered(await start(more), 201).json['id'] as string
    answered(await post(`/v1/runs/${id}/finish`, { status: 'succeeded', cost_usd: costUsd }), 200)
    admitted.push(id)
    return id
  }

  beforeAll(async () => {
    tenant = await newTenant()
    const create = async (more: object) =>
      answered(await post(`/v1/orgs/${tenant.id}/policies`, rule(more)), 201).json['id'] as string
    // Under rules that have changed since.
    const early = await create({ name: 'early', expression: 'run.model == "o1"' })
    await run({ model: 'gpt-4o', department_id: 'early' }, '0.5')
    answered(await start({ model: 'o1' }), 403)
    await call(server.url, 'DELETE', `/v1/orgs/${tenant.id}/policies/${early}`, { key: tenant.key })

    ids = {
      blocking: await create({ name: 'no frontier', expression: 'run.model.startsWith("gpt-5")' }),
      approving: await create({
        name: 'ask first',
        effect: 'require_approval',
        expression: 'run.estimated_cost_usd > 5.0 || chain.depth > 2',
      }),
    }
    await create({ name: 'in shadow', shadow: true, priority: 1, expression: 'run.department_id == "sales"' })
    await create({
      name: 'by the key',
      priority: 300,
      expression: `key.id != "${tenant.keyId}" || !("runs:write" in key.scopes) || key.role != "owner" || run.metadata.exists(k, k == "no")`,
    })
    for (const department_id of ['support', 'sales'])
      for (let i = 1; i <= 3; i++)
        await run({ department_id, tags: ['a'], metadata: { n: i }, input_tokens: 10 * i }, `${i}`)
    const root = await run({ chain_id: 'ticket' }, '0.25')
    await run({ chain_id: 'ticket', parent_run_id: root }, '0.25')
    for (let i = 0; i < 4; i++) answered(await start({ model: 'gpt-5', metadata: { n: i % 2 } }), 403)

    const asked = answered(await start({ estimated_cost_usd: '6', department_id: 'support' }), 403)
    const approval = asked.json.error!.details['approval_id'] as string
    const approver = (await keyOf(server, tenant.id, { role: 'admin' })).key
    answered(await post(`/v1/orgs/${tenant.id}/approvals/${approval}/approve`, { max_runs: 1 }, approver), 200)
    await run({ estimated_cost_usd: '6', department_id: 'support' }, '5.5')
    answered(await start({ estimated_cost_usd: '6', department_id: 'support' }), 403)

    // Nobody asked rules about what was recorded afterwards.
    const recorded = { model: 'gpt-5', started_at: new Date(Date.now() - 60_000).toISOString(), cost_usd: '7' }
    answered(await post('/v1/runs/bulk', { runs: [recorded] }), 200)
    await eventually(async () => (await tested(tenant)).recorded_refusals?.considered === 7)
  })

  test('the live rules say again exactly what they said', async () => {
    const view = await tested(tenant)
    expect(view.tested).toMatchObject({ kind: 'live', rules: 4, limit: null })
    // Six, two of a chain, one under an approval; four and two that were refused. Not what was asked under other rules.
    expect(view.agreement).toMatchObject({ compared: 9 + 6, differing: 0, examples: [] })
    expect(view.agreement!.set_version).toBe(view.tested.set_version)
    expect(view.runs).toMatchObject({
      considered: 11,
      cost_usd: '25.5',
      refused: 1,
      blocked: 1,
      approval_required: 0,
      approved: 1,
      without_admission: 1,
      saved_usd: '7',
    })
    expect(view.recorded_refusals).toEqual({ considered: 7, allowed: 1, refused: 6, failed: 0 })
    expect(view.by_rule).toMatchObject({
      data: [{ rule_id: ids.blocking, index: null, rule_name: 'no frontier', refused: 1, saved_usd: '7' }],
      is_exact: true,
    })
  })

  test('a draft says what it would have refused, what that would have saved, and for whom', async () => {
    const rules = [
      rule({ name: 'small', priority: 5, expression: 'run.input_tokens >= 20 && run.department_id == "sales"' }),
      rule({ name: 'ask', effect: 'require_approval', priority: 6, expression: 'run.department_id == "support"' }),
      rule({ name: 'breaks', priority: 7, expression: 'run.metadata["missing"] == "x"' }),
    ]
    const view = await tested(tenant, { rules })
    expect(view.agreement).toBeNull()
    expect(view.tested).toEqual({ kind: 'rules', set_version: null, rules: 3, limit: null })
    expect(view.runs).toMatchObject({
      considered: 11,
      refused: 6,
      blocked: 2,
      approval_required: 4,
      failed: 5,
      approved: 0,
      saved_usd: '16.5',
    })
    expect(view.by_team.data).toEqual([
      { department_id: 'support', refused: 4, failed: 0, saved_usd: '11.5' },
      { department_id: 'sales', refused: 2, failed: 1, saved_usd: '5' },
      { department_id: null, refused: 0, failed: 3, saved_usd: '0' },
      { department_id: 'early', refused: 0, failed: 1, saved_usd: '0' },
    ])
    expect(view.by_model.data).toEqual([
      { model: 'gpt-4o', refused: 6, failed: 4, saved_usd: '16.5' },
      { model: 'gpt-5', refused: 0, failed: 1, saved_usd: '0' },
    ])
    expect(view.by_rule.data).toEqual([
      { rule_id: null, index: 1, rule_name: 'ask', refused: 4, failed: 0, saved_usd: '11.5' },
      { rule_id: null, index: 0, rule_name: 'small', refused: 2, failed: 0, saved_usd: '5' },
      { rule_id: null, index: 2, rule_name: 'breaks', refused: 0, failed: 5, saved_usd: '0' },
    ])
    expect(view.examples).toHaveLength(11)
    expect(view.examples[0]).toMatchObject({ model: 'gpt-5', outcome: 'error', cost_usd: '7', rule_name: 'breaks' })
    expect(view.examples[1]).toEqual({
      run_id: admitted.at(-1),
      model: 'gpt-4o',
      department_id: 'support',
      outcome: 'require_approval',
      rule_id: null,
      index: 1,
      rule_name: 'ask',
      cost_usd: '5.5',
    })
    expect(view.recorded_refusals).toEqual({ considered: 7, allowed: 0, refused: 2, failed: 5 })
    expect(await tested(tenant, { rules: [] })).toMatchObject({
      runs: { refused: 0, failed: 0 },
      recorded_refusals: { considered: 7, allowed: 7 },
    })
  })

  test('a draft of a limit says what would not have fitted', async () => {
    const limit = {
      scope_kind: 'department',
      scope_id: 'support',
      limit_usd: '6',
      period: 'month',
      timezone: quietZone(),
    }
    const view = await tested(tenant, { limit })
    // 1 + 2 + 3 fit, 5.5 does not.
    expect(view.runs).toMatchObject({ considered: 11, refused: 1, over_limit: 1, saved_usd: '5.5', failed: 0 })
    expect(view).toMatchObject({ recorded_refusals: null, agreement: null, by_rule: { data: [] } })
    expect(view.tested.limit).toEqual({ ...limit, anchor: null })
    expect(view.examples).toMatchObject([{ run_id: admitted.at(-1), outcome: 'over_limit', rule_id: null }])
    const org = await tested(tenant, { limit: { scope_kind: 'org', limit_usd: '0', period: 'day' } })
    expect(org.runs).toMatchObject({ refused: 11, saved_usd: '25.5' })
  })

  test('what is not as it was is found', async () => {
    const [uuid, org] = [requireId('run', admitted[1]!), requireId('org', tenant.id)]
    const change = (sql: string) => owner.client.query(sql, [org])
    await change(`update runs set admission = (admission::jsonb || '{"estimated_nano": "5000000001"}')::json
                   where org_id = $1 and id = '${uuid}'`)
    await change(`update policy_matches set attempt = attempt || '{"model": "gpt-4o"}'
                   where org_id = $1 and not shadow and attempt -> 'metadata' ->> 'n' = '1'`)
    const { agreement } = await tested(tenant)
    expect(agreement).toMatchObject({
      compared: 15,
      differing: 3,
      examples: [
        {
          run_id: admitted[1],
          match_id: null,
          recorded: { outcome: 'allow', rule_id: null },
          found: { outcome: 'require_approval', rule_id: ids.approving },
        },
        {
          run_id: null,
          recorded: { outcome: 'block', rule_id: ids.blocking },
          found: { outcome: 'allow', rule_id: null },
        },
      ],
    })
    expect(agreement!.examples[1]!.match_id).toMatch(/^pmt_/)
  })
})

describe('what is asked', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant()
    const at = (days: number, cost: bigint) =>
      recordedRun({ startedAtMs: Date.now() - days * dayMs, costNano: cost, about: { customer_id: `c${days}` } })
    await insertRecorded(server, tenant.id, [at(1, 1n), at(20, 2n), at(40, 4n), at(85, 8n)])
  })
  const rules = [rule({})]

  test('is about the last 30 days, or a window of at most 90', async () => {
    const savedIn = async (window: object) => (await tested(tenant, { ...window, rules })).runs.saved_usd
    const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
    expect(await savedIn({})).toBe('0.000000003')
    expect(await savedIn({ from: ago(89) })).toBe('0.000000015')
    expect(await savedIn({ from: ago(50), to: ago(10) })).toBe('0.000000006')
    expect(await savedIn({ to: ago(30) })).toBe('0.000000004')
    const view = await tested(tenant, { from: '2026-01-01', to: '2026-01-02', rules })
    expect(view.runs.considered).toBe(0)
    expect(faultsOf(await ask(tenant, { from: ago(91), to: ago(0) }))).toEqual(['to: out_of_range'])
    expect(faultsOf(await ask(tenant, { from: '2026-02-30' }))).toEqual(['from: invalid_format'])
  })

  test('is sound, or everything that is wrong with it is told', async () => {
    const limit = { scope_kind: 'workflow', limit_usd: '1', period: 'day', timezone: 'Mars/Base' }
    expect(faultsOf(await ask(tenant, { rules, limit }))).toEqual([
      'limit.scope_id: required',
      'limit.timezone: invalid_value',
      'limit: invalid_value',
    ])
    const org = { scope_kind: 'org', scope_id: 'x', limit_usd: '1', period: 'day' }
    expect(faultsOf(await ask(tenant, { limit: org }))).toEqual(['limit.scope_id: invalid_value'])
    expect(faultsOf(await ask(tenant, { rules: [rule({}), rule({ expression: 'run.modell == 1' })] }))).toEqual([
      'rules.1.expression: invalid_value',
    ])
    expect(faultsOf(await ask(tenant, { days: 3 }))).toEqual(['days: unknown_field'])
  })

  test('is asked of every customer for itself, where none is named', async () => {
    const limit = { scope_kind: 'customer', limit_usd: '0.000000001', period: 'month' }
    expect((await tested(tenant, { limit })).runs).toMatchObject({ considered: 2, over_limit: 1, uncounted: 0 })
  })

  test('needs a member who may read policies, of this organization', async () => {
    const viewer = await keyOf(server, tenant.id, { role: 'viewer' })
    const other = await keyOf(server, tenant.id, { role: 'member', scopes: ['runs:read'] })
    const member = await keyOf(server, tenant.id, { role: 'member', scopes: ['policies:read'] })
    const stranger = await newTenant()
    const as = async (key: string) => (await call(server.url, 'POST', path(tenant.id), { key, body: {} })).status
    expect([await as(viewer.key), await as(other.key), await as(member.key), await as(stranger.key)]).toEqual([
      403, 403, 200, 404,
    ])
  })
})

describe('a long test', () => {
  const count = 40_000
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant()
    await fillRuns(owner.client, {
      orgId: requireId('org', tenant.id),
      count,
      retentionClass: 90,
      from: new Date(Date.now() - 20 * dayMs),
      to: new Date(),
    })
  })

  test('tells how far it is, line by line, and then what it found', async () => {
    const stream = await started(tenant)
    expect(stream.response.statusCode).toBe(200)
    expect(stream.response.headers['content-type']).toBe('application/x-ndjson')
    const lines = await stream.rest()
    const { type, ...result } = lines.pop()!
    expect(type).toBe('result')
    expect(result).toEqual({ ...(await tested(tenant)), window: result['window'] })
    expect(result).toMatchObject({ runs: { considered: count, refused: 0, without_admission: count } })
    expect(new Set(lines.map((line) => line.type))).toEqual(new Set(['progress']))
    expect(lines[0]).toMatchObject({ considered: 0, fraction: 0 })
    expect(lines.at(-1)).toMatchObject({ considered: count, fraction: 1 })
    for (const [i, line] of lines.slice(1).entries()) {
      expect(Number(line['considered'])).toBeGreaterThanOrEqual(Number(lines[i]!['considered']))
      expect(Number(line['fraction'])).toBeGreaterThanOrEqual(Number(lines[i]!['fraction']))
    }
  })

  test('stops within a page when its caller is gone, and others have had their turn all along', async () => {
    const orgId = requireId('org', tenant.id)
    const { sql, clock } = server.platform
    const caller = new AbortController()
    let reads = 0
    const asOrgs: Sql['asOrgs'] = (...args) => {
      if (++reads === 4) caller.abort(new Error('left'))
      return sql.asOrgs(...args)
    }
    const asked = {
      window: { from: new Date(Date.now() - 30 * dayMs), to: new Date() },
      tested: { kind: 'live', set: await loadRuleSet(server.platform, orgId) } as const,
    }
    const run = (by: Sql['asOrgs'], signal: AbortSignal) =>
      backtest({ sql: { ...sql, asOrgs: by }, clock }, orgId, asked, new Progress(), signal)
    await expect(run(asOrgs, caller.signal)).rejects.toThrow('left')
    expect(reads).toBeLessThanOrEqual(5)

    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const view = await run(sql.asOrgs, new AbortController().signal)
    clearInterval(timer)
    expect(view.runs.considered).toBe(count)
    expect(turns).toBeGreaterThan(20)
  })

  test('is one at a time for an organization and two for a process; who comes later is told to', async () => {
    const [second, third] = [await newTenant(), await newTenant()]
    const streams = await whileRunsAreLocked(async () => {
      const first = await started(tenant)
      expect(await first.next()).toMatchObject({ type: 'progress', considered: 0 })
      const again = await ask(tenant)
      expect([again.status, again.json.error?.code]).toEqual([503, 'service_unavailable'])
      expect(again.text).toContain('this organization')
      const other = await started(second)
      const tooMany = await ask(third)
      expect([tooMany.status, tooMany.json.error?.code]).toEqual([503, 'service_unavailable'])
      expect((await started(third)).response.statusCode).toBe(503)
      return [first, other]
    })
    for (const stream of streams) expect((await stream.rest()).at(-1)).toMatchObject({ type: 'result' })
    expect((await ask(third)).status).toBe(200)
  })

  test('makes room when its caller has left, and nothing is said to have failed', async () => {
    const before = server.logs.length
    const second = await newTenant()
    await whileRunsAreLocked(async () => {
      const stream = await started(tenant)
      await stream.next()
      stream.leave()
      const json = new AbortController()
      const sent = fetch(server.url + path(second.id), {
        method: 'POST',
        headers: { authorization: `Bearer ${second.key}` },
        signal: json.signal,
      }).catch(() => 'left')
      await waiting(2)
      json.abort()
      expect(await sent).toBe('left')
    })
    await eventually(async () => (await ask(tenant)).status === 200)
    expect(server.logs.slice(before).filter(({ level }) => level === 'error')).toEqual([])
  })

  test('that breaks after its head was sent says so in its last line', async () => {
    const last = await whileRunsAreLocked(async () => {
      const stream = await started(tenant)
      await stream.next()
      await waiting(1)
      await watcher.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return (await stream.rest()).at(-1)
    })
    expect(last).toEqual({
      type: 'error',
      error: { code: 'service_unavailable', message: expect.any(String) as string, details: {} },
    })
    expect((await ask(tenant)).status).toBe(200)
  })
})

describe('where answers have a second', () => {
  const hurried = useServer({ environment: { SVC_HANDLER_TIMEOUT_SECONDS: '1' } })
  const superuser = useSuperuser(hurried.database)

  test('lines may take longer; one answer may not, and then its work ends', async () => {
    const tenant = await tenantOf(hurried, (await operatorOf(hurried)).key)
    const json = () => call(hurried.url, 'POST', path(tenant.id), { key: tenant.key })
    await superuser.client.query('begin; lock table runs in access exclusive mode')
    const late = await json()
    expect([late.status, late.json.error?.code]).toEqual([503, 'service_unavailable'])
    expect(late.text).toContain('took too long')
    await superuser.client.query('rollback')
    await eventually(async () => (await json()).status === 200)

    await superuser.client.query('begin; lock table runs in access exclusive mode')
    const stream = await started(tenant, hurried.port)
    await stream.next()
    await sleep(1_500)
    await superuser.client.query('rollback')
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'result' })
    expect(hurried.logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('a test ends with its process, and says so', async () => {
    const tenant = await tenantOf(hurried, (await operatorOf(hurried)).key)
    await superuser.client.query('begin; lock table runs in access exclusive mode')
    const stream = await started(tenant, hurried.port)
    await stream.next()
    const closed = hurried.app.close()
    await superuser.client.query('rollback')
    const last = (await stream.rest()).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { code: 'service_unavailable' } })
    expect(JSON.stringify(last)).toContain('shutting down')
    await closed
  })
})
