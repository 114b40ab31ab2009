import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RunningTests } from './running.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a test that takes too long is ended, and one that has left in time is not', () => {
  const running = new RunningTests()
  const [slow, quick] = [running.enter('a'), running.enter('b')]
  quick.leave()
  vi.advanceTimersByTime(10 * 60_000 - 1)
  expect(slow.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(slow.signal.reason).toMatchObject({ code: 'service_unavailable' })
  expect(quick.signal.aborted).toBe(false)
})

test('a place is free again when its test has left, and not before', () => {
  const running = new RunningTests()
  const first = running.enter('a')
  expect(() => running.enter('a')).toThrow('this organization')
  running.enter('b')
  expect(() => running.enter('c')).toThrow('Too many')
  first.stop()
  expect(() => running.enter('a')).toThrow('this organization')
  first.leave()
  expect(running.enter('a').signal.aborted).toBe(false)
})
