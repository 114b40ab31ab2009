import { describe, expect, test, vi } from 'vitest'
import { addRule, ruleOf, startRun } from '../support/governed.ts'
import { refusalIn, useMoney } from '../support/money.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney()
const patience = { timeout: 120_000, interval: 50 }
type Rows = { readonly data: readonly Record<string, unknown>[] }

describe('rules at the start of a run', () => {
  test('a matching block refuses with the reason, what was attempted and the rule, and holds nothing', async () => {
    const org = await money.org()
    const rule = await addRule(org, { expression: 'run.model.startsWith("gpt-")', reason: 'No OpenAI models.' })
    const answer = await startRun(org)
    expect(refusalIn(answer)).toEqual({
      status: 403,
      code: 'policy_blocked',
      reason: 'No OpenAI models.',
      attempted: 'gpt-4o',
      rule_id: rule,
      decision_id: expect.stringMatching(/^dec_/),
    })
    expect(await org.rows('select from holds where org_id = $1')).toEqual([])
    expect((await startRun(org, { model: 'claude-sonnet-4' })).status).toBe(201)
    const explained = await org.explain(answer.json.error!.details['decision_id'] as string)
    expect(explained.json).toMatchObject({ decision: 'deny', decided_by: rule, error_code: 'policy_blocked' })
  })

  test('the least priority decides, and of equals the rule that was made first', async () => {
    const org = await money.org()
    await addRule(org, { priority: 20, reason: 'later' })
    const first = await addRule(org, { priority: 10, reason: 'first of equals' })
    await addRule(org, { priority: 10, reason: 'second of equals' })
    expect((await startRun(org)).json.error?.details).toMatchObject({ rule_id: first })
    await addRule(org, { priority: 5, effect: 'allow' })
    expect((await startRun(org)).status).toBe(201)
  })

  test('a rule about an action is asked of runs with an action only, and names it', async () => {
    const org = await money.org()
    await addRule(org, { target: 'action', expression: 'run.action in ["refund", "delete"]' })
    expect((await startRun(org)).status).toBe(201)
    expect((await startRun(org, { action: 'summarise' })).status).toBe(201)
    expect((await startRun(org, { action: 'refund' })).json.error?.details).toMatchObject({ attempted: 'refund' })
  })

  test('a rule that fails is 500 with its id: neither allowed nor denied', async () => {
    const org = await money.org()
    const failing = await addRule(org, { expression: 'run.metadata["release"] == "x"' })
    expect(refusalIn(await startRun(org))).toEqual({
      status: 500,
      code: 'policy_expression_error',
      rule_id: failing,
    })
    expect((await startRun(org, { metadata: { release: 'y' } })).status).toBe(201)
  })

  test('a rule in shadow refuses nothing, and what it would have done is on record; so is its failure', async () => {
    const org = await money.org()
    const blocking = await addRule(org, { shadow: true, expression: 'run.model == "gpt-4o"' })
    const failing = await addRule(org, { shadow: true, priority: 1, expression: 'run.metadata["nothing"] == 1' })
    expect((await startRun(org)).status).toBe(201)
    expect((await startRun(org, { metadata: { nothing: 2 } })).status).toBe(201)
    await vi.waitFor(async () => {
      const { data } = (await org.ask('GET', '/policies/matches?shadow=true')).json as unknown as Rows
      expect(data.map(({ rule_id, outcome, shadow }) => ({ rule_id, outcome, shadow }))).toEqual(
        expect.arrayContaining([
          { rule_id: failing, outcome: 'error', shadow: true },
          { rule_id: blocking, outcome: 'block', shadow: true },
        ]),
      )
    }, patience)
  })

  test('attempts that are alike within a minute are one row with their number', async () => {
    const org = await money.org()
    const rule = await addRule(org)
    for (let i = 0; i < 5; i++) expect((await startRun(org)).status).toBe(403)
    await vi.waitFor(async () => {
      const { data } = (await org.ask('GET', `/policies/matches?rule_id=${rule}`)).json as unknown as Rows
      // A minute may end meanwhile.
      expect(data.length).toBeLessThanOrEqual(2)
      expect(data.reduce((sum, { count }) => sum + Number(count), 0)).toBe(5)
    }, patience)
  })

  test('matches are counted by day, rule and outcome, also for who may see only a part of them', async () => {
    const org = await money.org()
    const refusing = await addRule(org, { expression: 'run.model == "gpt-4o"' })
    const shadowing = await addRule(org, { shadow: true, priority: 1, expression: 'run.model == "gpt-4o"' })
    for (const workflow_id of ['a', 'a', 'b']) expect((await startRun(org, { workflow_id })).status).toBe(403)
    type Daily = { day: string; rule_id: string; outcome: string; shadow: boolean; count: number }[]
    const counted = async (query: string, key = org.key) => {
      const answer = await call(money.server.url, 'GET', `/v1/orgs/${org.id}/policies/matches/daily${query}`, { key })
      expect(answer.status).toBe(200)
      const sums = new Map<string, number>()
      for (const { rule_id, outcome, shadow, count } of answer.json['data'] as Daily) {
        const key = `${rule_id} ${outcome} ${shadow}`
        sums.set(key, (sums.get(key) ?? 0) + count)
      }
      return Object.fromEntries(sums)
    }
    await vi.waitFor(
      async () => expect(await counted('')).toEqual({ [`${refusing} block false`]: 3, [`${shadowing} block true`]: 3 }),
      patience,
    )
    expect(await counted('?shadow=true')).toEqual({ [`${shadowing} block true`]: 3 })
    expect(await counted(`?rule_id=${refusing}&from=2020-01-01&to=2020-02-01`)).toEqual({})
    const pinned = await keyOf(money.server, org.id, {
      role: 'viewer',
      scopes: ['policies:read'],
      pins: { workflow_id: 'b' },
    })
    expect(await counted('', pinned.key)).toEqual({ [`${refusing} block false`]: 1, [`${shadowing} block true`]: 1 })
    const bad = await org.ask('GET', '/policies/matches/daily?rule_id=zzz')
    expect(bad.json.error?.details).toMatchObject({ fields: [{ field: 'rule_id', code: 'invalid_filter' }] })
  })

  test('a dry run is refused alike, leaves no record, and otherwise says what would be held', async () => {
    const org = await money.org()
    await addRule(org, { expression: 'run.model == "gpt-4o"' })
    expect(refusalIn(await startRun(org, { dry_run: true }))).toMatchObject({ status: 403, code: 'policy_blocked' })
    const allowed = await startRun(org, { model: 'claude-sonnet-4', dry_run: true, external_id: 'once' })
    expect({ status: allowed.status, body: allowed.json }).toMatchObject({
      status: 200,
      body: { decision: 'allow', model: 'claude-sonnet-4', reserved_usd: '0.01' },
    })
    expect(await org.rows('select from holds where org_id = $1')).toEqual([])
    expect(await org.rows('select from policy_matches where org_id = $1')).toEqual([])
    expect((await startRun(org, { model: 'claude-sonnet-4', external_id: 'once' })).status).toBe(201)
  })

  test('rules see cost, tokens, tags, metadata, key, customer, chain and the time in the organization’s zone', async () => {
    const org = await money.org()
    await org.set('PATCH', '', { timezone: 'Asia/Tokyo' })
    const hour = Number(
      new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone: 'Asia/Tokyo' }).format(),
    )
    const soon = (hour + 1) % 24
    const seen = [
      'run.estimated_cost_usd >= 0.01',
      'run.input_tokens == 10',
      '"beta" in run.tags',
      'run.metadata.retries > 2',
      'key.role == "owner"',
      '"runs:write" in key.scopes',
      'customer.id == "c1"',
      'chain.id == "t1"',
      'chain.depth == 1',
      'chain.cost_usd == 0.0',
      `time.hour in [${hour}, ${soon}]`,
      `org.id == "${org.id}"`,
    ]
    await addRule(org, { expression: seen.join(' && ') })
    const fields = {
      input_tokens: 10,
      max_output_tokens: 5,
      tags: ['beta'],
      metadata: { retries: 3 },
      customer_id: 'c1',
      chain_id: 't1',
    }
    expect((await startRun(org, fields)).json.error?.code).toBe('policy_blocked')
    for (const missing of Object.keys(fields).filter((name) => name !== 'max_output_tokens')) {
      const { [missing as keyof typeof fields]: _, ...rest } = fields
      expect((await startRun(org, rest)).json.error?.code).not.toBe('policy_blocked')
    }
  })

  test('a chain’s depth and cost so far are those that were last committed', async () => {
    const org = await money.org()
    await addRule(org, { expression: 'chain.depth > 2 || chain.cost_usd >= 0.05' })
    const root = (await startRun(org, { chain_id: 'deep' })).json['id']
    const child = await startRun(org, { parent_run_id: root })
    expect(child.status).toBe(201)
    expect(refusalIn(await startRun(org, { parent_run_id: child.json['id'] }))).toMatchObject({
      code: 'policy_blocked',
    })
    expect((await startRun(org, { chain_id: 'dear', estimated_cost_usd: '0.05' })).status).toBe(201)
    expect(refusalIn(await startRun(org, { chain_id: 'dear' }))).toMatchObject({ code: 'policy_blocked' })
  })

  test('what was answered before under a key or an external id is answered again, whatever rules say now', async () => {
    const org = await money.org()
    const keyed = { 'idempotency-key': 'k1' }
    const first = await startRun(org, {}, keyed)
    const named = await startRun(org, { external_id: 'call-1' })
    await addRule(org)
    expect(await startRun(org, {}, keyed).then(({ status, text }) => ({ status, text }))).toEqual({
      status: 201,
      text: first.text,
    })
    expect((await startRun(org, { external_id: 'call-1' })).json['id']).toBe(named.json['id'])
    expect((await startRun(org, {}, { 'idempotency-key': 'k2' })).status).toBe(403)
    expect((await startRun(org, { external_id: 'call-2' })).status).toBe(403)
    expect((await startRun(org, { model: 'gpt-4o-mini' }, keyed)).json.error?.code).toBe('idempotency_key_conflict')
  })
})

