import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { beginsAfter, faultsOf, keyOfView, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { type OrgLimits, reachedThresholds, type ScopedLimit } from '../ledger/ledger.ts'
import { budgetKind } from './budgets.ts'

const mostBudgets = 300
const server = useServer({ environment: { SVC_BUDGETS_PER_ORG: String(mostBudgets) } })
const limits = useLimits(server)
const path = '/budgets'
const good = { name: 'Agents', scope_kind: 'workflow', scope_id: 'checkout', limit_usd: '250', period: 'year' }
const create = async (more: object = {}) => (await limits.ask('POST', path, { ...good, ...more })).json

describe('a budget', () => {
  test('is what was asked for, with nothing used', async () => {
    const { status, json } = await limits.ask('POST', path, {
      ...good,
      limit_usd: '250.000000001',
      timezone: 'Europe/Berlin',
      anchor: '2026-02-28',
      enforcement: 'alert',
      thresholds: [100, 50],
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^bud_/),
      name: 'Agents',
      scope_kind: 'workflow',
      scope_id: 'checkout',
      and_scope_kind: null,
      and_scope_id: null,
      limit_usd: '250.000000001',
      spent_usd: '0',
      held_usd: '0',
      remaining_usd: '250.000000001',
      overrun_usd: '0',
      late_usd: '0',
      refused_count: 0,
      exhausted_at: null,
      period: 'year',
      timezone: 'Europe/Berlin',
      anchor: '2026-02-28',
      next_schedule: null,
      period_start: expect.stringMatching(/-02-27T23:00:00\.000\+00:00$/),
      period_end: expect.stringMatching(/-02-2[78]T23:00:00\.000\+00:00$/),
      enforcement: 'alert',
      thresholds: [50, 100],
      would_refuse_count: 0,
      counts_from: json['created_at'],
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect((await limits.ask('GET', `${path}/${String(json['id'])}`, undefined, limits.viewer)).json).toEqual(json)
    expect((await limits.recorded('budget.created'))[0]).toMatchObject({ target: { id: json['id'] }, after: json })
  })

  test('blocks, in UTC, by the calendar and without thresholds where nothing else is said', async () => {
    expect(await create({ scope_kind: 'org', scope_id: undefined, period: 'month' })).toMatchObject({
      scope_kind: 'org',
      scope_id: null,
      timezone: 'UTC',
      anchor: null,
      enforcement: 'block',
      thresholds: [],
    })
  })

  test('without a limit counts without limiting; a limit of nothing leaves nothing', async () => {
    expect(await create({ limit_usd: null })).toMatchObject({ limit_usd: null, remaining_usd: null, spent_usd: '0' })
    expect(await create({ limit_usd: '0' })).toMatchObject({ limit_usd: '0', remaining_usd: '0' })
  })

  test('says what is used of the running period', async () => {
    const budget = await create({ limit_usd: '10', enforcement: 'alert' })
    await limits.book(keyOfView('budget', budget, 'checkout'), {
      spent: 12_000_000_000n,
      held: 500_000_000n,
      overrun: 1n,
      late: 2n,
      wouldRefuse: 3n,
    })
    const { json } = await limits.ask('GET', `${path}/${String(budget['id'])}`)
    expect(json).toMatchObject({
      spent_usd: '12',
      held_usd: '0.5',
      remaining_usd: '0',
      overrun_usd: '0.000000001',
      late_usd: '0.000000002',
      refused_count: 0,
      exhausted_at: null,
      would_refuse_count: 3,
    })
  })

  test('names every fault of what is asked', async () => {
    const faults = async (more: object) => faultsOf(await limits.ask('POST', path, { ...good, ...more }))
    expect(faultsOf(await limits.ask('POST', path, {}))).toEqual([
      'limit_usd: required',
      'name: required',
      'period: required',
      'scope_kind: required',
    ])
    expect(await faults({ name: '' })).toEqual(['name: empty'])
    expect(await faults({ name: 'x'.repeat(101) })).toEqual(['name: too_long'])
    expect(await faults({ scope_kind: 'customer' })).toEqual(['scope_kind: invalid_value'])
    expect(await faults({ scope_id: undefined })).toEqual(['scope_id: required'])
    expect(await faults({ scope_kind: 'org' })).toEqual(['scope_id: invalid_value'])
    expect(await faults({ scope_id: '' })).toEqual(['scope_id: empty'])
    expect(await faults({ scope_id: 'x'.repeat(201) })).toEqual(['scope_id: too_long'])
    for (const scope_id of ['a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800b'])
      expect(await faults({ scope_id })).toEqual(['scope_id: invalid_format'])
    expect(await faults({ limit_usd: 5 })).toEqual(['limit_usd: invalid_type'])
    expect(await faults({ limit_usd: '1e3' })).toEqual(['limit_usd: invalid_format'])
    expect(await faults({ period: 'hour' })).toEqual(['period: invalid_value'])
    expect(await faults({ timezone: 'Nowhere' })).toEqual(['timezone: invalid_value'])
    expect(await faults({ anchor: '2026-02-30' })).toEqual(['anchor: invalid_format'])
    expect(await faults({ anchor: '0000-01-01' })).toEqual(['anchor: invalid_format'])
    expect(await faults({ enforcement: 'warn' })).toEqual(['enforcement: invalid_value'])
    expect(await faults({ thresholds: [50, 50] })).toEqual(['thresholds: invalid_value'])
    expect(await faults({ thresholds: [0, 101, 1.5] })).toEqual([
      'thresholds.0: out_of_range',
      'thresholds.1: out_of_range',
      'thresholds.2: invalid_type',
    ])
    expect(await faults({ thresholds: Array.from({ length: 11 }, (_, i) => i + 1) })).toEqual(['thresholds: too_many'])
    expect(await faults({ colour: 'red' })).toEqual(['colour: unknown_field'])
    expect(await faults({ scope_kind: 'org', timezone: 'Nowhere' })).toEqual([
      'scope_id: invalid_value',
      'timezone: invalid_value',
    ])
  })

  test('is seen and changed by its own organization only, and by admins', async () => {
    const one = `${path}/${String((await create())['id'])}`
    expect(await limits.refusals('POST', path, good)).toEqual(['forbidden', 'not_found'])
    expect(await limits.refusals('PATCH', one, { name: 'x' })).toEqual(['forbidden', 'not_found'])
    expect(await limits.refusals('DELETE', one)).toEqual(['forbidden', 'not_found'])
    for (const id of [formatId('budget', newUuid()), 'bud_nonsense', 'nonsense'])
      for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
        expect((await limits.ask(method, `${path}/${id}`, body)).status).toBe(404)
  })

  test('once deleted binds and shows no more', async () => {
    const budget = await create({ name: 'Deleted' })
    const one = `${path}/${String(budget['id'])}`
    expect((await limits.ask('DELETE', one)).status).toBe(204)
    expect((await limits.ask('GET', one)).status).toBe(404)
    expect((await limits.ask('DELETE', one)).status).toBe(404)
    expect((await limits.ask('GET', `${path}?limit=200`)).text).not.toContain('Deleted')
    expect((await limits.recorded('budget.deleted'))[0]).toMatchObject({ before: budget, after: null })
  })
})

describe('changing a budget', () => {
  test('changes the fields that are given and no other', async () => {
    const before = await create({ thresholds: [50] })
    const one = `${path}/${String(before['id'])}`
    const { status, json } = await limits.ask('PATCH', one, { name: 'Renamed', limit_usd: null })
    expect(status).toBe(200)
    const { updated_at } = json
    expect(json).toEqual({ ...before, name: 'Renamed', limit_usd: null, remaining_usd: null, updated_at })
    expect((await limits.recorded('budget.updated'))[0]).toMatchObject({ before, after: json })
    const { json: again } = await limits.ask('PATCH', one, { enforcement: 'alert', thresholds: [], limit_usd: '1' })
    expect(again).toMatchObject({ name: 'Renamed', enforcement: 'alert', thresholds: [], limit_usd: '1' })
    expect((await limits.ask('GET', one)).json).toEqual(again)
  })

  test('names its faults, and leaves the scope alone', async () => {
    const one = `${path}/${String((await create())['id'])}`
    const faults = async (body: object) => faultsOf(await limits.ask('PATCH', one, body))
    expect(await faults({})).toEqual(['body: empty'])
    expect(await faults({ scope_id: 'other' })).toEqual(['scope_id: read_only'])
    expect(await faults({ timezone: 'Nowhere' })).toEqual(['timezone: invalid_value'])
    expect(await faults({ period: null })).toEqual(['period: invalid_value'])
    expect(await faults({ anchor: 'soon', limit_usd: 1 })).toEqual([
      'anchor: invalid_format',
      'limit_usd: invalid_type',
    ])
  })

  test('of its period takes effect with its first own period after the running one', async () => {
    const before = await create({ period: 'year' })
    const one = `${path}/${String(before['id'])}`
    const { json } = await limits.ask('PATCH', one, { period: 'week', anchor: '2026-01-01' })
    const from = beginsAfter(before['period_end'], 'week', 'UTC', '2026-01-01')
    expect(json).toMatchObject({
      period: 'year',
      anchor: null,
      period_end: from,
      next_schedule: { period: 'week', timezone: 'UTC', anchor: '2026-01-01', from },
    })
    // A further change adds to the requested one, and requesting the schedule in force takes it back.
    const { json: more } = await limits.ask('PATCH', one, { timezone: 'Asia/Tokyo' })
    expect(more['next_schedule']).toEqual({
      period: 'week',
      timezone: 'Asia/Tokyo',
      anchor: '2026-01-01',
      from: beginsAfter(before['period_end'], 'week', 'Asia/Tokyo', '2026-01-01'),
    })
    const { json: back } = await limits.ask('PATCH', one, { period: 'year', timezone: 'UTC', anchor: null })
    expect(back).toMatchObject({ period: 'year', next_schedule: null })

    await limits.ask('PATCH', one, { period: 'week' })
    await limits.query(
      (orgId) =>
        raw`update limits set next_from = now() - interval '2 years' where org_id = ${orgId} and next_from is not null`,
    )
    const { json: later } = await limits.ask('GET', one)
    expect(later).toMatchObject({ period: 'week', anchor: null, next_schedule: null })
    expect(Date.parse(String(later['period_end']))).toBeLessThanOrEqual(Date.now() + 7 * 86_400_000)
    expect((await limits.ask('PATCH', one, { name: 'Later' })).json).toMatchObject({
      period: 'week',
      next_schedule: null,
    })
  })

  test('of its amount arms again what now lies above the spend', async () => {
    const budget = await create({ limit_usd: '10', thresholds: [50, 80] })
    const key = keyOfView('budget', budget, 'checkout')
    await limits.book(key, { spent: 11_000_000_000n })
    await limits.query(
      (orgId) =>
        raw`insert into threshold_events (org_id, key, threshold, at) select ${orgId}, ${key}, t, now() from unnest(array[0, 50, 80]) t`,
    )
    const told = async () =>
      (
        await limits.query(
          (orgId) =>
            raw<{
              threshold: number
            }>`select threshold from threshold_events where org_id = ${orgId} and key = ${key} order by 1`,
        )
      ).map(({ threshold }) => threshold)
    const set = (limit_usd: string | null) => limits.ask('PATCH', `${path}/${String(budget['id'])}`, { limit_usd })
    await set('10')
    expect(await told()).toEqual([0, 50, 80])
    await set('20')
    expect(await told()).toEqual([50])
    await set(null)
    expect(await told()).toEqual([])
  })

  test('knows which thresholds are reached, to the nano-dollar', () => {
    const limit = { amount: 3n, thresholds: [33, 34, 100] }
    expect(reachedThresholds(limit, 0n)).toEqual([])
    expect(reachedThresholds(limit, 1n)).toEqual([33])
    expect(reachedThresholds(limit, 3n)).toEqual([33, 34, 100])
    expect(reachedThresholds(limit, 4n)).toEqual([0, 33, 34, 100])
    expect(reachedThresholds({ ...limit, amount: null }, 4n)).toEqual([])
  })
})

describe('the budget of a scope and period', () => {
  const at = (scope_id: string, period = 'month') =>
    `/scoped-budget?scope_kind=workflow&scope_id=${encodeURIComponent(scope_id)}&period=${period}`
  const wanted = { name: 'Ops', limit_usd: '500', thresholds: [80] }

  test('is made once, however often and by however many it is asked for', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => limits.ask('PUT', at('../ops'), wanted)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array<number>(19).fill(200), 201])
    expect(new Set(answers.map(({ json }) => json['id'])).size).toBe(1)
    const { json } = await limits.ask('GET', `${path}?scope_kind=workflow&scope_id=..%2Fops`)
    expect(json['data']).toMatchObject([{ ...wanted, scope_id: '../ops', period: 'month', enforcement: 'block' }])
    expect((await limits.ask('GET', at('../ops'), undefined, limits.viewer)).json).toEqual(
      (json['data'] as object[])[0],
    )
  })

  test('is replaced with what is asked for, what is spent stays, and its zone and anchor are not forgotten in passing', async () => {
    const schedule = { timezone: 'Asia/Tokyo', anchor: '2026-01-05' }
    const made = await limits.ask('PUT', at('zones'), { ...wanted, ...schedule })
    await limits.book(keyOfView('budget', made.json, 'zones'), { spent: 1_000_000_000n })
    const replacing = { name: 'Ops', limit_usd: '600' }
    const forgetful = await limits.ask('PUT', at('zones'), replacing)
    expect(forgetful.json).toMatchObject({
      error: {
        details: {
          fields: [
            { field: 'timezone', code: 'required' },
            { field: 'anchor', code: 'required' },
          ],
        },
      },
    })
    const { status, json } = await limits.ask('PUT', at('zones'), { ...replacing, ...schedule })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: made.json['id'],
      limit_usd: '600',
      spent_usd: '1',
      thresholds: [],
      timezone: 'Asia/Tokyo',
      anchor: '2026-01-05',
      next_schedule: null,
    })
  })

  test('is another one in another period, and is found under the period that was last asked for', async () => {
    const month = (await limits.ask('PUT', at('periods'), wanted)).json
    const day = (await limits.ask('PUT', at('periods', 'day'), wanted)).json
    expect(day['id']).not.toBe(month['id'])
    await limits.ask('PATCH', `${path}/${String(month['id'])}`, { period: 'week' })
    expect((await limits.ask('GET', at('periods'))).status).toBe(404)
    expect((await limits.ask('GET', at('periods', 'week'))).json['id']).toBe(month['id'])
  })

  test('is not chosen among several: the answer says which there are', async () => {
    const ids = [
      await create({ scope_kind: 'workflow', scope_id: 'two', period: 'month' }),
      await create({ scope_kind: 'workflow', scope_id: 'two', period: 'month' }),
    ].map(({ id }) => String(id))
    for (const [method, body] of [['GET'], ['PUT', wanted], ['DELETE']] as const) {
      const { status, text } = await limits.ask(method, at('two'), body)
      expect(status).toBe(409)
      for (const id of ids) expect(text).toContain(id)
    }
    await limits.ask('DELETE', `${path}/${ids[0]!}`)
    expect((await limits.ask('DELETE', at('two'))).status).toBe(204)
    expect((await limits.ask('DELETE', at('two'))).status).toBe(404)
  })

  test('is of the organization without a scope_id, and names its faults', async () => {
    const org = '/scoped-budget?scope_kind=org&period=quarter'
    expect((await limits.ask('PUT', org, wanted)).status).toBe(201)
    expect((await limits.ask('GET', org)).json).toMatchObject({ scope_kind: 'org', scope_id: null })
    expect(faultsOf(await limits.ask('PUT', `${org}&scope_id=x`, wanted))).toEqual(['scope_id: invalid_value'])
    expect(faultsOf(await limits.ask('PUT', '/scoped-budget', {}))).toEqual([
      'limit_usd: required',
      'name: required',
      'period: required',
      'scope_kind: required',
    ])
    expect(await limits.refusals('PUT', at('x'), wanted)).toEqual(['forbidden', 'not_found'])
    expect(await limits.refusals('DELETE', at('x'))).toEqual(['forbidden', 'not_found'])
    expect((await limits.ask('GET', at('x'), undefined, limits.bob.key)).status).toBe(404)
  })
})

