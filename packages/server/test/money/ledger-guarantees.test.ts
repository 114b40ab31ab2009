import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/money/ledger/ledger.ts'
import { parseUsd } from '../../src/values/money.ts'
import { environmentFor } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'
import { eventually, startApi } from '../support/processes.ts'

const money = useMoney()

const allowedOf = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length
const atOnce = <T>(count: number, act: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)))

/** Asks until the answer is yes or no; how many more were allowed. */
async function fillUp(org: MoneyOrg, body: Record<string, unknown>) {
  for (let allowed = 0; ; ) {
    const { status } = await org.decide(body)
    if (status === 402) return allowed
    if (status === 200) allowed++
  }
}

const kinds: [name: string, set: (org: MoneyOrg) => Promise<unknown>][] = [
  ['spend cap', (org) => org.set('PUT', '/spend-cap', { cap_usd: '1', timezone: quietZone() })],
  ['budget of the organization', (org) => org.budget('1')],
  ['budget of a department', (org) => org.budget('1', { scope_kind: 'department', scope_id: 'd' })],
  ['budget of a workflow', (org) => org.budget('1', { scope_kind: 'workflow', scope_id: 'w' })],
  ['budget of a deployment', (org) => org.budget('1', { scope_kind: 'deployment', scope_id: 'p' })],
  [
    'limit of a customer',
    (org) => org.set('PUT', '/customers/c/limit', { limit_usd: '1', period: 'year', timezone: quietZone() }),
  ],
  [
    'default of customers',
    (org) => org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'year', timezone: quietZone() }),
  ],
  ['prepaid quota', (org) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '1' })],
]
const dimensions = { department_id: 'd', workflow_id: 'w', deployment_id: 'p', customer_id: 'c' }

describe('a limit is checked by the write that counts', () => {
  test.each(kinds)('parallel calls under a %s never pass it together', async (_name, set) => {
    const org = await money.org()
    await set(org)
    const body = costing('0.07', dimensions)
    const first = allowedOf(await atOnce(60, () => org.decide(body)))
    expect(first).toBeLessThanOrEqual(14)
    expect(first + (await fillUp(org, body))).toBe(14)
  })

  test.each(kinds)('a %s that is used up stays used up when its cost is settled', async (_name, set) => {
    const org = await money.org()
    await set(org)
    await org.settle(await org.hold('1', dimensions), '1')
    expect((await org.decide(costing('0.001', dimensions))).status).toBe(402)
  })
})

test('first concurrent calls of unknown customers do not bypass the default', async () => {
  const org = await money.org()
  await org.set('PUT', '/customer-limit-default', { limit_usd: '0.5', period: 'year', timezone: quietZone() })
  const answers = await atOnce(80, (i) => org.decide(costing('0.1', { customer_id: `c${i % 4}` })))
  expect(allowedOf(answers)).toBeLessThanOrEqual(20)
  const held = (await org.allowances()).filter(({ kind }) => kind === 'customer').map((row) => BigInt(row.held))
  expect(held.filter((amount) => amount > parseUsd('0.5'))).toEqual([])
})

test('no hold leaks: after its lease everything is usable again', async () => {
  const org = await money.org()
  const { id } = await org.budget('1')
  await atOnce(20, () => org.decide(costing('0.05')))
  await org.rows(`update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1`)
  expect((await org.decide(costing('1'))).status).toBe(200)
  expect(await org.readBudget(id)).toMatchObject({ held_usd: '1', spent_usd: '0' })
  expect(await org.rows(`select 1 from holds where org_id = $1 and state = 'open'`)).toHaveLength(1)
})

describe('the ledger under load', () => {
  test('rows, journal and holds agree in every snapshot, nothing drifts and nothing deadlocks', async () => {
    const org = await money.org()
    await org.budget('1000')
    await org.budget('1000', { scope_kind: 'workflow', scope_id: 'w1' })
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '1000' })
    const progress = { isOver: false }
    const lives = atOnce(12, async (w) => {
      for (let n = 0; n < 15; n++) {
        const { status, json } = await org.decide(costing('0.5', { workflow_id: `w${(w + n) % 3}` }))
        if (status !== 200) continue
        const reservation = json['reservation_id'] as string
        if (n % 4 === 0) await org.release(reservation)
        else await org.settle(reservation, n % 3 === 0 ? '0.75' : '0.25').catch(() => undefined)
      }
    }).finally(() => {
      progress.isOver = true
    })
    let looks = 0
    while (!progress.isOver) {
      const { faults } = await verifyLedger(money.server.platform.sql, org.uuid)
      expect(faults).toEqual([])
      looks++
    }
    await lives
    expect(looks).toBeGreaterThan(0)
    expect((await verifyLedger(money.server.platform.sql, org.uuid)).faults).toEqual([])
    expect(await (await fetch(`${money.server.url}/metrics`)).text()).not.toContain('40P01')
  })
})

