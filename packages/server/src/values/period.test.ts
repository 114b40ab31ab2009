import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isTimezone,
  type Period,
  type PlannedSchedule,
  periodAt,
  periodUnits,
  plannedPeriodAt,
  replan,
  type Schedule,
  startOfNextSchedule,
} from './period.ts'

const hour = 3_600_000
const utc = (unit: Schedule['unit'], anchor: string | null = null): Schedule => ({ unit, anchor, timezone: 'UTC' })
const ms = (text: string) => Date.parse(text)
const iso = (time: number) => new Date(time).toISOString().replace(':00.000Z', 'Z')

/** The period in UTC as its two dates. */
function dates(schedule: Schedule, at: string): string {
  const { startMs, endMs } = periodAt(schedule, ms(at))
  return `${iso(startMs)} ${iso(endMs)}`.replaceAll('T00:00Z', '')
}

describe('without an anchor periods begin where calendars say', () => {
  test.each([
    ['day', '2026-11-18T23:59:59.999Z', '2026-11-18 2026-11-19'],
    ['week', '2026-11-18T12:00Z', '2026-11-16 2026-11-23'],
    ['week', '2026-11-22T23:59Z', '2026-11-16 2026-11-23'],
    ['month', '2026-11-18T12:00Z', '2026-11-01 2026-12-01'],
    ['month', '2028-02-29T12:00Z', '2028-02-01 2028-03-01'],
    ['quarter', '2026-11-18T12:00Z', '2026-10-01 2027-01-01'],
    ['quarter', '2026-03-31T23:59Z', '2026-01-01 2026-04-01'],
    ['year', '2028-12-31T23:59Z', '2028-01-01 2029-01-01'],
    ['year', '1969-12-31T23:59Z', '1969-01-01 1970-01-01'],
  ] as const)('%s at %s', (unit, at, expected) => {
    expect(dates(utc(unit), at)).toBe(expected)
  })
})

test('a week that spans the turn of the year is one period', () => {
  for (const at of ['2026-12-28T00:00Z', '2026-12-31T23:59Z', '2027-01-01T00:00Z', '2027-01-03T23:59Z'])
    expect(periodAt(utc('week'), ms(at)).label).toBe('week:2026-12-28@UTC')
  expect(periodAt(utc('week'), ms('2027-01-04T00:00Z')).label).toBe('week:2027-01-04@UTC')
})

describe('an anchor says where periods begin', () => {
  test.each([
    ['day', '2026-01-31', '2026-11-18T12:00Z', '2026-11-18 2026-11-19'],
    ['week', '2026-01-01', '2026-11-18T12:00Z', '2026-11-12 2026-11-19'],
    ['week', '2030-01-03', '2026-11-19T00:00Z', '2026-11-19 2026-11-26'],
    ['month', '2026-01-15', '2026-11-14T23:59Z', '2026-10-15 2026-11-15'],
    ['month', '2030-01-15', '2026-11-15T00:00Z', '2026-11-15 2026-12-15'],
    ['quarter', '2026-02-10', '2026-11-09T12:00Z', '2026-08-10 2026-11-10'],
    ['quarter', '2026-12-10', '2026-03-09T12:00Z', '2025-12-10 2026-03-10'],
    ['year', '2026-07-01', '2026-06-30T12:00Z', '2025-07-01 2026-07-01'],
    ['year', '2036-07-01', '2026-07-01T00:00Z', '2026-07-01 2027-07-01'],
  ] as const)('%s from %s at %s', (unit, anchor, at, expected) => {
    expect(dates(utc(unit, anchor), at)).toBe(expected)
  })
})

