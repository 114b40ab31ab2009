import { describe, expect, test } from 'vitest'
import { applyEffect, formulaOf, type Scenario, type ScenarioBasis, type ScenarioEffect } from './scenarios.ts'
import { fitExponent } from './team-growth.ts'

/** A hundred dollars: 60 on `a`, of which two thirds are for input, and 40 on `b`, whose price nobody knows. */
const basis: ScenarioBasis = {
  metric: 'cost',
  cost: 100,
  runs: 1_000,
  tokens: 50_000,
  models: [
    {
      model: 'a',
      cost: 60,
      inputCost: 40,
      outputCost: 20,
      inputTokens: 9_000,
      outputTokens: 1_000,
      costOn: { cheap: 15, dear: 90, unknown: null },
    },
    { model: 'b', cost: 40, inputCost: null, outputCost: null, inputTokens: 30_000, outputTokens: 10_000, costOn: {} },
  ],
  teamDays: null,
}

const factorOf = (scenario: object, more: Partial<ScenarioBasis> = {}) => {
  const { effect } = formulaOf({ name: 's', at: '2026-12-01', ...scenario } as Scenario, { ...basis, ...more })
  return effect.kind === 'scale' ? effect.factor : Number.NaN
}

test.each([
  // teams, then, exponent, (then / now) ^ e
  [4, 8, 0.8, 1.741_101],
  [4, 8, 1, 2],
  [4, 8, 0, 1],
  [1, 10, 0.5, 3.162_278],
  [10, 5, 0.8, 0.574_349],
  [3, 3, 0.8, 1],
  [5, 0, 0.8, 0],
  [5, 0, 0, 0],
])('%i teams that become %i with exponent %f use %f times as much', (teamsNow, teamsThen, exponent, factor) => {
  expect(factorOf({ kind: 'team_growth', teamsNow, teamsThen, exponent })).toBeCloseTo(factor, 5)
})

test('each further team adds less than the one before', () => {
  const factors = Array.from({ length: 10 }, (_, i) =>
    factorOf({ kind: 'team_growth', teamsNow: 1, teamsThen: i + 1, exponent: null }),
  )
  const gains = factors.slice(1).map((factor, i) => factor - factors[i]!)
  for (const [i, gain] of gains.slice(1).entries()) expect(gain).toBeLessThan(gains[i]!)
})

test.each([
  // model, input, output, 1 + Σ cost · (part · input + (1 − part) · output − 1) / 100
  [null, 0.5, 0.5, 0.5],
  [null, 2, 2, 2],
  ['a', 0.5, 0.5, 0.7],
  ['a', 2, 1, 1.4],
  ['a', 1, 2, 1.2],
  ['b', 2, 1, 1.3],
  ['b', 1, 2, 1.1],
  [null, 2, 1, 1.7],
  ['a', 0, 0, 0.4],
  ['nobody uses', 9, 9, 1],
])('a price of %s times %f and %f makes the whole %f times as dear', (model, input, output, factor) => {
  expect(factorOf({ kind: 'price_change', model, input, output })).toBeCloseTo(factor, 9)
})

test.each([
  // to, share, 1 + 0.6 · share · (cost there / 60 − 1)
  ['cheap', 1, 0.55],
  ['cheap', 0.5, 0.775],
  ['cheap', 0, 1],
  ['dear', 1, 1.3],
  ['dear', 0.1, 1.03],
  ['unknown', 1, 1],
])('a switch to %s of %f makes the whole %f times as dear', (to, share, factor) => {
  expect(factorOf({ kind: 'model_switch', from: 'a', to, share })).toBeCloseTo(factor, 9)
})

test.each([
  // metric, what is given, per day
  ['cost', { dailyUsd: 20, dailyRuns: null }, 20],
  ['runs', { dailyUsd: 20, dailyRuns: null }, 200],
  ['tokens', { dailyUsd: 20, dailyRuns: null }, 10_000],
  ['cost', { dailyUsd: null, dailyRuns: 50 }, 5],
  ['runs', { dailyUsd: null, dailyRuns: 50 }, 50],
  ['tokens', { dailyUsd: null, dailyRuns: 50 }, 2_500],
] as const)('a launch in %s of %o is %f a day', (metric, given, perDay) => {
  const scenario = { name: 's', at: '2026-12-01', kind: 'launch', rampDays: 0, ...given } as const
  expect(formulaOf(scenario, { ...basis, metric }).effect).toEqual({ kind: 'add', perDay, rampDays: 0 })
  const nothing = formulaOf(scenario, { ...basis, metric, cost: 0, runs: 0, tokens: 0 })
  expect(nothing.effect).toMatchObject({ perDay: perDay === (given.dailyUsd ?? given.dailyRuns) ? perDay : 0 })
})

