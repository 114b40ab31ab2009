import { ensureLedgerPartitions, insertLedger } from '../../src/money/ledger/ledger.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { insertOrg } from '../../src/tenants/orgs/queries.ts'
import { newUuid } from '../../src/values/id.ts'
import { withBenchDatabase } from '../support/bench-database.ts'
import type { BenchOrg } from '../support/server.ts'
import type { RunsBench } from './bench.ts'
import { benchPage } from './page.ts'
import { benchRetention } from './retention.ts'
import { benchUsage } from './usage.ts'

/** What reading and keeping runs costs, on a PostgreSQL of its own with as many of them as a large tenant has. */
const parts: Record<string, (bench: RunsBench) => Promise<void>> = {
  page: benchPage,
  usage: benchUsage,
  retention: benchRetention,
}

export async function benchRuns({ smoke, only }: { smoke: boolean; only: readonly string[] }) {
  const chosen = only.length > 0 ? only : Object.keys(parts)
  const unknown = chosen.find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${Object.keys(parts).join(', ')}`)
  await withBenchDatabase(async ({ postgres, platform, owner }) => {
    const now = platform.clock.now()
    await ensureLedgerPartitions(platform.sql, now)
    await ensureRunPartitions(platform.sql, now)
    const org = await makeOrg(platform)
    for (const name of chosen) await parts[name]!({ postgres, platform, owner, org, smoke })
  })
}

const makeOrg = (platform: Platform): Promise<BenchOrg> => {
  const id = newUuid()
  return platform.sql.asOrgs([id], async (tx) => {
    await insertOrg(tx, id, 'Bench')
    await insertLedger(tx, id)
    const { secret: key } = await mint(platform, tx, id, {
      name: 'bench',
      role: 'admin',
      scopes: ['runs:read', 'runs:write', 'usage:read'],
    })
    return { id, key }
  })
}
