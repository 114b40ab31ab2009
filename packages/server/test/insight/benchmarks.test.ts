import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { parseId, requireId } from '../../src/values/id.ts'
import { type Cohort, useCohorts } from '../support/benchmarks.ts'
import { faultsOf } from '../support/limits.ts'
import { costing } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, type Tenant } from '../support/tenants.ts'

const dayMs = 86_400_000
const seed = firstSeed()

// A cohort needs four contributors, whoever reads.
const benchmarks = useCohorts({ SVC_COHORT_FLOOR: '3', SVC_COHORT_MARGIN: '1' })
const { server, superuser } = benchmarks

const codeOf = (answer: { status: number; json: { error?: { code: string } } }) =>
  `${answer.status} ${answer.json.error?.code ?? ''}`.trim()
const tooFew = '400 insufficient_cohort_size'

describe('a cohort', () => {
  test('is defined by operators, on the record, and seen by everybody', async () => {
    const orgs = await benchmarks.orgs(1)
    const { status, json } = await benchmarks.admin('POST', '', {
      name: 'Fintech support',
      industry: 'fintech',
      size: '50-249',
      workload: 'support',
      period: 'week',
    })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      industry: 'fintech',
      size: '50-249',
      workload: 'support',
      period: 'week',
      status: 'open',
    })
    const listed = await benchmarks.as(orgs[0]!, 'GET', '/v1/benchmarks/cohorts?industry=fintech')
    expect(listed.json['data']).toEqual([{ ...json, member: false, latest_period_start: null }])
    expect((await benchmarks.admin('GET', '?workload=support')).json['data']).toEqual([json])
    expect((await benchmarks.admin('GET', '?workload=other')).json['data']).toEqual([])
    const { rows } = await superuser.client.query<{ action: string }>(
      `select action from audit_log where target->>'id' = $1`,
      [json['id']],
    )
    expect(rows).toEqual([{ action: 'benchmark_cohort.created' }])
  })

  test('can be renamed and closed, and then not be joined; what it compares stays', async () => {
    const orgs = await benchmarks.orgs(1)
    const cohort = await benchmarks.cohort()
    const changed = await benchmarks.admin('PATCH', `/${cohort.id}`, { name: 'Other', status: 'closed' })
    expect(changed.json).toMatchObject({ id: cohort.id, name: 'Other', status: 'closed' })
    expect(faultsOf(await benchmarks.admin('PATCH', `/${cohort.id}`, { industry: 'x' }))).toEqual([
      'industry: read_only',
    ])
    expect(faultsOf(await benchmarks.setMembership(orgs[0]!, [cohort.id]))).toEqual(['cohort_ids.0: invalid_value'])
    expect(codeOf(await benchmarks.admin('PATCH', '/coh_01jbsteb4peb5vskx602h9mw4q', { name: 'x' }))).toBe(
      '404 not_found',
    )
  })

  test('is joined and left by an admin of the organization, on its record', async () => {
    const [org] = (await benchmarks.orgs(1)) as [Tenant]
    const [one, two] = [await benchmarks.cohort(), await benchmarks.cohort()]
    const joined = await benchmarks.setMembership(org, [one.id, two.id])
    expect(joined.json['cohort_ids']).toEqual([one.id, two.id])
    expect(joined.json['cohorts']).toMatchObject([{ cohort_id: one.id }, { cohort_id: two.id }])
    const again = await benchmarks.setMembership(org, [two.id])
    expect(again.json['cohorts']).toEqual((joined.json['cohorts'] as object[]).slice(1))
    const path = `/v1/orgs/${org.id}/benchmark-membership`
    const viewer = (await keyOf(server, org.id, { role: 'viewer' })).key
    expect((await call(server.url, 'GET', path, { key: viewer })).json).toEqual(again.json)
    expect((await call(server.url, 'PUT', path, { key: viewer, body: { cohort_ids: [] } })).status).toBe(403)
    const unknown = 'coh_01jbsteb4peb5vskx602h9mw4q'
    expect(faultsOf(await benchmarks.setMembership(org, [two.id, unknown]))).toEqual(['cohort_ids.1: invalid_value'])
    expect(faultsOf(await benchmarks.setMembership(org, ['nonsense']))).toEqual(['cohort_ids.0: invalid_format'])
    const audit = await call(server.url, 'GET', `/v1/orgs/${org.id}/audit-log?action=benchmark_membership.set`, {
      key: org.key,
    })
    expect(audit.json['data']).toHaveLength(2)
    await benchmarks.setMembership(org, [])
  })
})