describe('an anchor beyond the end of a month is its last day, and comes back in longer months', () => {
  test.each([
    ['month', '2026-01-31', '2026-02-27T12:00Z', '2026-01-31 2026-02-28'],
    ['month', '2026-01-31', '2026-02-28T00:00Z', '2026-02-28 2026-03-31'],
    ['month', '2026-01-31', '2028-02-29T00:00Z', '2028-02-29 2028-03-31'],
    ['month', '2026-01-31', '2026-04-30T00:00Z', '2026-04-30 2026-05-31'],
    ['month', '2026-01-30', '2026-03-29T12:00Z', '2026-02-28 2026-03-30'],
    ['month', '2030-01-31', '2026-03-31T00:00Z', '2026-03-31 2026-04-30'],
    ['quarter', '2026-08-31', '2026-03-01T12:00Z', '2026-02-28 2026-05-31'],
    ['quarter', '2026-08-31', '2027-11-30T00:00Z', '2027-11-30 2028-02-29'],
    ['year', '2024-02-29', '2026-02-28T00:00Z', '2026-02-28 2027-02-28'],
    ['year', '2024-02-29', '2028-02-28T12:00Z', '2027-02-28 2028-02-29'],
    ['year', '2032-02-29', '2028-02-29T00:00Z', '2028-02-29 2029-02-28'],
  ] as const)('%s from %s at %s', (unit, anchor, at, expected) => {
    expect(dates(utc(unit, anchor), at)).toBe(expected)
  })
})

describe('days begin with the first instant of their date and last as long as clocks make them', () => {
  test.each([
    ['America/New_York', '2026-03-08T12:00Z', '2026-03-08T05:00Z', 23],
    ['America/New_York', '2026-11-01T12:00Z', '2026-11-01T04:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-04T20:00Z', '2026-04-04T13:00Z', 24.5],
    ['Australia/Lord_Howe', '2026-10-03T20:00Z', '2026-10-03T13:30Z', 23.5],
    ['Asia/Kathmandu', '2026-06-01T12:00Z', '2026-05-31T18:15Z', 24],
    // Midnight is skipped: the day begins at one o'clock.
    ['America/Sao_Paulo', '2018-11-04T12:00Z', '2018-11-04T03:00Z', 23],
    ['Asia/Beirut', '2022-03-27T12:00Z', '2022-03-26T22:00Z', 23],
    ['Africa/Cairo', '2024-04-26T12:00Z', '2024-04-25T22:00Z', 23],
    // Midnight comes twice: the day begins at the first.
    ['America/Havana', '2026-11-01T12:00Z', '2026-11-01T04:00Z', 25],
    // One minute past midnight clocks show the old date again, which is over.
    ['America/St_Johns', '2010-11-07T02:45Z', '2010-11-07T02:30Z', 25],
    // Clocks jump over a whole date.
    ['Pacific/Apia', '2011-12-30T09:59Z', '2011-12-29T10:00Z', 24],
    ['Pacific/Apia', '2011-12-30T10:00Z', '2011-12-30T10:00Z', 24],
  ] as const)('%s at %s', (timezone, at, start, hours) => {
    const { startMs, endMs } = periodAt({ unit: 'day', anchor: null, timezone }, ms(at))
    expect(iso(startMs)).toBe(start)
    expect((endMs - startMs) / hour).toBe(hours)
  })
})

test('a month in a zone with summer time begins and ends at its own midnights', () => {
  const { startMs, endMs } = periodAt(
    { unit: 'month', anchor: null, timezone: 'America/New_York' },
    ms('2026-11-18T12:00Z'),
  )
  expect([iso(startMs), iso(endMs)]).toEqual(['2026-11-01T04:00Z', '2026-12-01T05:00Z'])
})

test('a label names unit, local date and zone', () => {
  const at = ms('2026-11-01T02:00Z')
  expect(periodAt(utc('month'), at).label).toBe('month:2026-11-01@UTC')
  expect(periodAt({ ...utc('month'), timezone: 'America/New_York' }, at).label).toBe(
    'month:2026-10-01@America/New_York',
  )
})

test('an instant between two milliseconds has a period', () => {
  const at = ms('2026-11-01T00:00Z') - 0.5
  expect(periodAt(utc('day'), at).label).toBe('day:2026-10-31@UTC')
})

const zones = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Antarctica/Casey',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Africa/Cairo',
  'Europe/London',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]
const fromMs = ms('1975-01-01T00:00Z')
const toMs = ms('2075-01-01T00:00Z')
const instants = fc.integer({ min: fromMs, max: toMs })
const anchors = fc
  .date({ min: new Date(fromMs), max: new Date(toMs), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const schedules = fc.record({
  unit: fc.constantFrom(...periodUnits),
  anchor: fc.option(fc.oneof(anchors, fc.constantFrom('2024-02-29', '2026-01-31', '2030-11-30'))),
  timezone: fc.constantFrom(...zones),
})

const localDates = new Map(
  zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })]),
)
const localDate = (timezone: string, time: number) => localDates.get(timezone)?.format(time) ?? ''

