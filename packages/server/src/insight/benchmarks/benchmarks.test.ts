import { describe, expect, test } from 'vitest'
import { drawBenchmark } from './chart.ts'
import { metrics, type PeriodSums, valueOf } from './metrics.ts'
import { percentileRangeOf, percentilesOf, weightsOf, windowsOf } from './percentiles.ts'
import { benchmarkPeriodAt, sealedPeriods } from './periods.ts'
import {
  type ContributorSet,
  chooseContributors,
  hasEnoughMembers,
  isAdmissible,
  judgePeriod,
  publishedSize,
} from './publication-rules.ts'
import type { Benchmark } from './schema.ts'

const sums = (more: Partial<PeriodSums> = {}): PeriodSums => ({
  runs: 100,
  failed_runs: 5,
  input_tokens: 4_000,
  output_tokens: 1_000,
  cache_read_input_tokens: 1_000,
  cost_nano: 2_000_000_000,
  duration_ms: 30_000,
  timed_runs: 60,
  refusals: 25,
  ...more,
})
const names = (count: number, prefix = 'o') => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const setOf = (id: string, orgs: readonly string[]): ContributorSet => ({ id, orgs: new Set(orgs) })
const choose = (eligible: readonly string[], known: readonly ContributorSet[], least = 6) =>
  chooseContributors(new Set(eligible), known, least, () => 'new')

test('metrics are ratios of what usage adds up to', () => {
  expect(metrics.map((metric) => valueOf(metric, sums()))).toEqual([0.02, 50, 0.2, 0.25, 500, 0.05])
})

test('an organization without what a metric divides by, or with less than nothing, has no value', () => {
  expect(valueOf('latency_ms', sums({ timed_runs: 0 }))).toBeNull()
  expect(valueOf('cache_share', sums({ input_tokens: 0 }))).toBeNull()
  expect(valueOf('cost_per_run_usd', sums({ runs: 0 }))).toBeNull()
  expect(valueOf('cost_per_run_usd', sums({ cost_nano: -1 }))).toBeNull()
})

describe('a percentile', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

  test('is a mean of all contributors in which those around it weigh most, in two digits', () => {
    expect(percentilesOf(upTo(60), 6).values).toEqual({ p10: 6.9, p25: 16, p50: 31, p75: 45, p90: 54 })
    expect(weightsOf(4, 0.5)).toEqual([1, 3, 3, 1].map((part) => expect.closeTo(part / 8, 12)))
    for (const count of [1, 6, 60, 5_000])
      expect(weightsOf(count, 0.25).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9)
    expect(percentilesOf([1_234, 1_240, 1_250, 1_260], 4).values.p50).toBe(1_200)
  })

  test('is withheld where too few stand around it', () => {
    const told = (count: number) =>
      Object.entries(percentilesOf(upTo(count), 6).values).flatMap(([name, value]) => (value === null ? [] : [name]))
    expect(told(5)).toEqual([])
    expect(told(6)).toEqual(['p50'])
    expect(told(11)).toEqual(['p50'])
    expect(told(12)).toEqual(['p25', 'p50', 'p75'])
    expect(told(29)).toEqual(['p25', 'p50', 'p75'])
    expect(told(30)).toEqual(['p10', 'p25', 'p50', 'p75', 'p90'])
    expect(percentilesOf(upTo(6), 6).withheld).toEqual({
      p10: 'too_few_contributors',
      p25: 'too_few_contributors',
      p75: 'too_few_contributors',
      p90: 'too_few_contributors',
    })
  })

  test('never rests on fewer than it must, and no two of them differ in fewer', () => {
    for (let least = 4; least <= 12; least++)
      for (let count = 0; count < 20 * least; count++) {
        const starts = [...windowsOf(count, least).values()]
        for (const start of starts) {
          expect(start >= 0 && start + least <= count, `${least} of ${count}`).toBe(true)
          const apart = starts
            .filter((other) => other !== start)
            .map((other) => Math.min(Math.abs(other - start), least))
          expect(
            apart.every((shift) => 2 * shift >= least),
            `${least} of ${count}`,
          ).toBe(true)
        }
        expect(new Set(starts).size).toBe(starts.length)
      }
  })

  test('is withheld where one value is more than half of its sum, and told where all are nothing', () => {
    expect(percentilesOf([1, 1, 1, 1, 1, 40], 6).withheld.p50).toBe('dominated')
    expect(percentilesOf([1, 1, 1, 1, 1, 30], 6).values.p50).toBe(1.9)
    expect(percentilesOf([0, 0, 0, 0, 0, 0], 6).values.p50).toBe(0)
  })

  test('says between which others a value stands, and nothing where none is told', () => {
    const { values } = percentilesOf(upTo(60), 6)
    expect(percentileRangeOf(1, values)).toEqual({ from: 0, to: 10 })
    expect(percentileRangeOf(17, values)).toEqual({ from: 25, to: 50 })
    // Who has what a percentile is may be on either side of it.
    expect(percentileRangeOf(16, values)).toEqual({ from: 10, to: 50 })
    expect(percentileRangeOf(900, values)).toEqual({ from: 90, to: 100 })
    const few = percentilesOf(upTo(6), 6).values
    expect(percentileRangeOf(1, few)).toEqual({ from: 0, to: 50 })
    expect(percentileRangeOf(9, few)).toEqual({ from: 50, to: 100 })
    expect(percentileRangeOf(9, percentilesOf([], 6).values)).toBeNull()
  })
})

