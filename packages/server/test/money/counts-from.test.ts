import { describe, expect, test } from 'vitest'
import { foldDeltas, foldOldUsage } from '../../src/records/usage/rollup.ts'
import { parseId } from '../../src/values/id.ts'
import { dayMs } from '../../src/values/time.ts'
import { faultsOf } from '../support/limits.ts'
import { costing, type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

type Body = Record<string, unknown>

const quarterMs = 15 * 60_000
const beganMs = Date.now()
/** The beginning of a quarter of an hour, some days before this test began. */
const ago = (days: number) => {
  const at = beganMs - days * dayMs
  return new Date(at - (at % quarterMs)).toISOString()
}
/** A month that began ten days ago. */
const month = { period: 'month', timezone: 'UTC', anchor: ago(10).slice(0, 10) }
const scope = (scope_kind: string, scope_id: string) => ({ scope_kind, scope_id })
const both = (kind: string, id: string, and: string, andId: string) => ({
  ...scope(kind, id),
  and_scope_kind: and,
  and_scope_id: andId,
})

async function record(org: MoneyOrg, runs: readonly Body[], key = org.key) {
  const body = { runs: runs.map((run) => ({ model: 'gpt-4o', ...run })) }
  const answer = await call(money.server.url, 'POST', '/v1/runs/bulk', { key, body })
  expect([answer.status, answer.json['accepted']], answer.text).toEqual([200, runs.length])
}

/** Makes a budget that counts from two days ago, and says what it has spent then. */
const spent = async (org: MoneyOrg, more: Body = {}, counts_from = ago(2)) =>
  (await org.budget('100', { ...month, counts_from, ...more }))['spent_usd']

const refused = (org: MoneyOrg, more: Body) =>
  org.ask('POST', '/budgets', { name: 'b', limit_usd: '1', scope_kind: 'org', ...month, counts_from: ago(2), ...more })

describe('a budget that counts from a past time', () => {
  test('has spent what runs have cost that started since, folded and not, and refuses beyond', async () => {
    const org = await money.org()
    const atMs = Date.parse(ago(2))
    await record(org, [
      { cost_usd: '0.5', started_at: new Date(atMs - 1).toISOString() },
      { cost_usd: '0.25', started_at: new Date(atMs).toISOString() },
    ])
    await foldDeltas(money.server.platform)
    await record(org, [{ cost_usd: '0.000000001', started_at: ago(1) }, { cost_usd: '0.125' }])
    const made = await org.budget('1', { ...month, counts_from: ago(2) })
    expect(made).toMatchObject({ spent_usd: '0.375000001', held_usd: '0', overrun_usd: '0' })
    expect(Date.parse(made['counts_from'] as string)).toBe(atMs)
    expect(await org.readBudget(made.id)).toEqual(made)
    expect(refusalIn(await org.decide(costing('0.625')))).toMatchObject({ status: 402, spent_usd: '0.375000001' })
    expect((await org.decide(costing('0.624999999'))).status).toBe(200)
    // It begins the next period like any other.
    const { json } = await org.ask('PATCH', `/budgets/${made.id}`, { name: 'renamed' })
    expect(json).toMatchObject({ name: 'renamed', counts_from: made['counts_from'], spent_usd: '0.375000001' })
  })

  test('is on the record: an adjustment with its author, and the audit entry of its creation', async () => {
    const org = await money.org()
    await record(org, [{ cost_usd: '0.9' }])
    const made = await org.budget('1', { ...month, counts_from: ago(2), thresholds: [80, 95] })
    const { json } = await org.ask('GET', `/ledger/adjustments?limit_id=${made.id}`)
    expect(json['data']).toMatchObject([
      {
        kind: 'adjust',
        reason: expect.stringMatching(/^Usage since .*, counted at the creation of the budget\.$/),
        actor: { kind: 'key' },
        changes: [{ limit_id: made.id, spent: '0.9', held: '0' }],
      },
    ])
    const { json: audit } = await org.ask('GET', '/audit-log?action=budget.created')
    expect(audit['data']).toMatchObject([
      { after: { id: made.id, counts_from: made['counts_from'], spent_usd: '0.9' } },
    ])
    expect(await org.events('budget.threshold_crossed')).toMatchObject([{ threshold_percent: 80, budget_id: made.id }])
  })

  test('counts the names of its scope, however they are spelled, and what is in both of two', async () => {
    const org = await money.org()
    await record(org, [
      { cost_usd: '1', department_id: 'Support ', user_id: 'ANN', workflow_id: 'w', deployment_id: 'd' },
      { cost_usd: '2', department_id: 'support', model: 'OpenAI/GPT-4o-2024-08-06' },
      { cost_usd: '4', department_id: 'sales', provider: 'azure' },
      { cost_usd: '8', department_id: 'sales', model: 'claude-sonnet-4-5', customer_id: 'c' },
    ])
    await foldDeltas(money.server.platform)
    expect(await spent(org)).toBe('15')
    expect(await spent(org, scope('department', 'SUPPORT'))).toBe('3')
    expect(await spent(org, scope('user', 'ann'))).toBe('1')
    expect(await spent(org, scope('workflow', 'w'))).toBe('1')
    expect(await spent(org, scope('deployment', 'none'))).toBe('0')
    expect(await spent(org, scope('model', 'gpt-4o-latest'))).toBe('7')
    expect(await spent(org, scope('provider', 'OpenAI'))).toBe('3')
    expect(await spent(org, scope('provider', 'azure'))).toBe('4')
    expect(await spent(org, both('department', 'sales', 'model', 'gpt-4o'))).toBe('4')
    expect(await spent(org, both('provider', 'anthropic', 'department', 'sales'))).toBe('8')
    expect(await spent(org, both('model', 'gpt-4o', 'user', 'bob'))).toBe('0')
  })

  test('of a key counts the key and its rotations, and no other', async () => {
    const org = await money.org()
    const body = { name: 'k', role: 'service', scopes: ['runs:write'] }
    const first = (await org.set('POST', '/keys', body)) as { id: string; secret: string }
    await record(org, [{ cost_usd: '1' }], first.secret)
    const next = (await org.set('POST', `/keys/${first.id}/rotate`, {})) as { id: string; secret: string }
    await record(org, [{ cost_usd: '2' }], next.secret)
    await record(org, [{ cost_usd: '4' }])
    expect(await spent(org, scope('key', next.id))).toBe('3')
    expect(await spent(org, scope('key', first.id))).toBe('3')
  })

  test('does not count runs that go on, nor their end, and counts those that start after it', async () => {
    const org = await money.org()
    const start = async () => (await org.post('/v1/runs', costing('0.5'))).json['id'] as string
    const finish = async (run: string) =>
      expect((await org.post(`/v1/runs/${run}/finish`, { status: 'succeeded', cost_usd: '0.5' })).status).toBe(200)
    await finish(await start())
    const running = await start()
    const made = await org.budget('10', { ...month, counts_from: ago(2) })
    expect(made).toMatchObject({ spent_usd: '0.5', held_usd: '0' })
    await finish(running)
    expect(await org.readBudget(made.id)).toMatchObject({ spent_usd: '0.5', held_usd: '0' })
    await finish(await start())
    expect(await org.readBudget(made.id)).toMatchObject({ spent_usd: '1' })
    // Once they have ended, a budget that is made anew has them all.
    expect(await spent(org)).toBe('1.5')
  })

  test('counts each of many runs once, whether it ends before it or after', async () => {
    const org = await money.org()
    const [made] = await Promise.all([
      org.budget('1000', { ...month, counts_from: ago(2) }),
      ...Array.from({ length: 40 }, () => record(org, [{ cost_usd: '0.01' }])),
      foldDeltas(money.server.platform),
    ])
    expect(await org.readBudget(made.id)).toMatchObject({ spent_usd: '0.4' })
  })

  test.each([
    ['a minute', { counts_from: new Date(Date.parse(ago(1)) + 60_000).toISOString() }, 'invalid_value', /quarters/],
    ['a time before the period', { counts_from: ago(12) }, 'out_of_range', /running period/],
    ['the future', { counts_from: ago(-1) }, 'out_of_range', /future/],
    ['a tag', scope('tag', 't'), 'invalid_value', /not kept by tag/],
    ['a customer', both('model', 'gpt-4o', 'customer', 'c'), 'invalid_value', /not kept by customer/],
  ])('is refused for %s', async (_what, more, code, message) => {
    const org = await money.org()
    const answer = await refused(org, more)
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, `counts_from: ${code}`])
    expect(answer.text).toMatch(message)
    expect((await org.ask('GET', '/budgets')).json['data']).toEqual([])
  })

  test('is refused where usage no longer tells the names of its scope apart, and nothing is made', async () => {
    const org = await money.org()
    await record(org, [
      { cost_usd: '1', workflow_id: 'w', department_id: 'a' },
      { cost_usd: '2', workflow_id: 'v', department_id: 'b' },
    ])
    await org.rows(`update usage_deltas set workflow_id = '(other)' where org_id = $1 and department_id = 'b'`)
    const answer = await refused(org, scope('workflow', 'w'))
    expect([answer.status, answer.json.error?.code]).toEqual([409, 'conflict'])
    expect(answer.text).toContain('(other)')
    expect((await org.ask('GET', '/budgets')).json['data']).toEqual([])
    // What is in another department cannot be in this budget, whatever its workflow was.
    expect(await spent(org, both('workflow', 'w', 'department', 'a'))).toBe('1')
    expect(await spent(org, scope('department', 'b'))).toBe('2')
  })

  test('counts usage that is kept by days from midnights in UTC only', async () => {
    const org = await money.org()
    await record(org, [{ cost_usd: '1', started_at: ago(89) }, { cost_usd: '2' }])
    const inAWeek = { now: () => new Date(Date.now() + 7 * dayMs) }
    await foldDeltas({ ...money.server.platform, clock: inAWeek })
    await foldOldUsage({ ...money.server.platform, clock: inAWeek })
    const year = { period: 'year', anchor: ago(100).slice(0, 10) }
    const day = `${ago(95).slice(0, 10)}T00:00:00Z`
    expect(await spent(org, year, day)).toBe('3')
    const answer = await refused(org, { ...year, counts_from: `${ago(95).slice(0, 10)}T06:00:00Z` })
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, 'counts_from: out_of_range'])
  })
})

