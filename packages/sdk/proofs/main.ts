import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { servicesUp } from '../../server/scripts/private-services.ts'
import { bugs } from './chaos-storm/agent-settings.ts'
import { runChaosStorm } from './chaos-storm/storm.ts'

/**
 * `pnpm prove:sdk`: 10,000 calls with the SDK while everything around it fails; ends with 1 where the books of provider and Weir
 * differ, as they do with `--bug forgetful` or `--bug gullible`.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    bug: { type: 'string' },
    ...recordOption,
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? '1' },
  },
})
const bug = bugs.find((name) => name === values.bug)
servicesUp()
const finish = beginProof('sdk', values.record && bug === undefined)
const report = await runChaosStorm({
  calls: Number(values.count),
  atOnce: 32,
  seed: Number(values.seed),
  everyMs: [1_500, 5_000],
  ...(bug && { bug }),
})
const { unlike, short, unknown, forgotten, held, running, verified, ...figures } = report
const faults = [...unlike, ...short, ...unknown, ...forgotten, ...held]
for (const line of faults.slice(0, 20)) console.error(line)
console.log(`sdk: ${JSON.stringify({ ...figures, broken: faults.length, running })}`)
console.log(verified.trim().split('\n').at(-1))
finish({
  tried: Number(values.count),
  of: 'calls with the SDK while Weir, its database and the agents are killed',
  broken: faults.length + running + (figures.billedUsd === figures.bookedUsd ? 0 : 1),
  figures: {
    seed: Number(values.seed),
    'billed by the provider': `$${figures.billedUsd}`,
    'booked by Weir': `$${figures.bookedUsd}`,
  },
})
if (faults.length + running > 0 || figures.billedUsd !== figures.bookedUsd) process.exitCode = 1
