import { parseArgs } from 'node:util'
import { runDrill } from '../proofs/alert-drill/drill.ts'
import { drills } from '../proofs/alert-drill/drills.ts'
import { openInstallation } from '../proofs/alert-drill/installation.ts'
import { servicesUp } from './private-services.ts'

/**
 * Drills of alerts: `node scripts/alert-drill.ts [--only PART]` runs Weir, a gateway and Prometheus with the rules that are shipped (a minute
 * of theirs is a second here), lets one thing after the other go wrong, and ends with 1 where an alert did not fire or did not clear.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })

servicesUp()
const installation = await openInstallation()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
try {
  for (const drill of drills.filter(({ name }) => name.includes(values.only))) {
    const { name, alerts, firedAfterMs, clearedAfterMs } = await runDrill(installation, drill)
    const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
    console.log(
      `${name}: ${alerts.join(', ')} fired after ${inSeconds(firedAfterMs)}, cleared after ${inSeconds(clearedAfterMs)}`,
    )
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await installation.close()
}
