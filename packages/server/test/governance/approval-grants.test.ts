import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { expireApprovals } from '../../src/governance/approvals/expiry.ts'
import { parseId, requireId } from '../../src/values/id.ts'
import { actionsOf, addRule, eventsLike, ruleOf, startRun } from '../support/governed.ts'
import { environmentFor } from '../support/harness.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { startApi } from '../support/processes.ts'
import { call, keyOf, operatorOf } from '../support/tenants.ts'
import { leastTurnMs } from '../support/turns.ts'

const money = useMoney({ SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24' })
const patience = { timeout: 120_000, interval: 25 }

const others: pg.Client[] = []
afterAll(() => Promise.all(others.map((client) => client.end())))
/** A session of its own, to hold a lock with. */
async function session() {
  const client = new pg.Client({ connectionString: money.server.database.ownerUrl })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('set idle_in_transaction_session_timeout = 0')
  others.push(client)
  return client
}

/** How many statements wait for a lock now. */
const waiting = async (count: number, like = '%') =>
  vi.waitFor(async () => {
    const { rows } = await money.superuser.client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [like],
    )
    expect(rows.length).toBeGreaterThanOrEqual(count)
  }, patience)

async function governed(more: Record<string, unknown> = {}) {
  const org = await money.org()
  const rule = await addRule(org, { effect: 'require_approval', reason: 'Ask first.', ...more })
  const approver = (await keyOf(money.server, org.id, { role: 'admin' })).key
  const decide = (approval: string, verdict: string, body: unknown = {}, key = approver) =>
    org.ask('POST', `/approvals/${approval}/${verdict}`, body, key)
  const requested = async (body: Record<string, unknown> = {}, headers = {}) => {
    const answer = await startRun(org, body, headers)
    expect(refusalIn(answer)).toMatchObject({ status: 403, code: 'policy_approval_required' })
    return answer.json.error!.details['approval_id'] as string
  }
  const approved = async (grant: Record<string, unknown>, body: Record<string, unknown> = {}) => {
    const id = await requested(body)
    expect((await decide(id, 'approve', grant)).status).toBe(200)
    return id
  }
  return { org, rule, approver, decide, requested, approved }
}

/** What was on its way into the database is there: what came after it is. */
async function recordsAreWritten() {
  const org = await money.org()
  await addRule(org)
  expect((await startRun(org)).status).toBe(403)
  await vi.waitFor(async () => {
    expect(await org.rows('select from policy_matches where org_id = $1')).toHaveLength(1)
    expect(await org.rows('select from decision_records where org_id = $1')).toHaveLength(1)
  }, patience)
}

const approvalsOf = async (org: MoneyOrg, query = '') =>
  ((await org.ask('GET', `/approvals${query}`)).json as unknown as { data: Record<string, unknown>[] }).data

describe('a grant', () => {
  test('that still has room is used, also after a later one for the same attempt is used up', async () => {
    const { org, requested, decide, approved } = await governed()
    await approved({ max_runs: 10, max_amount_usd: '1' })
    const second = await requested({ estimated_cost_usd: '5' })
    expect((await decide(second, 'approve', { max_runs: 1 })).status).toBe(200)
    expect((await startRun(org, { estimated_cost_usd: '5' })).status).toBe(201)
    expect((await startRun(org)).status).toBe(201)
  })

  test('is not hidden by later denials', async () => {
    const { org, requested, decide, approved } = await governed()
    await approved({
      max_runs: 10,
      max_amount_usd: '1',
      expires_at: new Date(Date.now() + 80 * 86_400_000).toISOString(),
    })
    for (let day = 0; day < 3; day++) {
      const id = await requested({ estimated_cost_usd: '5' })
      expect((await decide(id, 'deny')).status).toBe(200)
      await org.rows(`update approvals set expires_at = now() - interval '1 s' where org_id = $1 and status = 'denied'`)
    }
    expect((await startRun(org)).status).toBe(201)
  })

  test('ends with the rule: no start is decided on it after the change was answered', async () => {
    const { org, rule, approved } = await governed({ name: 'r', priority: 1 })
    const seen = { isOver: false }
    const started: string[] = []
    const agent = async () => {
      while (!seen.isOver) {
        const { status, json } = await startRun(org)
        if (status === 201) started.push(json['id'] as string)
      }
    }
    for (const effect of ['block', 'require_approval', 'block', 'require_approval', 'block']) {
      if (effect === 'block') await approved({ max_runs: 10_000 })
      seen.isOver = false
      const agents = Promise.all(Array.from({ length: 6 }, agent))
      await vi.waitFor(() => expect(started.length).toBeGreaterThanOrEqual(effect === 'block' ? 10 : 0), patience)
      await org.set('PUT', `/policies/${rule}`, ruleOf({ name: 'r', priority: 1, effect, reason: 'Never.' }))
      const [{ now }] = (await org.rows<{ now: Date }>(
        'select clock_timestamp() as now where $1::uuid is not null',
      )) as [{ now: Date }]
      seen.isOver = true
      await agents
      const late = await org.rows('select from holds where org_id = $1 and held_at > $2', now)
      expect(late).toEqual([])
      started.length = 0
    }
  })

  test('shadow rules before it are recorded where it admits', async () => {
    const { org, approved } = await governed({ priority: 50 })
    await approved({ max_runs: 3 })
    await addRule(org, { shadow: true, priority: 1 })
    expect((await startRun(org)).status).toBe(201)
    await vi.waitFor(
      async () => expect(await org.rows('select from policy_matches where org_id = $1 and shadow')).toHaveLength(1),
      { timeout: 60_000, interval: 50 },
    )
  })

  test('for what a rule was about is for that, not for whatever else the caller says', async () => {
    const { org, requested, decide } = await governed({
      target: 'action',
      expression: 'run.action == "refund" && double(run.metadata["refund_usd"]) > 500.0',
    })
    const body = { action: 'refund', metadata: { refund_usd: 501 } }
    expect((await decide(await requested(body), 'approve', {})).status).toBe(200)
    const other = await startRun(org, { action: 'refund', metadata: { refund_usd: 1_000_000 } })
    expect(refusalIn(other)).toMatchObject({ status: 403, code: 'policy_approval_required' })
  })
})

describe('a request', () => {
  test('that is opened while its rule changes can be decided, or does not wait', async () => {
    const { org, rule, decide } = await governed({ name: 'r', priority: 1 })
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query('select from audit_heads where org_id = $1 for update', [org.uuid])
    const start = startRun(org)
    await waiting(1, '%audit_heads%')
    const put = org.ask(
      'PUT',
      `/policies/${rule}`,
      ruleOf({ name: 'r', priority: 1, effect: 'require_approval', reason: 'Else.' }),
    )
    await waiting(2)
    await blocker.query('commit')
    await Promise.all([start, put])
    expect((await put).status).toBe(200)
    for (const { id } of await approvalsOf(org, '?status=pending'))
      expect((await decide(id as string, 'approve')).status).toBe(200)
  })

  test('whose week is over is not what an attempt is told to wait for', async () => {
    const { org, requested, decide } = await governed()
    const id = await requested()
    await org.rows(
      `update approvals set expires_at = now() - interval '1 s' where id = $2 and org_id = $1`,
      parseId('approval', id),
    )
    const next = await requested()
    expect((await decide(next, 'approve')).status).toBe(200)
  })

  test.each([
    ['an Idempotency-Key', {}, { 'idempotency-key': 'again' }],
    ['an external_id', { external_id: 'again' }, {}],
  ])('is not opened by a retry with %s of a start that was admitted', async (_what, body, headers) => {
    const org = await money.org()
    expect((await startRun(org, body, headers)).status).toBe(201)
    await addRule(org, { effect: 'require_approval' })
    expect((await startRun(org, body, headers)).status).toBe(201)
    await recordsAreWritten()
    expect(await approvalsOf(org)).toEqual([])
    expect(await actionsOf(org, 'approval.')).toEqual([])
    expect(await eventsLike(org, 'approval.')).toEqual([])
    expect(await org.rows('select from policy_matches where org_id = $1')).toEqual([])
    expect(await org.rows('select from decision_records where org_id = $1')).toEqual([])
  })

  test('of one key is not kept from being asked by another key that asks for everything', async () => {
    const { org, requested } = await governed()
    await requested()
    await org.rows(
      `insert into approvals (org_id, id, status, rule_id, rule_version, rule_name, reason, fingerprint, attempted, attempt,
         estimated_nano, requested_by, expires_at)
       select org_id, gen_random_uuid(), 'pending', rule_id, rule_version, rule_name, reason, sha256(n::text::bytea), attempted,
         attempt, 0, requested_by, expires_at from approvals, generate_series(1, 99) n where org_id = $1`,
    )
    expect(refusalIn(await startRun(org, { workflow_id: 'more' }))).not.toHaveProperty('approval_id')
    const { key } = await keyOf(money.server, org.id, { role: 'service' })
    const answer = await call(money.server.url, 'POST', '/v1/runs', {
      key,
      body: { model: 'gpt-4o', estimated_cost_usd: '0.01' },
    })
    expect(answer.json.error?.details).toHaveProperty('approval_id')
  })

  test('is not decided by the key that the requester was rotated into', async () => {
    const { org, requested, decide } = await governed()
    const id = await requested()
    const rotated = await org.ask('POST', `/keys/${org.keyId}/rotate`, { overlap_seconds: 60 })
    expect(rotated.status).toBe(200)
    const answer = await decide(id, 'approve', {}, rotated.json['secret'] as string)
    expect(refusalIn(answer)).toMatchObject({ status: 403, code: 'forbidden' })
  })

  test('says amounts and times as everything under /v1 does', async () => {
    const { org, requested } = await governed()
    await requested()
    const [request] = await approvalsOf(org)
    expect(Object.keys(request!['attempt'] as object).filter((name) => /_nano$|_ms$/.test(name))).toEqual([])
  })
})

describe('detectors', () => {
  test('are not passed by the external_id of a run that was started with other text', async () => {
    const org = await money.org()
    await org.set('PUT', '/content-safety', { detectors: { card_number: { mode: 'block' } } })
    expect((await startRun(org, { external_id: 'x', input: 'Hello.' })).status).toBe(201)
    const dirty = await startRun(org, { external_id: 'x', input: 'Pay with 4242 4242 4242 4242.' })
    expect(['content_safety_blocked', 'conflict']).toContain(refusalIn(dirty).code)
  })
})

const mostMs = 100
const leastTurn = (work: () => Promise<unknown>) => leastTurnMs(work, mostMs / 2)

describe('nobody is held up', () => {
  test('by a route of 500 models under 1,000 rules', async () => {
    const org = await money.org()
    await org.rows(
      `insert into policy_rules (org_id, id, name, effect, target, priority, expression, reason, enabled, shadow)
       select $1, gen_random_uuid(), 'r' || n, 'block', 'model', n,
         'run.estimated_cost_usd > ' || n || '.5 && ("t' || n || '" in run.tags)',
         'No.', true, false from generate_series(1, 999) n`,
    )
    await addRule(org, { priority: 1_000, expression: 'run.model.startsWith("m")' })
    await org.rows(
      `insert into routing_models (org_id, id, model, enabled) select $1, gen_random_uuid(), 'm' || n, true from generate_series(1, 500) n`,
    )
    await org.set('PUT', '/prices', {
      prices: Array.from({ length: 500 }, (_, i) => ({
        model: `m${i + 1}`,
        input_usd_per_million: '900000',
        output_usd_per_million: '900000',
      })),
    })
    await org.set('POST', '/routes', { name: 'chat', strategy: 'cheapest', bar: null })
    const tags = Array.from({ length: 20 }, (_, i) => `tag-${i}`)
    const start = () =>
      org.post('/v1/runs', { route: 'chat', input_tokens: 1_000, max_output_tokens: 1_000, tags, dry_run: true })
    expect(refusalIn(await start())).toMatchObject({ code: 'policy_blocked' })
    const pause = await leastTurn(start)
    expect(pause).toBeLessThan(mostMs)
  })

  test('by a draft of 1,000 rules', async () => {
    const org = await money.org()
    const expression = (i: number) =>
      Array.from({ length: 20 }, (_, k) => `run.model == "d${i}-${k}-${Math.random()}"`).join(' || ')
    const pause = await leastTurn(async () => {
      const rules = Array.from({ length: 1_000 }, (_, i) => ruleOf({ expression: expression(i) }))
      expect((await org.ask('POST', '/policies/evaluate', { run: { model: 'gpt-4o' }, rules })).status).toBe(200)
    })
    expect(pause).toBeLessThan(mostMs)
  })

  test('by a change of one rule of 1,000 that this process has not seen yet', async () => {
    const pause = await leastTurn(async () => {
      const org = await money.org()
      await org.rows(
        `insert into policy_rules (org_id, id, name, effect, target, priority, expression, reason, enabled, shadow)
         select $1, gen_random_uuid(), 'r' || n, 'block', 'model', n,
           'run.estimated_cost_usd > ' || n || '.5 && run.model.startsWith("' || $1::uuid || '") && ("t' || n || '" in run.tags)',
           'No.', true, false from generate_series(1, 999) n`,
      )
      await addRule(org, { enabled: false })
      expect((await startRun(org)).status).toBe(201)
    })
    expect(pause).toBeLessThan(mostMs)
  })
})

describe('locks', () => {
  test('a rule and the time zone are changed at once without a deadlock', async () => {
    const org = await money.org()
    await addRule(org, { enabled: false })
    const before = await money.superuser.client.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    const zones = ['Europe/Berlin', 'Asia/Tokyo', 'UTC', 'America/New_York']
    for (let round = 0; round < 30; round++) {
      const answers = await Promise.all([
        org.ask('PATCH', '', { timezone: zones[round % zones.length] }),
        org.ask('POST', '/policies', ruleOf({ enabled: false })),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 201])
    }
    const after = await money.superuser.client.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    expect(after.rows[0]!.deadlocks).toBe(before.rows[0]!.deadlocks)
  })
})

describe('what was counted', () => {
  test('a run that a bulk row ends, one that ends late, and one that nobody waits for use their grant once or not', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 10, max_amount_usd: '1' })
    const grant = async () => (await org.ask('GET', `/approvals/${id}`)).json['grant']
    const first = (await startRun(org, { external_id: 'b1' })).json['id']
    const bulk = await org.post('/v1/runs/bulk', { runs: [{ model: 'gpt-4o', external_id: 'b1', cost_usd: '0.02' }] })
    expect(bulk.status).toBe(200)
    expect(await grant()).toMatchObject({ runs_started: 1, spent_usd: '0.02', held_usd: '0' })
    const second = (await startRun(org, { lease_seconds: 1 })).json['id'] as string
    expect(second).not.toBe(first)
    await org.rows(
      `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
      parseId('run', second),
    )
    const holdId = requireId('run', second)
    await money.lanes().submit({ orgId: org.uuid, holdId, plan: () => ({ command: { type: 'expire', holdId } }) })
    await vi.waitFor(async () => expect(await grant()).toMatchObject({ runs_started: 2, held_usd: '0' }), patience)
    expect((await org.post(`/v1/runs/${second}/finish`, { status: 'succeeded', cost_usd: '0.005' })).status).toBe(200)
    expect(await grant()).toMatchObject({ runs_started: 2, spent_usd: '0.025', held_usd: '0' })
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query('select from org_ledgers where org_id = $1 for update', [org.uuid])
    const gone = new AbortController()
    const lost = fetch(`${money.server.url}/v1/runs`, {
      method: 'POST',
      signal: gone.signal,
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', estimated_cost_usd: '0.01' }),
    }).catch(() => undefined)
    await waiting(1)
    gone.abort()
    await lost
    await blocker.query('commit')
    // Behind it in the same lane.
    const next = await startRun(org)
    expect(next.status).toBe(201)
    await org.post(`/v1/runs/${String(next.json['id'])}/finish`, { status: 'succeeded', cost_usd: '0' })
    await vi.waitFor(async () => expect(await grant()).toMatchObject({ runs_started: 3, held_usd: '0' }), patience)
  })

  test('an agent that loops on a refusal does not fill the database, whatever it says each time', async () => {
    const org = await money.org()
    await addRule(org, {})
    for (let round = 0; round < 12; round++)
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => startRun(org, { metadata: { request: `${round}-${i}` } })),
      )
    await recordsAreWritten()
    const rows = await org.rows<{ minutes: string }>(
      'select count(distinct minute) as minutes, count(*) as n from policy_matches where org_id = $1',
    )
    const [{ minutes, n }] = rows as unknown as [{ minutes: bigint; n: bigint }]
    expect(Number(n)).toBeGreaterThan(500)
    expect(Number(n)).toBeLessThanOrEqual(1_000 * Number(minutes))
  })

  test('one organization whose requests cannot be ended keeps no other from being told', async () => {
    const [first, second] = [await governed(), await governed()]
    for (const { org, requested } of [first, second]) await requested().then(() => org)
    for (const { org } of [first, second])
      await org.rows(
        `update approvals set expires_at = now() - interval '1 hour' where org_id = $1 and status = 'pending'`,
      )
    await first.org.rows(`update approvals set expires_at = now() - interval '2 hours' where org_id = $1`)
    const owner = await session()
    await owner.query(
      `create function fail_entry() returns trigger language plpgsql as $$ begin raise 'not for this one'; end $$`,
    )
    await owner.query(
      `create trigger failing before insert on audit_log for each row when (new.org_id = '${first.org.uuid}') execute function fail_entry()`,
    )
    await expireApprovals(money.server.platform).catch(() => undefined)
    await owner.query('drop trigger failing on audit_log')
    const [row] = await second.org.rows<{ status: string }>('select status from approvals where org_id = $1')
    expect(row?.status).toBe('expired')
  })

  test('a support grant is not written down as a key that asked', async () => {
    const { org } = await governed()
    const operator = (await operatorOf(money.server)).key
    const grant = await call(money.server.url, 'POST', '/v1/admin/support-grants', {
      key: operator,
      body: { org_id: org.id, scope: 'configuration', reason: 'Ticket', duration_seconds: 600 },
    })
    expect(grant.status).toBe(201)
    const answer = await call(money.server.url, 'POST', '/v1/runs', {
      key: grant.json['token'] as string,
      body: { model: 'gpt-4o', estimated_cost_usd: '0.01' },
    })
    expect(answer.status).toBe(403)
    for (const { requested_by } of await approvalsOf(org)) {
      const found = await org.ask('GET', `/keys/${String(requested_by)}`)
      expect(found.status).toBe(200)
    }
  })

  test('an organization whose rules are above the bound may still make them cheaper', async () => {
    const org = await money.org()
    await org.rows(
      `insert into policy_rules (org_id, id, name, effect, target, priority, expression, reason, enabled, shadow)
       select $1, gen_random_uuid(), 'r' || n, 'block', 'model', n, 'run.tags.exists(t, t.contains("a' || n || '") && t.contains("b"))',
         'No.', true, false from generate_series(1, 900) n`,
    )
    const [rule] = (
      (await org.ask('GET', '/policies?limit=1&sort=priority')).json as unknown as { data: { id: string }[] }
    ).data
    const cheaper = await org.ask('PUT', `/policies/${rule!.id}`, ruleOf({ priority: 1, enabled: false }))
    expect(cheaper.status).toBe(200)
  })

  test('a dry run tells nobody what detectors have found', async () => {
    const org = await money.org()
    await org.set('PUT', '/content-safety', { detectors: { card_number: { mode: 'block' } } })
    await org.set('POST', '/webhooks', { url: 'https://203.0.113.7/hook', events: ['content_safety.detected'] })
    const ask = (more: object = {}) => startRun(org, { input: 'Pay with 4242 4242 4242 4242.', ...more })
    await ask({ dry_run: true })
    await ask({ workflow_id: 'told' })
    await vi.waitFor(async () => expect(await org.events('content_safety.detected')).not.toEqual([]), patience)
    expect(await org.events('content_safety.detected')).toMatchObject([{ workflow_id: 'told' }])
  })
})

describe('what held', () => {
  test('a refused start leaves its external_id and its key free', async () => {
    const org = await money.org()
    const rule = await addRule(org, {})
    const start = () => startRun(org, { external_id: 'later' }, { 'idempotency-key': 'later' })
    expect((await start()).status).toBe(403)
    expect((await org.ask('DELETE', `/policies/${rule}`)).status).toBe(204)
    expect((await start()).status).toBe(201)
  })

  test('approving and denying need no body', async () => {
    const { requested, org, approver } = await governed()
    const id = await requested()
    const bare = await fetch(`${money.server.url}/v1/orgs/${org.id}/approvals/${id}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${approver}` },
    })
    expect(bare.status).toBe(200)
  })

  test('asking, deciding, changing and expiring at once end in no deadlock and no 500', async () => {
    const { org, rule, requested, decide } = await governed({ name: 'r', priority: 1 })
    const deadlocks = async () =>
      (
        await money.superuser.client.query<{ deadlocks: string }>(
          'select deadlocks from pg_stat_database where datname = current_database()',
        )
      ).rows[0]!.deadlocks
    const before = await deadlocks()
    for (let round = 0; round < 15; round++) {
      const ids = await Promise.all(['a', 'b', 'c', 'd'].map((id) => requested({ workflow_id: `${round}${id}` })))
      const change = ruleOf({ name: 'r', priority: 1, effect: 'require_approval', reason: `Round ${round}.` })
      const answers = await Promise.all([
        ...ids.map((id, i) => decide(id, i % 2 === 0 ? 'approve' : 'deny')),
        org.ask('PUT', `/policies/${rule}`, change),
        ...['a', 'b', 'e', 'f'].map((id) => startRun(org, { workflow_id: `${round}${id}` })),
        expireApprovals(money.server.platform).then(() => ({ status: 200 })),
      ])
      expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 403, 409].includes(status))).toEqual([])
    }
    expect(await deadlocks()).toBe(before)
  })

  test('a grant of 5 admits 5 over two processes, with every attempt sent twice under its key or name', async () => {
    const { org, approved } = await governed()
    const other = await startApi(environmentFor(money.server.database))
    const id = await approved({ max_runs: 5, max_amount_usd: '0.2' })
    const attempt = (i: number, url: string) =>
      call(url, 'POST', '/v1/runs', {
        key: org.key,
        headers: i % 2 === 0 ? { 'idempotency-key': `k${i}` } : {},
        body: { model: 'gpt-4o', estimated_cost_usd: '0.01', ...(i % 2 === 1 && { external_id: `e${i}` }) },
      })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => [attempt(i, money.server.url), attempt(i, other.url)]).flat(),
    )
    const started = new Set(answers.filter(({ status }) => status === 201).map(({ json }) => json['id']))
    expect(started.size).toBe(5)
    expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(3)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({
      grant: { runs_started: 5, held_usd: '0.05' },
    })
    expect(await approvalsOf(org)).toHaveLength(2)
  })

  test('a run under a grant is explained, and its movements are in the ledger', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 5, max_amount_usd: '0.2' })
    const run = (await startRun(org)).json['id'] as string
    const explained = await call(money.server.url, 'GET', `/v1/decisions/${run.replace('run_', 'dec_')}`, {
      key: org.key,
    })
    expect(explained.status).toBe(200)
    expect(explained.json['limits']).toMatchObject([
      { kind: 'approval', limit_id: id, unit: 'runs' },
      { kind: 'approval', limit_id: id, unit: 'usd' },
    ])
    const ledger = await org.ask('GET', '/ledger')
    expect(ledger.status).toBe(200)
    expect(ledger.text).toContain(id)
  })

  test('a body that cannot be read is nowhere in the logs', async () => {
    const org = await money.org()
    const broken = '{"model": "gpt-4o", "input": "canary-77aa 4242 4242 4242 4242'
    expect((await org.post('/v1/runs', broken)).status).toBe(422)
    expect((await org.post('/v1/runs', { model: 'gpt-4o', input: { text: 'canary-77aa' } })).status).toBe(422)
    expect(JSON.stringify(money.server.logs)).not.toContain('canary-77aa')
  })
})

describe('a route', () => {
  test('whose first model is blocked starts the next one that was approved', async () => {
    const org = await money.org()
    await addRule(org, { expression: 'run.model == "gpt-4o-mini"' })
    await addRule(org, { effect: 'require_approval', expression: 'run.model == "gpt-4o"' })
    for (const model of ['gpt-4o', 'gpt-4o-mini']) await org.set('POST', '/models', { model })
    await org.set('POST', '/routes', { name: 'chat', strategy: 'cheapest', bar: null })
    const start = (by: object) => org.post('/v1/runs', { ...by, input_tokens: 1, max_output_tokens: 1 })
    const refusal = refusalIn(await start({ model: 'gpt-4o' }))
    const { key } = await keyOf(money.server, org.id, { role: 'admin' })
    expect((await org.ask('POST', `/approvals/${String(refusal['approval_id'])}/approve`, {}, key)).status).toBe(200)
    expect(await start({ route: 'chat' })).toMatchObject({ status: 201, json: { model: 'gpt-4o' } })
  })
})