test('what was not committed is not acknowledged, and what was is there', async () => {
  const org = await money.org()
  await org.budget('1')
  await org.hold('0.1')
  await money.superuser.client.query(
    `create function break_holds() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '53100'; end $$;
     create trigger break_holds before insert on ledger_batches for each row when (new.org_id = '${org.uuid}') execute function break_holds()`,
  )
  const before = await org.allowances()
  const answer = await org.decide(costing('0.2'))
  expect(answer.status).toBe(503)
  expect(await org.allowances()).toEqual(before)
  await money.superuser.client.query('drop trigger break_holds on ledger_batches; drop function break_holds()')
  await eventually(async () => (await org.decide(costing('0.2'))).status === 200)
})

test('three processes share one budget, not one each', async () => {
  const org = await money.org()
  await org.budget('1')
  const more = await atOnce(2, () => startApi(environmentFor(money.server.database)))
  const urls = [money.server.url, ...more.map(({ url }) => url)]
  const first = allowedOf(await atOnce(90, (i) => org.decide(costing('0.05'), {}, urls[i % 3])))
  expect(first).toBeLessThanOrEqual(20)
  expect(first + (await fillUp(org, costing('0.05')))).toBe(20)
})

test('a refused decision changes no counter, whichever limit refuses', async () => {
  const org = await money.org()
  await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '100' })
  await org.set('PUT', '/spend-cap', { cap_usd: '100', timezone: quietZone() })
  await org.budget('100')
  await org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'year', timezone: quietZone() })
  await org.hold('0.5', dimensions)
  const counts = async () => ({
    allowances: await org.allowances(),
    ledger: await org.rows('select seq from org_ledgers where org_id = $1'),
    holds: await org.rows('select count(*) from holds where org_id = $1'),
    movements: await org.rows('select count(*) from movements where org_id = $1'),
  })
  const before = await counts()
  expect((await org.decide(costing('0.6', dimensions))).status).toBe(402)
  expect((await org.decide(costing('2', { customer_id: 'never met' }))).status).toBe(402)
  expect((await org.start(costing('101'))).error?.code).toBe('quota_exhausted')
  expect(await counts()).toEqual(before)
})

test('a model without a price is refused by name, counted and listed, unless the organization takes an estimate or a ceiling', async () => {
  const org = await money.org()
  const { id } = await org.budget('1')
  const body = { model: 'unheard-of-1', input_tokens: 10, max_output_tokens: 10 }
  const counted = await money.metric('svc_unpriced_requests_total')
  expect(faultsOf(await org.decide(body))).toEqual(['model: invalid_value'])
  expect(faultsOf(await org.decide({ ...body, estimated_cost_usd: '0.5' }))).toEqual(['model: invalid_value'])
  expect(await money.metric('svc_unpriced_requests_total')).toBe(counted + 2)
  const unpriced = async () => (await org.ask('GET', '/prices')).json['unpriced_models'] as { model: string }[]
  await eventually(async () => (await unpriced()).some(({ model }) => model === 'unheard-of-1'))
  await org.set('PUT', '/prices', { prices: [], unpriced: 'estimate' })
  expect(faultsOf(await org.decide(body))).toEqual(['model: invalid_value'])
  expect((await org.decide({ ...body, estimated_cost_usd: '0' })).json['reserved_usd']).toBe('0.001')
  await org.set('PUT', '/prices', { prices: [], unpriced_ceiling_usd: '0.9' })
  expect((await org.decide(body)).json['reserved_usd']).toBe('0.9')
  expect((await org.decide(body)).status).toBe(402)
  expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.901' })
})

describe('null, 0 and free are three things', () => {
  test('null counts and never refuses', async () => {
    const org = await money.org()
    const { id } = await org.budget(null)
    expect((await org.decide(costing('1000000'))).json['remaining_usd']).toBeNull()
    expect(await org.readBudget(id)).toMatchObject({ limit_usd: null, held_usd: '1000000', remaining_usd: null })
  })

  test('0 refuses everything that costs anything', async () => {
    const org = await money.org()
    await org.budget('0')
    expect(refusalIn(await org.decide(costing('0')))).toMatchObject({ code: 'budget_exceeded', limit_usd: '0' })
  })

  test('a free model passes also where everything is used up, and a run still counts', async () => {
    const org = await money.org()
    await org.set('PUT', '/prices', {
      prices: [{ model: 'free', input_usd_per_million: '0', output_usd_per_million: '0' }],
    })
    await org.budget('0')
    await org.set('PUT', '/spend-cap', { cap_usd: '0' })
    const plan = { name: 'P', runs_per_month: 1, tokens_per_month: null, overage_policy: 'block' }
    await org.setAsOperator('PUT', '/plan', plan)
    const body = { model: 'free', input_tokens: 1_000, max_output_tokens: 1_000 }
    expect((await org.decide(body)).json).toMatchObject({ decision: 'allow', reserved_usd: '0' })
    expect((await org.start(body)).error).toBeUndefined()
    expect((await org.start(body)).error?.code).toBe('plan_limit_exceeded')
  })
})

