import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLocalWindows } from './local-windows.ts'

const windowMs = 6_000

test('no span of the length of the window ever holds more than the limit', () => {
  const arrivals = fc.array(
    fc.record({ gapMs: fc.oneof(fc.nat(200), fc.nat(9_000)), cost: fc.integer({ min: 1, max: 9 }) }),
    {
      maxLength: 300,
    },
  )
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 60 }), (takes, limit) => {
      const windows = createLocalWindows(10)
      const admitted: { atMs: number; cost: number }[] = []
      let nowMs = 1_763_000_000_000
      const seenSince = (fromMs: number) =>
        admitted.filter(({ atMs }) => atMs >= fromMs).reduce((sum, { cost }) => sum + cost, 0)
      const take = (cost: number) => {
        const verdict = windows.take([{ key: 'k', limit, cost, windowMs, slices: 60 }], nowMs)
        if (verdict.admitted) admitted.push({ atMs: nowMs, cost })
        return verdict
      }
      for (const { gapMs, cost } of takes) {
        nowMs += gapMs
        const verdict = take(cost)
        const isWithinLimit = seenSince(nowMs - windowMs) <= limit
        // Refused only for what a span that is one slice longer has seen; after the time told, a retry passes.
        const isJustified = verdict.admitted || seenSince(nowMs - windowMs * (1 + 1 / 60)) + cost > limit
        nowMs += verdict.admitted ? 0 : verdict.counts[0]!.waitMs
        const isPromiseKept = verdict.admitted || cost > limit || take(cost).admitted
        expect({ isWithinLimit, isJustified, isPromiseKept }).toEqual({
          isWithinLimit: true,
          isJustified: true,
          isPromiseKept: true,
        })
      }
    }),
    { numRuns: 300 },
  )
})

test('all windows of a request are taken from, or none', () => {
  const windows = createLocalWindows(10)
  const wide = { key: 'wide', limit: 10, cost: 1, windowMs, slices: 60 }
  const narrow = { key: 'narrow', limit: 2, cost: 1, windowMs, slices: 60 }
  const nowMs = 1_763_000_000_000
  const verdicts = Array.from({ length: 5 }, () => windows.take([wide, narrow], nowMs))
  expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, false, false, false])
  expect(verdicts.at(-1)!.counts.map(({ used }) => used)).toEqual([2, 2])
})

test('a fixed window is empty again at the next multiple of its length, and not before', () => {
  const windows = createLocalWindows(10)
  const startMs = Math.ceil(1_763_000_000_000 / windowMs) * windowMs
  const take = (atMs: number) => windows.take([{ key: 'k', limit: 1, cost: 1, windowMs, slices: 0 }], atMs)
  expect(take(startMs + 1_000).admitted).toBe(true)
  expect(take(startMs + 2_000).counts[0]!.waitMs).toBe(windowMs - 2_000)
  expect(take(startMs + windowMs - 1).admitted).toBe(false)
  expect(take(startMs + windowMs).admitted).toBe(true)
})

test('a clock that goes back a little gives nothing back; one that was far ahead is forgotten', () => {
  const windows = createLocalWindows(10)
  const nowMs = 1_763_000_000_000
  const take = (atMs: number) => windows.take([{ key: 'k', limit: 1, cost: 1, windowMs, slices: 60 }], atMs).admitted
  expect(take(nowMs)).toBe(true)
  expect(take(nowMs - 3_000)).toBe(false)
  expect(take(nowMs + windowMs - 200)).toBe(false)
  expect(take(nowMs - 86_400_000)).toBe(true)
})

test('the number of windows is bounded', () => {
  const windows = createLocalWindows(100)
  for (let i = 0; i < 1_000; i++) {
    windows.take([{ key: String(i), limit: 1, cost: 1, windowMs, slices: 60 }], 1_763_000_000_000)
  }
  expect(windows.size()).toBe(100)
})