describe('values', () => {
  test('are published when their period is sealed, with the reader’s own beside them', async () => {
    const orgs = await benchmarks.orgs(10)
    const cohort = await benchmarks.cohortOf(orgs.slice(0, 4))
    for (const [i, org] of orgs.slice(0, 4).entries())
      await benchmarks.use(org, cohort.periods[0], { runs: 100, cost_nano: (i + 1) * 1_000_000_000, failed_runs: 10 })
    await benchmarks.publish(cohort.periods[0].endMs + 3 * dayMs - 1)
    expect(codeOf(await benchmarks.read(orgs[0]!, cohort))).toBe(tooFew)
    await benchmarks.publish(cohort.periods[0].endMs + 3 * dayMs)
    const { status, json } = await benchmarks.read(orgs[0]!, cohort)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      cohort: { id: cohort.id },
      period_start: new Date(cohort.periods[0].startMs).toISOString().replace('Z', '+00:00'),
      contributors_at_least: 3,
      metrics: {
        cost_per_run_usd: {
          p10: null,
          p25: null,
          p50: '0.025',
          p75: null,
          p90: null,
          withheld: { p10: 'too_few_contributors', p90: 'too_few_contributors' },
          own: { value: '0.01', percentile_from: 0, percentile_to: 50 },
        },
        failure_rate: { p50: 0.1, own: { value: 0.1, percentile_from: 0, percentile_to: 100 } },
        refusal_rate: { p50: 0, own: { value: 0 } },
        latency_ms: { p50: null, withheld: { p50: 'too_few_contributors' }, own: null },
        cache_share: { p50: null, own: null },
      },
    })
    const outsider = await benchmarks.read(orgs[9]!, cohort)
    expect(outsider.json).toMatchObject({ metrics: { cost_per_run_usd: { p50: '0.025', own: null } } })
    const day = new Date(cohort.periods[0].endMs - 1).toISOString().slice(0, 10)
    expect((await benchmarks.read(orgs[0]!, cohort, `?period=${day}`)).json).toEqual(json)
    expect(codeOf(await benchmarks.read(orgs[0]!, cohort, '?period=2020-01-01'))).toBe(tooFew)
    expect(faultsOf(await benchmarks.read(orgs[0]!, cohort, '?period=2026-02-30'))).toEqual(['period: invalid_value'])
    const listed = await benchmarks.as(orgs[0]!, 'GET', '/v1/benchmarks/cohorts?sort=-created_at&limit=1')
    expect(listed.json['data']).toMatchObject([
      { id: cohort.id, member: true, latest_period_start: json['period_start'] },
    ])
    const svg = await benchmarks.read(orgs[0]!, cohort, '?format=svg')
    expect(svg.headers.get('content-type')).toContain('image/svg+xml')
    expect(svg.text).toMatch(/^<svg [\s\S]*you \$0\.01[\s\S]*<\/svg>$/)
    const told = await superuser.client.query(
      `select distinct org_id from outbox where kind = 'benchmark.published' and subject = $1`,
      [cohort.id],
    )
    expect(told.rows).toHaveLength(4)
  })

  test('of too few are refused with how many it takes, whoever asks', async () => {
    const orgs = await benchmarks.orgs(10)
    const cohort = await benchmarks.cohortOf(orgs.slice(0, 3))
    await benchmarks.useAll(orgs.slice(0, 3), cohort.periods[0])
    await benchmarks.publishAfter(cohort.periods[0])
    for (const org of [orgs[0]!, orgs[9]!]) {
      const { status, json } = await benchmarks.read(org, cohort)
      expect(status).toBe(400)
      expect(json.error).toMatchObject({ code: 'insufficient_cohort_size', details: { minimum_cohort_size: 4 } })
    }
    expect(codeOf(await benchmarks.as(orgs[0]!, 'GET', '/v1/benchmarks/cohorts/coh_01jbsteb4peb5vskx602h9mw4q'))).toBe(
      '404 not_found',
    )
  })

  test('never change, whatever is recorded later and however often they are published', async () => {
    const orgs = await benchmarks.orgs(10)
    const cohort = await benchmarks.cohortOf(orgs.slice(0, 5))
    await benchmarks.useAll(orgs.slice(0, 5), cohort.periods[0])
    await Promise.all([1, 2, 3].map(() => benchmarks.publishAfter(cohort.periods[0])))
    const metricsOf = async () => (await benchmarks.read(orgs[9]!, cohort)).json['metrics']
    const before = await metricsOf()
    await benchmarks.use(orgs[0]!, cohort.periods[0], { runs: 900, cost_nano: 1e15 })
    await benchmarks.publishAfter(cohort.periods[0])
    expect(await metricsOf()).toEqual(before)
    const change = (statement: ReturnType<typeof raw>) => statement.execute(server.platform.sql.db)
    await expect(change(raw`update benchmark_results set percentiles = '{}'`)).rejects.toThrow('permission denied')
    await expect(change(raw`delete from benchmark_periods`)).rejects.toThrow('permission denied')
  })

  test('are withheld where one organization has more than half of the volume', async () => {
    const orgs = await benchmarks.orgs(6)
    const cohort = await benchmarks.cohortOf(orgs.slice(0, 6))
    await benchmarks.useAll(orgs.slice(0, 6), cohort.periods[0])
    await benchmarks.use(orgs[0]!, cohort.periods[0], { runs: 100_000 })
    await benchmarks.publishAfter(cohort.periods[0])
    const { json } = await benchmarks.read(orgs[1]!, cohort)
    expect(json).toMatchObject({ metrics: { tokens_per_run: { p50: null, withheld: { p50: 'dominated' } } } })
  })

  test('are closed at once by leaving, and not opened again by coming back', async () => {
    const orgs = await benchmarks.orgs(5)
    const cohort = await benchmarks.cohortOf(orgs.slice(0, 5))
    await benchmarks.useAll(orgs.slice(0, 5), cohort.periods[0])
    await benchmarks.publishAfter(cohort.periods[0])
    const read = async () => codeOf(await benchmarks.read(orgs[4]!, cohort))
    expect(await read()).toBe('200')
    await benchmarks.leave(orgs[0]!, cohort)
    expect(await read()).toBe('200')
    await benchmarks.leave(orgs[1]!, cohort)
    expect(await read()).toBe(tooFew)
    await benchmarks.joinAt([orgs[0]!, orgs[1]!], cohort, cohort.periods[0].endMs + 5 * dayMs)
    expect(await read()).toBe(tooFew)
  })

  test('of the next period are without whoever has left, who is not the only one missing', async () => {
    const orgs = await benchmarks.orgs(12)
    const members = orgs.slice(0, 12)
    const cohort = await benchmarks.cohortOf(members)
    for (const period of cohort.periods) await benchmarks.useAll(members, period)
    await benchmarks.publishAfter(cohort.periods[0])
    await benchmarks.leave(members[0]!, cohort)
    await benchmarks.publishAfter(cohort.periods[1])
    const [first, second] = await benchmarks.setsOf(cohort)
    expect(first!.size).toBe(12)
    expect(second!.has(requireId('org', members[0]!.id))).toBe(false)
    expect(12 - second!.size).toBeGreaterThanOrEqual(4)
    expect(codeOf(await benchmarks.read(members[1]!, cohort))).toBe('200')
  })

  test('are not published while the cohort is closed, and not afterwards for that time', async () => {
    const members = await benchmarks.orgs(5)
    const cohort = await benchmarks.cohortOf(members)
    for (const period of cohort.periods) await benchmarks.useAll(members, period)
    await benchmarks.admin('PATCH', `/${cohort.id}`, { status: 'closed' })
    await benchmarks.publishAfter(cohort.periods[0])
    expect(codeOf(await benchmarks.read(members[0]!, cohort))).toBe(tooFew)
    expect((await benchmarks.admin('PATCH', `/${cohort.id}`, { status: 'open' })).json).toMatchObject({
      status: 'open',
    })
    // As if it had been opened in the second month.
    await superuser.client.query('update benchmark_cohorts set opened_at = $2 where id = $1', [
      parseId('cohort', cohort.id),
      new Date(cohort.periods[1].startMs + dayMs),
    ])
    await benchmarks.publishAfter(cohort.periods[1])
    expect((await benchmarks.read(members[0]!, cohort)).json).toMatchObject({
      period_start: new Date(cohort.periods[1].startMs).toISOString().replace('Z', '+00:00'),
    })
    const first = new Date(cohort.periods[0].startMs).toISOString().slice(0, 10)
    expect(codeOf(await benchmarks.read(members[0]!, cohort, `?period=${first}`))).toBe(tooFew)
  })

  test('wait for whoever is just leaving', async () => {
    const orgs = await benchmarks.orgs(6)
    const members = orgs.slice(0, 6)
    const cohort = await benchmarks.cohortOf(members)
    await benchmarks.useAll(members, cohort.periods[0])
    const gone = requireId('org', members[0]!.id)
    await superuser.client.query('begin')
    await superuser.client.query(`select pg_advisory_xact_lock_shared(hashtextextended('benchmarks', 0))`)
    await superuser.client.query('delete from benchmark_members where org_id = $1', [gone])
    const publishing = benchmarks.publishAfter(cohort.periods[0])
    await eventually(async () => {
      const { rows } = await superuser.client.query(`select from pg_locks where locktype = 'advisory' and not granted`)
      return rows.length > 0
    })
    await superuser.client.query('commit')
    await publishing
    expect([...(await benchmarks.setsOf(cohort))[0]!]).not.toContain(gone)
    expect((await benchmarks.setsOf(cohort))[0]!.size).toBe(5)
  })
})

