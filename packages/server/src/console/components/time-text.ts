import { Temporal } from 'temporal-polyfill'
import { dayMs, hourMs, minuteMs } from '../../values/time.ts'
import { html, type Markup } from './markup.ts'

/** Formats of times in the zone of an organization. */
export interface Times {
  readonly zone: string
  readonly now: Date
  /** `14:32` today, `Tue 17 Nov` this year, `1 Dec 2026` otherwise. */
  readonly short: (at: string | Date) => string
  /** `17 Nov 2026, 14:32`. */
  readonly long: (at: string | Date) => string
  /** `Tue 17 Nov`. */
  readonly day: (at: string | Date) => string
  /** `8 s`, `41 min`; from an hour on as `short`. */
  readonly ago: (at: string | Date) => string
  /** `YYYY-MM-DD` of an instant. */
  readonly date: (at: string | Date) => string
  /** `14:02:11.204`, or with the day where it is not today. */
  readonly exact: (at: string | Date) => string
  /** Returns the instant at which a day `YYYY-MM-DD` begins in the zone; undefined for anything else. */
  readonly startOfDay: (date: string) => string | undefined
  /** Returns the instant at which a day `YYYY-MM-DD` ends in the zone; undefined for anything else. */
  readonly endOfDay: (date: string) => string | undefined
  /** A time as markup: short, with the whole instant in its title. */
  readonly time: (at: string | Date) => Markup
  /** Time that has passed, as markup. */
  readonly passed: (at: string | Date) => Markup
}

const instant = (at: string | Date) => (typeof at === 'string' ? new Date(at) : at)

type Format = (at: string | Date) => string

function createFormats(zone: string) {
  const format = (options: Intl.DateTimeFormatOptions): Format => {
    const formatter = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
    return (at) => formatter.format(instant(at)).replaceAll('Sept', 'Sep')
  }
  return {
    clock: format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    precise: format({
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hourCycle: 'h23',
    }),
    weekday: format({ weekday: 'short' }),
    dayAndMonth: format({ day: 'numeric', month: 'short' }),
    fullDate: format({ day: 'numeric', month: 'short', year: 'numeric' }),
    year: format({ year: 'numeric' }),
    isoDate: format({ year: 'numeric', month: '2-digit', day: '2-digit' }),
  }
}

/** Formats by zone: making them costs more than a page. There are no more zones than the time zone database has names. */
const formatsByZone = new Map<string, ReturnType<typeof createFormats>>()

function formatsOf(zone: string) {
  const known = formatsByZone.get(zone)
  if (known) return known
  const made = createFormats(zone)
  formatsByZone.set(zone, made)
  return made
}

/** Creates the texts of times in a zone, as seen at an instant. */
export function createTimes(zone: string, now: Date): Times {
  const { clock, precise, weekday, dayAndMonth, fullDate, year, isoDate } = formatsOf(zone)
  const date = (at: string | Date) => isoDate(at).split('/').toReversed().join('-')
  const day = (at: string | Date) => `${weekday(at)} ${dayAndMonth(at)}`
  const long = (at: string | Date) => `${fullDate(at)}, ${clock(at)}`
  const short = (at: string | Date) => {
    if (date(at) === date(now)) return clock(at)
    return year(at) === year(now) ? day(at) : fullDate(at)
  }
  const ago = (at: string | Date) => {
    const ms = now.getTime() - instant(at).getTime()
    if (ms < 0 || ms >= hourMs) return short(at)
    return ms < minuteMs ? `${Math.floor(ms / 1_000)} s ago` : `${Math.floor(ms / minuteMs)} min ago`
  }
  const marked = (at: string | Date, text: string): Markup =>
    html`<time datetime="${instant(at).toISOString()}" title="${long(at)} (${zone})">${text}</time>`
  return {
    zone,
    now,
    short,
    long,
    day,
    ago,
    date,
    exact: (at) => (date(at) === date(now) ? precise(at) : `${day(at)}, ${precise(at)}`),
    startOfDay: (text) => dayAfter(text, 0, zone),
    endOfDay: (text) => dayAfter(text, 1, zone),
    time: (at) => marked(at, short(at)),
    passed: (at) => marked(at, ago(at)),
  }
}

/** Returns the instant at which the day that is so many days after another one begins. */
function dayAfter(date: string, days: number, zone: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  try {
    return Temporal.PlainDate.from(date).add({ days }).toZonedDateTime(zone).toInstant().toString()
  } catch {
    return undefined
  }
}

/** Returns a duration: `840 ms`, `3.2 s`, `4 min`, `2 h`, `3 days`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < minuteMs) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < hourMs) return `${Math.round(ms / minuteMs)} min`
  return ms < 2 * dayMs ? `${Math.round(ms / hourMs)} h` : `${Math.round(ms / dayMs)} days`
}
