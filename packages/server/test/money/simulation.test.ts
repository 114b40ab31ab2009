import { describe, expect, test } from 'vitest'
import { compareCase } from '../../proofs/engine/decide-cases.ts'
import { plantedBugs } from '../../proofs/engine/planted-bugs.ts'
import { live } from '../../proofs/engine/simulation.ts'
import { decide } from '../../src/money/engine/decide.ts'
import { firstSeed } from '../support/random.ts'

/** Larger sizes: `node packages/server/scripts/simulate.ts`. */

const seed = firstSeed()
const cases = 3_000
const lives = 200
const steps = 200

test(`a batch decides what its requests would have been told one at a time (${cases} cases from WEIR_SEED=${seed})`, () => {
  console.log(`cases from seed ${seed}`)
  for (let i = 0; i < cases; i++) expect(compareCase(seed + i, decide), `seed ${seed + i}`).toBeUndefined()
})

test(`whatever happens to an organization, every promise is kept after every step (${lives} lives from WEIR_SEED=${seed})`, () => {
  console.log(`lives from seed ${seed}`)
  const total = { held: 0, granted: 0, refused: 0, late: 0, overrun: 0, charged: 0, uncharged: 0 }
  for (let i = 0; i < lives; i++) {
    const told = live(seed + i, decide, steps)
    expect(told.broken).toBeUndefined()
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += told[name]
  }
  // A simulation in which nothing happens would keep every promise too.
  for (const [name, count] of Object.entries(total)) expect(count, name).toBeGreaterThan(lives)
}, 240_000)

describe('a broken rule is noticed by both:', () => {
  test.each(Object.entries(plantedBugs))(
    '%s',
    (_name, plant) => {
      const broken = plant(decide)
      const isFound = (look: (at: number) => boolean, most: number) => {
        for (let i = 0; i < most; i++) if (look(seed + i)) return true
        return false
      }
      expect(isFound((at) => live(at, broken, steps).broken !== undefined, lives)).toBe(true)
      expect(isFound((at) => differs(at, broken), cases)).toBe(true)
    },
    120_000,
  )
})

function differs(at: number, broken: typeof decide) {
  try {
    return compareCase(at, broken) !== undefined
  } catch {
    return true
  }
}
