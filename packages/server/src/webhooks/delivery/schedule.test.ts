import { expect, test } from 'vitest'
import {
  concurrencyOf,
  type EndpointHealth,
  isDegraded,
  pauseSeconds,
  retryAfterSeconds,
  updateHealth,
} from './schedule.ts'

const fresh: EndpointHealth = { width: 2, failures: 0, latencyMs: null }
const after = (outcomes: readonly { ok: boolean; latencyMs: number }[], from = fresh) =>
  outcomes.reduce(updateHealth, from)
const times = (count: number, outcome: { ok: boolean; latencyMs: number }) =>
  Array.from({ length: count }, () => outcome)

test('retries follow the schedule within a tenth, and end with it', () => {
  const schedule = [5, 30, 120]
  expect([1, 2, 3].map((attempts) => retryAfterSeconds(schedule, attempts, 0.5))).toEqual([5, 30, 120])
  expect(retryAfterSeconds(schedule, 1, 0)).toBeCloseTo(4.5)
  expect(retryAfterSeconds(schedule, 1, 1)).toBeCloseTo(5.5)
  expect(retryAfterSeconds(schedule, 4, 0.5)).toBeUndefined()
})

test('an endpoint that answers at once is trusted with more, up to a bound; a slow one with little', () => {
  expect(concurrencyOf(after(times(100, { ok: true, latencyMs: 2 })))).toBe(32)
  expect(concurrencyOf(after(times(100, { ok: true, latencyMs: 500 })))).toBe(8)
  expect(concurrencyOf(after(times(100, { ok: true, latencyMs: 10_000 })))).toBe(2)
})

test('an endpoint that keeps failing is asked once at a time, longer and longer apart, and a success ends that', () => {
  const failing = after(times(3, { ok: false, latencyMs: 1 }), after(times(40, { ok: true, latencyMs: 1 })))
  expect(isDegraded(failing)).toBe(true)
  expect(concurrencyOf(failing)).toBe(1)
  expect(pauseSeconds(failing)).toBe(1)
  expect(pauseSeconds(after(times(3, { ok: false, latencyMs: 1 }), failing))).toBe(8)
  expect(pauseSeconds(after(times(50, { ok: false, latencyMs: 1 }), failing))).toBe(60)
  const well = after([{ ok: true, latencyMs: 1 }], failing)
  expect([isDegraded(well), pauseSeconds(well)]).toEqual([false, 0])
})

test('slow is trouble too', () => {
  expect(isDegraded(after(times(5, { ok: true, latencyMs: 5_000 })))).toBe(true)
  expect(isDegraded(after(times(5, { ok: true, latencyMs: 500 })))).toBe(false)
})
