import { elementAt } from '../../../values/present.ts'
import { historyOf, pointsOf, type SeriesForecast, type TimeFrame } from '../daily-series.ts'
import type { Exhaustion } from '../limit-exhaustion.ts'
import type { ScenarioForecast } from '../scenarios/scenario-forecast.ts'
import type { ForecastTask } from '../task.ts'
import type { ForecastChart } from './chart-model.ts'

const titles = { cost: 'Cost', runs: 'Runs', tokens: 'Tokens' } as const
/** The most limits that a chart shows; those reached first are kept. */
const maxLimits = 6

/** Builds the chart of a response. */
export function chartOf(
  task: ForecastTask,
  frame: TimeFrame,
  whole: SeriesForecast,
  scenarios: readonly ScenarioForecast[],
  limits: readonly Exhaustion[],
): ForecastChart {
  const { starts, spans, step } = frame
  const at = (day: number | null) => (day === null ? null : starts(day))
  const soonest = limits.toSorted(
    (a, b) => (a.earliest ?? Number.POSITIVE_INFINITY) - (b.earliest ?? Number.POSITIVE_INFINITY) || 0,
  )
  return {
    title: `${titles[task.metric]} by ${step}, next ${task.horizon} days`,
    unit: task.metric === 'cost' ? 'usd' : task.metric,
    timezone: task.timezone,
    history: historyOf(whole.days, frame).map(({ span, value }) => ({ atMs: starts(span.from), value })),
    forecast: pointsOf(whole, frame).map((point, i) => ({ atMs: starts(elementAt(spans, i).from), ...point })),
    scenarios: scenarios.map(({ scenario, points }) => ({
      name: scenario.name,
      points: points.map(({ mean }, i) => ({ atMs: starts(elementAt(spans, i).from), value: mean })),
    })),
    limits: soonest.slice(0, maxLimits).map(({ limit, day, earliest, latest }) => ({
      name: limit.name,
      perStep: limit.schedule?.current.unit === step ? limit.limit : null,
      exhaustedAtMs: at(day),
      earliestMs: at(earliest),
      latestMs: at(latest),
    })),
    confidence: whole.confidence,
  }
}
