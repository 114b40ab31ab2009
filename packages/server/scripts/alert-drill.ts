import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { runDrill } from '../proofs/alert-drill/drill.ts'
import { drills } from '../proofs/alert-drill/drills/drills.ts'
import { openInstallation } from '../proofs/alert-drill/installation.ts'
import { servicesUp } from './private-services.ts'

/**
 * Drills of alerts: `node scripts/alert-drill.ts [--only PART,…]` runs Weir, a gateway and Prometheus with the rules that are shipped (a minute
 * of theirs is a second here), lets one thing after the other go wrong, and ends with 1 where an alert did not fire or did not clear.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, ...recordOption } })

servicesUp()
const finish = beginProof('alerts', values.record && values.only === '')
const told: Record<string, string> = {}
const installation = await openInstallation()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
const parts = values.only.split(',')
try {
  for (const drill of drills.filter(({ name }) => parts.some((part) => name.includes(part)))) {
    const report = await runDrill(installation, drill).catch((error: unknown) => console.error(error))
    if (!report) {
      process.exitCode = 1
      continue
    }
    const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
    told[drill.name] =
      `fired after ${inSeconds(report.firedAfterMs)}, cleared after ${inSeconds(report.clearedAfterMs)}`
    console.log(`${drill.name}: ${drill.alerts.join(', ')} ${told[drill.name]}`)
  }
} finally {
  const passed = Object.keys(told).length
  finish({
    tried: drills.length,
    of: 'things that go wrong in a running installation, each of which must fire its alerts and clear them',
    broken: drills.length - passed,
    figures: told,
  })
  await installation.close()
}
