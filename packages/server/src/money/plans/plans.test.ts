import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { faultsOf, keyOfView, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { call } from '../../../test/support/tenants.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { periodAt } from '../../values/period.ts'
import { allowanceKey, type OrgLimits, type ScopedLimit } from '../ledger/ledger.ts'
import { planKind } from './plans.ts'

const server = useServer()
const limits = useLimits(server)
const good = { name: 'Team', runs_per_month: 10_000, tokens_per_month: null, overage_policy: 'block' }
const put = async (more: object = {}) => (await limits.admin('PUT', '/plan', { ...good, ...more })).json

describe('the plan', () => {
  test('is not there until it is set, and then what was set', async () => {
    expect((await limits.ask('GET', '/plan')).json).toMatchObject({ id: null, runs_per_month: null, runs: null })
    const json = await put()
    expect(json).toEqual({
      id: expect.stringMatching(/^pln_/),
      name: 'Team',
      runs_per_month: 10_000,
      tokens_per_month: null,
      overage_policy: 'block',
      runs: { used: 0, held: 0, remaining: 10_000, refused_count: 0, exhausted_at: null },
      tokens: { used: 0, held: 0, remaining: null, refused_count: 0, exhausted_at: null },
      period_start: expect.stringMatching(/-01T00:00:00\.000\+00:00$/),
      period_end: expect.stringMatching(/-01T00:00:00\.000\+00:00$/),
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect((await limits.ask('GET', '/plan', undefined, limits.viewer)).json).toEqual(json)
    expect(await limits.recorded('plan.set')).toMatchObject([{ target: { id: json['id'] }, before: null, after: json }])
  })

  test('stays the same one when it changes, and what was used goes on counting', async () => {
    const before = await put()
    await limits.book(keyOfView('plan', before, '', 'runs'), { spent: 9_990n, held: 20n })
    const [tokens] = await limits.query(
      (orgId) => raw<{ id: string }>`select id from limits where org_id = ${orgId} and unit = 'tokens'`,
    )
    const month = periodAt({ unit: 'month', anchor: null, timezone: 'UTC' }, Date.parse(String(before['period_start'])))
    await limits.book(allowanceKey(tokens!.id, '', 'tokens', month.label), { spent: 5n })
    const after = await put({ name: 'Business', tokens_per_month: 9_007_199_254_740_991, overage_policy: 'allow' })
    expect(after).toMatchObject({
      id: before['id'],
      name: 'Business',
      overage_policy: 'allow',
      tokens_per_month: 9_007_199_254_740_991,
      runs: { used: 9_990, held: 20, remaining: 0, refused_count: 0, exhausted_at: null },
      tokens: { used: 5, held: 0, remaining: 9_007_199_254_740_986, refused_count: 0, exhausted_at: null },
    })
    expect((await limits.recorded('plan.set'))[0]).toMatchObject({ before: { name: 'Team' }, after })
    const rows = await limits.query(
      (orgId) =>
        raw<object>`select unit, amount, enforcement, period from limits where org_id = ${orgId} and kind = 'plan' order by unit`,
    )
    expect(rows).toEqual([
      { unit: 'runs', amount: 10_000n, enforcement: 'alert', period: 'month' },
      { unit: 'tokens', amount: 9_007_199_254_740_991n, enforcement: 'alert', period: 'month' },
    ])
  })

  test('of 0 includes nothing', async () => {
    expect(await put({ runs_per_month: 0 })).toMatchObject({ runs_per_month: 0, runs: { remaining: 0 } })
  })

  test('names every fault of what is asked', async () => {
    const faults = async (body: object) => faultsOf(await limits.admin('PUT', '/plan', body))
    expect(await faults({})).toEqual([
      'name: required',
      'overage_policy: required',
      'runs_per_month: required',
      'tokens_per_month: required',
    ])
    expect(await faults({ ...good, name: '' })).toEqual(['name: empty'])
    expect(await faults({ ...good, runs_per_month: -1 })).toEqual(['runs_per_month: out_of_range'])
    expect(await faults({ ...good, runs_per_month: 1.5 })).toEqual(['runs_per_month: invalid_type'])
    expect(await faults({ ...good, tokens_per_month: '5' })).toEqual(['tokens_per_month: invalid_type'])
    expect(await faults({ ...good, tokens_per_month: 9_007_199_254_740_992 })).toEqual([
      'tokens_per_month: out_of_range',
    ])
    expect(await faults({ ...good, overage_policy: 'charge' })).toEqual(['overage_policy: invalid_value'])
    expect(await faults({ ...good, period: 'year' })).toEqual(['period: unknown_field'])
  })

  test('is set by operators only, and only where there is an organization', async () => {
    const ask = (org: string, key: string) => call(server.url, 'PUT', `/v1/admin/orgs/${org}/plan`, { key, body: good })
    expect((await ask(limits.acme.id, limits.acme.key)).json.error?.code).toBe('forbidden')
    expect((await ask(limits.acme.id, limits.bob.key)).json.error?.code).toBe('not_found')
    expect((await ask(formatId('org', newUuid()), limits.operator)).status).toBe(404)
    expect((await limits.ask('GET', '/plan', undefined, limits.bob.key)).status).toBe(404)
  })
})

describe('as a limit', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z')
  const limit = (unit: 'runs' | 'tokens', more: Partial<ScopedLimit> = {}): ScopedLimit => ({
    id: newUuid(),
    kind: 'plan',
    unit,
    amount: 10_000n,
    schedule: { current: { unit: 'month', anchor: null, timezone: 'UTC' }, next: null },
    enforcement: 'block',
    thresholds: [],
    scopeKind: 'org',
    scopeId: '',
    ...more,
  })
  const rows = [limit('tokens'), limit('runs'), limit('runs', { kind: 'budget' })]
  const org: OrgLimits = { version: 1n, limits: rows, customerDefault: null, topUps: [] }
  const charge = { usd: 1n, tokens: 1n, runs: 1n }
  const bound = () => planKind.bind(charge, org, undefined, nowMs)

  test('binds runs, then tokens, of the running month', () => {
    expect(bound().map(({ unit, mode, allowances }) => [unit, mode, allowances[0]!.limitId])).toEqual([
      ['runs', 'all', rows[1]!.id],
      ['tokens', 'all', rows[0]!.id],
    ])
    expect(planKind.bind(charge, { ...org, limits: [] }, undefined, nowMs)).toEqual([])
    expect(planKind.surfaces.includes('edge')).toBe(false)
  })

  test.each(['runs', 'tokens'] as const)('is refused with the numbers that add up (%s)', (unit) => {
    const claim = bound().find((one) => one.unit === unit)
    expect(planKind.refuse(refusalOf(claim!, { spent: 9_000n, held: 1_000n }))).toMatchObject({
      code: 'plan_limit_exceeded',
      status: 402,
      details: { limit_kind: unit, limit: 10_000, used: 10_000 },
    })
  })
})
