import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/money/ledger/ledger.ts'
import { parseUsd } from '../../src/values/money.ts'
import { faultsOf } from '../support/limits.ts'
import {
  type BooksFound,
  costing,
  type MoneyOrg,
  quietZone,
  refusalIn,
  useMoney,
  verifyBooks,
} from '../support/money.ts'
import { keyOf } from '../support/tenants.ts'

const money = useMoney()

interface Change {
  readonly limit_id: string
  readonly kind: string
  readonly spent: string
  readonly held: string
  readonly overrun: string
  readonly late: string
}
interface Entry {
  readonly id: string
  readonly batch: number
  readonly kind: string
  readonly reservation_id: string | null
  readonly created_at: string
  readonly changes: readonly Change[]
  readonly actor: Record<string, unknown> | null
  readonly reason: string | null
}

async function journal(org: MoneyOrg, query = '', sort = 'batch'): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | null = null
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, json, text } = await org.ask('GET', `/ledger?limit=3&sort=${sort}${query}${more}`)
    expect(status, text).toBe(200)
    entries.push(...(json['data'] as Entry[]))
    cursor = json['next_cursor'] as string | null
  } while (cursor !== null)
  return entries
}

const summed = (entries: readonly Entry[], limitId: string, column: 'spent' | 'held' | 'overrun' | 'late') =>
  entries
    .flatMap(({ changes }) => changes)
    .filter(({ limit_id }) => limit_id === limitId)
    .reduce((sum, change) => sum + parseUsd(change[column]), 0n)

/** An organization in which everything that can happen has happened. */
async function busyOrg() {
  const org = await money.org()
  const budget = await org.budget('10')
  const cap = await org.set('PUT', '/spend-cap', { cap_usd: '20', timezone: quietZone() })
  await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '50' })
  const settled = await org.hold('1')
  await org.settle(settled, '0.75')
  await org.settle(await org.hold('1'), '1.5')
  const released = await org.hold('2')
  await org.release(released)
  const late = await org.hold('3')
  await org.endLease(late)
  await org.hold('7.5')
  await org.settle(late, '0.5')
  await org.set('POST', '/ledger/adjustments', {
    limit_id: budget.id,
    amount_usd: '0.25',
    reason: 'A bill from elsewhere',
  })
  return { org, budget, cap, settled, released, late }
}

describe('the journal', () => {
  test('has every movement once, in order, without gaps, from either end', async () => {
    const { org } = await busyOrg()
    const entries = await journal(org)
    expect(entries.map(({ kind }) => kind).sort()).toEqual(
      ['adjust', 'expire', 'hold', 'hold', 'hold', 'hold', 'hold', 'release', 'settle', 'settle', 'settle'].sort(),
    )
    expect((await journal(org, '', '-batch')).toReversed()).toEqual(entries)
    const batches = Map.groupBy(entries, ({ batch }) => batch)
    expect([...batches.keys()]).toEqual(Array.from({ length: batches.size }, (_, i) => i + 1))
    for (const [batch, own] of batches) expect(own.map(({ id }) => id)).toEqual(own.map((_, i) => `${batch}.${i}`))
  })

  test('sums to what every limit shows', async () => {
    const { org, budget, cap } = await busyOrg()
    const entries = await journal(org)
    const views = [await org.readBudget(budget.id), (await org.ask('GET', '/spend-cap')).json]
    for (const [i, id] of [budget.id, cap['id'] as string].entries()) {
      for (const column of ['spent', 'held', 'overrun', 'late'] as const)
        expect([column, summed(entries, id, column)]).toEqual([column, parseUsd(views[i]![`${column}_usd`] as string)])
    }
    expect(views[0]).toMatchObject({ spent_usd: '3', held_usd: '7.5', overrun_usd: '0.5', late_usd: '0.5' })
    expect(views[1]).toMatchObject({ spent_usd: '2.75', held_usd: '7.5' })
  })

  test('is filtered by kind, limit, reservation and time', async () => {
    const { org, budget, settled, released, late } = await busyOrg()
    const entries = await journal(org)
    const kinds = async (query: string) => (await journal(org, query)).map(({ kind }) => kind)
    expect(await kinds('&kind=settle')).toEqual(['settle', 'settle', 'settle'])
    expect(await kinds(`&reservation_id=${settled}`)).toEqual(['hold', 'settle'])
    expect(await kinds(`&reservation_id=${released}`)).toEqual(['hold', 'release'])
    expect(await kinds(`&reservation_id=${late}`)).toEqual(['hold', 'expire', 'settle'])
    expect(await journal(org, `&limit_id=${budget.id}`)).toEqual(entries)
    expect(await kinds(`&reservation_id=${settled}&kind=release`)).toEqual([])
    const middle = entries[5]!.created_at
    const [before, after] = await Promise.all(
      ['to', 'from'].map((bound) => journal(org, `&${bound}=${encodeURIComponent(middle)}`)),
    )
    expect([...before!, ...after!].map(({ id }) => id)).toEqual(entries.map(({ id }) => id))
    expect(after![0]!.created_at).toBe(middle)
    expect(faultsOf(await org.ask('GET', '/ledger?kind=theft'))).toEqual(['kind: invalid_filter'])
  })

  test('is for its own organization only', async () => {
    const { org, settled } = await busyOrg()
    const stranger = await money.org()
    expect((await stranger.ask('GET', '/ledger')).json['data']).toEqual([])
    expect((await stranger.ask('GET', `/ledger?reservation_id=${settled}`)).json['data']).toEqual([])
    expect((await org.ask('GET', '/ledger', undefined, stranger.key)).status).toBe(404)
  })
})