describe('whose values are published', () => {
  const first = setOf('first', names(20))

  test('all of the first, if they are enough', () => {
    expect(choose(names(5), [])).toBeUndefined()
    expect(choose(names(6), [])?.orgs).toEqual(new Set(names(6)))
  })

  test('a few newcomers wait, and come in together', () => {
    expect(choose([...names(20), ...names(5, 'n')], [first])).toBe(first)
    expect(choose([...names(20), ...names(6, 'n')], [first])?.orgs.size).toBe(26)
  })

  test('whoever leaves is not published, and not the only one who is missing', () => {
    const chosen = choose(names(20).slice(1), [first])!
    expect(chosen.orgs.has('o0')).toBe(false)
    expect(20 - chosen.orgs.size).toBeGreaterThanOrEqual(6)
    expect(isAdmissible(chosen.orgs, [first], 6)).toBe(true)
  })

  test('nobody is, where nobody could be missing with whoever has left', () => {
    expect(choose(names(11).slice(1), [setOf('small', names(11))])).toBeUndefined()
  })

  test('those who rest come back when enough have left, or when whoever was missing is back', () => {
    const second = choose(names(20).slice(1), [first])!
    expect(choose(names(20).slice(1), [first, second])).toBe(second)
    expect(choose(names(20), [first, second])).toBe(first)
    const third = choose([...names(20).slice(6), ...names(6, 'n')], [first, second])!
    expect(third.orgs.size).toBeGreaterThan(second.orgs.size)
    expect(isAdmissible(third.orgs, [first, second], 6)).toBe(true)
  })

  test('a floor that was raised binds what is published from then on', () => {
    const second = setOf('second', names(26))
    expect(choose(names(20), [first, second], 6)).toBe(first)
    expect(choose(names(20), [first, second], 7)).not.toBe(first)
  })
})

