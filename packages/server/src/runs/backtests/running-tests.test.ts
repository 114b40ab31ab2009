import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RunningTests } from './running-tests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a test that takes too long is ended, and one that has left in time is not', () => {
  const running = new RunningTests()
  const [slow, quick] = [running.acquire('a'), running.acquire('b')]
  quick.release()
  vi.advanceTimersByTime(10 * 60_000 - 1)
  expect(slow.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(slow.signal.reason).toMatchObject({ code: 'service_unavailable' })
  expect(quick.signal.aborted).toBe(false)
})

test('a place is free again when its test has left, and not before', () => {
  const running = new RunningTests()
  const first = running.acquire('a')
  expect(() => running.acquire('a')).toThrow('this organization')
  running.acquire('b')
  expect(() => running.acquire('c')).toThrow('Too many')
  first.stop()
  expect(() => running.acquire('a')).toThrow('this organization')
  first.release()
  expect(running.acquire('a').signal.aborted).toBe(false)
})
