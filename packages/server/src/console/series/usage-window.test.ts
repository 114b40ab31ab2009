import { describe, expect, test } from 'vitest'
import { createTimes } from '../components/components.ts'
import { stepsOf, windowBefore, windowOf } from './usage-window.ts'

const windowIn = (zone: string, now: string, query: string) => {
  const { fromMs, toMs } = windowOf(new URLSearchParams(query), createTimes(zone, new Date(now)))
  return [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
}

describe('a window of usage', () => {
  test('begins and ends at midnights of the organization, not of UTC', () => {
    expect(windowIn('Pacific/Kiritimati', '2026-10-31T11:00:00Z', '')).toEqual([
      '2026-10-31T10:00:00.000Z',
      '2026-11-30T10:00:00.000Z',
    ])
    expect(windowIn('America/Los_Angeles', '2026-11-18T03:00:00Z', 'range=7')).toEqual([
      '2026-11-11T08:00:00.000Z',
      '2026-11-18T08:00:00.000Z',
    ])
  })

  test('includes its last date, through the end of summer time', () => {
    expect(windowIn('Europe/Berlin', '2026-11-18T12:00:00Z', 'range=dates&from=2026-10-24&to=2026-10-25')).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ])
  })

  test.each([
    'from=2026-02-31&to=2026-03-02',
    'from=2026-03-02&to=2026-03-01',
    'from=2026-01-01&to=2026-06-01',
    'from=x',
  ])('is this month where %s is none that can be read', (query) => {
    expect(windowIn('UTC', '2026-11-18T12:00:00Z', `range=dates&${query}`)).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ])
  })

  test('is never longer than the API reads', () => {
    for (const now of ['2026-11-18T12:00:00Z', '2026-12-01T00:30:00Z', '2026-04-20T22:30:00Z']) {
      const [from, to] = windowIn('Europe/Berlin', now, 'range=90')
      expect(Date.parse(to!) - Date.parse(from!)).toBeLessThanOrEqual(90 * 86_400_000)
    }
  })

  test('is compared with as much time as has passed of it', () => {
    const times = createTimes('UTC', new Date('2026-11-03T00:00:00Z'))
    const before = windowBefore(windowOf(new URLSearchParams(), times), times.now.getTime())
    expect(new Date(before.fromMs).toISOString()).toBe('2026-10-30T00:00:00.000Z')
    expect(before.text).toBe('the 2 days before')
  })

  test('has a bar for each of its days, the longer one too, and marks the one that runs now', () => {
    const times = createTimes('Europe/Berlin', new Date('2026-10-25T12:00:00Z'))
    const window = windowOf(new URLSearchParams('range=dates&from=2026-10-24&to=2026-10-26'), times)
    const days = stepsOf(window, 'day', times)
    expect(days.map(({ label, isNow }) => [label, isNow])).toEqual([
      ['Sat 24 Oct', false],
      ['Sun 25 Oct', true],
      ['Mon 26 Oct', false],
    ])
    expect(stepsOf(window, 'hour', times)).toHaveLength(73)
  })
})
