import { Temporal } from 'temporal-polyfill'
import { periodAt } from '../../values/period.ts'
import { dayMs, hourMs, isoOf } from '../../values/time.ts'
import type { Times } from '../components/components.ts'

/** Lengths of the bars of a chart of usage. */
export const granularities = ['hour', 'day', 'week', 'month'] as const
export type BarLength = (typeof granularities)[number]

/** A stretch of time whose usage is shown: [fromMs, toMs), in the zone of the organization. */
export interface UsageWindow {
  readonly fromMs: number
  readonly toMs: number
  /** Its name: `this month`, `1 to 17 Nov`. */
  readonly text: string
}

/** Ranges to choose from, with the words for each. */
export const ranges = [
  ['month', 'This month'],
  ['last-month', 'Last month'],
  ['last-week', 'Last week'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['dates', 'Between two dates'],
] as const

const maxDays = 90
const isDate = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text)

/** Returns the midnight of a date in a zone; undefined where there is no such date. */
function midnight(date: string, zone: string): number | undefined {
  try {
    return Temporal.PlainDate.from(date, { overflow: 'reject' }).toZonedDateTime(zone).epochMilliseconds
  } catch {
    return undefined
  }
}

const monthOf = (zone: string, atMs: number) => periodAt({ unit: 'month', anchor: null, timezone: zone }, atMs)
const weekOf = (zone: string, atMs: number) => periodAt({ unit: 'week', anchor: null, timezone: zone }, atMs)
const dayOf = (zone: string, atMs: number) => periodAt({ unit: 'day', anchor: null, timezone: zone }, atMs)

/** Returns the month that runs now. */
export function thisMonth({ zone, now }: Times): UsageWindow {
  const { startMs, endMs } = monthOf(zone, now.getTime())
  return { fromMs: startMs, toMs: endMs, text: 'this month' }
}

/** Returns the window that an address asks for; this month where it asks for none. Dates are whole days, the last one included. */
export function windowOf(query: URLSearchParams, times: Times): UsageWindow {
  const { zone, now } = times
  const nowMs = now.getTime()
  const range = query.get('range') ?? (query.has('from') ? 'dates' : 'month')
  if (range === 'dates') {
    const [from, to] = [query.get('from'), query.get('to')]
    const fromMs = isDate(from) ? midnight(from, zone) : undefined
    const lastMs = isDate(to) ? midnight(to, zone) : undefined
    if (fromMs !== undefined && lastMs !== undefined && lastMs >= fromMs) {
      const toMs = dayOf(zone, lastMs).endMs
      // The API reads at most 90 days at once; an hour more is one that summer time has set back.
      if (toMs - fromMs <= maxDays * dayMs + hourMs)
        return {
          fromMs,
          toMs: Math.min(toMs, fromMs + maxDays * dayMs),
          text: `${times.day(isoOf(fromMs))} to ${times.day(isoOf(lastMs))}`,
        }
    }
  }
  if (range === 'last-month') {
    const { startMs, endMs } = monthOf(zone, monthOf(zone, nowMs).startMs - 1)
    return { fromMs: startMs, toMs: endMs, text: 'last month' }
  }
  if (range === 'last-week') {
    const { startMs, endMs } = weekOf(zone, weekOf(zone, nowMs).startMs - 1)
    return { fromMs: startMs, toMs: endMs, text: 'last week' }
  }
  if (range === '7' || range === '30' || range === '90') {
    const toMs = dayOf(zone, nowMs).endMs
    const fromMs = dayOf(zone, toMs - Number(range) * dayMs + hourMs).startMs
    return { fromMs: Math.max(fromMs, toMs - maxDays * dayMs), toMs, text: `the last ${range} days` }
  }
  return thisMonth(times)
}

/** Returns the stretch before a window, as long as what has passed of it. */
export function windowBefore({ fromMs, toMs }: UsageWindow, nowMs: number): UsageWindow {
  const length = Math.max(hourMs, Math.min(toMs, nowMs) - fromMs)
  const days = Math.max(1, Math.round(length / dayMs))
  return { fromMs: fromMs - length, toMs: fromMs, text: days === 1 ? 'the day before' : `the ${days} days before` }
}

/** A bar of a chart of usage: where it begins, and its names. */
export interface UsageStep {
  readonly startMs: number
  readonly label: string
  readonly tick: string
  readonly isNow: boolean
}

/** Returns the bars of a window, those without usage included. */
export function stepsOf(
  { fromMs, toMs }: UsageWindow,
  length: BarLength,
  times: Times,
  zone = times.zone,
): UsageStep[] {
  const nowMs = times.now.getTime()
  const unit = length === 'hour' ? undefined : length
  const endOf = (atMs: number) =>
    unit === undefined ? atMs - (atMs % hourMs) + hourMs : periodAt({ unit, anchor: null, timezone: zone }, atMs).endMs
  const steps: UsageStep[] = []
  for (let atMs = fromMs; atMs < toMs; ) {
    const endMs = endOf(atMs)
    steps.push({ startMs: atMs, ...namesOf(isoOf(atMs), length, times), isNow: nowMs >= atMs && nowMs < endMs })
    atMs = endMs
  }
  return steps
}

function namesOf(at: string, length: BarLength, times: Times): Pick<UsageStep, 'label' | 'tick'> {
  const dayOfMonth = String(Number(times.date(at).slice(8)))
  if (length === 'hour') {
    const clock = times.long(at).split(', ')[1] ?? ''
    return { label: `${times.day(at)}, ${clock}`, tick: clock === '00:00' ? dayOfMonth : clock }
  }
  if (length === 'month') return { label: times.long(at).slice(0, -7), tick: times.day(at).split(' ')[2] ?? '' }
  return { label: length === 'week' ? `Week of ${times.day(at)}` : times.day(at), tick: dayOfMonth }
}