describe('days ahead', () => {
  const mean = Float64Array.from([10, 10, 10, 10, 10, 10])
  const months = { spent: 15, ends: [2, 6] }
  test.each<[string, ScenarioEffect, number, number[]]>([
    ['scaled from the third on', { kind: 'scale', factor: 1.5 }, 2, [10, 10, 15, 15, 15, 15]],
    ['scaled after the last', { kind: 'scale', factor: 9 }, 6, [10, 10, 10, 10, 10, 10]],
    ['with so much more', { kind: 'add', perDay: 6, rampDays: 0 }, 1, [10, 16, 16, 16, 16, 16]],
    ['with more in three steps', { kind: 'add', perDay: 6, rampDays: 3 }, 1, [10, 12, 14, 16, 16, 16]],
    ['capped by day', { kind: 'cap', period: 'day', most: 4 }, 3, [10, 10, 10, 4, 4, 4]],
    ['capped above what there is', { kind: 'cap', period: 'day', most: 40 }, 0, [10, 10, 10, 10, 10, 10]],
    // Fifteen are spent of this month: thirteen are left for two days, then 28 for four.
    ['capped by month', { kind: 'cap', period: 'month', most: 28 }, 0, [10, 3, 10, 10, 8, 0]],
    // What was spent before the cap stays spent, also beyond it.
    ['capped by month, too late', { kind: 'cap', period: 'month', most: 20 }, 1, [10, 0, 10, 10, 0, 0]],
  ])('%s', (_name, effect, from, expected) => {
    expect(Array.from(applyEffect(mean, effect, from, months))).toEqual(expected)
  })
})

describe('the exponent', () => {
  const days = (count: number, teamsOf: (day: number) => number, usedOf: (teams: number, day: number) => number) =>
    Array.from({ length: count }, (_, day) => ({ teams: teamsOf(day), used: usedOf(teamsOf(day), day) }))

  test('is found where departments came and usage grew with them', () => {
    for (const e of [0.3, 0.6, 0.9, 1])
      expect(
        fitExponent(
          days(
            100,
            (day) => 2 + Math.floor(day / 10),
            (teams) => 5 * teams ** e,
          ),
        ).exponent,
      ).toBeCloseTo(e, 9)
    expect(
      fitExponent(
        days(
          100,
          (day) => 2 + Math.floor(day / 10),
          (teams) => teams ** 3,
        ),
      ).exponent,
    ).toBe(1.2)
  })

  test.each([
    [
      'too few days',
      days(
        50,
        (day) => 2 + day,
        (teams) => teams,
      ),
      'only 50 days',
    ],
    [
      'always the same departments',
      days(
        100,
        () => 5,
        () => 9,
      ),
      'hardly changed',
    ],
    [
      'usage that has nothing to do with them',
      days(
        100,
        (day) => 2 + (day % 10),
        (_, day) => 10 + day,
      ),
      'does not explain',
    ],
    ['no days at all', [], 'only 0 days'],
  ])('is not told from %s', (_name, known, why) => {
    expect(fitExponent(known).exponent).toBeUndefined()
    expect(fitExponent(known).why).toContain(why)
  })

  test('is the usual one where it is not given and cannot be found, and says so', () => {
    const scenario = {
      name: 's',
      at: '2026-12-01',
      kind: 'team_growth',
      teamsNow: 1,
      teamsThen: 2,
      exponent: null,
    } as const
    const { parameters, notes } = formulaOf(scenario, { ...basis, teamDays: [] })
    expect(parameters).toMatchObject({ exponent: 0.8, exponent_source: 'default' })
    expect(notes).toEqual(['The default exponent 0.8 is used: only 0 days have usage by departments.'])
  })
})