test('nothing of other organizations is shown to the application, whatever it asks', async () => {
  const orgs = await benchmarks.orgs(10)
  const cohort = await benchmarks.cohortOf(orgs.slice(0, 5))
  await benchmarks.useAll(orgs.slice(0, 5), cohort.periods[0])
  await benchmarks.publishAfter(cohort.periods[0])
  const own = requireId('org', orgs[9]!.id)
  const others = orgs.slice(0, 5).map(({ id }) => requireId('org', id))
  const seen = (statement: ReturnType<typeof raw>) =>
    server.platform.sql.asOrgs([own], async (tx) => (await statement.execute(tx)).rows)
  const id = requireId('cohort', cohort.id)
  const [from, to] = [new Date(cohort.periods[0].startMs), new Date(cohort.periods[0].endMs)]
  expect(await seen(raw`select * from benchmark_members where org_id <> ${own}`)).toEqual([])
  expect(await seen(raw`select * from refusal_counts where org_id <> ${own}`)).toEqual([])
  expect(await seen(raw`select * from benchmark_members_of(${id})`)).toEqual([])
  expect(await seen(raw`select * from benchmark_sums_of(${id}, ${others}::uuid[], ${from}, ${to})`)).toEqual([])
  expect(await seen(raw`select * from benchmark_sets_with(${others}::uuid[])`)).toEqual([])
  expect(await seen(raw`select runs from benchmark_sums(${others[0]}, ${from}, ${to})`)).toEqual([{ runs: 0 }])
  await expect(seen(raw`select * from benchmark_set_orgs`)).rejects.toThrow('permission denied')
  await expect(seen(raw`select * from benchmark_sets`)).rejects.toThrow('permission denied')
  await expect(seen(raw`select benchmark_keep_set(gen_random_uuid(), ${others}::uuid[])`)).rejects.toThrow('publishes')
  const results = JSON.stringify(await seen(raw`select r.*, p.* from benchmark_results r, benchmark_periods p`))
  for (const other of others) expect(results).not.toContain(other)
})