describe('a judged period', () => {
  const rules = { floor: 5, margin: 1 }
  const of = (orgs: readonly string[], more: (i: number) => Partial<PeriodSums> = () => ({})) =>
    orgs.map((orgId, i) => ({ orgId, sums: sums(more(i)) }))
  const judged = (contributions: ReturnType<typeof of>, known: readonly ContributorSet[] = []) => {
    let made = 0
    return judgePeriod(contributions, known, rules, () => `set ${(made += 1)}`)
  }

  test('has one set where all have all values', () => {
    const published = judged(of(names(8)))
    expect(new Set(published.map(({ contributors }) => contributors?.id))).toEqual(new Set(['set 1']))
    expect(published.map(({ percentiles }) => percentiles.values.p50)).toEqual([0.02, 50, 0.2, 0.25, 500, 0.05])
  })

  test('withholds a metric that too few have, and lets no two of its metrics differ in a few', () => {
    const withoutTimes = (count: number) => judged(of(names(20), (i) => (i < count ? { timed_runs: 0 } : {})))
    const sizes = (count: number) => withoutTimes(count).map(({ contributors }) => contributors?.orgs.size)
    expect(sizes(6)).toEqual([20, 20, 20, 20, 14, 20])
    const [all, , , , latency] = withoutTimes(1)
    expect(20 - latency!.contributors!.orgs.size).toBeGreaterThanOrEqual(6)
    expect(isAdmissible(latency!.contributors!.orgs, [all!.contributors!], 6)).toBe(true)
    expect(withoutTimes(15)[4]).toMatchObject({ contributors: null, percentiles: { values: { p50: null } } })
  })

  test('withholds everything where one has more than half of the runs or of the cost', () => {
    const with0 = (more: Partial<PeriodSums>) =>
      judged(of(names(8), (i) => (i === 0 ? more : {}))).map(({ percentiles }) => percentiles.withheld.p50)
    expect(with0({ runs: 701 })).toEqual(metrics.map(() => 'dominated'))
    expect(with0({ cost_nano: 14_000_000_001 })).toEqual(metrics.map(() => 'dominated'))
    expect(with0({ runs: 700, cost_nano: 14_000_000_000 })[1]).toBeUndefined()
  })

  test('a cohort of too few contributors publishes nothing', () => {
    expect(judged(of(names(5))).every(({ contributors }) => contributors === null)).toBe(true)
  })

  test('is answered while enough are left, and tells its size in steps', () => {
    expect([5, 6, 7].map((left) => hasEnoughMembers(left, rules))).toEqual([false, true, true])
    expect([6, 9, 10, 19, 20, 5_000].map((count) => publishedSize(count, rules))).toEqual([5, 5, 10, 10, 20, 1_000])
    expect(publishedSize(31, { floor: 30, margin: 1 })).toBe(30)
  })
})

describe('a period', () => {
  const at = (text: string) => Date.parse(text)

  test('is a week from Monday or a month, in UTC', () => {
    expect(new Date(benchmarkPeriodAt('week', at('2026-11-15T23:59:59Z')).startMs).toISOString()).toBe(
      '2026-11-09T00:00:00.000Z',
    )
    expect(new Date(benchmarkPeriodAt('month', at('2026-11-30T23:59:59Z')).endMs).toISOString()).toBe(
      '2026-12-01T00:00:00.000Z',
    )
  })

  test('is sealed three days after its end, and those that were missed follow in order', () => {
    const starts = (after: string, now: string) =>
      sealedPeriods('month', at(after), at(now)).map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10))
    expect(starts('2026-10-15T00:00:00Z', '2026-11-03T23:59:59Z')).toEqual([])
    expect(starts('2026-10-15T00:00:00Z', '2026-11-04T00:00:00Z')).toEqual(['2026-10-01'])
    expect(starts('2026-10-15T00:00:00Z', '2027-01-04T00:00:00Z')).toEqual(['2026-10-01', '2026-11-01', '2026-12-01'])
    expect(starts('2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z')).toEqual([])
  })
})

test('a picture shows what is told and whose the mark is, and no name can be more than text', () => {
  const metric = { p10: null, p25: 1, p50: 2, p75: 3, p90: null, withheld: {}, own: null }
  const withheld = { ...metric, p25: null, p50: null, p75: null }
  const own = { value: '0.02', percentile_from: 25, percentile_to: 50 }
  const svg = drawBenchmark({
    cohort: { name: '<script>&"' },
    period_start: '2026-10-01T00:00:00.000+00:00',
    period_end: '2026-11-01T00:00:00.000+00:00',
    contributors_at_least: 20,
    metrics: {
      cost_per_run_usd: { ...metric, p25: '0.01', p50: '0.02', p75: '0.03', own },
      tokens_per_run: metric,
      refusal_rate: metric,
      cache_share: metric,
      latency_ms: withheld,
      failure_rate: metric,
    },
  } as unknown as Benchmark)
  expect(svg).not.toContain('<script>')
  expect(svg).toContain('&lt;script&gt;&amp;&quot;')
  expect(svg).toContain('2026-10-01 to 2026-10-31, at least 20 organizations')
  expect(svg.match(/class="mark"/g)).toHaveLength(1)
  expect(svg).toContain('you $0.02')
  expect(svg.match(/withheld/g)).toHaveLength(1)
})
