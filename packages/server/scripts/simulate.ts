import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { compareCase } from '../proofs/engine/decide-cases.ts'
import { live } from '../proofs/engine/simulation.ts'
import { decide } from '../src/money/engine/decide.ts'
import { firstSeed } from '../test/support/random.ts'

/** The simulations of the money rules in sizes that a test run has no time for. */

const usage = `usage: simulate.ts decide [--cases 100000] [--seed N]
       simulate.ts life [--seeds 10000] [--steps 300] [--minutes 60] [--seed N]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string', default: '100000' },
    seeds: { type: 'string', default: '10000' },
    steps: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    ...recordOption,
  },
})
const seed = values.seed === undefined ? firstSeed() : Number(values.seed)
const started = performance.now()
const minutes = () => (performance.now() - started) / 60_000

/** Ends at the first broken seed, which is all that is needed to see it again. */
function broken(at: number, what: string): never {
  console.error(`seed ${at}: ${what}`)
  process.exit(1)
}

if (positionals[0] === 'decide') {
  const cases = Number(values.cases)
  const finish = beginProof('decide', values.record)
  console.log(`${cases} cases from seed ${seed}`)
  for (let i = 0; i < cases; i++) {
    const difference = compareCase(seed + i, decide)
    if (difference !== undefined) broken(seed + i, difference)
  }
  console.log(`${cases} cases alike in ${minutes().toFixed(1)} minutes`)
  finish({ tried: cases, of: 'decisions of the engine, compared with a naive model', broken: 0, figures: { seed } })
} else if (positionals[0] === 'life') {
  const total = { steps: 0, asks: 0, held: 0, raised: 0, refused: 0, late: 0, overrun: 0, charged: 0, uncharged: 0 }
  const finish = beginProof('life', values.record)
  let done = 0
  console.log(`${values.seeds} lives from seed ${seed}`)
  for (; done < Number(values.seeds) && minutes() < Number(values.minutes); done++) {
    const told = live(seed + done, decide, Number(values.steps))
    if (told.broken !== undefined) broken(seed + done, told.broken)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += told[name]
  }
  console.log(`${done} lives kept every promise in ${minutes().toFixed(1)} minutes: ${JSON.stringify(total)}`)
  finish({
    tried: done,
    of: 'simulated lives of a ledger with drops, duplicates and crashes',
    broken: 0,
    figures: { seed, ...total },
  })
} else {
  console.error(usage)
  process.exit(2)
}
