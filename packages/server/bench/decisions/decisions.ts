import { servicesUp } from '../../scripts/private-services.ts'
import { makePostgres } from '../support/postgres.ts'
import { type Bench, prepare } from '../support/server.ts'
import { benchBatches } from './batches.ts'
import { benchHot, benchSlow, benchSpread, benchTransactions } from './http.ts'
import { benchLimits } from './limits.ts'
import { benchLives } from './lives.ts'
import { benchMillion } from './million.ts'
import { benchProfile } from './profile.ts'
import { benchSnapshot } from './snapshot.ts'

/**
 * What a decision about money costs: over HTTP and without, for one organization and for many, on a quick disk and a slow one.
 * Each against something that does the same work, in the same minutes on the same machine.
 */
const parts: Record<string, (bench: Bench) => Promise<void>> = {
  hot: benchHot,
  spread: benchSpread,
  transactions: benchTransactions,
  batches: benchBatches,
  limits: benchLimits,
  lives: benchLives,
  million: benchMillion,
  slow: benchSlow,
}

/** One of each kind is enough to show that they work. */
const smokeParts = ['hot', 'batches', 'limits', 'lives', 'million', 'slow']
/** Too long, or too particular, for every run. */
const onDemand: typeof parts = { snapshot: benchSnapshot, profile: benchProfile }

export async function benchDecisions({ smoke, only }: { smoke: boolean; only: readonly string[] }) {
  const chosen = only.length > 0 ? only : smoke ? smokeParts : Object.keys(parts)
  const all = { ...parts, ...onDemand }
  const unknown = chosen.find((name) => !(name in all))
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${Object.keys(all).join(', ')}`)
  servicesUp()
  const postgres = makePostgres()
  try {
    await postgres.start()
    const orgs = await prepare(postgres, smoke ? 60 : 1_000)
    for (const name of chosen) await all[name]!({ postgres, orgs, smoke })
  } finally {
    await postgres.remove()
  }
}
