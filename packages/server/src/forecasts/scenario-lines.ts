import { daysUntil, type Span, spansOf } from './calendar.ts'
import { type Frame, type Line, pointsOf, type Told } from './days.ts'
import type { Course } from './exhaustion.ts'
import type { Expected } from './intervals.ts'
import { courseOf } from './limit-courses.ts'
import { applied, type Effect } from './scenarios.ts'
import { sumOf } from './series.ts'
import type { Task } from './task.ts'

export interface ToldScenario {
  readonly scenario: Task['scenarios'][number]['scenario']
  readonly formula: Task['scenarios'][number]['formula']
  readonly points: readonly Expected[]
  readonly line: Line
  readonly course: Course
}

/** Computes the days ahead under a scenario, from the forecast of the total. */
export function scenarioOf({ scenario, formula }: Task['scenarios'][number], whole: Told, frame: Frame): ToldScenario {
  const from = Math.max(0, daysUntil(frame.today, scenario.at))
  const mean = applied(whole.mean, formula.effect, from, monthsOf(whole, frame))
  const line: Line = {
    mean,
    scale: doubtOf(formula.effect, whole.mean, mean),
    most: ({ from: first, to }) => mostOf(formula.effect, from, first, to),
  }
  const course: Course = {
    ...courseOf({ ...whole, mean }),
    scale: mean.map((_value, day) => line.scale({ from: 0, to: day + 1 })),
  }
  return { scenario, formula, points: pointsOf(whole, frame, line), line, course }
}

/** Returns the scale of the intervals: additions are taken as certain; everything else is as uncertain as what it scales. */
const doubtOf =
  ({ kind }: Effect, before: Float64Array, after: Float64Array) =>
  (span: Span) => {
    if (kind === 'add') return 1
    const base = sumOf(before.subarray(span.from, span.to))
    return base > 0 ? sumOf(after.subarray(span.from, span.to)) / base : 1
  }

/** Returns the most that a cap allows in a range of days that lies entirely under it. */
function mostOf(effect: Effect, from: number, first: number, to: number): number {
  if (effect.kind !== 'cap' || first < from) return Number.POSITIVE_INFINITY
  return effect.period === 'day'
    ? effect.most * (to - first)
    : to - first === 1
      ? effect.most
      : Number.POSITIVE_INFINITY
}

function monthsOf({ days: { values } }: Told, { today, horizon }: Frame) {
  const passed = Number(today.slice(8)) - 1
  return {
    spent: passed === 0 ? 0 : sumOf(values.subarray(-passed)),
    ends: spansOf('month', today, { from: 0, to: horizon }).map(({ to }) => to),
  }
}
