import { expect, test } from 'vitest'
import { readBenchmark } from '../../src/insight/benchmarks/benchmarks.ts'
import { drawBenchmark } from '../../src/insight/benchmarks/chart.ts'
import { type PeriodSums, valueOf } from '../../src/insight/benchmarks/metrics.ts'
import {
  percentileRangeOf,
  percentilesOf,
  percents,
  weightsOf,
  windowsOf,
} from '../../src/insight/benchmarks/percentiles.ts'
import { publishPeriod } from '../../src/insight/benchmarks/publication.ts'
import { openCohorts } from '../../src/insight/benchmarks/queries.ts'
import type { Benchmark } from '../../src/insight/benchmarks/schema.ts'
import { parseId, requireId } from '../../src/values/id.ts'
import { useCohorts } from '../support/benchmarks.ts'
import { firstSeed, Random } from '../support/random.ts'
import type { Tenant } from '../support/tenants.ts'

/** What benchmarks promise, asked in ways in which they could contradict themselves. */

const floor = 3
const least = 4
const benchmarks = useCohorts({ SVC_COHORT_FLOOR: String(floor), SVC_COHORT_MARGIN: String(least - floor) })
const { server } = benchmarks

const uuidOf = (org: Tenant) => requireId('org', org.id)
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

test('no difference of two answers about a period rests on fewer than the floor of others, nor mostly on one', () => {
  const seed = firstSeed()
  console.info(`pairs of cohorts from seed ${seed}`)
  const random = new Random(seed)
  const rules = { floor: 5, least: 6 }
  let compared = 0
  for (let world = 0; world < 2_000; world++) {
    // Whoever is in the small cohort is in the large one too: an admissible pair.
    const small = random.between(rules.least, 45)
    const large = small + random.between(rules.least, 30)
    const values = Array.from({ length: large }, () => random.between(1, 1_000_000))
    const ranked = (count: number) =>
      Array.from({ length: count }, (_, org) => org).sort((one, other) => values[one]! - values[other]! || one - other)
    for (const percent of percents) {
      if (![small, large].every((count) => windowsOf(count, rules.least).has(`p${percent}`))) continue
      const weights = Array.from({ length: large }, () => 0)
      for (const [count, sign] of [
        [small, -1],
        [large, 1],
      ] as const)
        for (const [rank, org] of ranked(count).entries())
          weights[org]! += sign * weightsOf(count, percent / 100)[rank]!
      // The reader may be whoever weighs most.
      const [, ...others] = weights.map(Math.abs).sort((one, other) => other - one)
      const sum = others.reduce((total, weight) => total + weight, 0)
      expect(others.filter((weight) => weight > sum / 100).length).toBeGreaterThanOrEqual(rules.floor)
      expect(others[0]! / sum).toBeLessThan(0.5)
      compared += 1
    }
  }
  expect(compared).toBeGreaterThan(2_000)
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
    requireId('cohort', cohort.id),
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

test('whoever is refused is told what the period was published with, where that asks for more than the settings do now', async () => {
  const members = await benchmarks.orgs(10)
  const cohort = await benchmarks.cohortOf(members)
  await benchmarks.useAll(members, cohort.periods[0])
  const row = (await openCohorts(server.platform.sql)).find(({ id }) => id === parseId('cohort', cohort.id))!
  const config = { ...server.platform.config, cohortFloor: 8, cohortMargin: 1 }
  await publishPeriod({ ...server.platform, config }, row, cohort.periods[0])
  for (const org of members.slice(0, 2)) await benchmarks.leave(org, cohort)
  const { status, json } = await benchmarks.read(members[9]!, cohort)
  expect(status).toBe(400)
  expect((json.error!.details as { minimum_cohort_size: number }).minimum_cohort_size).toBeGreaterThan(8)
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
  const none = percentilesOf(
    Array.from({ length: 60 }, () => 0),
    6,
  ).values
  expect(percentileRangeOf(0, none)).not.toEqual({ from: 90, to: 100 })
})

test('a share of input tokens is never more than all of them, whatever was reported', () => {
  const share = valueOf('cache_share', { ...tokensOf(10), cache_read_input_tokens: 1_000 })
  expect(share ?? 0).toBeLessThanOrEqual(1)
})

test.each(['0000-01-01', '0001-01-01', '9999-12-31'])(
  'a period with %s was not published, and that is all',
  async (day) => {
    const [org] = (await benchmarks.orgs(1)) as [Tenant]
    const cohort = await benchmarks.cohort()
    const { status, text } = await benchmarks.read(org, cohort, `?period=${day}`)
    expect([400, 422], text).toContain(status)
  },
)

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
  const told = Object.entries(metrics).filter(([, { p50 }]) => p50 !== null)
  expect(told.filter(([metric]) => sets.get(metric)!.size < contributors_at_least)).toEqual([])
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