describe('rules as they are set', () => {
  test('an expression is parsed and checked when it is saved, and a fault names its place', async () => {
    const org = await money.org()
    for (const [expression, place] of [
      ['run.model ==', 'line 1, column'],
      ['run.modle == "x"', 'line 1, column'],
      ['run.model == 3', 'line 1, column'],
      ['true &&\n  run.input_tokens', 'line'],
      ['run.model', 'line 1'],
      ['run.model.matches("a+")', 're2'],
    ] as const) {
      const { status, json } = await org.ask('POST', '/policies', ruleOf({ expression }))
      expect({ expression, status }).toEqual({ expression, status: 422 })
      const [fault] = (json.error!.details as { fields: { field: string; message: string }[] }).fields
      expect(fault).toMatchObject({ field: 'expression', message: expect.stringContaining(place) })
    }
  })

  test('a change is told and audited with what was and what is; the same again changes nothing', async () => {
    const org = await money.org()
    const input = ruleOf()
    const created = await org.ask('POST', '/policies', input)
    const id = created.json['id'] as string
    expect(created.json).toMatchObject({ ...input, enabled: true, shadow: false, version: 1 })
    expect((await org.ask('PUT', `/policies/${id}`, input)).json).toEqual(created.json)
    expect((await org.ask('PUT', `/policies/${id}`, { ...input, enabled: false })).json).toMatchObject({ version: 2 })
    expect((await startRun(org)).status).toBe(201)
    expect((await org.ask('PATCH', `/policies/${id}`, { reason: 'Why not.' })).json).toMatchObject({
      ...input,
      enabled: false,
      reason: 'Why not.',
      version: 3,
    })
    expect((await org.ask('DELETE', `/policies/${id}`)).status).toBe(204)
    expect((await org.ask('GET', `/policies/${id}`)).status).toBe(404)
    expect((await org.events('policy.created')).length).toBe(1)
    expect((await org.events('policy.updated')).length).toBe(2)
    expect((await org.events('policy.deleted')).length).toBe(1)
  })

  test('they may not take too long together, also as a draft', async () => {
    const org = await money.org()
    // Each is allowed by itself.
    const costly = (i: number) =>
      ruleOf({ expression: `run.tags.exists(a, run.tags.exists(b, a + b == "${i}" && a.contains(b)))` })
    const rules = Array.from({ length: 300 }, (_, i) => costly(i))
    const draft = await org.ask('POST', '/policies/evaluate', { run: { model: 'm' }, rules })
    expect(refusalIn(draft)).toMatchObject({ fields: [{ field: 'rules', code: 'out_of_range' }] })
    const answers: number[] = []
    for (const rule of rules) {
      answers.push((await org.ask('POST', '/policies', rule)).status)
      if (answers.at(-1) !== 201) break
    }
    expect(answers.at(-1)).toBe(422)
    expect(answers.length).toBeGreaterThan(3)
  })

  test('they are listed in the order in which they are asked, or the newest first', async () => {
    const org = await money.org()
    for (const [name, priority] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
    ] as const)
      await addRule(org, { name, priority, enabled: name !== 'b' })
    const names = async (query = '') =>
      ((await org.ask('GET', `/policies${query}`)).json as unknown as Rows).data.map(({ name }) => name)
    expect(await names('?sort=priority')).toEqual(['a', 'b', 'c'])
    expect(await names()).toEqual(['b', 'a', 'c'])
    expect(await names('?enabled=true&sort=-name')).toEqual(['c', 'a'])
  })

  test('evaluate explains every rule, also of a draft, and records nothing', async () => {
    const org = await money.org()
    const allow = await addRule(org, { priority: 1, effect: 'allow', expression: 'run.model == "gpt-4o-mini"' })
    const off = await addRule(org, { priority: 2, enabled: false })
    const block = await addRule(org, { priority: 3, reason: 'Too dear.' })
    const late = await addRule(org, { priority: 4, effect: 'require_approval' })
    const { json, status } = await org.ask('POST', '/policies/evaluate', { run: { model: 'gpt-4o' } })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      outcome: 'block',
      error_code: 'policy_blocked',
      decided_by: { rule_id: block, reason: 'Too dear.', attempted: 'gpt-4o' },
      rules: [
        { rule_id: allow, status: 'not_matched', decided: false, reached: true },
        { rule_id: off, status: 'disabled', decided: false },
        { rule_id: block, status: 'matched', decided: true, reached: true },
        { rule_id: late, status: 'matched', decided: false, reached: false },
      ],
    })
    const draft = await org.ask('POST', '/policies/evaluate', {
      run: { model: 'gpt-4o', estimated_cost_usd: '2' },
      rules: [ruleOf({ expression: 'run.estimated_cost_usd > 1.0', effect: 'require_approval' })],
    })
    expect(draft.json).toMatchObject({
      outcome: 'require_approval',
      decided_by: { rule_id: null, index: 0 },
      set_version: 0,
    })
    const bad = await org.ask('POST', '/policies/evaluate', {
      run: { model: 'm' },
      rules: [ruleOf(), ruleOf({ expression: '1 +' })],
    })
    expect(bad.json.error?.details).toMatchObject({ fields: [{ field: 'rules.1.expression' }] })
    expect(await org.rows('select from policy_matches where org_id = $1')).toEqual([])
  })
})
