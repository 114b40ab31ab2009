import { plannedPeriodAt } from '../../values/period.ts'
import type { SeriesForecast, TimeFrame } from './daily-series.ts'
import { findExhaustion, type UsageForecast } from './exhaustion.ts'
import type { CountedLimit } from './limits.ts'
import type { ForecastTask } from './task.ts'

export type FormatAmount = (value: number) => string | number

/** Returns the formatter of a metric: US dollars as decimal strings to a millionth, everything else as numbers. */
export const amountFormatterOf = ({ metric }: ForecastTask): FormatAmount =>
  metric === 'cost' ? (value) => value.toFixed(6).replace(/\.?0+$/, '') : (value) => Math.round(value * 100) / 100

/** The exhaustion of one limit, as its wire view and in days for the chart. */
export interface Exhaustion {
  readonly view: Readonly<Record<string, unknown>>
  readonly limit: CountedLimit
  readonly day: number | null
  readonly earliest: number | null
  readonly latest: number | null
}

/** Returns the remaining usage: today without its value so far. */
export const remainingUsage = ({ mean, halfWidths, days }: SeriesForecast): UsageForecast => ({
  mean: mean.map((value, day) => (day === 0 ? Math.max(0, value - days.soFar) : value)),
  halfWidths,
})

/**
 * Returns the function that lists the period ends of a limit, in days from today; limits with the same schedule share a cache
 * entry.
 */
export function periodEnds({ horizon, starts }: TimeFrame, nowMs: number) {
  const known = new Map<string, number[]>()
  return ({ schedule }: CountedLimit): readonly number[] => {
    if (schedule === null) return []
    const key = JSON.stringify(schedule)
    const found = known.get(key)
    if (found) return found
    const ends: number[] = []
    for (let [atMs, day] = [nowMs, 0]; day < horizon; ) {
      const { endMs } = plannedPeriodAt(schedule, atMs)
      // A local day in which a period of another time zone ends counts towards that period.
      do day++
      while (day < horizon && starts(day) < endMs)
      ends.push(day)
      atMs = Math.max(endMs, starts(day))
    }
    known.set(key, ends)
    return ends
  }
}

/** Returns when a limit would be reached, for the response. */
export function exhaustionView(
  course: UsageForecast,
  limit: CountedLimit,
  endsOf: (limit: CountedLimit) => readonly number[],
  frame: TimeFrame,
  write: FormatAmount,
): Exhaustion {
  const ends = endsOf(limit)
  const reached = findExhaustion(course, { limit: limit.limit, used: limit.used, ends })
  const date = (day: number | null) => (day === null ? null : frame.date(day))
  return {
    limit,
    ...reached,
    view: {
      limit_id: limit.id,
      kind: limit.kind,
      name: limit.name,
      enforcement: limit.enforcement,
      limit: write(limit.limit),
      used: write(limit.used),
      date: date(reached.day),
      earliest: date(reached.earliest),
      latest: date(reached.latest),
      within_period: reached.day !== null && reached.day < (ends[0] ?? Number.POSITIVE_INFINITY),
    },
  }
}
