import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { ensureLedgerPartitions } from '../../src/money/ledger/ledger.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import { consoleRoutes } from '../../test/support/console-crawl.ts'
import type { ServerUnderTest } from '../../test/support/harness.ts'
import type { RecordedRequest } from '../../test/support/recorded-statements.ts'
import { withBenchDatabase } from '../support/bench-database.ts'
import type { BenchPostgres } from '../support/postgres.ts'
import { startApi } from '../support/server.ts'
import { fullSize, type LargeOrganization, makeOrganization, mediumSize, smallSize } from './organization.ts'
import { bars, type MeasuredServer, measurePages } from './pages.ts'
import { measureViewers } from './viewers.ts'

/** Settings under which pages can be asked for as fast as they are answered; what a page costs does not depend on them. */
const settings = {
  SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  SVC_DEFAULT_READS_PER_MINUTE: '1000000',
  SVC_EXPENSIVE_READ_MS_PER_SECOND: '1000000',
  SVC_EXPENSIVE_READ_BURST_MS: '86400000',
  SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  SVC_SSO_ALLOWED_CIDRS: '127.0.0.0/8',
}

/**
 * What the pages of the console cost in an organization of the size that they are made for; `--only medium` has fewer runs, and
 * `--only /console` measures this page alone.
 */
export async function benchConsole({ smoke, only }: { smoke: boolean; only: readonly string[] }) {
  await withBenchDatabase(async ({ postgres, platform, owner }) => {
    await ensureLedgerPartitions(platform.sql, platform.clock.now())
    await ensureRunPartitions(platform.sql, platform.clock.now())
    await withMeasuredServer(postgres, async (server) => {
      const size = smoke ? smallSize : only.includes('medium') ? mediumSize : fullSize
      const organization = await makeOrganization(server.url, { platform, owner, size })
      await measureConsole(server, { postgres, platform, organization, smoke, only })
    })
  })
}

async function measureConsole(
  server: MeasuredServer,
  {
    postgres,
    platform,
    organization,
    smoke,
    only,
  }: {
    readonly postgres: BenchPostgres
    readonly platform: Platform
    readonly organization: LargeOrganization
    readonly smoke: boolean
    readonly only: readonly string[]
  },
) {
  const { runs, budgets, keys, customers } = organization.size
  console.log(
    `an organization with ${runs} runs, ${budgets} budgets, ${keys} keys and ${customers} customers; queries are statements that read or write tables (not begin, commit, set_config and the time). Bars: ${bars.queries} queries, p95 ${bars.p95Ms} ms, at most ${bars.ratio} times the bare SQL where that takes more than ${bars.smallSqlMs} ms; files to download are only shown`,
  )
  const routes = await consoleRoutes({ platform } as ServerUnderTest)
  const visits = smoke ? 1 : 20
  const { tenant, operator, ids } = organization
  const also = [`/console/keys/${ids['frozen-key']}`, '/console/customers/customer-7', '/console/my-usage']
  const chosen = only.filter((name) => name.startsWith('/'))
  const how = {
    postgres,
    routes,
    visits,
    smoke,
    ...(chosen.length > 0 && { only: (page: string) => chosen.includes(page) }),
  }
  const ofOwner = await measurePages(server, 'the owner', tenant.key, { ...how, also })
  const ofOperator = await measurePages(server, 'an operator', operator, how)
  const unseen = routes
    .filter(({ method, template }) => method === 'GET' && !ofOwner.has(template) && !ofOperator.has(template))
    .map(({ template }) => template)
    .filter((template) => !/\.(css|js)$|\*$/.test(template))
  if (smoke || chosen.length > 0) return
  console.log(`not reached from here: ${unseen.join(' ')}`)
  await measureViewers(server, organization)
}

/** Runs work against the real program, which hands out the statements of every request. */
async function withMeasuredServer(postgres: BenchPostgres, work: (server: MeasuredServer) => Promise<void>) {
  const probePort = await freePort()
  const api = await startApi(postgres, {
    settings: { ...settings, WEIR_PROBE_PORT: String(probePort) },
    nodeOptions: ['--import', fileURLToPath(new URL('./statement-probe.ts', import.meta.url))],
  })
  try {
    await work({
      url: `http://127.0.0.1:${api.port}`,
      take: async () => (await fetch(`http://127.0.0.1:${probePort}`)).json() as Promise<RecordedRequest[]>,
    })
  } finally {
    await api.stop()
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
