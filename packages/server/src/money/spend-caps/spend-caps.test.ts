import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { beginsAfter, faultsOf, keyOfView, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { call } from '../../../test/support/tenants.ts'
import type { OrgLimits, ScopedLimit } from '../ledger/ledger.ts'
import { spendCapKind } from './spend-caps.ts'

const server = useServer()
const limits = useLimits(server)
const path = '/spend-cap'

const unused = { spent_usd: '0', held_usd: '0', overrun_usd: '0', late_usd: '0' }

describe('the daily spend cap', () => {
  test('is not there until it is set, and then what was set', async () => {
    expect((await limits.ask('GET', path)).json).toMatchObject({ id: null, cap_usd: null, spent_usd: null })
    expect((await limits.ask('DELETE', path)).status).toBe(404)
    const { status, json } = await limits.ask('PUT', path, { cap_usd: '100.50' })
    expect(status).toBe(200)
    expect(json).toEqual({
      id: expect.stringMatching(/^cap_/),
      cap_usd: '100.5',
      timezone: 'UTC',
      ...unused,
      remaining_usd: '100.5',
      resets_at: json['period_end'],
      period_start: expect.stringMatching(/T00:00:00\.000\+00:00$/),
      period_end: expect.stringMatching(/T00:00:00\.000\+00:00$/),
      next_schedule: null,
      refused_count: 0,
      exhausted_at: null,
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect((await limits.ask('GET', path, undefined, limits.viewer)).json).toEqual(json)
    expect((await limits.recorded('spend_cap.set'))[0]).toMatchObject({
      target: { id: json['id'] },
      before: null,
      after: json,
    })
  })

  test('stays the same one when its amount changes, and never has less than nothing left', async () => {
    const { json: before } = await limits.ask('PUT', path, { cap_usd: '10' })
    const key = keyOfView('spendCap', before)
    await limits.book(key, { spent: 7_250_000_000n, held: 1n, overrun: 250_000_000n, late: 3n })
    const { json: used } = await limits.ask('GET', path)
    expect(used).toMatchObject({
      spent_usd: '7.25',
      held_usd: '0.000000001',
      remaining_usd: '2.749999999',
      overrun_usd: '0.25',
      late_usd: '0.000000003',
      refused_count: 0,
      exhausted_at: null,
    })
    const { json: lowered } = await limits.ask('PUT', path, { cap_usd: '0' })
    expect(lowered).toMatchObject({ id: before['id'], cap_usd: '0', spent_usd: '7.25', remaining_usd: '0' })
    expect((await limits.recorded('spend_cap.set'))[0]).toMatchObject({ before: used, after: lowered })
  })

  test('moves to another time zone with its first midnight after the running day', async () => {
    const { json: before } = await limits.ask('PUT', path, { cap_usd: '10' })
    const { json } = await limits.ask('PUT', path, { cap_usd: '10', timezone: 'Asia/Tokyo' })
    const from = beginsAfter(before['period_end'], 'day', 'Asia/Tokyo')
    expect(json).toMatchObject({
      timezone: 'UTC',
      period_start: before['period_start'],
      period_end: from,
      next_schedule: { period: 'day', timezone: 'Asia/Tokyo', anchor: null, from },
    })
    await limits.query((orgId) => raw`update limits set next_from = now() - interval '2 years' where org_id = ${orgId}`)
    expect((await limits.ask('GET', path)).json).toMatchObject({
      timezone: 'Asia/Tokyo',
      next_schedule: null,
      period_end: expect.stringContaining('T15:00:00.000+00:00'),
    })
    const { json: back } = await limits.ask('PUT', path, { cap_usd: '10', timezone: 'UTC' })
    expect(back).toMatchObject({ timezone: 'Asia/Tokyo', next_schedule: { timezone: 'UTC' } })
  })

  test('names every fault of what is asked', async () => {
    const faults = async (body: unknown) => faultsOf(await limits.ask('PUT', path, body))
    expect(await faults({})).toEqual(['cap_usd: required'])
    expect(await faults({ cap_usd: 5 })).toEqual(['cap_usd: invalid_type'])
    expect(await faults({ cap_usd: null })).toEqual(['cap_usd: invalid_type'])
    expect(await faults({ cap_usd: '-1' })).toEqual(['cap_usd: out_of_range'])
    expect(await faults({ cap_usd: '1', timezone: 'Mars/Olympus' })).toEqual(['timezone: invalid_value'])
    expect(await faults({ cap_usd: '1', timezone: '+02:00' })).toEqual(['timezone: invalid_value'])
    expect(await faults({ cap_usd: '1', timezone: '' })).toEqual(['timezone: empty'])
    expect(await faults({ cap_usd: '1', timezone: 'x'.repeat(65) })).toEqual(['timezone: too_long'])
    expect(await faults({ cap_usd: '1', period: 'week' })).toEqual(['period: unknown_field'])
  })

  test('is changed by admins of its organization only', async () => {
    for (const method of ['PUT', 'DELETE'])
      expect(await limits.refusals(method, path, { cap_usd: '1' })).toEqual(['forbidden', 'not_found'])
    expect((await limits.ask('GET', path, undefined, limits.bob.key)).status).toBe(404)
  })

  test('is gone once removed, and a retry of the removal is answered alike', async () => {
    const { json: before } = await limits.ask('PUT', path, { cap_usd: '10' })
    for (let i = 0; i < 2; i++) {
      const { status, text } = await call(server.url, 'DELETE', `/v1/orgs/${limits.acme.id}${path}`, {
        key: limits.acme.key,
        headers: { 'idempotency-key': 'remove-the-cap' },
      })
      expect([status, text]).toEqual([204, ''])
    }
    expect((await limits.ask('GET', path)).json['id']).toBeNull()
    expect(await limits.recorded('spend_cap.deleted')).toMatchObject([{ target: { id: before['id'] }, after: null }])
    expect((await limits.ask('PUT', path, { cap_usd: '10' })).json['id']).not.toBe(before['id'])
  })

  test('tells every process that the limits have changed', async () => {
    const version = async () =>
      (
        await limits.query(
          (orgId) => raw<{ v: bigint }>`select config_version as v from org_ledgers where org_id = ${orgId}`,
        )
      )[0]!.v
    const before = await version()
    await limits.ask('PUT', path, { cap_usd: '11' })
    expect(await version()).toBe(before + 1n)
  })
})

describe('as a limit', () => {
  const limit: ScopedLimit = {
    id: '0192f3a5-ac96-774b-bcce-b302099a8057',
    kind: 'spend_cap',
    unit: 'usd',
    amount: 100_000_000_000n,
    schedule: { current: { unit: 'day', anchor: null, timezone: 'UTC' }, next: null },
    enforcement: 'block',
    thresholds: [],
    scopeKind: 'org',
    scopeId: '',
  }
  const org: OrgLimits = {
    version: 1n,
    limits: [{ ...limit, kind: 'budget' }, limit],
    customerDefault: null,
    topUps: [],
  }
  const charge = { usd: 1n, tokens: 1n, runs: 1n }
  const nowMs = Date.parse('2026-11-15T12:00:00Z')

  test('binds every charge of its organization to the running day', () => {
    const [claim, ...more] = spendCapKind.bind(charge, org, undefined, nowMs)
    expect(more).toEqual([])
    expect(claim).toMatchObject({ unit: 'usd', mode: 'all' })
    expect(claim!.kind).toBe(spendCapKind)
    expect(claim!.allowances).toMatchObject([
      { limitId: limit.id, kind: 'spend_cap', subject: '', limit: limit.amount },
    ])
    expect(spendCapKind.bind(charge, { ...org, limits: [] }, undefined, nowMs)).toEqual([])
    expect(spendCapKind.surfaces.includes('edge')).toBe(true)
  })

  test('is refused with the numbers that add up', () => {
    const [claim] = spendCapKind.bind(charge, org, undefined, nowMs)
    const refusal = refusalOf(claim!, { spent: 99_750_000_000n, held: 5n }, { attempted: 300_000_000n })
    expect(spendCapKind.refuse(refusal)).toMatchObject({
      code: 'spend_cap_exceeded',
      status: 402,
      details: {
        cap_usd: '100',
        spent_usd: '99.75',
        held_usd: '0.000000005',
        attempted_usd: '0.3',
        resets_at: '2026-11-16T00:00:00.000+00:00',
        reason: 'pre_flight',
      },
    })
    expect(spendCapKind.refuse({ ...refusal, isPreFlight: false }).details).not.toHaveProperty('reason')
  })
})
