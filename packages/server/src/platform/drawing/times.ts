import { Temporal } from 'temporal-polyfill'
import { elementAt, lastOf } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'

/** Times on the axis, in the calendar of the drawing's own time zone. */

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthName = (month: number) => elementAt(monthNames, month - 1)

const zoned = (atMs: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(Math.round(atMs)).toZonedDateTimeISO(timezone)

export function dateText(atMs: number, timezone: string): string {
  const { day, month, year } = zoned(atMs, timezone)
  return `${day} ${monthName(month)} ${year}`
}

/** Formats a period by its first moment. */
export function shortDate(atMs: number, timezone: string, unit: 'hour' | 'day' | 'week' | 'month'): string {
  const { day, month, year, hour } = zoned(atMs, timezone)
  if (unit === 'month') return `${monthName(month)} ${year}`
  const date = `${day} ${monthName(month)}`
  return unit === 'hour' ? `${date} ${String(hour).padStart(2, '0')}:00` : date
}

export interface TimeTick {
  readonly atMs: number
  readonly label: string
  /** The year, on its first tick. */
  readonly year: string | undefined
}

/** Step sizes from fine to coarse, each aligned to the calendar. */
const steps = [
  { days: 1, step: { days: 1 }, first: (day: Temporal.PlainDate) => day },
  { days: 2, step: { days: 2 }, first: (day: Temporal.PlainDate) => day },
  { days: 7, step: { days: 7 }, first: (day: Temporal.PlainDate) => day.subtract({ days: day.dayOfWeek - 1 }) },
  { days: 14, step: { days: 14 }, first: (day: Temporal.PlainDate) => day.subtract({ days: day.dayOfWeek - 1 }) },
  ...[1, 2, 3, 6].map((months) => ({
    days: 30.4 * months,
    step: { months },
    first: (day: Temporal.PlainDate) => day.with({ day: 1, month: day.month - ((day.month - 1) % months) }),
  })),
  ...[1, 2, 5, 10, 100].map((years) => ({
    days: 365.25 * years,
    step: { years },
    first: (day: Temporal.PlainDate) => day.with({ day: 1, month: 1, year: day.year - (day.year % years) }),
  })),
]

/** Returns at most about `most` ticks, at midnights of days, Mondays, months or years. */
export function timeTicks(fromMs: number, toMs: number, timezone: string, most: number): TimeTick[] {
  const { days, step, first } = steps.find((one) => (toMs - fromMs) / dayMs / one.days <= most) ?? lastOf(steps)
  const ticks: TimeTick[] = []
  let lastYear: number | undefined
  for (let date = first(zoned(fromMs, timezone).toPlainDate()); ; date = date.add(step)) {
    const atMs = date.toZonedDateTime(timezone).epochMilliseconds
    if (atMs > toMs) return ticks
    if (atMs < fromMs) continue
    const label =
      days >= 365 ? String(date.year) : days >= 30 ? monthName(date.month) : `${date.day} ${monthName(date.month)}`
    const isNewYear = days < 365 && date.year !== lastYear
    ticks.push({ atMs, label, year: isNewYear ? String(date.year) : undefined })
    lastYear = date.year
  }
}
