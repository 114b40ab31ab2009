import { parseArgs } from 'node:util'
import { openRegions } from '../proofs/regions-storm/regions.ts'
import { loseRegion, runRegionsStorm } from '../proofs/regions-storm/storm.ts'
import { servicesUp } from './private-services.ts'

/**
 * Two regions of two cells each, a storm through all of them, then one region lost: `node scripts/regions-storm.ts --seconds 60 --clients 20
 * --seed 1`; ends with 1 when anything that a customer can read differs from what its callers were told, or a caller of the region that is
 * left gets an error. `--only storm` or `--only lost` does one of the two, `--cells 1` opens one cell in each region, `--bug keyless-forwarding` plants a fault that it must find.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '20' },
    cells: { type: 'string', default: '2' },
    apis: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    calm: { type: 'boolean', default: false },
    only: { type: 'string' },
    bug: { type: 'string' },
  },
})

servicesUp()
const names = (region: string) => Array.from({ length: Number(values.cells) }, (_, i) => `${region}${i + 1}`)
const regions = await openRegions(
  { eu: names('eu'), us: names('us') },
  { apis: Number(values.apis), ...(values.bug !== undefined && { bug: values.bug }) },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void regions.close().finally(() => process.exit(1)))
try {
  const options = { seconds: Number(values.seconds), clients: Number(values.clients), seed: Number(values.seed) }
  const parts = {
    storm: () => runRegionsStorm(regions, { ...options, isCalm: values.calm }),
    lost: () => loseRegion(regions, 'us', options),
  }
  for (const [name, run] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue
    const { faults, figures } = await run()
    console.log(JSON.stringify({ part: name, seed: options.seed, differences: faults.length, ...figures }, null, 2))
    for (const fault of faults.slice(0, 20)) console.error(fault)
    if (faults.length > 20) console.error(`and ${faults.length - 20} more`)
    if (faults.length > 0) process.exitCode = 1
  }
} finally {
  await regions.close()
}
