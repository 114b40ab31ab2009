import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/values/id.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney()

const customer = { customer_id: 'c' }
const give = async (org: MoneyOrg, amount_usd: string, more: Record<string, unknown> = {}) =>
  (await org.set('POST', '/customers/c/credit-packs', { amount_usd, ...more }))['id'] as string

async function packs(org: MoneyOrg) {
  const { json } = await org.ask('GET', '/customers/c/credit-packs')
  const all = json['data'] as Record<string, string>[]
  return Object.fromEntries(
    all.map(({ id, spent_usd, held_usd, status }) => [id!, `${spent_usd} spent, ${held_usd} held, ${status}`]),
  )
}

const start = async (org: MoneyOrg, usd: string) => (await org.start(costing(usd, customer))).reservation!
const refusal = async (org: MoneyOrg, usd: string) => (await org.start(costing(usd, customer))).error

const expire = (org: MoneyOrg, pack: string) =>
  org.rows(
    `update packs set expires_at = clock_timestamp() - interval '1 second' where org_id = $1 and id = $2`,
    parseId('creditPack', pack),
  )

describe('credits', () => {
  test('of $3 and $4 bear $5 together, in order, and what was not used returns from the last', async () => {
    const org = await money.org()
    const [first, second] = [await give(org, '3'), await give(org, '4')]
    const hold = await start(org, '5')
    expect(await packs(org)).toEqual({ [first]: '0 spent, 3 held, active', [second]: '0 spent, 2 held, active' })
    await org.settle(hold, '4.5')
    expect(await packs(org)).toEqual({ [first]: '3 spent, 0 held, depleted', [second]: '1.5 spent, 0 held, active' })
    expect((await refusal(org, '2.6'))?.details).toEqual({ available_usd: '2.5', attempted_usd: '2.6' })
    await org.settle(await start(org, '2.5'), '0')
    expect((await packs(org))[second]).toBe('1.5 spent, 0 held, active')
  })

  test('are drawn by priority, then what expires first, then what is oldest', async () => {
    const org = await money.org()
    const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString()
    const oldest = await give(org, '1')
    const later = await give(org, '1', { expires_at: inAYear })
    const sooner = await give(org, '1', { expires_at: inAMonth })
    const preferred = await give(org, '1', { priority: 1 })
    const newest = await give(org, '1')
    for (const pack of [preferred, sooner, later, oldest, newest]) {
      await start(org, '1')
      expect((await packs(org))[pack]).toBe('0 spent, 1 held, active')
    }
  })

  test('above what was held are overrun of the last pack', async () => {
    const org = await money.org()
    const [first, second] = [await give(org, '3'), await give(org, '4')]
    await org.settle(await start(org, '5'), '9')
    expect(await packs(org)).toEqual({ [first]: '3 spent, 0 held, depleted', [second]: '6 spent, 0 held, depleted' })
    const row = (await org.allowances()).find(({ overrun }) => overrun !== '0')
    expect(row).toMatchObject({ key: parseId('creditPack', second), overrun: '4000000000' })
  })

  test('that are held survive the voiding of their pack until the hold ends, and are forfeited then', async () => {
    const org = await money.org()
    const [first, second] = [await give(org, '3'), await give(org, '4')]
    const hold = await start(org, '5')
    expect((await org.post(`/v1/orgs/${org.id}/credit-packs/${first}/void`)).status).toBe(200)
    expect(await packs(org)).toEqual({ [first]: '0 spent, 3 held, voided', [second]: '0 spent, 2 held, active' })
    await org.settle(hold, '2')
    expect(await packs(org)).toEqual({ [first]: '2 spent, 0 held, voided', [second]: '0 spent, 0 held, active' })
    expect((await refusal(org, '4.001'))?.details).toMatchObject({ available_usd: '4' })
  })

  test('that are held survive the end of their pack as well', async () => {
    const org = await money.org()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const [first, second] = [await give(org, '3', { expires_at: soon }), await give(org, '4')]
    const hold = await start(org, '5')
    await expire(org, first)
    await org.settle(hold, '4')
    expect(await packs(org)).toEqual({ [first]: '3 spent, 0 held, expired', [second]: '1 spent, 0 held, active' })
    expect((await refusal(org, '3.5'))?.details).toMatchObject({ available_usd: '3' })
  })

  test('of an expired pack are not drawn by a settlement that had not held them', async () => {
    const org = await money.org()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const [first, second] = [await give(org, '3', { expires_at: soon }), await give(org, '4')]
    const reservation = await org.hold('1', customer)
    const other = await org.hold('1', customer)
    const run = await start(org, '1')
    await expire(org, first)
    await org.settle(reservation, '1')
    expect(await packs(org)).toEqual({ [first]: '0 spent, 1 held, expired', [second]: '1 spent, 0 held, active' })
    // What a run had held is still its own; what it used beyond that is drawn from what is in force.
    await org.settle(run, '1.5')
    expect(await packs(org)).toEqual({ [first]: '1 spent, 0 held, expired', [second]: '1.5 spent, 0 held, active' })
    await expire(org, second)
    await org.settle(other, '1')
    expect(await packs(org)).toEqual({ [first]: '1 spent, 0 held, expired', [second]: '1.5 spent, 0 held, expired' })
  })

  test('that are used up refuse their customer, who is not unlimited', async () => {
    const org = await money.org()
    await give(org, '1')
    await org.settle(await start(org, '1'), '1')
    expect((await refusal(org, '0.001'))?.details).toEqual({ available_usd: '0', attempted_usd: '0.001' })
    await give(org, '1')
    expect(await refusal(org, '1')).toBeUndefined()
  })

  test('bind nobody who has none in force', async () => {
    const org = await money.org()
    const pack = await give(org, '1')
    expect((await refusal(org, '2'))?.code).toBe('credits_exhausted')
    await org.post(`/v1/orgs/${org.id}/credit-packs/${pack}/void`)
    expect(await refusal(org, '2')).toBeUndefined()
  })

  test('are held with everything else or not at all', async () => {
    const org = await money.org()
    const { id } = await org.budget('10')
    const pack = await give(org, '1')
    expect((await refusal(org, '2'))?.code).toBe('credits_exhausted')
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0' })
    await start(org, '1')
    expect(await packs(org)).toEqual({ [pack]: '0 spent, 1 held, active' })
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '1' })
  })

  test('concurrent draws never take more than the packs hold', async () => {
    const org = await money.org()
    await give(org, '0.5')
    await give(org, '0.55')
    const results = await Promise.all(Array.from({ length: 40 }, () => org.start(costing('0.1', customer))))
    expect(results.filter(({ reservation }) => reservation !== undefined)).toHaveLength(10)
    expect(Object.values(await packs(org)).sort()).toEqual(['0 spent, 0.5 held, active', '0 spent, 0.5 held, active'])
  })
})