describe('history', () => {
  const history = async (org: MoneyOrg, runs: readonly Body[], more: Body = {}) => {
    const body = { enforce: false, count_in: 'started_period', ...more }
    return org.post('/v1/runs/bulk', { ...body, runs: runs.map((run) => ({ model: 'gpt-4o', ...run })) })
  }
  const balances = (org: MoneyOrg, id: string) =>
    org.rows<{ day: string; spent: string }>(
      `select to_char(period_start at time zone 'UTC', 'YYYY-MM-DD') as day, spent::text from allowances
        where org_id = $1 and limit_id = $2 order by period_start`,
      parseId('budget', id),
    )

  test('is charged to the period in which each run started, where that is asked for', async () => {
    const org = await money.org()
    const daily = await org.budget('1', { period: 'day', timezone: 'UTC' })
    const monthly = await org.budget('100', month)
    const days = [3, 2].map((each) => ago(each).slice(0, 10))
    const at = (day: string | undefined, time: string) => ({ started_at: `${day}T${time}Z` })
    const answer = await history(org, [
      { cost_usd: '2', ...at(days[0], '23:59:59.999') },
      { cost_usd: '4', ...at(days[1], '00:00:00') },
      { cost_usd: '8', ...at(days[1], '12:34:56') },
      { cost_usd: '0.5' },
    ])
    expect([answer.status, answer.json['accepted']], answer.text).toEqual([200, 4])
    expect(await balances(org, daily.id)).toEqual([
      { day: days[0], spent: '2000000000' },
      { day: days[1], spent: '12000000000' },
      { day: expect.any(String), spent: '500000000' },
    ])
    expect(await org.readBudget(daily.id)).toMatchObject({ spent_usd: '0.5', overrun_usd: '0' })
    expect(await org.readBudget(monthly.id)).toMatchObject({ spent_usd: '14.5' })
    // Without it the running period bears them.
    expect((await history(org, [{ cost_usd: '2', started_at: ago(2) }], { count_in: 'current_period' })).status).toBe(
      200,
    )
    expect(await org.readBudget(daily.id)).toMatchObject({ spent_usd: '2.5' })
  })

  test('is refused where limits are to refuse: a caller could choose a period with room', async () => {
    const org = await money.org()
    const answer = await history(org, [{ cost_usd: '1' }], { enforce: true })
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, 'count_in: invalid_value'])
  })
})

test('runs of two keys that are recorded at once are each on their own key', async () => {
  const org = await money.org()
  const keys = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const body = { name, role: 'service', scopes: ['runs:write'] }
      const { id, secret } = (await org.set('POST', '/keys', body)) as { id: string; secret: string }
      return { secret, budget: await org.budget('10', scope('key', id)) }
    }),
  )
  const recordings = Array.from({ length: 200 }, () =>
    keys.map(({ secret }) => record(org, [{ cost_usd: '0.01' }], secret)),
  )
  await Promise.all(recordings.flat())
  for (const { budget } of keys) expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '2' })
})
