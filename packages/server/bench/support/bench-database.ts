import pg from 'pg'
import { appLogin, servicesUp } from '../../scripts/private-services.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { secret } from '../../src/values/secret.ts'
import { type BenchPostgres, makePostgres } from './postgres.ts'
import { openBenchPlatform } from './server.ts'

/** A migrated database for one benchmark: the server it is on, the platform of the program, and its owner. */
export interface BenchDatabase {
  readonly postgres: BenchPostgres
  readonly platform: Platform
  readonly owner: pg.Client
}

/** Runs a benchmark on a PostgreSQL of its own, which is removed afterwards. */
export async function withBenchDatabase(work: (database: BenchDatabase) => Promise<void>) {
  servicesUp()
  const postgres = makePostgres()
  try {
    await postgres.start()
    const log = createLog({ level: 'warn', role: 'bench' })
    await migrate({ ownerUrl: secret(postgres.url()), appUrl: secret(postgres.url(appLogin)), log })
    const platform = await openBenchPlatform(postgres)
    const owner = new pg.Client({ connectionString: postgres.url() })
    await owner.connect()
    try {
      await work({ postgres, platform, owner })
    } finally {
      await owner.end()
      await platform.close()
    }
  } finally {
    await postgres.remove()
  }
}
