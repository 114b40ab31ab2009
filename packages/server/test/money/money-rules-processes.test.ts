import { beforeAll, describe, expect, test } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { parseUsd } from '../../src/values/money.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { costing, type MoneyOrg, moneyOrg, quietZone, refusalIn, useSuperuser, verifyBooks } from '../support/money.ts'
import { eventually, startApi, startRole } from '../support/processes.ts'
import { rounds } from '../support/rounds.ts'
import { type Answer, call } from '../support/tenants.ts'

const database = useDatabase()
const superuser = useSuperuser(database)
let urls: string[] = []
let operator = ''

beforeAll(async () => {
  const installation = await startInstallation(database, 2)
  urls = installation.apis.map(({ url }) => url)
  operator = installation.operator
})

async function newOrg(): Promise<MoneyOrg> {
  const { json } = await call(urls[0]!, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Acme' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
  return moneyOrg(
    { url: urls[0]!, operator, superuser: superuser.client },
    { id, key: owner_key.secret, keyId: owner_key.id },
  )
}

const other = (i: number) => urls[(i + 1) % urls.length]!
const at = (i: number) => urls[i % urls.length]!

/** Nobody could answer in time, or another request with the key is on its way: who asks again will be told. */
const isUnanswered = ({ status, json }: Answer) => status === 503 || json.error?.code === 'idempotency_key_processing'

async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (!isUnanswered(answer)) return answer
  }
}

describe('what is set on one process', () => {
  test(`binds the very next decision of another, ${rounds} times out of ${rounds}`, async () => {
    const org = await newOrg()
    for (let i = 0; i < rounds; i++) {
      const body = costing('0.01', { workflow_id: `w${i % 20}` })
      const ask = () => untilAnswered(() => org.decide(body, {}, other(i)))
      expect((await ask()).status).toBe(200)
      const made = await call(at(i), 'POST', `/v1/orgs/${org.id}/budgets`, {
        key: org.key,
        body: { name: 'b', scope_kind: 'workflow', scope_id: `w${i % 20}`, limit_usd: '0', period: 'month' },
      })
      expect(made.status).toBe(201)
      expect(refusalIn(await ask()), `round ${i}`).toMatchObject({
        code: 'budget_exceeded',
        budget_id: made.json['id'],
      })
      const path = `/v1/orgs/${org.id}/budgets/${String(made.json['id'])}`
      expect((await call(at(i), 'DELETE', path, { key: org.key })).status).toBe(204)
    }
  })

  test('also where it is a limit of customers, a price or the quota', async () => {
    const org = await newOrg()
    const ask = () => untilAnswered(() => org.decide(costing('0.01', { customer_id: 'c' }), {}, urls[1]))
    expect((await ask()).status).toBe(200)
    await org.set('PUT', '/customer-limit-default', { limit_usd: '0', period: 'year' })
    expect((await ask()).status).toBe(402)
    await org.set('PUT', '/customers/c/limit', { limit_usd: null, period: 'year' })
    expect((await ask()).status).toBe(200)
    await org.set('PUT', '/prices', {
      prices: [{ model: 'gpt-4o', input_usd_per_million: '0', output_usd_per_million: '0' }],
    })
    const free = await untilAnswered(() =>
      org.decide({ model: 'gpt-4o', input_tokens: 9, max_output_tokens: 9 }, {}, urls[1]),
    )
    expect(free.json['reserved_usd']).toBe('0')
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.000000001' })
    expect(refusalIn(await ask())).toMatchObject({ code: 'quota_exhausted' })
  })
})

test('the first calls of a new customer, 100 at once over two processes, never pass the default', async () => {
  const org = await newOrg()
  await org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'year', timezone: quietZone() })
  for (const customer_id of ['new-1', 'new-2', 'new-3']) {
    const body = costing('0.1', { customer_id })
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => org.decide(body, {}, at(i))))
    let allowed = answers.filter(({ status }) => status === 200).length
    expect(answers.filter(({ status }) => ![200, 402, 503].includes(status))).toEqual([])
    expect(allowed).toBeLessThanOrEqual(10)
    // Whoever could not be answered in time may come again: what is left is all of the limit.
    while ((await untilAnswered(() => org.decide(body))).status === 200) allowed++
    expect(allowed).toBe(10)
  }
  const counted = (await org.allowances()).filter(({ kind }) => kind === 'customer')
  expect(counted.map(({ held }) => held)).toEqual(['1000000000', '1000000000', '1000000000'])
})

test('both processes count one period under one key', async () => {
  const org = await newOrg()
  await org.budget('1', { period: 'week', timezone: 'Australia/Lord_Howe', anchor: '2026-01-07' })
  for (const url of [...urls, ...urls]) await untilAnswered(() => org.decide(costing('0.25'), {}, url))
  expect(await org.allowances()).toMatchObject([{ held: '1000000000' }])
  expect((await org.decide(costing('0.001'), {}, urls[1])).status).toBe(402)
})

