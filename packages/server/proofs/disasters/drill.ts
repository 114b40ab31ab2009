import { faultsOfHolds, faultsOfJournal, faultsOfStandings, readBooks } from '../storm/books.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { type Calls, faultsOfCalls, overspentNano, readRuns, startCalls } from './calls.ts'
import {
  type DrillTenant,
  type EmptyRedis,
  faultsOfBooks,
  makeTenant,
  migrateServer,
  openSwitch,
  type Site,
  type SiteOptions,
  type Switch,
  startEmptyRedis,
  startSite,
} from './installation.ts'

/** What a drill has shown. A fault is a promise that was broken. */
export interface DrillReport {
  readonly faults: readonly string[]
  readonly figures: Readonly<Record<string, string | number>>
}

/** What must be ended after a drill, in the reverse order. */
export type Closing = (() => Promise<unknown> | void)[]

/** Runs a drill, and ends whatever it has started, also where it fails. */
export async function withClosing<T>(drill: (closing: Closing) => Promise<T>): Promise<T> {
  const closing: Closing = []
  try {
    return await drill(closing)
  } finally {
    for (const end of closing.toReversed()) await end()
  }
}

export interface Drill {
  readonly way: Switch
  readonly redis: EmptyRedis
  readonly site: Site
  readonly tenant: DrillTenant
  readonly calls: Calls
}

export interface DrillOptions {
  readonly callers: number
  readonly seed: number
  /** How long it lasts around the disaster. */
  readonly seconds: number
  /** How many API processes there are. */
  readonly apis?: number
}

/** An installation on a server that runs, with a tenant whose callers have begun. */
export async function openDrill(
  closing: Closing,
  server: PostgresServer,
  options: DrillOptions & Pick<SiteOptions, 'apiEnvironment'>,
): Promise<Drill> {
  const redis = await startEmptyRedis()
  closing.push(redis.close)
  const way = await openSwitch(server)
  closing.push(way.close)
  const at = { server, through: way.port, redisUrl: redis.url }
  await migrateServer(at)
  const site = await startSite({ ...at, apis: options.apis ?? 2, apiEnvironment: options.apiEnvironment })
  closing.push(site.close)
  const tenant = await makeTenant(site)
  const ports = site.apis.map(({ port }) => port)
  const calls = startCalls(tenant, ports, { callers: options.callers, pauseMs: 30, seed: options.seed })
  closing.push(calls.end)
  await calls.goOn()
  return { way, redis, site, tenant, calls }
}

/** Everything that must hold after a disaster in which nothing that was acknowledged may be lost. */
export async function faultsOfDrill({ site, tenant, calls }: Drill, server: PostgresServer): Promise<string[]> {
  const runs = await readRuns(site.urls[0]!, tenant)
  const overspent = overspentNano(calls.records)
  return [
    ...faultsOfCalls(calls.records, runs),
    ...calls.surprises,
    ...(await faultsOfJournals(server, tenant.uuid)),
    ...(await faultsOfBooks(site)),
    ...site.losses(),
    ...(overspent.customers > 0
      ? [`the provider billed ${overspent.customers} customers ${overspent.nano} nano-dollars above their limits`]
      : []),
  ]
}

async function faultsOfJournals(server: PostgresServer, orgId: string): Promise<string[]> {
  const client = await server.connect()
  try {
    const books = await readBooks(client, orgId)
    return [...faultsOfStandings(books.standings), ...faultsOfJournal(books), ...faultsOfHolds(books)]
  } finally {
    await client.end()
  }
}