describe('an adjustment', () => {
  const adjust = async (org: MoneyOrg, limit_id: string, amount_usd: string) =>
    (await org.set('POST', '/ledger/adjustments', {
      limit_id,
      amount_usd,
      reason: `by ${amount_usd}`,
    })) as unknown as Entry

  test('is in the journal with its reason and who made it, also where nothing was spent before', async () => {
    const org = await money.org()
    const { id } = await org.budget('10')
    const entry = await adjust(org, id, '4')
    expect(entry).toMatchObject({
      kind: 'adjust',
      reservation_id: null,
      reason: 'by 4',
      actor: { id: org.keyId },
      changes: [{ limit_id: id, spent: '4', held: '0', overrun: '0', late: '0' }],
    })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '4', remaining_usd: '6' })
    expect(await journal(org)).toEqual([entry])
    const { json } = await org.ask('GET', '/audit-log?action=ledger.adjusted')
    expect(json['data']).toHaveLength(1)
  })

  test('takes away as well, but never below 0', async () => {
    const org = await money.org()
    const { id } = await org.budget('10')
    await adjust(org, id, '4')
    await adjust(org, id, '-1.5')
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '2.5' })
    expect((await adjust(org, id, '-100')).changes).toMatchObject([{ spent: '-2.5' }])
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0', remaining_usd: '10' })
    expect((await journal(org)).map(({ id: entry, reason }) => [entry, reason])).toEqual([
      ['1.0', 'by 4'],
      ['2.0', 'by -1.5'],
      ['3.0', 'by -100'],
    ])
  })

  test('counts for the next decision, and revokes nothing', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const hold = await org.hold('0.5')
    await org.set('POST', '/ledger/adjustments', { limit_id: id, amount_usd: '2', reason: 'spent elsewhere' })
    expect((await org.decide(costing('0.001'))).status).toBe(402)
    expect(await org.settle(hold, '0.5')).toMatchObject({ type: 'ended' })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '2.5', remaining_usd: '0' })
  })

  test('crosses thresholds like any other cost, and going down does not arm them again', async () => {
    const org = await money.org()
    const { id } = await org.budget('10', { thresholds: [50, 80] })
    for (const amount of ['5', '-5', '5', '3', '-8', '11']) await adjust(org, id, amount)
    const crossed = await org.events('budget.threshold_crossed')
    expect(crossed.map((body) => body['threshold_percent'])).toEqual([50, 80])
    expect(await org.events('budget.exceeded')).toMatchObject([{ budget_id: id, spent_usd: '11' }])
  })

  test('reaches every kind of limit', async () => {
    const org = await money.org()
    const cap = await org.set('PUT', '/spend-cap', { cap_usd: '9', timezone: quietZone() })
    const own = await org.set('PUT', '/customers/c/limit', { limit_usd: '9', period: 'year' })
    const pack = await org.set('POST', '/customers/c/credit-packs', { amount_usd: '9' })
    const topUp = await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '9' })
    const plan = await org.setAsOperator('PUT', '/plan', {
      name: 'P',
      runs_per_month: 9,
      tokens_per_month: 9,
      overage_policy: 'block',
    })
    const adjustAny = (limit: Record<string, unknown>, more: Record<string, unknown>) =>
      org.set('POST', '/ledger/adjustments', { limit_id: limit['id'], reason: 'x', ...more })
    await adjustAny(cap, { amount_usd: '1' })
    await adjustAny(own, { amount_usd: '2', customer_id: 'c' })
    await adjustAny(pack, { amount_usd: '3' })
    await adjustAny(topUp, { amount_usd: '4' })
    await adjustAny(plan, { amount: 5, unit: 'runs' })
    await adjustAny(plan, { amount: 6, unit: 'tokens' })
    expect((await org.ask('GET', '/spend-cap')).json).toMatchObject({ spent_usd: '1' })
    expect((await org.ask('GET', '/customers/c/limit')).json).toMatchObject({ spent_usd: '2' })
    expect((await org.ask('GET', '/customers/c/credit-packs')).json['data']).toMatchObject([{ spent_usd: '3' }])
    expect((await org.ask('GET', '/quota')).json).toMatchObject({ spent_usd: '4' })
    expect((await org.ask('GET', '/plan')).json).toMatchObject({ runs: { used: 5 }, tokens: { used: 6 } })
  })

  test('needs a reason, an amount, an admin and a limit of the organization', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const good = { limit_id: id, amount_usd: '1', reason: 'x' }
    const attempt = (body: Record<string, unknown>, key?: string) => org.ask('POST', '/ledger/adjustments', body, key)
    expect(faultsOf(await attempt({ limit_id: id, amount_usd: '1' }))).toEqual(['reason: required'])
    expect(faultsOf(await attempt({ ...good, reason: '' }))).toEqual(['reason: empty'])
    expect(faultsOf(await attempt({ limit_id: id, reason: 'x' }))).toEqual(['amount_usd: required'])
    const member = await keyOf(money.server, org.id, { role: 'member' })
    expect(refusalIn(await attempt(good, member.key))).toMatchObject({ status: 403 })
    expect((await (await money.org()).ask('POST', '/ledger/adjustments', good)).status).toBe(404)
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0' })
  })

  test('reaches back to periods that are still kept, and no further', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { period: 'day' })
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const attempt = (days: number) =>
      org.ask('POST', '/ledger/adjustments', { limit_id: id, amount_usd: '1', reason: 'x', at: ago(days) })
    expect((await attempt(399)).status).toBe(201)
    expect(faultsOf(await attempt(402))).toEqual(['at: out_of_range'])
  })
})

