import { Temporal } from 'temporal-polyfill'
import { Lru } from './lru.ts'

/**
 * Periods of limits. A period is found by its number and its boundaries are computed from the anchor: adding a month to the
 * previous boundary would turn the 31st into the 28th for good.
 */

export const periodUnits = ['day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodUnit = (typeof periodUnits)[number]

/** Recurrence of a limit's periods; `anchor` is an ISO date or null. */
export interface Schedule {
  readonly unit: PeriodUnit
  readonly anchor: string | null
  readonly timezone: string
}

/** One period, half-open: [startMs, endMs). The label is its local name, the same in every process. */
export interface Period {
  readonly label: string
  readonly startMs: number
  readonly endMs: number
}

/**
 * A schedule and the one that replaces it, requested during a period that is allowed to end first. The new schedule starts with
 * the first of its own periods that begins then or later, and the running period is extended until that moment: no period is
 * ever cut short, so the calendar periods of a limit never overlap, however often its schedule changes.
 */
export interface PlannedSchedule {
  readonly current: Schedule
  readonly next: { readonly schedule: Schedule; readonly fromMs: number } | null
}

/** Local dates on which periods begin, numbered in order. */
interface Boundaries {
  readonly date: (number: number) => Temporal.PlainDate
  /** Returns the number of the last boundary on or before the date. */
  readonly numberAt: (date: Temporal.PlainDate) => number
}

const days = { day: 1, week: 7 } as const
const months = { month: 1, quarter: 3, year: 12 } as const

/** A Monday, and the first day of a month, a quarter and a year. */
const defaultAnchor = '2001-01-01'

// A decision needs the periods of all its limits, and calendar arithmetic costs a hundred times a cache lookup.
const periodCache = new Lru<string, Period>(10_000)

export function periodAt(schedule: Schedule, atMs: number): Period {
  const key = scheduleKey(schedule)
  const last = periodCache.get(key)
  if (last !== undefined && atMs >= last.startMs && atMs < last.endMs) return last
  const period = findPeriod(schedule, atMs)
  periodCache.set(key, period)
  return period
}

/** Returns the moment at which a planned schedule takes effect. */
export function startOfNextSchedule({ schedule, fromMs }: NonNullable<PlannedSchedule['next']>): number {
  const period = periodAt(schedule, fromMs)
  return period.startMs === fromMs ? fromMs : period.endMs
}

export function plannedPeriodAt({ current, next }: PlannedSchedule, atMs: number): Period {
  if (next === null) return periodAt(current, atMs)
  const beginMs = startOfNextSchedule(next)
  if (atMs >= beginMs) return periodAt(next.schedule, atMs)
  const period = periodAt(current, Math.min(atMs, next.fromMs - 1))
  return period.endMs < next.fromMs ? period : { ...period, endMs: beginMs }
}

export function replan({ current: earlier, next }: PlannedSchedule, wanted: Schedule, atMs: number): PlannedSchedule {
  const isBegun = next !== null && atMs >= startOfNextSchedule(next)
  const current = isBegun ? next.schedule : earlier
  if (scheduleKey(current) === scheduleKey(wanted)) return { current, next: null }
  // A period that an earlier change extended beyond its own end still ends where it would have.
  const isOverdue = next !== null && !isBegun && atMs >= next.fromMs
  return { current, next: { schedule: wanted, fromMs: isOverdue ? next.fromMs : periodAt(current, atMs).endMs } }
}

/** Names that were found to be time zones. Each has many spellings, so there is a most of them. */
const knownTimezones = new Set<string>()
const maxKnownTimezones = 1_000

/** True when the name is a time zone that periods can follow. A fixed offset is not: it would be wrong for half of the year. */
export function isTimezone(name: string): boolean {
  if (knownTimezones.has(name)) return true
  if (!/^[a-z]/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    if (knownTimezones.size < maxKnownTimezones) knownTimezones.add(name)
    return true
  } catch {
    return false
  }
}

const scheduleKey = ({ unit, anchor, timezone }: Schedule): string => `${unit} ${anchor ?? ''} ${timezone}`

function findPeriod({ unit, anchor, timezone }: Schedule, atMs: number): Period {
  const boundaries = boundariesOf(unit, Temporal.PlainDate.from(anchor ?? defaultAnchor))
  const startOf = (number: number) => boundaries.date(number).toZonedDateTime(timezone).epochMilliseconds
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timezone)
  let number = boundaries.numberAt(now.toPlainDate())
  let endMs = startOf(number + 1)
  // A clock set back across midnight shows the old date again, within a period that has begun.
  while (endMs <= atMs) endMs = startOf(++number + 1)
  return { label: `${unit}:${boundaries.date(number).toString()}@${timezone}`, startMs: startOf(number), endMs }
}

function boundariesOf(unit: PeriodUnit, anchor: Temporal.PlainDate): Boundaries {
  return unit === 'day' || unit === 'week' ? everyDays(days[unit], anchor) : everyMonths(months[unit], anchor)
}

const everyDays = (step: number, anchor: Temporal.PlainDate): Boundaries => ({
  date: (number) => anchor.add({ days: number * step }),
  numberAt: (date) => Math.floor(anchor.until(date, { largestUnit: 'day' }).days / step),
})

function everyMonths(step: number, anchor: Temporal.PlainDate): Boundaries {
  const date = (number: number) => anchor.add({ months: number * step })
  return {
    date,
    numberAt(day) {
      const passed = (day.year - anchor.year) * 12 + day.month - anchor.month
      const number = Math.floor(passed / step)
      return Temporal.PlainDate.compare(date(number), day) > 0 ? number - 1 : number
    },
  }
}
