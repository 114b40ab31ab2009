import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { deadlocksShow, runIngestStorm } from '../proofs/ingest-storm/storm.ts'
import { openInstallation } from '../proofs/storm/installation.ts'
import { servicesUp } from './private-services.ts'

/**
 * A storm on ingest of any size: `node scripts/ingest-storm.ts --runs 1000000 --seconds 900 --processes 4 --seed 1`; ends with 1
 * when a promise was broken. After `--seconds` no new batch is begun. `--bug no-claim` plants a fault that it must find, `--calm`
 * leaves out the faults.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '1800' },
    processes: { type: 'string', default: '4' },
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? String(Date.now() % 1_000_000) },
    bug: { type: 'string' },
    calm: { type: 'boolean', default: false },
    ...recordOption,
  },
})
servicesUp()
console.log(`seed ${values.seed}`)
const finish = beginProof('ingest', values.record && values.bug === undefined)
const installation = await openInstallation({ apis: Number(values.processes), settings: deadlocksShow })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
try {
  if (values.bug !== undefined) await installation.plant(values.bug)
  const { faults, ...report } = await runIngestStorm(installation, {
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    withFaults: !values.calm,
    patienceSeconds: 600,
  })
  console.log(report)
  finish({
    tried: Number(report.figures.runs),
    of: 'runs recorded in bulk while processes and PostgreSQL are killed',
    broken: faults.length,
    figures: { seed: Number(values.seed), ...report.weather },
  })
  for (const fault of faults.slice(0, 50)) console.error(fault)
  if (faults.length > 50) console.error(`and ${faults.length - 50} more`)
  if (faults.length > 0) process.exitCode = 1
} finally {
  await installation.close()
}