describe('the list of budgets', () => {
  test('is filtered by scope and sorted by name, page after page', async () => {
    for (const name of ['b', 'c', 'a']) await create({ name, scope_kind: 'department', scope_id: `listed ${name}` })
    const names = async (query: string) => {
      const { json } = await limits.ask('GET', `${path}?${query}`, undefined, limits.viewer)
      return { names: (json['data'] as { name: string }[]).map(({ name }) => name), next: json['next_cursor'] }
    }
    expect((await names('scope_kind=department&sort=-name')).names).toEqual(['c', 'b', 'a'])
    expect((await names('scope_id=listed%20b')).names).toEqual(['b'])
    const first = await names('scope_kind=department&sort=name&limit=2')
    expect(first.names).toEqual(['a', 'b'])
    expect(await names(`scope_kind=department&sort=name&limit=2&cursor=${String(first.next)}`)).toEqual({
      names: ['c'],
      next: null,
    })
    expect(faultsOf(await limits.ask('GET', `${path}?scope_kind=customer&sort=limit_usd`))).toEqual([
      'scope_kind: invalid_filter',
      'sort: unknown_sort_field',
    ])
  })

  test('has what is used of each, and nothing of another organization', async () => {
    const budget = await create({ name: 'Used', scope_kind: 'deployment', scope_id: 'used' })
    await limits.book(keyOfView('budget', budget, 'used'), { spent: 1n })
    const { json } = await limits.ask('GET', `${path}?scope_kind=deployment`)
    expect(json['data']).toMatchObject([{ name: 'Used', spent_usd: '0.000000001' }])
    expect((await limits.ask('GET', path, undefined, limits.bob.key)).status).toBe(404)
  })
})