describe('`verify`', () => {
  test('finds good books good, and names what a superuser has changed', async () => {
    const { org } = await busyOrg()
    const { key } = (await org.allowances()).find(({ kind }) => kind === 'budget')!
    const verify = () => verifyBooks(money.server.database)
    const look = () => verifyLedger(money.server.platform.sql, org.uuid)
    /** Changes something by 1, looks, and changes it back. */
    const keysAfter = async (change: (amount: string) => string, check: () => Promise<BooksFound>) => {
      await org.rows(change('+ 1'), key)
      const { faults, code } = await check()
      await org.rows(change('- 1'), key)
      return [code, ...new Set(faults.map((fault) => fault.key))]
    }
    expect(await verify()).toMatchObject({ code: 0, faults: [] })

    const row = (column: string) => (amount: string) =>
      `update allowances set ${column} = ${column} ${amount} where org_id = $1 and key = $2`
    expect(await keysAfter(row('spent'), verify)).toEqual([1, key])
    expect(await keysAfter(row('held'), look)).toEqual([undefined, key])
    const movement = (amount: string) =>
      `update ledger_batches set d_spent[1] = d_spent[1] ${amount} where org_id = $1 and keys = array[$2::uuid] and kinds = '{adjust}'`
    expect(await keysAfter(movement, verify)).toEqual([1, key])
    const hold = (amount: string) =>
      `update holds set amounts = (select array_agg(a + case when k = $2 then 0 ${amount} else 0 end order by i)
         from (select k, i, case cardinality(amounts) when 1 then amounts[1] else amounts[i] end as a
                 from unnest(keys) with ordinality as u (k, i)) as each) where org_id = $1 and state = 'open'`
    expect(await keysAfter(hold, look)).toEqual([undefined, key])
    expect((await look()).faults).toEqual([])

    money.tampered.add(org.uuid)
    await org.rows('delete from ledger_batches where org_id = $1 and seq = 3')
    const { code, faults } = await verify()
    expect(code).toBe(1)
    expect(faults.filter(({ what }) => what === 'batch 3 is missing')).toMatchObject([{ org_id: org.id }])
  })
})
