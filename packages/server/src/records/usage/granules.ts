import { Temporal } from 'temporal-polyfill'
import type { TimeWindow } from '../../contract/lists.ts'
import { Lru } from '../../values/lru.ts'
import { periodAt } from '../../values/period.ts'
import { dayMs, hourMs } from '../../values/time.ts'

/** Splits a window of usage into periods: the hours, days, weeks (from Monday) and months of a time zone. */

export const granularities = ['hour', 'day', 'week', 'month'] as const
export type Granularity = (typeof granularities)[number]

export interface Cut {
  readonly granularity: Granularity
  readonly timezone: string
}

const defaultDays = 30
const maxDays = 90

const zoned = (timezone: string, ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)

type Granules = (atMs: number) => { readonly startMs: number; readonly endMs: number }

/** Returns the periods that times fall into. */
function granulesOf({ granularity, timezone }: Cut): Granules {
  if (granularity !== 'hour') return (atMs) => periodAt({ unit: granularity, anchor: null, timezone }, atMs)
  let known = { fromMs: Number.POSITIVE_INFINITY, toMs: 0, offsetMs: 0 }
  return (atMs) => {
    // Clocks change twice a year at most, and asking the calendar for each of two thousand hours takes long.
    if (atMs < known.fromMs || atMs >= known.toMs) {
      const time = zoned(timezone, atMs)
      const toMs = time.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
      known = { fromMs: atMs, toMs, offsetMs: time.offsetNanoseconds / 1e6 }
    }
    const startMs = Math.floor((atMs + known.offsetMs) / hourMs) * hourMs - known.offsetMs
    return { startMs, endMs: Math.min(startMs + hourMs, known.toMs) }
  }
}

/** Windows that were cut last: the calls of a page ask for the same ones, and so does its next reader. */
const cutWindows = new Lru<string, readonly Date[]>(50)

/** Returns the starts of a window's periods; the first and the last are cut at its ends. */
export function cutWindow(cut: Cut, window: TimeWindow): readonly Date[] {
  const key = `${cut.granularity} ${cut.timezone} ${window.from.getTime()} ${window.to.getTime()}`
  const known = cutWindows.get(key)
  if (known) return known
  const starts = startsIn(cut, window)
  cutWindows.set(key, starts)
  return starts
}

function startsIn(cut: Cut, { from, to }: TimeWindow): Date[] {
  const granuleAt = granulesOf(cut)
  const starts = [from]
  for (let atMs = from.getTime(); ; ) {
    atMs = granuleAt(atMs).endMs
    if (atMs >= to.getTime()) return starts
    starts.push(new Date(atMs))
  }
}

/** The window where a query names none: 30 days up to the end of the running period, and never more than are allowed. */
export function defaultWindow({ from, to }: { from?: string; to?: string }, cut: Cut, now: Date): TimeWindow {
  const nowMs = now.getTime()
  const granuleAt = granulesOf(cut)
  const latestMs = granuleAt(nowMs).endMs
  const longestMs = from === undefined ? latestMs : Date.parse(from) + maxDays * dayMs
  // A query for the last 90 days by their start does not mean the rest of the running period.
  const endMs = to !== undefined ? Date.parse(to) : longestMs < nowMs ? latestMs : Math.min(latestMs, longestMs)
  const begin = zoned(cut.timezone, endMs).subtract({ days: defaultDays }).epochMilliseconds
  return { from: new Date(granuleAt(begin).startMs), to: new Date(endMs) }
}

/** Widens a window to whole steps, which is as fine as usage can distinguish. */
export function wholeSteps({ from, to }: TimeWindow, stepMs: number): TimeWindow {
  return {
    from: new Date(Math.floor(from.getTime() / stepMs) * stepMs),
    to: new Date(Math.ceil(to.getTime() / stepMs) * stepMs),
  }
}

/** Midnight in UTC, this many days from the last one. */
export const utcMidnight = (time: Date, days = 0): Date =>
  new Date(Math.floor(time.getTime() / dayMs) * dayMs + days * dayMs)
