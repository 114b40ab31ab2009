import { parseArgs } from 'node:util'
import { attack, badPractices } from '../proofs/benchmark-attack/attack.ts'
import { firstSeed } from '../test/support/random.ts'

/** The attack on benchmarks in sizes that a test run has no time for. */

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '20000' },
    changes: { type: 'string', default: '100' },
    seed: { type: 'string' },
  },
})
const seed = values.seed === undefined ? firstSeed() : Number(values.seed)
const worlds = Number(values.worlds)
const started = performance.now()
const total = { answers: 0, refusals: 0, sets: 0, changes: 0 }
console.log(`${worlds} worlds of ${values.changes} joins and leaves from seed ${seed}`)
for (let i = 0; i < worlds; i++) {
  const { broken, ...told } = attack(seed + i, undefined, Number(values.changes))
  if (broken !== undefined) {
    console.error(`seed ${seed + i}: ${broken}`)
    process.exit(1)
  }
  for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += told[name]
}
console.log(
  `nothing was learnt in ${((performance.now() - started) / 60_000).toFixed(1)} minutes: ${JSON.stringify(total)}`,
)
for (const [name, practice] of Object.entries(badPractices)) {
  const found = Array.from({ length: 200 }, (_, i) => attack(seed + i, practice).broken).filter(Boolean).length
  console.log(`noticed in ${found} of 200 worlds: ${name}`)
}
