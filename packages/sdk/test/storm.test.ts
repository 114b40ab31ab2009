import { expect, test } from 'vitest'
import { firstSeed } from '../../server/test/support/random.ts'
import { runChaosStorm } from '../proofs/chaos-storm/storm.ts'

test('while Weir and the agents are killed, paused and cut off, every answer is booked at what it was billed, and nothing is held in the end', async () => {
  const seed = firstSeed()
  const report = await runChaosStorm({
    calls: 200,
    atOnce: 8,
    seed,
    everyMs: [500, 2_000],
    agentKills: 2,
    leaseSeconds: 4,
  })
  const { unlike, short, unknown, forgotten, held, billedUsd, bookedUsd, answered, calls } = report
  const none = { unlike: [], short: [], unknown: [], forgotten: [], held: [] }
  expect({ seed, unlike, short, unknown, forgotten, held }).toEqual({ seed, ...none })
  expect(bookedUsd).toBe(billedUsd)
  expect(answered).toBeGreaterThan(30)
  expect(calls).toBeGreaterThanOrEqual(answered)
})
