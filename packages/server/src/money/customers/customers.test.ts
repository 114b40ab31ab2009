import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { beginsAfter, faultsOf, keyOfView, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { formatId, newUuid, parseId, requireId } from '../../values/id.ts'
import { type DefaultLimit, emptyBalance, type Limit, type OrgLimits } from '../ledger/ledger.ts'
import { customerKind, loadCustomerDefault } from './customers.ts'

const server = useServer()
const limits = useLimits(server)
const pathOf = (customer: string) => `/customers/${encodeURIComponent(customer)}/limit`
const defaultPath = '/customer-limit-default'
const good = { limit_usd: '20', period: 'month' }

describe('the limit of a customer', () => {
  test('is set without registering anybody, and is then what was set', async () => {
    expect((await limits.ask('GET', pathOf('c1'))).json).toMatchObject({ id: null, customer_id: 'c1', limit_usd: null })
    expect((await limits.ask('DELETE', pathOf('c1'))).status).toBe(404)
    const { status, json } = await limits.ask('PUT', pathOf('c1'), { ...good, anchor: '2026-01-15' })
    expect(status).toBe(200)
    expect(json).toEqual({
      id: expect.stringMatching(/^clm_/),
      customer_id: 'c1',
      limit_usd: '20',
      spent_usd: '0',
      held_usd: '0',
      remaining_usd: '20',
      overrun_usd: '0',
      late_usd: '0',
      refused_count: 0,
      exhausted_at: null,
      thresholds: [],
      period: 'month',
      timezone: 'UTC',
      anchor: '2026-01-15',
      next_schedule: null,
      period_start: expect.stringMatching(/-15T00:00:00\.000\+00:00$/),
      period_end: expect.stringMatching(/-15T00:00:00\.000\+00:00$/),
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect((await limits.ask('GET', pathOf('c1'), undefined, limits.viewer)).json).toEqual(json)
    expect((await limits.recorded('customer_limit.set'))[0]).toMatchObject({
      target: { kind: 'customer_limit', id: json['id'] },
      before: null,
      after: json,
    })
  })

  test.each(['a/b', 'ä ö%', '...', "'; --", 'x'.repeat(200), '𝄞'.repeat(200)])('takes any id: %s', async (id) => {
    expect((await limits.ask('PUT', pathOf(id), good)).json).toMatchObject({ customer_id: id })
    expect((await limits.ask('GET', pathOf(id))).json).toMatchObject({ customer_id: id, limit_usd: '20' })
  })

  test('refuses an id that is no text', async () => {
    const faults = async (id: string) => faultsOf(await limits.ask('PUT', `/customers/${id}/limit`, good))
    expect(await faults('a%00b')).toEqual(['customer_id: invalid_format'])
    expect(await faults('a%0ab')).toEqual(['customer_id: invalid_format'])
    expect(await faults('x'.repeat(201))).toEqual(['customer_id: too_long'])
    expect(await faults('')).toEqual(['status 404'])
  })

  test('keeps what was spent when it changes, and its new schedule waits for the end of the period', async () => {
    const { json: before } = await limits.ask('PUT', pathOf('c2'), good)
    await limits.book(keyOfView('customerLimit', before, 'c2'), { spent: 21_000_000_000n, held: 1n })
    const { json } = await limits.ask('PUT', pathOf('c2'), {
      ...good,
      limit_usd: '30',
      period: 'day',
      timezone: 'Asia/Tokyo',
    })
    expect(json).toMatchObject({
      id: before['id'],
      limit_usd: '30',
      spent_usd: '21',
      held_usd: '0.000000001',
      remaining_usd: '8.999999999',
      period: 'month',
      next_schedule: {
        period: 'day',
        timezone: 'Asia/Tokyo',
        anchor: null,
        from: beginsAfter(before['period_end'], 'day', 'Asia/Tokyo'),
      },
    })
    await limits.query(
      (orgId) =>
        raw`update customer_limits set next_from = now() - interval '2 years' where org_id = ${orgId} and customer_id = 'c2'`,
    )
    expect((await limits.ask('GET', pathOf('c2'))).json).toMatchObject({
      period: 'day',
      timezone: 'Asia/Tokyo',
      spent_usd: '0',
      next_schedule: null,
    })
  })

  test('of null is no limit, of 0 is nothing', async () => {
    expect((await limits.ask('PUT', pathOf('c3'), { ...good, limit_usd: null })).json).toMatchObject({
      limit_usd: null,
      remaining_usd: null,
    })
    expect((await limits.ask('PUT', pathOf('c3'), { ...good, limit_usd: '0' })).json).toMatchObject({
      limit_usd: '0',
      remaining_usd: '0',
    })
  })

  test('names every fault of what is asked', async () => {
    const faults = async (body: unknown) => faultsOf(await limits.ask('PUT', pathOf('c1'), body))
    expect(await faults({})).toEqual(['limit_usd: required', 'period: required'])
    expect(await faults({ ...good, limit_usd: 1 })).toEqual(['limit_usd: invalid_type'])
    expect(await faults({ ...good, period: 'eon' })).toEqual(['period: invalid_value'])
    expect(await faults({ ...good, timezone: 'Nowhere' })).toEqual(['timezone: invalid_value'])
    expect(await faults({ ...good, anchor: '2026-13-01' })).toEqual(['anchor: invalid_format'])
    expect(await faults({ ...good, max_new_customers_per_day: 1 })).toEqual([
      'max_new_customers_per_day: unknown_field',
    ])
  })

  test('is changed by admins of its organization only', async () => {
    for (const path of [pathOf('c1'), defaultPath])
      for (const method of ['PUT', 'DELETE'])
        expect(await limits.refusals(method, path, good)).toEqual(['forbidden', 'not_found'])
    expect((await limits.ask('GET', pathOf('c1'), undefined, limits.bob.key)).status).toBe(404)
  })

  test('once removed is gone', async () => {
    const { json: before } = await limits.ask('PUT', pathOf('gone'), good)
    expect((await limits.ask('DELETE', pathOf('gone'))).status).toBe(204)
    expect((await limits.ask('GET', pathOf('gone'))).json['id']).toBeNull()
    expect((await limits.recorded('customer_limit.deleted'))[0]).toMatchObject({ before, after: null })
  })

  test('is listed with the others, page after page, without the default', async () => {
    await limits.ask('PUT', defaultPath, good)
    const listed = async (query: string) => {
      const { json } = await limits.ask('GET', `/customer-limits?${query}`, undefined, limits.viewer)
      return {
        ids: (json['data'] as { customer_id: string }[]).map((one) => one.customer_id),
        next: json['next_cursor'] as string | null,
      }
    }
    const { ids: whole } = await listed('limit=200')
    expect(whole.at(-1)).toBe('c1')
    expect(whole).not.toContain('')
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listed(`limit=2&sort=-customer_id${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.ids)
      cursor = page.next
    }
    expect(seen.toSorted()).toEqual(whole.toSorted())
    expect(faultsOf(await limits.ask('GET', '/customer-limits?sort=limit_usd'))).toEqual(['sort: unknown_sort_field'])
  })
})

describe('the default', () => {
  const load = () => {
    const orgId = requireId('org', limits.acme.id)
    return server.platform.sql.asOrgs([orgId], (tx) => loadCustomerDefault(tx, orgId))
  }

  test('is there once it is set, and gone once it is removed', async () => {
    await limits.ask('DELETE', defaultPath)
    expect((await limits.ask('GET', defaultPath)).json['id']).toBeNull()
    expect(await load()).toBeNull()
    const { status, json } = await limits.ask('PUT', defaultPath, good)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: expect.stringMatching(/^clm_/),
      limit_usd: '20',
      remaining_usd: '20',
      period: 'month',
      max_new_customers_per_day: 10_000,
      next_schedule: null,
    })
    expect(json).not.toHaveProperty('customer_id')
    expect((await limits.ask('GET', defaultPath, undefined, limits.viewer)).json).toEqual(json)
    expect(await load()).toMatchObject({
      id: parseId('customerLimit', String(json['id'])),
      kind: 'customer',
      amount: 20_000_000_000n,
      maxNewPerDay: 10_000n,
      schedule: { current: { unit: 'month', anchor: null, timezone: 'UTC' }, next: null },
    })
    const { json: changed } = await limits.ask('PUT', defaultPath, {
      ...good,
      limit_usd: null,
      max_new_customers_per_day: 5,
    })
    expect(changed).toMatchObject({ id: json['id'], limit_usd: null, max_new_customers_per_day: 5 })
    expect((await limits.recorded('customer_limit_default.set'))[0]).toMatchObject({ before: json, after: changed })
    expect((await limits.ask('DELETE', defaultPath)).status).toBe(204)
    expect((await limits.ask('DELETE', defaultPath)).status).toBe(404)
    expect(await load()).toBeNull()
  })

  test('names every fault of what is asked', async () => {
    const faults = async (more: object) => faultsOf(await limits.ask('PUT', defaultPath, { ...good, ...more }))
    expect(await faults({ max_new_customers_per_day: 0 })).toEqual(['max_new_customers_per_day: out_of_range'])
    expect(await faults({ max_new_customers_per_day: 10_000_001 })).toEqual(['max_new_customers_per_day: out_of_range'])
    expect(await faults({ max_new_customers_per_day: '5' })).toEqual(['max_new_customers_per_day: invalid_type'])
    expect(await faults({ timezone: 'Nowhere' })).toEqual(['timezone: invalid_value'])
  })
})

describe('as a limit', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z')
  const limit = (amount: bigint | null): Limit => ({
    id: newUuid(),
    kind: 'customer',
    unit: 'usd',
    amount,
    schedule: { current: { unit: 'month', anchor: null, timezone: 'UTC' }, next: null },
    enforcement: 'block',
    thresholds: [],
  })
  const customerDefault: DefaultLimit = { ...limit(5_000_000_000n), maxNewPerDay: 7n }
  const org: OrgLimits = { version: 1n, limits: [], customerDefault, topUps: [] }
  const charge = { usd: 1n, tokens: 1n, runs: 1n, customerId: 'c1' }
  const own = limit(null)

  test('binds nobody where no customer is named, or nothing is set', () => {
    expect(customerKind.bind({ ...charge, customerId: undefined }, org, { own, packs: [] }, nowMs)).toEqual([])
    expect(customerKind.bind(charge, { ...org, customerDefault: null }, { own: null, packs: [] }, nowMs)).toEqual([])
    expect(customerKind.surfaces.includes('edge')).toBe(true)
  })

  test('is the customer’s own rather than the default, even where that is none', () => {
    const [claim, ...more] = customerKind.bind(charge, org, { own, packs: [] }, nowMs)
    expect(more).toEqual([])
    expect(claim!.allowances).toMatchObject([{ limitId: own.id, subject: 'c1', limit: null }])
    expect(claim).not.toHaveProperty('newcomers')
  })

  test('by default counts each customer for itself, and too many new ones together', () => {
    const claims = ['c1', 'c2'].map(
      (customerId) => customerKind.bind({ ...charge, customerId }, org, undefined, nowMs)[0]!,
    )
    expect(claims.map(({ allowances }) => allowances[0]!.subject)).toEqual(['c1', 'c2'])
    const [first, second] = claims.map(({ newSubjectGate }) => newSubjectGate!)
    expect(first!.counter).toMatchObject({
      limitId: customerDefault.id,
      kind: 'new_customers',
      unit: 'runs',
      subject: '',
      limit: 7n,
      period: { startMs: Date.parse('2026-11-15'), endMs: Date.parse('2026-11-16') },
    })
    expect(first!.fallback).toMatchObject({
      limitId: customerDefault.id,
      kind: 'customer',
      unit: 'usd',
      subject: '',
      limit: 5_000_000_000n,
    })
    expect(second!.counter.key).toBe(first!.counter.key)
    expect(second!.fallback.key).toBe(first!.fallback.key)
    const keys = [...claims.map(({ allowances }) => allowances[0]!.key), first!.counter.key, first!.fallback.key]
    expect(new Set(keys).size).toBe(4)
  })

  test('is refused as a budget of the customer, with the numbers that add up', () => {
    const [claim] = customerKind.bind(charge, org, { own: null, packs: [] }, nowMs)
    const refusal = refusalOf(claim!, { spent: 4_900_000_000n, held: 99_999_999n }, { attempted: 2n })
    const details = {
      budget_id: formatId('customerLimit', customerDefault.id),
      scope_kind: 'customer',
      limit_usd: '5',
      spent_usd: '4.9',
      held_usd: '0.099999999',
      attempted_usd: '0.000000002',
      period_start: '2026-11-01T00:00:00.000+00:00',
      period_end: '2026-12-01T00:00:00.000+00:00',
    }
    expect(customerKind.refuse(refusal)).toMatchObject({ code: 'budget_exceeded', status: 402, details })
    const instead = { ...refusal, allowance: claim!.newSubjectGate!.fallback, balance: emptyBalance }
    expect(customerKind.refuse(instead).details).toEqual({ ...details, spent_usd: '0', held_usd: '0' })
  })
})
