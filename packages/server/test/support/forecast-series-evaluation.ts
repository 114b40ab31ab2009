import { findExhaustion } from '../../src/insight/forecasts/exhaustion.ts'
import { widthsByDay } from '../../src/insight/forecasts/methods/intervals.ts'
import { forecastSeries } from '../../src/insight/forecasts/methods/method-selection.ts'
import { shares } from '../../src/insight/forecasts/methods/past-errors.ts'
import { type KnownSeries, knownSeries } from './forecast-series.ts'
import { Random } from './random.ts'

/** How one series was forecast, against what came. */
interface Outcome {
  readonly name: string
  readonly method: string
  /** Its error over that of repeating the last week. */
  readonly mase: number
  readonly held: number
  /** How many values fell into each interval. */
  readonly inside: readonly number[]
  readonly weeksInside: number
  readonly weeks: number
  readonly datesInside: number
  readonly dates: number
}

const parts = [0.25, 0.5, 0.75]
const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0)

function outcomeOf({ name, values, held }: KnownSeries): Outcome {
  const [known, later] = [values.subarray(0, values.length - held), values.subarray(values.length - held)]
  const { method, mean, halfWidths } = forecastSeries(known, held)
  const widths = widthsByDay(halfWidths, held)
  const errors = later.map((value, day) => Math.abs(value - mean[day]!))
  const naive = later.map((value, day) => Math.abs(value - known[known.length - 7 + (day % 7)]!))
  let [weeks, weeksInside] = [0, 0]
  for (let day = 0; day + 7 <= held; day += 7) {
    const off = Math.abs(sum(later.subarray(day, day + 7)) - sum(mean.subarray(day, day + 7)))
    weeks++
    if (off <= halfWidths(day + 1, day + 7)[1]) weeksInside++
  }
  const isDateInside = parts.map((part) => {
    const limit = part * sum(later)
    let [day, all] = [0, later[0]!]
    while (all < limit) all += later[++day]!
    const { earliest, latest } = findExhaustion({ mean, halfWidths }, { limit, used: 0, ends: [] })
    return (earliest ?? held) <= day && day <= (latest ?? held)
  })
  return {
    name,
    method,
    mase: sum(errors) / sum(naive),
    held,
    inside: shares.map((_, i) => errors.filter((error, day) => error <= widths[day]![i]!).length),
    weeks,
    weeksInside,
    dates: parts.length,
    datesInside: isDateInside.filter(Boolean).length,
  }
}

export interface Evaluation {
  readonly outcomes: readonly Outcome[]
  /** Of all held-out values, in each of the intervals. */
  readonly coverage: readonly number[]
  readonly weekCoverage: number
  /** The share of series on which the error was below that of repeating the last week. */
  readonly better: number
  readonly datesInside: number
}

/** Forecasts of series whose future is known. */
export function evaluate(seed: number, count: number, longest?: number): Evaluation {
  const outcomes = Array.from({ length: count }, (_, i) =>
    outcomeOf(knownSeries(new Random(1_000 * seed + i), i, longest)),
  )
  const total = (of: (outcome: Outcome) => number) => outcomes.reduce((all, outcome) => all + of(outcome), 0)
  return {
    outcomes,
    coverage: shares.map((_, i) => total(({ inside }) => inside[i]!) / total(({ held }) => held)),
    weekCoverage: total(({ weeksInside }) => weeksInside) / total(({ weeks }) => weeks),
    better: total(({ mase }) => (mase < 1 ? 1 : 0)) / count,
    datesInside: total(({ datesInside }) => datesInside) / total(({ dates }) => dates),
  }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** A line for each series, and what they come to. */
export function evaluationTable({ outcomes, coverage, weekCoverage, better, datesInside }: Evaluation): string {
  const lines = outcomes.map(
    ({ name, method, mase, inside, held, dates, datesInside: inTime }) =>
      `${name.padEnd(58)} ${method.padEnd(15)} ${String(held).padStart(4)} ${mase.toFixed(2).padStart(6)} ${percent(inside[1]! / held).padStart(8)} ${inTime}/${dates}`,
  )
  return [
    `${'series'.padEnd(58)} ${'method'.padEnd(15)} held   mase  in 80 % dates`,
    ...lines,
    `held-out values inside the intervals of 50, 80, 95 %: ${coverage.map(percent).join(', ')} (bar for 80: 70–90 %)`,
    `sums of weeks inside 80 %: ${percent(weekCoverage)}`,
    `series better than repeating the last week: ${percent(better)} (bar 80 %)`,
    `dates of exhaustion inside their interval: ${percent(datesInside)}`,
  ].join('\n')
}
