import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { appLogin, asAdmin, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { buildApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Deprecation, deprecations } from '../../src/contract/deprecations/registry.ts'
import type { ApiRoute, App } from '../../src/contract/routes.ts'
import type { Lanes } from '../../src/decisions/lanes/lanes.ts'
import { type Lifecycle, manualLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { environmentFor } from './environment.ts'

export { environmentFor } from './environment.ts'

/** A database of this test file's own, copied from the migrated template and dropped at its end. */
export function useDatabase() {
  const name = `weir_test_${randomBytes(6).toString('hex')}`
  const handle = {
    name,
    ownerUrl: '',
    appUrl: '',
    /** A superuser on this database: sees and does what the application must not. */
    owner: undefined as unknown as pg.Client,
  }
  beforeAll(async () => {
    await asAdmin((admin) => admin.query(`create database ${name} template ${inject('templateDatabase')}`))
    handle.ownerUrl = databaseUrl(name)
    handle.appUrl = databaseUrl(name, appLogin)
    handle.owner = new pg.Client({ connectionString: handle.ownerUrl })
    handle.owner.on('error', () => undefined)
    await handle.owner.connect()
  })
  afterAll(async () => {
    await handle.owner?.end()
    await dropDatabase(name)
  })
  return handle
}

export interface LogLine {
  readonly level: string
  readonly message?: string
  readonly trace_id?: string
  readonly [key: string]: unknown
}

export interface ServerUnderTest {
  url: string
  port: number
  app: App
  routes: readonly ApiRoute[]
  platform: Platform
  /** Every log line so far. */
  logs: LogLine[]
  registry: Deprecation[]
  draining: boolean
  database: { ownerUrl: string; appUrl: string }
}

/** The real API on a real socket, in this process so that a test can add routes that misbehave. */
export function useServer(
  options: {
    environment?: Record<string, string> | ((database: { appUrl: string }) => Record<string, string>)
    domain?: (app: App, platform: Platform, lanes: Lanes) => void
    configure?: (config: Config) => Config
  } = {},
): ServerUnderTest {
  const database = useDatabase()
  const server = { logs: [], registry: [...deprecations], draining: false, database } as unknown as ServerUnderTest
  const lifecycle: Lifecycle = { ...manualLifecycle, isDraining: () => server.draining }
  beforeAll(async () => {
    const { config } = readConfig(
      environmentFor(
        database,
        typeof options.environment === 'function' ? options.environment(database) : options.environment,
      ),
    )
    const log = createLog({ level: 'trace', role: 'api' }, collecting(server.logs))
    const platform = await openPlatform(options.configure?.(config) ?? config, 'api', log)
    // A clock of its own, that a test can set.
    server.platform = { ...platform, clock: { ...platform.clock } }
    const { app, routes } = await buildApp(
      server.platform,
      lifecycle,
      server.registry,
      options.domain ? [options.domain] : [],
    )
    server.app = app
    server.routes = routes
    await app.listen({ port: 0, host: '127.0.0.1' })
    server.port = (app.server.address() as AddressInfo).port
    server.platform.addresses.setPort(server.port)
    server.url = `http://127.0.0.1:${server.port}`
  })
  afterAll(async () => {
    await server.app?.close()
    await server.platform?.close()
  })
  return server
}

const collecting = (lines: LogLine[]) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n')) if (line) lines.push(JSON.parse(line) as LogLine)
      done()
    },
  })
