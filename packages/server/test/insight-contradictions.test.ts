import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { readBenchmark } from '../src/benchmarks/benchmarks.ts'
import { type PeriodSums, valueOf } from '../src/benchmarks/metrics.ts'
import { percentilesOf, standingOf } from '../src/benchmarks/percentiles.ts'
import { drawBenchmark } from '../src/benchmarks/picture.ts'
import { type ContributorSet, isAdmissible, judgePeriod } from '../src/benchmarks/publishing.ts'
import { openCohorts } from '../src/benchmarks/queries.ts'
import type { Benchmark } from '../src/benchmarks/schema.ts'
import { publishPeriod } from '../src/benchmarks/sealing.ts'
import { parseId } from '../src/values/id.ts'
import { useCohorts } from './benchmarks.ts'
import type { Tenant } from './tenants.ts'

/** What benchmarks promise, asked in ways in which they could contradict themselves. */

const floor = 3
const least = 4
const benchmarks = useCohorts({ SVC_COHORT_FLOOR: String(floor), SVC_COHORT_MARGIN: String(least - floor) })
const { server } = benchmarks

const uuidOf = (org: Tenant) => parseId('org', org.id)!
const tokensOf = (perRun: number): PeriodSums => ({
  runs: 1,
  failed_runs: 0,
  input_tokens: perRun,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cost_nano: 1,
  duration_ms: 1,
  timed_runs: 1,
  refusals: 0,
})

describe('two answers about the same period', () => {
  const rules = { floor: 5, margin: 1 }
  // The adversary is one organization, the ninth of the small cohort, with 90 tokens a run.
  const own = 'member 8'
  const small = new Map(Array.from({ length: 12 }, (_, i) => [`member ${i}`, 10 * (i + 1)] as const))
  const newcomers = [1, 2, 3, 4, 200, 201].map((tokens, i) => [`newcomer ${i}`, tokens] as const)
  const large = new Map([...small, ...newcomers])

  /** The median of both cohorts, the one published after the other. */
  function mediansWith(raised?: string) {
    const known: ContributorSet[] = []
    return [small, large].map((members) => {
      const contributions = [...members].map(([orgId, tokens]) => ({
        orgId,
        sums: tokensOf(tokens + (orgId === raised ? 8 : 0)),
      }))
      const published = judgePeriod(contributions, known, rules, () => `set ${known.length}`)
      const { contributors, percentiles } = published.find(({ metric }) => metric === 'tokens_per_run')!
      expect(contributors!.orgs).toEqual(new Set(members.keys()))
      expect(isAdmissible(contributors!.orgs, known, rules.floor + rules.margin)).toBe(true)
      known.push(contributors!)
      return percentiles.values.p50!
    }) as [number, number]
  }

  test('do not tell a reader the value of one organization', () => {
    const [before, after] = mediansWith()
    const computed = 6 * (after - before) + small.get(own)!
    expect([...small.values(), ...large.values()].filter((tokens) => tokens !== 90)).not.toContain(computed)
  })

  test('do not differ by what depends on fewer than the floor of organizations besides the reader’s', () => {
    const [before, after] = mediansWith()
    const dependent = [...large.keys()].filter((org) => {
      const [one, other] = mediansWith(org)
      return org !== own && other - one !== after - before
    })
    expect(dependent.length === 0 || dependent.length >= rules.floor, dependent.join()).toBe(true)
  })
})

test('two periods of the same contributors do not tell the value of the one whose place the reader takes', () => {
  const others = Array.from({ length: 11 }, (_, i) => 10 * (i + 1))
  const medianBeside = (own: number) => percentilesOf([own, ...others], 6).values.p50!
  // Its own runs are as the reader likes: first cheap, then in the middle. All others are as they were.
  const computed = 60 - 6 * (medianBeside(60) - medianBeside(1))
  expect(others.filter((value) => value !== 60)).not.toContain(computed)
})

test('a percentile that was published under a lower floor is withheld under a higher one', async () => {
  const members = await benchmarks.orgs(10)
  const cohort = await benchmarks.cohortOf(members)
  await benchmarks.useAll(members, cohort.periods[0])
  await benchmarks.publishAfter(cohort.periods[0])
  const config = { ...server.platform.config, cohortFloor: 8, cohortMargin: 1 }
  const told = await readBenchmark(
    { sql: server.platform.sql, config },
    uuidOf(members[0]!),
    parseId('cohort', cohort.id)!,
    {},
  ).then(
    ({ metrics }) => metrics.cost_per_run_usd.p50,
    () => null,
  )
  expect(told, 'rests on the four contributors around it').toBeNull()
})