describe('the time zone of a limit', () => {
  const clock = (timeZone: string, time: unknown) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
      new Date(time as string),
    )

  test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'])(
    'a period in %s begins and ends at local midnights, and every answer says when',
    async (timezone) => {
      const org = await money.org()
      const month = await org.budget('0', { timezone, scope_kind: 'workflow', scope_id: 'w' })
      const year = await org.budget('0', { timezone, period: 'year', scope_kind: 'workflow', scope_id: 'y' })
      expect([month['period_start'], month['period_end']].map((time) => clock(timezone, time))).toEqual([
        expect.stringMatching(/-01 00:00:00$/),
        expect.stringMatching(/-01 00:00:00$/),
      ])
      expect(clock(timezone, year['period_start'])).toMatch(/-01-01 00:00:00$/)
      const refused = [
        await org.decide(costing('1', { workflow_id: 'w' })),
        await org.decide(costing('1', { workflow_id: 'y' })),
      ]
      for (const [i, { period_start, period_end }] of [month, year].entries())
        expect(refusalIn(refused[i]!)).toMatchObject({ period_start, period_end })
    },
  )
})

test('credits change in the transaction of the charge', async () => {
  const org = await money.org()
  const budget = await org.budget('10')
  const pack = await org.set('POST', '/customers/c/credit-packs', { amount_usd: '5' })
  await org.settle(await org.hold('2', { customer_id: 'c' }), '1.25')
  const { json } = await org.ask('GET', '/customers/c/credit-packs')
  expect(json['data']).toMatchObject([{ spent_usd: '1.25', remaining_usd: '3.75' }])
  const journal = await org.ask('GET', '/ledger?kind=settle')
  expect(journal.json['data']).toMatchObject([
    {
      changes: [
        { limit_id: budget.id, spent: '1.25' },
        { limit_id: pack['id'], spent: '1.25' },
      ],
    },
  ])
})

describe('what is not understood is refused, and what is set is shown', () => {
  const plan = { name: 'P', runs_per_month: 5, tokens_per_month: null, overage_policy: 'block' }
  const routes: [method: string, path: string, body: Record<string, unknown>][] = [
    [
      'POST',
      '/budgets',
      {
        name: 'b',
        scope_kind: 'org',
        limit_usd: '12.5',
        period: 'week',
        thresholds: [50],
        enforcement: 'alert',
        timezone: 'Asia/Tokyo',
        anchor: '2026-01-07',
      },
    ],
    ['PUT', '/spend-cap', { cap_usd: '3', timezone: 'Asia/Tokyo' }],
    ['PUT', '/customers/c/limit', { limit_usd: '4.000000001', period: 'quarter', timezone: 'Asia/Tokyo' }],
    ['PUT', '/customer-limit-default', { limit_usd: null, period: 'year', max_new_customers_per_day: 7 }],
    ['POST', '/customers/c/credit-packs', { amount_usd: '6', priority: 3, name: 'INV-1' }],
  ]

  test.each(routes)('refuses an unknown field, and shows what was set: %s %s', async (method, path, body) => {
    const org = await money.org()
    expect(faultsOf(await org.ask(method, path, { ...body, max_budget: '1' }))).toEqual(['max_budget: unknown_field'])
    const set = await org.set(method, path, body)
    expect(set).toMatchObject(body)
    const shown = await org.ask(
      'GET',
      method === 'PUT' ? path : path.endsWith('budgets') ? `${path}/${String(set['id'])}` : path,
    )
    expect(path.endsWith('packs') ? (shown.json['data'] as unknown[])[0] : shown.json).toMatchObject(body)
  })

  test('plans, top-ups and decisions alike', async () => {
    const org = await money.org()
    expect(faultsOf(await org.admin('PUT', '/plan', { ...plan, seats: 1 }))).toEqual(['seats: unknown_field'])
    expect(await org.setAsOperator('PUT', '/plan', plan)).toMatchObject(plan)
    expect(faultsOf(await org.admin('POST', '/quota/top-ups', { amount_usd: '1', x: 1 }))).toEqual(['x: unknown_field'])
    expect(faultsOf(await org.decide(costing('1', { max_cost_usd: '1' })))).toEqual(['max_cost_usd: unknown_field'])
  })
})
