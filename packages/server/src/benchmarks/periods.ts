import { type Period, periodAt } from '../values/period.ts'

export const cohortPeriods = ['week', 'month'] as const
export type CohortPeriod = (typeof cohortPeriods)[number]

const dayMs = 86_400_000
/** Runs that are recorded later than this are in no benchmark. */
const graceMs = 3 * dayMs
/** After an outage the rest is done by the next run of the job. */
const mostAtOnce = 60

/** Weeks from Monday and months, in UTC: rollups of whole UTC days can tell them apart for ever. */
export const benchmarkPeriodAt = (unit: CohortPeriod, atMs: number): Period =>
  periodAt({ unit, anchor: null, timezone: 'UTC' }, atMs)

/** The periods after a point in time that nothing can be added to any more, oldest first. */
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
