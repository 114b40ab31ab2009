import { daysUntil, type Span, spansOf } from '../calendar.ts'
import { type ForecastLine, pointsOf, type SeriesForecast, type TimeFrame } from '../daily-series.ts'
import type { UsageForecast } from '../exhaustion.ts'
import { remainingUsage } from '../limit-exhaustion.ts'
import type { ExpectedValue } from '../methods/intervals.ts'
import { sumOf } from '../methods/series.ts'
import type { ForecastTask } from '../task.ts'
import { applyEffect, type ScenarioEffect } from './scenarios.ts'

export interface ScenarioForecast {
  readonly scenario: ForecastTask['scenarios'][number]['scenario']
  readonly formula: ForecastTask['scenarios'][number]['formula']
  readonly points: readonly ExpectedValue[]
  readonly line: ForecastLine
  readonly course: UsageForecast
}

/** Computes the days ahead under a scenario, from the forecast of the total. */
export function applyScenario(
  { scenario, formula }: ForecastTask['scenarios'][number],
  whole: SeriesForecast,
  frame: TimeFrame,
): ScenarioForecast {
  const from = Math.max(0, daysUntil(frame.today, scenario.at))
  const mean = applyEffect(whole.mean, formula.effect, from, monthsOf(whole, frame))
  const line: ForecastLine = {
    mean,
    scale: intervalScaleOf(formula.effect, whole.mean, mean),
    most: ({ from: first, to }) => capOf(formula.effect, from, first, to),
  }
  const course: UsageForecast = {
    ...remainingUsage({ ...whole, mean }),
    scale: mean.map((_value, day) => line.scale({ from: 0, to: day + 1 })),
  }
  return { scenario, formula, points: pointsOf(whole, frame, line), line, course }
}

/** Returns the scale of the intervals: additions are taken as certain; everything else is as uncertain as what it scales. */
const intervalScaleOf =
  ({ kind }: ScenarioEffect, before: Float64Array, after: Float64Array) =>
  (span: Span) => {
    if (kind === 'add') return 1
    const base = sumOf(before.subarray(span.from, span.to))
    return base > 0 ? sumOf(after.subarray(span.from, span.to)) / base : 1
  }

/** Returns the most that a cap allows in a range of days that lies entirely under it. */
function capOf(effect: ScenarioEffect, from: number, first: number, to: number): number {
  if (effect.kind !== 'cap' || first < from) return Number.POSITIVE_INFINITY
  return effect.period === 'day'
    ? effect.most * (to - first)
    : to - first === 1
      ? effect.most
      : Number.POSITIVE_INFINITY
}

function monthsOf({ days: { values } }: SeriesForecast, { today, horizon }: TimeFrame) {
  const passed = Number(today.slice(8)) - 1
  return {
    spent: passed === 0 ? 0 : sumOf(values.subarray(-passed)),
    ends: spansOf('month', today, { from: 0, to: horizon }).map(({ to }) => to),
  }
}
