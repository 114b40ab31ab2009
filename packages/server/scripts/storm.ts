import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { createTenant, type Installation, openInstallation, setLimits } from '../proofs/storm/installation.ts'
import { measureNeighbours } from '../proofs/storm/neighbours.ts'
import { runStorm, spendTheRest } from '../proofs/storm/storm.ts'
import { formatUsd } from '../src/values/money.ts'
import { servicesUp } from './private-services.ts'

/**
 * A storm of any size: `node scripts/storm.ts --seconds 120 --connections 200 --seed 1`; ends with 1 when a promise was broken.
 * `--bug drift` plants a fault that it must find, `--neighbours` says what one organization feels of another instead.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    connections: { type: 'string', default: '200' },
    agents: { type: 'string', default: '40' },
    processes: { type: 'string', default: '3' },
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? String(Date.now() % 1_000_000) },
    bug: { type: 'string' },
    calm: { type: 'boolean', default: false },
    neighbours: { type: 'boolean', default: false },
    ...recordOption,
  },
})
servicesUp()
console.log(`seed ${values.seed}`)
const installation = await openInstallation({ apis: Number(values.processes) })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
try {
  if (values.bug !== undefined) await installation.plant(values.bug)
  if (values.neighbours)
    console.log(
      await measureNeighbours(installation, { pairs: 3, seconds: 3, noisyConnections: 150, quietConnections: 4 }),
    )
  else await storm(installation)
} finally {
  await installation.close()
}

async function storm(installation: Installation) {
  const finish = beginProof('storm', values.record && values.bug === undefined)
  const tenant = await createTenant(installation)
  await setLimits(installation, tenant)
  const { faults, ...report } = await runStorm(installation, tenant, {
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    agents: Number(values.agents),
    seed: Number(values.seed),
    withFaults: !values.calm,
    waitsForLeases: true,
  })
  const rest = await spendTheRest(installation, tenant)
  console.log({ ...report, rest: `${formatUsd(rest.before)} before, ${formatUsd(rest.after)} left` })
  for (const fault of faults.slice(0, 50)) console.error(fault)
  if (faults.length > 50) console.error(`and ${faults.length - 50} more`)
  const { decisions = 0, holds = 0, settlements = 0, expired = 0 } = report.figures
  finish({
    tried: Number(decisions),
    of: 'decisions on one budget while processes and PostgreSQL are killed and paused',
    broken: faults.length,
    figures: {
      seed: Number(values.seed),
      callers: Number(values.connections),
      processes: Number(values.processes),
      holds,
      settlements,
      expired,
      ...report.counts,
    },
  })
  if (faults.length > 0 || rest.after * 100n > rest.before) process.exitCode = 1
}