describe('what one pack bears above its amount', () => {
  test('is not there to be drawn again from the others', async () => {
    const org = await money.org()
    await give(org, '3')
    await give(org, '4')
    await org.settle(await start(org, '2'), '5')
    expect((await refusal(org, '2.001'))?.details).toEqual({ available_usd: '2', attempted_usd: '2.001' })
    expect(await refusal(org, '2')).toBeUndefined()
  })

  test('nor is it where it was a top-up, by a settlement or by an adjustment', async () => {
    for (const isAdjusted of [false, true]) {
      const org = await money.org()
      const first = await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '3' })
      await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '4' })
      const adjustment = { limit_id: first['id'], amount_usd: '5', reason: 'spent elsewhere' }
      if (isAdjusted) await org.set('POST', '/ledger/adjustments', adjustment)
      else await org.settle(await org.hold('2'), '5')
      expect((await org.ask('GET', '/quota')).json).toMatchObject({ spent_usd: '5', remaining_usd: '2' })
      expect((await org.decide(costing('2.001'))).status).toBe(402)
      expect((await org.decide(costing('2'))).json['remaining_usd']).toBe('0')
    }
  })

  test('a run that was charged over two packs and then cost less gives back to both', async () => {
    const org = await money.org()
    const [first, second] = [await give(org, '3'), await give(org, '4')]
    const hold = await start(org, '5')
    await org.endLease(hold)
    expect((await refusal(org, '6'))?.code).toBe('credits_exhausted')
    expect(await packs(org)).toEqual({ [first]: '3 spent, 0 held, depleted', [second]: '2 spent, 0 held, active' })
    await org.settle(hold, '2')
    expect(await packs(org)).toEqual({ [first]: '2 spent, 0 held, active', [second]: '0 spent, 0 held, active' })
  })
})

describe('top-ups of the quota', () => {
  test('are packs of the organization: drawn together, oldest first, and never unlimited when used up', async () => {
    const org = await money.org()
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '3' })
    await org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '4' })
    await org.settle(await org.hold('5'), '4')
    const { json } = await org.admin('GET', '/quota/top-ups?sort=created_at')
    expect(json['data']).toMatchObject([{ spent_usd: '3' }, { spent_usd: '1', held_usd: '0' }])
    await org.settle(await org.hold('3'), '3')
    expect((await org.decide(costing('0.001'))).status).toBe(402)
    expect((await org.ask('GET', '/quota')).json).toMatchObject({ limit_usd: '7', spent_usd: '7', remaining_usd: '0' })
  })
})
