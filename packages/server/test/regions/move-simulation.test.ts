import { describe, expect, test } from 'vitest'
import { moveFaults, simulateMove } from '../../proofs/move/simulation.ts'
import { firstSeed } from '../support/random.ts'

const seeds = 200

describe('an organization that is moved while everything fails', () => {
  test('lives in one cell at every moment, loses no write, and arrives: 200 seeds', async () => {
    const from = firstSeed()
    let writes = 0
    for (let seed = from; seed < from + seeds; seed++) {
      const life = await simulateMove(seed)
      expect(life.faults, `seed ${seed}`).toEqual([])
      writes += life.writes
    }
    expect(writes).toBeGreaterThan(seeds * 10)
  })

  test.for(moveFaults)('would be noticed to break with %s', async (fault) => {
    const from = firstSeed()
    for (let seed = from; seed < from + 50 * seeds; seed++)
      if ((await simulateMove(seed, fault)).faults.length > 0) return
    expect.unreachable(`no seed from ${from} on finds: ${fault}`)
  })
})
