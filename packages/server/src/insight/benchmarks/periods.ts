import { type Period, periodAt } from '../../values/period.ts'
import { dayMs } from '../../values/time.ts'

export const cohortPeriods = ['week', 'month'] as const
export type CohortPeriod = (typeof cohortPeriods)[number]

/** Runs recorded later than this are in no benchmark. */
const graceMs = 3 * dayMs
/** After an outage, the next run of the job continues with the rest. */
const mostAtOnce = 60

/** Returns the period that contains a time: weeks from Monday or months, in UTC, because the rollups hold whole UTC days. */
export const benchmarkPeriodAt = (unit: CohortPeriod, atMs: number): Period =>
  periodAt({ unit, anchor: null, timezone: 'UTC' }, atMs)

/** Returns the periods after a point in time that no longer change, the oldest first. */
export function sealedPeriods(unit: CohortPeriod, afterMs: number, nowMs: number): Period[] {
  const sealed: Period[] = []
  for (let atMs = afterMs; sealed.length < mostAtOnce; ) {
    const period = benchmarkPeriodAt(unit, atMs)
    if (period.endMs + graceMs > nowMs) break
    sealed.push(period)
    atMs = period.endMs
  }
  return sealed
}
