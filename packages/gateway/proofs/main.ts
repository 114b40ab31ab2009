import { parseArgs } from 'node:util'
import { recordOption } from '../../../scripts/proof/record.ts'
import { proveAborts } from './abort-storm/proof.ts'
import { proveBounds } from './bounds/proof.ts'
import { proveCrashes } from './crash-storm/proof.ts'
import { proveFidelity } from './fidelity/proof.ts'
import { proveLimit } from './limit-storm/proof.ts'
import type { ProofOptions } from './support/proof.ts'

/** `pnpm prove NAME`: hunts for broken promises of the gateway at length; ends with 1 when one is found. `--smoke` is the small form. */
const proofs: Record<string, (options: ProofOptions) => Promise<void>> = {
  aborts: proveAborts,
  bounds: proveBounds,
  crashes: proveCrashes,
  fidelity: proveFidelity,
  limit: proveLimit,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? '1' },
    count: { type: 'string' },
    bug: { type: 'string' },
    ...recordOption,
  },
})
const proof = proofs[positionals[0] ?? '']
if (!proof) {
  console.error(
    `Usage: pnpm prove ${Object.keys(proofs).join(' | ')} [--smoke] [--seed N] [--count N] [--bug NAME] [--record]`,
  )
  process.exit(64)
}
await proof({
  smoke: values.smoke,
  seed: Number(values.seed),
  record: values.record,
  ...(values.bug !== undefined && { bug: values.bug }),
  ...(values.count !== undefined && { count: Number(values.count) }),
})