describe('as a limit', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z')
  const budget = (
    scopeKind: ScopedLimit['scopeKind'],
    scopeId: string,
    more: Partial<ScopedLimit> = {},
  ): ScopedLimit => ({
    id: newUuid(),
    kind: 'budget',
    unit: 'usd',
    amount: 250_000_000_000n,
    schedule: { current: { unit: 'month', anchor: null, timezone: 'UTC' }, next: null },
    enforcement: 'block',
    thresholds: [],
    scopeKind,
    scopeId,
    ...more,
  })
  const all = [
    budget('deployment', 'd'),
    budget('workflow', 'w'),
    budget('workflow', 'other'),
    budget('workflow', 'w', { enforcement: 'alert' }),
    budget('department', 'p'),
    budget('org', '', { amount: null }),
    budget('org', '', { kind: 'plan' }),
  ]
  const org: OrgLimits = { version: 1n, limits: all, customerDefault: null, topUps: [] }
  const charge = { usd: 1n, tokens: 1n, runs: 1n }
  const bound = (more: object) =>
    budgetKind.bind({ ...charge, ...more }, org, undefined, nowMs).map(({ allowances }) => allowances[0]!.limitId)
  const ids = (...indices: number[]) => indices.map((i) => all[i]!.id)

  test('binds what it is about, the widest first, alerts too', () => {
    expect(bound({})).toEqual(ids(5))
    expect(bound({ workflowId: 'w' })).toEqual(ids(5, 1, 3))
    expect(bound({ workflowId: 'w', deploymentId: 'd', departmentId: 'p', customerId: 'c' })).toEqual(
      ids(5, 4, 1, 3, 0),
    )
    expect(bound({ workflowId: 'd', departmentId: 'w' })).toEqual(ids(5))
    expect(budgetKind.surfaces.includes('edge')).toBe(true)
  })

  test('counts under the id of its scope', () => {
    const [wide, narrow] = budgetKind.bind({ ...charge, workflowId: 'w' }, org, undefined, nowMs)
    expect(wide!.allowances).toMatchObject([{ subject: '', limit: null }])
    expect(narrow!.allowances).toMatchObject([{ subject: 'w', unit: 'usd', kind: 'budget', enforcement: 'block' }])
  })

  test.each([
    ['workflow', { workflowId: 'w' }, 1],
    ['department', { departmentId: 'p' }, 4],
    ['deployment', { deploymentId: 'd' }, 0],
    ['org', {}, 5],
  ] as const)('is refused with the numbers that add up (%s)', (scopeKind, more, index) => {
    const limited = { ...org, limits: all.map((one) => ({ ...one, amount: 250_000_000_000n })) }
    const claim = budgetKind
      .bind({ ...charge, ...more }, limited, undefined, nowMs)
      .find(({ allowances }) => allowances[0]!.limitId === all[index]!.id)
    const refusal = refusalOf(claim!, { spent: 249_999_999_999n, held: 1n }, { attempted: 10n })
    expect(budgetKind.refuse(refusal)).toMatchObject({
      code: 'budget_exceeded',
      status: 402,
      details: {
        budget_id: formatId('budget', all[index]!.id),
        scope_kind: scopeKind,
        limit_usd: '250',
        spent_usd: '249.999999999',
        held_usd: '0.000000001',
        attempted_usd: '0.00000001',
        period_start: '2026-11-01T00:00:00.000+00:00',
        period_end: '2026-12-01T00:00:00.000+00:00',
      },
    })
  })
})