test('whoever is refused is told how many contributors it takes', async () => {
  const members = await benchmarks.orgs(floor + 1)
  const cohort = await benchmarks.cohortOf(members.slice(0, floor))
  await benchmarks.useAll(members.slice(0, floor), cohort.periods[0])
  await benchmarks.publishAfter(cohort.periods[0])
  // The last one is no member: there are as many contributors as the floor, and none of them is the reader.
  const { status, json } = await benchmarks.read(members.at(-1)!, cohort)
  expect(status).toBe(400)
  expect(json.error!.details).toEqual({ minimum_cohort_size: least })
})

test('nothing is published of a cohort that was closed while the worker was on its way to it', async () => {
  const members = await benchmarks.orgs(5)
  const cohort = await benchmarks.cohortOf(members)
  await benchmarks.useAll(members, cohort.periods[0])
  const onItsWay = (await openCohorts(server.platform.sql)).find(({ id }) => id === parseId('cohort', cohort.id))!
  expect((await benchmarks.admin('PATCH', `/${cohort.id}`, { status: 'closed' })).status).toBe(200)
  await publishPeriod(server.platform, onItsWay, cohort.periods[0])
  expect((await benchmarks.read(members[0]!, cohort)).status).toBe(400)
})

test('whoever has what everybody has is not told to be among the last tenth', () => {
  const none = percentilesOf(new Array<number>(60).fill(0), 6).values
  expect(standingOf(0, none)).not.toEqual({ from: 90, to: 100 })
})

test('a share of input tokens is never more than all of them, whatever was reported', () => {
  const share = valueOf('cache_share', { ...tokensOf(10), cache_read_input_tokens: 1_000 })
  expect(share ?? 0).toBeLessThanOrEqual(1)
})

test.each(['0000-01-01', '0001-01-01', '9999-12-31'])('a period with %s was not published, and that is all', async (day) => {
  const [org] = (await benchmarks.orgs(1)) as [Tenant]
  const cohort = await benchmarks.cohort()
  const { status, text } = await benchmarks.read(org, cohort, `?period=${day}`)
  expect([400, 422], text).toContain(status)
})

test('as many as an answer says contributed to each of its metrics', async () => {
  const members = await benchmarks.orgs(14)
  const cohort = await benchmarks.cohortOf(members)
  for (const [i, org] of members.entries())
    await benchmarks.use(org, cohort.periods[0], {
      runs: 100,
      cost_nano: 1_000_000_000,
      ...(i < 4 && { timed_runs: 100, duration_ms: 5_000 }),
    })
  await benchmarks.publishAfter(cohort.periods[0])
  const { json } = await benchmarks.read(members[0]!, cohort)
  const { contributors_at_least, metrics } = json as unknown as Benchmark
  const sets = new Map(await benchmarks.setsIn(cohort))
  for (const [metric, { p50 }] of Object.entries(metrics))
    if (p50 !== null) expect(sets.get(metric)!.size, metric).toBeGreaterThanOrEqual(contributors_at_least)
})

test('a picture says of what is dominated that it is, and not that it rests on too few', async () => {
  const members = await benchmarks.orgs(6)
  const cohort = await benchmarks.cohortOf(members)
  await benchmarks.useAll(members, cohort.periods[0])
  await benchmarks.use(members[0]!, cohort.periods[0], { runs: 100_000 })
  await benchmarks.publishAfter(cohort.periods[0])
  const benchmark = (await benchmarks.read(members[1]!, cohort)).json as unknown as Benchmark
  expect(benchmark.metrics.tokens_per_run.withheld).toMatchObject({ p50: 'dominated' })
  expect(drawBenchmark(benchmark)).not.toMatch(/Tokens per run<\/text><text[^>]*>[^<]*too few/)
})

test('how many contribute is told to the application in steps only', async () => {
  const members = await benchmarks.orgs(7)
  const cohort = await benchmarks.cohortOf(members)
  await benchmarks.useAll(members, cohort.periods[0])
  await benchmarks.publishAfter(cohort.periods[0])
  const isOpenFor = (needed: number) =>
    server.platform.sql.asOrgs([uuidOf(members[0]!)], async (tx) => {
      const { rows } = await raw`select benchmark_open_metrics(
        ${parseId('cohort', cohort.id)}, ${new Date(cohort.periods[0].startMs)}, ${needed})`.execute(tx)
      return rows.length > 0
    })
  expect([await isOpenFor(members.length), await isOpenFor(members.length + 1)]).not.toEqual([true, false])
})