test('every refusal counts, kept or not, and dry runs do not', async () => {
  const [org] = (await benchmarks.orgs(1)) as [Tenant]
  await call(server.url, 'PUT', `/v1/orgs/${org.id}/spend-cap`, { key: org.key, body: { cap_usd: '1' } })
  const ask = (body: object) => call(server.url, 'POST', '/v1/edge/decision', { key: org.key, body })
  await Promise.all(Array.from({ length: 40 }, () => ask(costing('5'))))
  for (let i = 0; i < 5; i++) expect((await ask({ ...costing('5'), dry_run: true })).status).toBe(402)
  const counted = async () =>
    (
      await superuser.client.query<{ error_code: string; count: string }>(
        'select error_code, sum(count) as count from refusal_counts where org_id = $1 group by 1',
        [parseId('org', org.id)],
      )
    ).rows
  await eventually(async () => Number((await counted())[0]?.count ?? 0) >= 40)
  expect((await ask(costing('5'))).status).toBe(402)
  await eventually(async () => Number((await counted())[0]?.count ?? 0) >= 41)
  expect(await counted()).toEqual([{ error_code: 'spend_cap_exceeded', count: '41' }])
})

/** The differencing attack against the program itself; the rules alone are attacked in benchmark-attack.test.ts. */
test(`an adversary that joins, leaves and reads through the API isolates nobody (WEIR_SEED=${seed})`, async () => {
  const orgs = await benchmarks.orgs(14)
  console.log(`attack from seed ${seed}`)
  const random = new Random(seed)
  const cohorts: Cohort[] = [await benchmarks.cohortOf(orgs.slice(0, 14)), await benchmarks.cohortOf(orgs.slice(2, 14))]
  const adversary = orgs[0]!
  const answered = new Map<string, Set<string>>()
  for (const period of cohorts[0]!.periods) {
    for (const org of orgs.slice(0, 14)) if (random.chance(0.95)) await benchmarks.useAll([org], period)
    for (let i = random.int(4); i > 0; i--) {
      const org = random.chance(0.5) ? adversary : random.pick(orgs.slice(0, 14))
      const cohort = random.pick(cohorts)
      if (random.chance(0.6)) await benchmarks.leave(org, cohort)
      else await benchmarks.joinAt([org], cohort, period.startMs + 1)
    }
    await benchmarks.publishAfter(period)
    for (const cohort of cohorts)
      for (const { startMs } of cohort.periods) {
        const day = new Date(startMs).toISOString().slice(0, 10)
        if ((await benchmarks.read(adversary, cohort, `?period=${day}`)).status !== 200) continue
        for (const [metric, set] of await benchmarks.setsIn(cohort, startMs))
          answered.set(`${cohort.id} ${startMs} ${metric}`, set)
      }
  }
  const own = requireId('org', adversary.id)
  const foreign = (set: Iterable<string>) => [...set].filter((org) => org !== own)
  expect(answered.size).toBeGreaterThan(0)
  for (const [name, set] of answered) {
    expect(foreign(set).length, name).toBeGreaterThanOrEqual(3)
    for (const [other, otherSet] of answered) {
      const alone = foreign(set).filter((org) => !otherSet.has(org)).length
      expect(alone === 0 || alone >= 3, `${name} and ${other}: ${alone}`).toBe(true)
    }
  }
})
