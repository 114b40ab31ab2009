import { describe, expect, test } from 'vitest'
import { attack, badPractices } from '../../proofs/benchmark-attack/attack.ts'
import { firstSeed } from '../support/random.ts'

/** Larger sizes: `node packages/server/scripts/benchmark-attack.ts`. */

const seed = firstSeed()
const worlds = 500

test(`no answer, and no difference of two, rests on fewer than the floor of others (${worlds} worlds of 100 joins and leaves from WEIR_SEED=${seed})`, () => {
  console.log(`worlds from seed ${seed}`)
  const total = { answers: 0, refusals: 0, sets: 0, changes: 0 }
  for (let i = 0; i < worlds; i++) {
    const { broken, ...told } = attack(seed + i)
    expect(broken, `seed ${seed + i}`).toBeUndefined()
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += told[name]
  }
  // A world in which nothing is published keeps every secret too.
  expect(total.answers).toBeGreaterThan(100 * worlds)
  expect(total.refusals).toBeGreaterThan(100 * worlds)
  expect(total.sets).toBeGreaterThan(2 * worlds)
  expect(total.changes).toBeGreaterThanOrEqual(100 * worlds)
})

describe('the checker notices:', () => {
  test.each(Object.entries(badPractices))(
    '%s',
    (_name, practice) => {
      const isFound = () => {
        for (let i = 0; i < worlds; i++) if (attack(seed + i, practice).broken !== undefined) return true
        return false
      }
      expect(isFound()).toBe(true)
    },
    120_000,
  )
})
