import { mkdirSync, writeFileSync } from 'node:fs'
import { forecastDays, parseDays, timeFrameOf } from '../src/insight/forecasts/daily-series.ts'
import {
  amountFormatterOf,
  exhaustionView,
  periodEnds,
  remainingUsage,
} from '../src/insight/forecasts/limit-exhaustion.ts'
import type { CountedLimit } from '../src/insight/forecasts/limits.ts'
import { applyScenario } from '../src/insight/forecasts/scenarios/scenario-forecast.ts'
import { formulaOf, type Scenario, type ScenarioBasis } from '../src/insight/forecasts/scenarios/scenarios.ts'
import { drawForecast } from '../src/insight/forecasts/svg/chart.ts'
import { chartOf } from '../src/insight/forecasts/svg/chart-builder.ts'
import type { ForecastChart } from '../src/insight/forecasts/svg/chart-model.ts'
import type { ForecastTask } from '../src/insight/forecasts/task.ts'
import { Random } from '../test/support/random.ts'

/** Draws the pictures of the guides as the service would, from series that are always the same: `node scripts/forecast-pictures.ts`. */

const folder = new URL('../../../docs/images/', import.meta.url)
const dayMs = 86_400_000
const today = '2026-11-16'
const nowMs = Date.parse(`${today}T00:00:00Z`)
const weekdays = [1, 1.04, 1.08, 1.05, 0.97, 0.66, 0.6]

interface Shape {
  readonly seed: number
  readonly days: number
  readonly later: number
  readonly level: (day: number) => number
  readonly noise: number
}

/** A daily series that ends yesterday, and the days after it, which the forecast does not see. */
function madeUp({ seed, days, later, level, noise }: Shape) {
  const random = new Random(seed)
  const chance = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const values = Array.from({ length: days + later }, (_, day) => {
    const weekday = (new Date(nowMs + (day - days) * dayMs).getUTCDay() + 6) % 7
    return Math.max(0, level(day) * weekdays[weekday]! * (1 + noise * chance()))
  })
  return { values: values.slice(0, days), later: values.slice(days) }
}

interface Asked {
  readonly values: readonly number[]
  readonly metric: ForecastTask['metric']
  readonly horizon: number
  readonly step?: ForecastTask['step']
  readonly limits?: readonly CountedLimit[]
  readonly scenarios?: readonly Scenario[]
  readonly basis?: ScenarioBasis
}

/** What the endpoint would draw. */
function picture({ values, metric, horizon, step = 'day', limits = [], scenarios = [], basis }: Asked): ForecastChart {
  const days = JSON.stringify(values.map((value, i) => [i - values.length, value]))
  const task: ForecastTask = {
    metric,
    by: null,
    horizon,
    step,
    timezone: 'UTC',
    today,
    nowMs,
    trainingDays: 365,
    series: [{ key: '', days }],
    limits,
    scenarios: scenarios.map((scenario) => ({ scenario, formula: formulaOf(scenario, basis!) })),
    format: 'svg',
  }
  const frame = timeFrameOf(task)
  const whole = forecastDays(parseDays(days, task.trainingDays, 1), horizon)
  const endsOf = periodEnds(frame, nowMs)
  return chartOf(
    task,
    frame,
    whole,
    task.scenarios.map((one) => applyScenario(one, whole, frame)),
    limits.map((limit) => exhaustionView(remainingUsage(whole), limit, endsOf, frame, amountFormatterOf(task))),
  )
}

/** What came after today, beside what was expected of it; says how much of it lies within the 80 % interval. */
function withTruth(drawn: ForecastChart, later: readonly number[]): ForecastChart {
  const within = drawn.forecast.filter(({ p80: [low, high] }, i) => later[i]! >= low && later[i]! <= high)
  console.log(`${drawn.title}: ${within.length} of ${later.length} days within the 80 % interval`)
  const truth = { name: 'What happened then', points: later.map((value, i) => ({ atMs: nowMs + i * dayMs, value })) }
  return { ...drawn, scenarios: [truth, ...drawn.scenarios] }
}

function trendAndSeason(): ForecastChart {
  const { values, later } = madeUp({ seed: 7, days: 120, later: 42, noise: 0.07, level: (day) => 210 + 1.5 * day })
  return withTruth(picture({ values, metric: 'cost', horizon: 42 }), later)
}

function levelShift(): ForecastChart {
  const level = (day: number) => (day < 90 ? 42_000 : 68_000)
  const { values, later } = madeUp({ seed: 11, days: 150, later: 35, noise: 0.08, level })
  return withTruth(picture({ values, metric: 'runs', horizon: 35 }), later)
}

function littleHistory(): ForecastChart {
  const { values } = madeUp({ seed: 5, days: 9, later: 0, noise: 0.35, level: () => 3_100_000 })
  return picture({ values, metric: 'tokens', horizon: 14 })
}

const limit = (name: string, usd: number, unit: 'week' | 'quarter' | null, used: number): CountedLimit => ({
  key: null,
  id: name,
  kind: unit === null ? 'quota' : 'budget',
  name,
  enforcement: 'block',
  limit: usd,
  used,
  schedule: unit === null ? null : { current: { unit, anchor: null, timezone: 'UTC' }, next: null },
})

function scenariosAgainstLimits(): ForecastChart {
  const { values } = madeUp({ seed: 3, days: 52 * 7, later: 0, noise: 0.2, level: (day) => 240 + 0.6 * day })
  const month = values.slice(-28).reduce((a, b) => a + b)
  const large = {
    model: 'large',
    cost: month * 0.7,
    inputCost: month * 0.3,
    outputCost: month * 0.4,
    inputTokens: 1e9,
    outputTokens: 1e8,
    costOn: { small: month * 0.07 },
  }
  return picture({
    values,
    metric: 'cost',
    horizon: 112,
    step: 'week',
    basis: { metric: 'cost', cost: month, runs: 1e6, tokens: 1.1e9, models: [large], teamDays: null },
    scenarios: [
      {
        kind: 'team_growth',
        name: 'From 8 to 16 teams in December',
        at: '2026-12-07',
        teamsNow: 8,
        teamsThen: 16,
        exponent: null,
      },
      { kind: 'launch', name: 'Launch on 4 January', at: '2027-01-04', dailyUsd: 160, dailyRuns: null, rampDays: 28 },
      {
        kind: 'model_switch',
        name: 'Half of it to the small model',
        at: '2026-12-21',
        from: 'large',
        to: 'small',
        share: 0.5,
      },
    ],
    limits: [
      limit('Budget of the week', 3_300, 'week', 0),
      limit('Budget of the quarter', 34_000, 'quarter', 18_900),
      limit('Prepaid quota', 33_000, null, 0),
    ],
  })
}

const pictures = {
  'forecast-trend-and-season': trendAndSeason(),
  'forecast-level-shift': levelShift(),
  'forecast-little-history': littleHistory(),
  'forecast-scenarios': scenariosAgainstLimits(),
}
mkdirSync(folder, { recursive: true })
for (const [name, drawn] of Object.entries(pictures)) writeFileSync(new URL(`${name}.svg`, folder), drawForecast(drawn))