test('every instant is in one period, periods follow each other without gap, and no two share a label', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, at) => {
      const period = periodAt(schedule, at)
      expect(period.startMs).toBeLessThanOrEqual(at)
      expect(period.endMs).toBeGreaterThan(at)
      const after = periodAt(schedule, period.endMs)
      const before = periodAt(schedule, period.startMs - 1)
      expect(after.startMs).toBe(period.endMs)
      expect(before.endMs).toBe(period.startMs)
      expect(new Set([before.label, period.label, after.label]).size).toBe(3)
      expect(periodAt(schedule, period.startMs)).toEqual(period)
      expect(periodAt(schedule, period.endMs - 1)).toEqual(period)
    }),
    { numRuns: 1000 },
  )
})

test('a period begins at the first instant at which a clock in the zone shows its date', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, at) => {
      const { label, startMs } = periodAt(schedule, at)
      const date = label.slice(label.indexOf(':') + 1, label.indexOf('@'))
      expect(localDate(schedule.timezone, startMs - 1) < date).toBe(true)
      expect(localDate(schedule.timezone, startMs) >= date).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test.each(zones)('the days of years in which clocks did strange things tile in %s', (timezone) => {
  const day: Schedule = { unit: 'day', anchor: null, timezone }
  const labels: string[] = []
  const gaps: string[] = []
  for (let at = periodAt(day, ms('2009-06-01T00:00Z')).startMs; at < ms('2012-06-01T00:00Z') && gaps.length === 0; ) {
    const { label, startMs, endMs } = periodAt(day, at)
    if (startMs !== at) gaps.push(label)
    labels.push(label)
    at = endMs
  }
  expect(gaps).toEqual([])
  expect(new Set(labels).size).toBe(labels.length)
})

test('what is remembered never changes an answer', () => {
  const at = ms('2026-11-18T12:00Z')
  const expected = periodAt(utc('month', '2026-01-31'), at)
  for (let day = 0; day < 10_001; day++)
    periodAt(utc('month', new Date(fromMs + day * 24 * hour).toISOString().slice(0, 10)), at)
  expect(periodAt(utc('month', '2026-01-31'), at)).toEqual(expected)
})

describe('a changed schedule', () => {
  const at = ms('2026-11-18T12:00Z')
  const december = ms('2026-12-01T00:00Z')
  const monthly: PlannedSchedule = { current: utc('month'), next: null }
  const weekly = replan(monthly, utc('week'), at)

  test('begins with its first own period after the running one, which goes on until then', () => {
    const monday = ms('2026-12-07T00:00Z')
    expect(weekly).toEqual({ current: utc('month'), next: { schedule: utc('week'), fromMs: december } })
    const november = { ...periodAt(utc('month'), at), endMs: monday }
    for (const time of [at, december - 1, december, monday - 1]) expect(plannedPeriodAt(weekly, time)).toEqual(november)
    expect(plannedPeriodAt(weekly, monday)).toEqual(periodAt(utc('week'), monday))
  })

  test('begins at once with the end of the running period where its own begins there', () => {
    const daily = replan(monthly, utc('day'), at)
    expect(plannedPeriodAt(daily, at)).toEqual(periodAt(utc('month'), at))
    expect(plannedPeriodAt(daily, december)).toEqual(periodAt(utc('day'), december))
  })

  test('is forgotten when the one in force is wanted again', () => {
    expect(replan(weekly, utc('month'), at)).toEqual(monthly)
    expect(replan(monthly, utc('month'), at)).toEqual(monthly)
  })

  test('gives way to a later wish', () => {
    expect(replan(weekly, utc('day'), at)).toEqual(replan(monthly, utc('day'), at))
  })

  test('is the one in force once it has begun', () => {
    const monday = ms('2026-12-07T00:00Z')
    expect(replan(weekly, utc('week'), monday)).toEqual({ current: utc('week'), next: null })
    expect(replan(weekly, utc('month'), monday)).toEqual({
      current: utc('week'),
      next: { schedule: utc('month'), fromMs: ms('2026-12-14T00:00Z') },
    })
  })

  test('still begins after the period that ran first, when it is changed again meanwhile', () => {
    const tuesday = ms('2026-12-01T12:00Z')
    expect(replan(weekly, utc('quarter'), tuesday)).toEqual({
      current: utc('month'),
      next: { schedule: utc('quarter'), fromMs: december },
    })
  })

  test('ends the period before it even if another time-zone database would not', () => {
    const clipped: PlannedSchedule = {
      current: utc('month'),
      next: { schedule: utc('day'), fromMs: december - 24 * hour },
    }
    expect(plannedPeriodAt(clipped, at).endMs).toBe(december - 24 * hour)
  })

  /** The calendar periods that limits were counted in, in the order in which they were met. */
  function metBetween(
    begin: number,
    end: number,
    current: Schedule,
    changeAt: (planned: PlannedSchedule, now: number) => PlannedSchedule,
  ) {
    const met: Period[] = []
    let planned: PlannedSchedule = { current, next: null }
    for (let now = begin; now < end; ) {
      planned = changeAt(planned, now)
      const { label, endMs } = plannedPeriodAt(planned, now)
      const inForce =
        planned.next !== null && now >= startOfNextSchedule(planned.next) ? planned.next.schedule : planned.current
      const calendar = periodAt(
        inForce,
        Math.min(now, planned.next !== null && inForce === planned.current ? planned.next.fromMs - 1 : now),
      )
      expect(calendar.label).toBe(label)
      if (met.at(-1)?.label !== label) met.push(calendar)
      now = Math.min(endMs, now + 7 * hour)
    }
    return met
  }

  test('never gives a fresh limit before its calendar would: the periods met never overlap, and none comes twice', () => {
    const wishes = fc.array(fc.option(schedules, { nil: undefined }), { minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(schedules, instants, wishes, (current, begin, changes) => {
        let i = 0
        const met = metBetween(begin, begin + 120 * 24 * hour, current, (planned, now) => {
          const wanted = changes[i++ % changes.length]
          return wanted === undefined ? planned : replan(planned, wanted, now)
        })
        expect(met.filter(({ startMs }, place) => place > 0 && startMs < met[place - 1]!.endMs)).toEqual([])
        expect(new Set(met.map(({ label }) => label)).size).toBe(met.length)
      }),
      { numRuns: 200 },
    )
  })

  test('to the zone with the next midnight, over and over, gives no more daily limits than the days there are', () => {
    const hours = Array.from({ length: 12 }, (_, i) => i + 1)
    const zones = ['UTC', ...hours.map((west) => `Etc/GMT+${west}`), ...hours.map((east) => `Etc/GMT-${east}`)]
    const begin = ms('2026-11-18T00:00Z')
    const labels = new Set<string>()
    let planned: PlannedSchedule = { current: utc('day'), next: null }
    for (let now = begin; now < begin + 48 * hour; now += hour / 4) {
      labels.add(plannedPeriodAt(planned, now).label)
      // Greedy: whichever zone brings the limit after the next one soonest.
      const wishes = zones.map((timezone) => replan(planned, { unit: 'day', anchor: null, timezone }, now))
      const secondEnd = (wish: PlannedSchedule) => plannedPeriodAt(wish, plannedPeriodAt(wish, now).endMs).endMs
      planned = wishes.toSorted((a, b) => secondEnd(a) - secondEnd(b))[0]!
    }
    expect(labels.size).toBeLessThanOrEqual(3)
  })
})

test.each(['UTC', 'Europe/London', 'America/Argentina/Buenos_Aires', 'US/Pacific', 'Etc/GMT+5'])(
  '%s is a time zone',
  (name) => {
    expect(isTimezone(name)).toBe(true)
    expect(periodAt({ unit: 'day', anchor: null, timezone: name }, fromMs).label).toContain(name)
  },
)

test.each([
  '',
  ' ',
  '+01:00',
  '-0500',
  '+00',
  'Z',
  'Mars/Olympus',
  'Europe/London ',
  '2026-01-01T00:00Z[UTC]',
  'T10+05',
])('"%s" is no time zone', (name) => {
  expect(isTimezone(name)).toBe(false)
})

test('periods can be cut in every zone that the runtime knows', () => {
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    expect(isTimezone(timezone)).toBe(true)
    const { startMs, endMs } = periodAt({ unit: 'day', anchor: null, timezone }, fromMs)
    expect(startMs <= fromMs && fromMs < endMs).toBe(true)
  }
})