describe('one scope', () => {
  const scope = (scope_id: string, name = 'b') => ({ ...good, scope_id, name })
  const message = 'One scope has at most 20 budgets.'

  test('has at most 20 budgets, however many are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => limits.ask('POST', path, scope('crowded', `b${i}`))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const { json } of answers.filter(({ status }) => status !== 201))
      expect(json.error).toEqual({ code: 'conflict', message, details: {} })
    expect((await limits.ask('POST', path, scope('elsewhere'))).status).toBe(201)
    expect((await limits.ask('POST', path, { ...scope('crowded'), scope_kind: 'deployment' })).status).toBe(201)
  })

  test('has room again for what is deleted', async () => {
    const made = []
    for (let i = 0; i < 20; i++) made.push((await limits.ask('POST', path, scope('full'))).json)
    expect((await limits.ask('POST', path, scope('full'))).status).toBe(409)
    expect((await limits.ask('DELETE', `${path}/${String(made[7]!['id'])}`)).status).toBe(204)
    expect((await limits.ask('POST', path, scope('full'))).status).toBe(201)
    expect((await limits.ask('POST', path, scope('full'))).status).toBe(409)
  })

  test('keeps those that it had before there was a limit, and gets no more', async () => {
    await limits.query(
      (orgId) => raw`
        insert into limits (org_id, id, kind, name, scope_kind, scope_id, unit, amount, period, timezone, enforcement)
        select ${orgId}, gen_random_uuid(), 'budget', 'old', 'workflow', 'legacy', 'usd', 1, 'day', 'UTC', 'block'
          from generate_series(1, 25)`,
    )
    const { json } = await limits.ask('GET', `${path}?scope_kind=workflow&scope_id=legacy&limit=100`)
    expect(json['data']).toHaveLength(25)
    const [first] = json['data'] as { id: string }[]
    expect((await limits.ask('PATCH', `${path}/${first!.id}`, { limit_usd: '7' })).json).toMatchObject({
      limit_usd: '7',
    })
    expect((await limits.ask('POST', path, scope('legacy'))).json.error).toMatchObject({ code: 'conflict', message })
  })
})

