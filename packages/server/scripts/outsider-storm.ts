import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { openOutsiderInstallation, runOutsiderStorm } from '../proofs/outsider-storm/storm.ts'
import { servicesUp } from './private-services.ts'

/**
 * A storm judged from outside, seed after seed: `node scripts/outsider-storm.ts --seconds 60 --clients 150 --seed 1 --seeds 10`; ends with 1 when
 * anything that a customer can read differs from what its callers were told. `--bug kept-answers-ignored` plants a fault that it must find.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '150' },
    processes: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    weather: { type: 'string' },
    bug: { type: 'string' },
    ...recordOption,
  },
})
const weathers = ['stormy', 'cutting'] as const
type Weather = (typeof weathers)[number] | 'calm'

servicesUp()
const installation = await openOutsiderInstallation(Number(values.processes))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
try {
  if (values.bug !== undefined) await installation.plant(values.bug)
  for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.seeds); seed++) {
    const weather = (values.weather as Weather | undefined) ?? weathers[seed % weathers.length]!
    const options = { seconds: Number(values.seconds), clients: Number(values.clients), seed, weather }
    const finish = beginProof('outsider', values.record && values.bug === undefined)
    const { faults, ...report } = await runOutsiderStorm(installation, options)
    console.log(JSON.stringify({ seed, weather, differences: faults.length, ...report }))
    finish({
      tried: sumOf(report.answers),
      of: 'answers, compared with everything that a customer can read afterwards',
      broken: faults.length,
      figures: { seed, weather, ...report.figures, ...report.counts },
    })
    for (const fault of faults.slice(0, 20)) console.error(fault)
    if (faults.length > 20) console.error(`and ${faults.length - 20} more`)
    if (faults.length > 0) process.exitCode = 1
  }
} finally {
  await installation.close()
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