describe('a process whose clock is wrong', () => {
  const shifted = (ms: number) =>
    startApi({
      ...environmentFor(database),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        `const RealDate = Date
         globalThis.Date = class extends RealDate {
           constructor(...args) { args.length === 0 ? super(RealDate.now() + ${ms}) : super(...args) }
           static now() { return RealDate.now() + ${ms} }
         }`,
      )}`,
    })
  const hour = 3_600_000

  test('decides in the period of the database, and is not ready', async () => {
    const slow = await shifted(-hour)
    const org = await newOrg()
    // Where it is just past midnight it is yesterday for a clock that is an hour slow.
    const now = new Date().getUTCHours()
    const zone = now <= 12 ? `Etc/GMT+${now}` : `Etc/GMT-${24 - now}`
    const budget = await org.budget('1', { period: 'day', timezone: zone === 'Etc/GMT+0' ? 'UTC' : zone })
    const held = await untilAnswered(() => org.decide(costing('0.75', { lease_seconds: 60 }), {}, slow.url))
    expect(held.status).toBe(200)
    expect(refusalIn(await untilAnswered(() => org.decide(costing('0.5'))))).toMatchObject({ held_usd: '0.75' })
    expect(refusalIn(await untilAnswered(() => org.decide(costing('0.5'), {}, slow.url)))).toMatchObject({
      budget_id: budget.id,
      held_usd: '0.75',
      period_start: budget['period_start'],
      period_end: budget['period_end'],
    })
    expect(await org.allowances()).toMatchObject([{ held: '750000000' }])
    const [row] = await org.rows<{ lease: number }>(
      `select extract(epoch from expires_at - held_at)::float as lease from holds where org_id = $1 and held_at > clock_timestamp() - interval '5 minutes'`,
    )
    expect(row).toEqual({ lease: 60 })
    const ready = await call(slow.url, 'GET', '/readyz')
    expect([ready.status, (ready.json['checks'] as Record<string, string>)['clock']]).toEqual([
      503,
      'differs from the database by over a second',
    ])
    expect((await call(urls[0]!, 'GET', '/readyz')).status).toBe(200)
  })

  test('does not end the leases of others early', async () => {
    const fast = await shifted(hour)
    const org = await newOrg()
    await org.budget('1')
    const first = await org.hold('1', { lease_seconds: 600 })
    expect((await untilAnswered(() => org.decide(costing('1'), {}, fast.url))).status).toBe(402)
    expect(await org.holdState(first)).toBe('open')
    expect((await call(fast.url, 'GET', '/readyz')).status).toBe(503)
  })
})

test('the worker ends leases that are over, without anybody asking', async () => {
  const org = await newOrg()
  const { id } = await org.budget('1')
  const [over, running] = [await org.hold('0.4'), await org.hold('0.5')]
  await org.endLease(over, 6)
  await startRole('worker', environmentFor(database)).line(({ message }) => message === 'working')
  await eventually(async () => (await org.holdState(over)) === 'expired')
  expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.5', spent_usd: '0' })
  expect(await org.holdState(running)).toBe('open')
})

describe('one key', () => {
  test('posted 200 times at once over two processes holds once, and every answer is the same', async () => {
    const org = await newOrg()
    const { id } = await org.budget('1')
    const ask = (i: number) => org.decide(costing('0.01'), { 'idempotency-key': 'k-1' }, at(i))
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(i)))
    const good = answers.filter(({ status }) => status === 200)
    expect(answers.filter((answer) => answer.status !== 200 && !isUnanswered(answer))).toEqual([])
    good.push(await untilAnswered(() => ask(0)), await untilAnswered(() => ask(1)))
    expect(new Set(good.map(({ text }) => text)).size).toBe(1)
    expect(good.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(1)
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.01' })
  })
})

describe('with connections cut between the flights of batches', () => {
  test('every answered hold is there, and every other one is given back or found by its key', async () => {
    const org = await newOrg()
    const { id } = await org.budget('100000')
    const answered = new Map<string, Answer>()
    const keyed = new Map<string, Answer>()
    const progress = { isOver: false }
    let cuts = 0
    let asked = 0
    const worker = async (w: number) => {
      for (let n = 0; !progress.isOver; n++) {
        const key = w % 2 === 0 ? `k-${w}-${n}` : undefined
        const answer = await org.decide(costing('0.01'), key === undefined ? {} : { 'idempotency-key': key }, at(w))
        asked++
        expect(answer.status === 200 || isUnanswered(answer), answer.text).toBe(true)
        if (answer.status === 200) answered.set(answer.json['reservation_id'] as string, answer)
        if (key !== undefined) keyed.set(key, answer)
      }
    }
    const workers = Array.from({ length: 16 }, (_, w) => worker(w))
    while (cuts < 25) {
      const seen = asked
      const { rowCount } = await superuser.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'weir lane' and datname = current_database() and state in ('active', 'idle in transaction')`,
      )
      cuts += rowCount ?? 0
      await eventually(() => asked > seen)
    }
    progress.isOver = true
    await Promise.all(workers)

    for (const [key, first] of keyed) {
      const again = await untilAnswered(() => org.decide(costing('0.01'), { 'idempotency-key': key }))
      expect(again.status).toBe(200)
      expect(first.status === 200 ? first.text : again.text).toBe(again.text)
      answered.set(again.json['reservation_id'] as string, again)
    }
    const open = async () =>
      (await org.rows<{ id: string }>(`select id from holds where org_id = $1 and state = 'open'`)).map((row) => row.id)
    const expected = [...answered.keys()].map((reservation) => requireId('reservation', reservation)).sort()
    await eventually(async () => (await open()).length <= expected.length)
    expect((await open()).sort()).toEqual(expected)
    const { held_usd } = (await org.readBudget(id)) as { held_usd: string }
    expect(parseUsd(held_usd)).toBe(BigInt(expected.length) * parseUsd('0.01'))
    const gaps = await org.rows(
      `select count(*)::int as batches, max(seq)::int as last from ledger_batches where org_id = $1`,
    )
    const [{ batches, last }] = gaps as [{ batches: number; last: number }]
    expect(batches).toBe(last)
  })
})

test('after all of this the books balance', async () => {
  expect(await verifyBooks(database)).toMatchObject({ code: 0, faults: [] })
})