test('an organization has as many budgets as the operator allows, and room again for what is deleted', async () => {
  const fill = () =>
    limits.query(
      (orgId) => raw`
        insert into limits (org_id, id, kind, name, scope_kind, scope_id, unit, amount, period, timezone, enforcement)
        select ${orgId}, gen_random_uuid(), 'budget', 'one of many', 'department', 'd-' || i, 'usd', 1, 'day', 'UTC', 'block'
          from generate_series(1, ${mostBudgets} - (select count(*)::int from limits where kind = 'budget' and ended_at is null)) i`,
    )
  await fill()
  const wanted = { ...good, scope_id: 'one-too-many' }
  const message = `An organization has at most ${mostBudgets} budgets, unless an operator sets SVC_BUDGETS_PER_ORG.`
  expect((await limits.ask('POST', path, wanted)).json.error).toEqual({ code: 'conflict', message, details: {} })
  const { json } = await limits.ask('GET', `${path}?scope_kind=department&scope_id=d-1`)
  const [first] = json['data'] as { id: string }[]
  expect((await limits.ask('DELETE', `${path}/${first!.id}`)).status).toBe(204)
  expect((await limits.ask('POST', path, wanted)).status).toBe(201)
  expect((await limits.ask('POST', path, { ...wanted, scope_id: 'ONE-too-many' })).status).toBe(409)
})
