import { expect, test } from 'vitest'
import type { Take } from '../support/rate-taker.ts'
import { takeTogether } from '../support/rate-takers.ts'
import { startRedis } from '../support/redis-servers.ts'

// One of their own: a storm of questions would hold up whoever shares it.
const redis = startRedis()

/** The most that any span of this length, both ends included, was given. */
function fullestSpan(admitted: readonly Take[], lengthMs: number): number {
  let most = 0
  let sum = 0
  let first = 0
  for (const [atMs, cost] of admitted) {
    sum += cost
    while (admitted[first]![0] < atMs - lengthMs) sum -= admitted[first++]![1]
    most = Math.max(most, sum)
  }
  return most
}

test('eight processes and 10,000 requests against 600 a minute get exactly 600', async () => {
  const { takes, admitted, notByRedis } = await takeTogether(8, {
    redisUrl: (await redis).url,
    limit: 600,
    windowSeconds: 60,
    maxCost: 1,
    takes: 1_250,
    forMs: 50_000,
    concurrency: 16,
    maxPauseMs: 0,
  })
  expect({ takes, notByRedis }).toEqual({ takes: 10_000, notByRedis: 0 })
  expect(fullestSpan(admitted, 60_000)).toBe(600)
  expect(admitted).toHaveLength(600)
})

test.each([
  { name: 'without a pause', maxPauseMs: 0, maxCost: 7, concurrency: 4 },
  { name: 'at random times', maxPauseMs: 400, maxCost: 40, concurrency: 12 },
])('no sliding span holds more than the limit, and all but one slice of it can be used: $name', async (load) => {
  const limit = 300
  const lengthMs = 1_000
  const task = {
    redisUrl: (await redis).url,
    limit,
    windowSeconds: lengthMs / 1_000,
    takes: 1e9,
    forMs: 3_500,
    ...load,
  }
  const { admitted, refused, notByRedis } = await takeTogether(3, task)
  expect(notByRedis).toBe(0)
  expect(admitted.length).toBeGreaterThan(0)
  expect(fullestSpan(admitted, lengthMs)).toBeLessThanOrEqual(limit)
  // Whatever was refused did not fit into a span that is one slice longer than the window.
  const wrong = refused.filter(([atMs, cost]) => {
    const seen = admitted.filter(([at]) => at <= atMs && at > atMs - lengthMs * (1 + 1 / 60) - 1)
    return seen.reduce((sum, [, cost]) => sum + cost, cost) <= limit
  })
  expect(wrong).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
})
