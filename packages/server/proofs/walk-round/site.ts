import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { appLogin, createDatabase, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { operatorScopes } from '../../src/access/identity/identity.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { deprecations } from '../../src/contract/deprecations/registry.ts'
import { expiredHolds, expiryGraceMs, type Lanes } from '../../src/decisions/lanes/lanes.ts'
import { manualLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { operatorsOrgId } from '../../src/values/id.ts'
import { secret } from '../../src/values/secret.ts'
import { environmentFor } from '../../test/support/harness.ts'
import { openProvider, type ProviderServer } from './provider.ts'

/** The API on a socket, and the provider beside it. */
export interface Site {
  readonly url: string
  readonly operator: string
  readonly provider: ProviderServer
  /** Lets time pass for the leases of an organization, and ends those that are over. */
  readonly wait: (orgUuid: string, seconds: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates a migrated database of the search's own. */
export async function createSearchDatabase(): Promise<{ readonly name: string; readonly drop: () => Promise<void> }> {
  const name = `weir_walk_${randomBytes(6).toString('hex')}`
  await createDatabase(name, { fresh: true })
  await migrate({
    ownerUrl: secret(databaseUrl(name)),
    appUrl: secret(databaseUrl(name, appLogin)),
    log: createLog({ level: 'error', role: 'test' }),
  })
  return { name, drop: () => dropDatabase(name) }
}

export async function openSite(database: string): Promise<Site> {
  const urls = { ownerUrl: databaseUrl(database), appUrl: databaseUrl(database, appLogin) }
  const { config } = readConfig(environmentFor(urls))
  const platform = await openPlatform(config, 'api', createLog({ level: 'error', role: 'api' }))
  const found: { lanes?: Lanes } = {}
  const { app } = await buildApp(platform, manualLifecycle, deprecations, [
    (_app, _platform, lanes) => {
      found.lanes = lanes
    },
  ])
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  platform.addresses.setPort(port)
  const superuser = new pg.Client({ connectionString: urls.ownerUrl })
  await superuser.connect()
  const provider = await openProvider()
  return {
    url: `http://127.0.0.1:${port}`,
    operator: await operatorKey(platform),
    provider,
    wait: async (orgUuid, seconds) => {
      const back = `update holds set expires_at = expires_at - make_interval(secs => $2) where org_id = $1 and state = 'open'`
      await superuser.query(back, [orgUuid, seconds])
      if (found.lanes) await endLeases(platform, found.lanes)
    },
    close: async () => {
      provider.close()
      await superuser.end()
      await app.close()
      await platform.close()
    },
  }
}

/** Ends what the sweep of a worker would find. */
async function endLeases({ sql }: Platform, lanes: Lanes) {
  const due = await expiredHolds(sql, expiryGraceMs, 1_000)
  await Promise.all(
    due.map(({ orgId, holdId }) =>
      lanes.submit({ orgId, holdId, plan: () => ({ command: { type: 'expire', holdId } }) }),
    ),
  )
}

const operatorKey = async (platform: Platform): Promise<string> => {
  const wanted = { name: 'search', role: 'operator', scopes: operatorScopes } as const
  const made = await platform.sql.asOrgs([operatorsOrgId], (tx) => mint(platform, tx, operatorsOrgId, wanted))
  return made.secret
}
