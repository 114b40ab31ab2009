import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { faultsOf, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { call } from '../../../test/support/tenants.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import type { OrgLimits, Pack } from '../ledger/ledger.ts'
import { loadTopUps, quotaKind } from './quota.ts'

const server = useServer()
const limits = useLimits(server)
const path = '/quota/top-ups'
const quota = async () => (await limits.ask('GET', '/quota', undefined, limits.viewer)).json

describe('the prepaid quota', () => {
  test('is none before the first top-up', async () => {
    expect(await quota()).toEqual({
      prepaid: false,
      limit_usd: null,
      spent_usd: '0',
      held_usd: '0',
      remaining_usd: null,
      overrun_usd: '0',
      late_usd: '0',
      refused_count: 0,
      exhausted_at: null,
      period_start: null,
      period_end: null,
    })
  })

  test('is the sum of all top-ups, and what is drawn from them', async () => {
    const { status, json } = await limits.admin('POST', path, { amount_usd: '500.000000001', name: 'INV-1042' })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^top_/),
      name: 'INV-1042',
      amount_usd: '500.000000001',
      spent_usd: '0',
      held_usd: '0',
      remaining_usd: '500.000000001',
      refused_count: 0,
      exhausted_at: null,
      created_at: expect.any(String),
    })
    const { json: second } = await limits.admin('POST', path, { amount_usd: '1' })
    expect(second).toMatchObject({ name: null })
    const [one, two] = [json, second].map(({ id }) => requireId('topUp', String(id)))
    await limits.book(one!, { spent: 499_000_000_000n, held: 1_000_000_001n, overrun: 1n })
    await limits.book(two!, { spent: 250_000_000n, late: 2n })
    expect(await quota()).toEqual({
      prepaid: true,
      limit_usd: '501.000000001',
      spent_usd: '499.25',
      held_usd: '1.000000001',
      remaining_usd: '0.75',
      overrun_usd: '0.000000001',
      late_usd: '0.000000002',
      refused_count: 0,
      exhausted_at: null,
      period_start: null,
      period_end: null,
    })
    expect(await limits.recorded('quota.topped_up')).toMatchObject([
      { target: { id: second['id'] }, before: { limit_usd: '500.000000001' }, after: { limit_usd: '501.000000001' } },
      { target: { id: json['id'] }, before: { prepaid: false }, after: { prepaid: true, top_up: json } },
    ])
    const orgId = requireId('org', limits.acme.id)
    const loaded = await server.platform.sql.asOrgs([orgId], (tx) => loadTopUps(tx, orgId))
    expect(loaded.map(({ id }) => id).sort()).toEqual([one!, two!].sort())
  })

  test('is listed by operators, page after page', async () => {
    const { json: first } = await limits.admin('GET', `${path}?limit=1&sort=created_at`)
    expect(first['data']).toMatchObject([{ name: 'INV-1042', spent_usd: '499' }])
    const { json: last } = await limits.admin(
      'GET',
      `${path}?limit=1&sort=created_at&cursor=${String(first['next_cursor'])}`,
    )
    expect(last).toMatchObject({ data: [{ name: null, remaining_usd: '0.75' }], next_cursor: null })
  })

  test('names every fault of what is asked', async () => {
    const faults = async (body: object) => faultsOf(await limits.admin('POST', path, body))
    expect(await faults({})).toEqual(['amount_usd: required'])
    expect(await faults({ amount_usd: '0' })).toEqual(['amount_usd: out_of_range'])
    expect(await faults({ amount_usd: 5 })).toEqual(['amount_usd: invalid_type'])
    expect(await faults({ amount_usd: '1', name: 'x'.repeat(101) })).toEqual(['name: too_long'])
    expect(await faults({ amount_usd: '1', priority: 1 })).toEqual(['priority: unknown_field'])
  })

  test('is topped up by operators only, and only where there is an organization', async () => {
    const ask = (org: string, key: string) =>
      call(server.url, 'POST', `/v1/admin/orgs/${org}${path}`, { key, body: { amount_usd: '1' } })
    expect((await ask(limits.acme.id, limits.acme.key)).json.error?.code).toBe('forbidden')
    expect((await ask(limits.acme.id, limits.bob.key)).json.error?.code).toBe('not_found')
    const nowhere = formatId('org', newUuid())
    expect((await ask(nowhere, limits.operator)).status).toBe(404)
    expect((await limits.admin('GET', path, undefined, nowhere)).status).toBe(404)
    expect((await limits.ask('GET', '/quota', undefined, limits.bob.key)).status).toBe(404)
    expect((await limits.admin('GET', path, undefined, limits.bob.id)).json).toEqual({ data: [], next_cursor: null })
  })
})

describe('as a limit', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z')
  const charge = { usd: 1n, tokens: 1n, runs: 1n }
  const pack = (createdAtMs: number): Pack => ({
    id: newUuid(),
    owner: '',
    amount: 500_000_000_000n,
    priority: 100,
    expiresAtMs: null,
    voidedAtMs: null,
    createdAtMs,
  })
  const topUps = [pack(2), pack(1)]
  const org: OrgLimits = { version: 1n, limits: [], customerDefault: null, topUps }

  test('draws on all top-ups, the oldest first, and binds nobody without one', () => {
    const [claim, ...more] = quotaKind.bind(charge, org, undefined, nowMs)
    expect(more).toEqual([])
    expect(claim).toMatchObject({ unit: 'usd', mode: 'draw' })
    expect(claim!.allowances).toMatchObject([
      { key: topUps[1]!.id, kind: 'quota', subject: '' },
      { key: topUps[0]!.id },
    ])
    expect(quotaKind.bind(charge, { ...org, topUps: [] }, undefined, nowMs)).toEqual([])
    expect(quotaKind.surfaces.includes('edge')).toBe(true)
  })

  test('is refused with the numbers that add up', () => {
    const [claim] = quotaKind.bind(charge, org, undefined, nowMs)
    const total = { limit: 1_000_000_000_000n, spent: 999_000_000_000n, held: 500_000_000n }
    const refusal = refusalOf(claim!, {}, { total, attempted: 750_000_000n })
    expect(quotaKind.refuse(refusal)).toMatchObject({
      code: 'quota_exhausted',
      status: 402,
      details: { quota_kind: 'prepaid', limit: '1000', used: '999.5', attempted: '0.75', resets_at: null },
    })
  })
})

test('an organization has at most 1,000 top-ups', async () => {
  await limits.query(
    (orgId) => raw`
      insert into packs (org_id, owner, id, name, amount)
      select ${orgId}, '', gen_random_uuid(), '', 1 from generate_series(1, 1000)`,
  )
  expect((await limits.admin('POST', path, { amount_usd: '1' })).json.error).toEqual({
    code: 'conflict',
    message: 'An organization has at most 1000 top-ups.',
    details: {},
  })
})
