import { parseArgs } from 'node:util'
import { operatorKeyOf, startCells } from '../proofs/move-storm/cells.ts'
import { moveDisasters, runMoveStorm } from '../proofs/move-storm/storm.ts'
import { servicesUp } from './private-services.ts'

/**
 * An organization is moved between two real cells under load while something breaks, seed after seed:
 * `node scripts/move-storm.ts --seeds 20 --clients 12 --runs 2000`; with `--runs 1000000 --disaster none` a large one. Ends with 1 when anything
 * that can be read afterwards differs from what callers were told.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '12' },
    runs: { type: 'string', default: '2000' },
    disaster: { type: 'string' },
  },
})
const disaster = moveDisasters.find((each) => each === values.disaster)
if (values.disaster !== undefined && disaster === undefined)
  throw new Error(`--disaster is one of ${moveDisasters.join(', ')}`)

servicesUp()
const cells = await startCells({ workers: true })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cells.close().finally(() => process.exit(1)))
try {
  const operator = operatorKeyOf(cells.us)
  for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.seeds); seed++) {
    const { faults, ...figures } = await runMoveStorm(cells, {
      seed,
      operator,
      clients: Number(values.clients),
      runs: Number(values.runs),
      ...(disaster && { disaster }),
    })
    console.log(JSON.stringify({ seed, differences: faults.length, ...figures }))
    for (const fault of faults.slice(0, 20)) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  }
} finally {
  await cells.close()
}
