import { beginRecord, writeRecords } from '../../../../scripts/proof/record.ts'
import type { Results } from '../../../../scripts/proof/situations.ts'
import { servicesUp } from '../../scripts/private-services.ts'
import { makePostgres } from '../support/postgres.ts'
import { type Bench, prepare } from '../support/server.ts'
import { benchDisk, benchNetwork, benchStandby } from './disks.ts'
import { benchFailover } from './failover.ts'
import { benchCallers, benchOrgs, benchRates } from './loads.ts'
import { benchMemory } from './memory.ts'
import { benchWrites } from './writes.ts'

/**
 * What a decision takes where people run it: many callers and few, a fixed rate, a slow disk, a network, a standby that every commit waits for, the
 * death of the primary. Beside each stands what cannot be avoided, in the same minutes: the bare framework, and PostgreSQL alone with the
 * same rows. `--record` keeps the results for `docs/proof.md`.
 */
const parts: Record<string, (bench: Bench, results: Results) => Promise<void>> = {
  callers: benchCallers,
  rates: benchRates,
  orgs: benchOrgs,
  disk: benchDisk,
  network: benchNetwork,
  writes: benchWrites,
  memory: benchMemory,
  standby: benchStandby,
  failover: benchFailover,
}

export interface SituationOptions {
  readonly smoke: boolean
  readonly only: readonly string[]
  readonly record: boolean
}

export async function benchSituations({ smoke, only, record }: SituationOptions) {
  const chosen = only.length > 0 ? only : Object.keys(parts)
  const unknown = chosen.find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${Object.keys(parts).join(', ')}`)
  if (record && (smoke || only.length > 0)) throw new Error('only a whole run is kept: leave out --smoke and --only')
  servicesUp()
  const frame = beginRecord('performance')
  const results: Results = { measured: [], writes: [], memory: [] }
  const postgres = makePostgres()
  try {
    await postgres.start()
    const orgs = await prepare(postgres, smoke ? 20 : 1_000)
    // In this order, whatever was asked for: after a failover the first server is gone.
    for (const [name, part] of Object.entries(parts))
      if (chosen.includes(name)) await part({ postgres, orgs, smoke }, results)
  } finally {
    await postgres.remove()
  }
  if (record) writeRecords('performance', { ...frame(), ...results })
}
