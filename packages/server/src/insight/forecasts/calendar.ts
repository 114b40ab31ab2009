import { Temporal } from 'temporal-polyfill'
import { week } from './methods/series.ts'

/** Days are counted from today in a time zone: 0 is today, -1 was yesterday. */

export const steps = ['day', 'week', 'month'] as const
export type Step = (typeof steps)[number]

export const today = (timezone: string, now: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone).toPlainDate().toString()

export const dateAt = (from: string, days: number): string => Temporal.PlainDate.from(from).add({ days }).toString()

/** Returns the number of days from one date to another. */
export const daysUntil = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'day' }).days

export const startOfDay = (timezone: string, date: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds

/** A range of whole days that is reported as one; `to` is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Splits days into calendar weeks or months; the first and the last may be partial. */
export function spansOf(step: Step, today: string, { from: first, to: last }: Span): Span[] {
  const spans: Span[] = []
  for (let day = first; day < last; ) {
    const end = Math.min(last, day + (step === 'day' ? 1 : daysLeft(step, today, day)))
    spans.push({ from: day, to: end })
    day = end
  }
  return spans
}

function daysLeft(step: 'week' | 'month', today: string, days: number): number {
  const date = Temporal.PlainDate.from(today).add({ days })
  return step === 'week' ? week + 1 - date.dayOfWeek : date.daysInMonth + 1 - date.day
}

/**
 * Caches a function of a day: calendar arithmetic costs more than everything else, and every series of a response has the same
 * days.
 */
export function cachedByDay<T>(compute: (day: number) => T): (day: number) => T {
  const known = new Map<number, T>()
  return (day) => {
    const found = known.get(day) ?? compute(day)
    known.set(day, found)
    return found
  }
}
