import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { openWebhookInstallation } from '../proofs/webhook-storm/installation.ts'
import { compareLag, runWebhookStorm } from '../proofs/webhook-storm/storm.ts'
import { servicesUp } from './private-services.ts'

/**
 * A storm on webhooks of any size: `node scripts/webhook-storm.ts --events 100000 --subscriptions 200 --rate 400 --seed 1`; ends with
 * 1 when a promise was broken. `--bug events-dropped` plants a fault that it must find, `--calm` leaves out the faults, `--pairs 3`
 * says how often it measures what healthy subscriptions feel of the others.
 */

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    subscriptions: { type: 'string', default: '200' },
    orgs: { type: 'string', default: '10' },
    rate: { type: 'string', default: '400' },
    workers: { type: 'string', default: '4' },
    pairs: { type: 'string', default: '2' },
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? String(Date.now() % 1_000_000) },
    bug: { type: 'string' },
    calm: { type: 'boolean', default: false },
    ...recordOption,
  },
})
const maxDuplicatePercent = 1
const maxLagRatio = 2

servicesUp()
console.log(`seed ${values.seed}`)
const seed = Number(values.seed)
const finish = beginProof('webhooks', values.record && values.bug === undefined)
const installation = await openWebhookInstallation({ workers: Number(values.workers) })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void installation.close().finally(() => process.exit(1)))
const size = {
  orgs: Number(values.orgs),
  subscriptions: Number(values.subscriptions),
  rate: Number(values.rate),
  patienceSeconds: 180,
}
const faults: string[] = []
try {
  const ratios: number[] = []
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const compared = await compareLag(installation, {
      ...size,
      rate: size.rate / 2,
      events: size.rate * 10,
      seed: seed + pair,
    })
    console.log({ ...compared.figures, ratio: compared.ratio.toFixed(2) })
    faults.push(...compared.faults)
    ratios.push(compared.ratio)
  }
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0
  if (ratio > maxLagRatio) faults.push(`healthy subscriptions wait ${ratio.toFixed(2)} times as long beside dead ones`)

  if (values.bug !== undefined) await installation.plant(values.bug)
  const {
    faults: found,
    figures,
    duplicatePercent,
    lag,
  } = await runWebhookStorm(installation, {
    ...size,
    seed,
    events: Number(values.events),
    withTroubled: true,
    overlapSeconds: 60,
    ...(!values.calm && { pace: { killMs: [3_000, 9_000], pauseMs: [20_000, 50_000], crashMs: [25_000, 60_000] } }),
  })
  console.log(figures)
  faults.push(...found)
  if (duplicatePercent > maxDuplicatePercent) faults.push(`${duplicatePercent.toFixed(2)} % arrived more than once`)
  finish({
    tried: Number(values.events),
    of: 'events delivered while workers and PostgreSQL are killed, beside dead and slow endpoints',
    broken: faults.length,
    figures: {
      seed,
      'arrived more than once': `${duplicatePercent.toFixed(2)} %`,
      'lag of healthy endpoints, p99': `${lag.p99} ms`,
      'the same beside dead ones ÷ alone': ratio.toFixed(2),
    },
  })
} finally {
  await installation.close()
}
for (const fault of faults.slice(0, 50)) console.error(fault)
if (faults.length > 50) console.error(`and ${faults.length - 50} more`)
if (faults.length > 0) process.exitCode = 1
