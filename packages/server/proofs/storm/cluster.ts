import type pg from 'pg'
import { appUrlOf, makeServer } from '../support/postgres-server.ts'

/** A PostgreSQL of a storm's own, to be crashed at will; it writes to disk as in earnest. */
export interface Cluster {
  readonly host: string
  readonly port: number
  readonly ownerUrl: string
  /** The application's login, through another port. */
  readonly appUrl: (port: number, applicationName: string) => string
  /** What the server has logged since the beginning. */
  readonly log: readonly string[]
  /** All processes end at once and nothing is written back, as when the machine fails; then it recovers from its log. */
  readonly crash: () => Promise<void>
  /** All processes end at once, and nothing starts again. */
  readonly stop: () => Promise<void>
  readonly connect: () => Promise<pg.Client>
  readonly close: () => Promise<void>
}

export async function startCluster(
  settings: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
): Promise<Cluster> {
  const server = await makeServer({ settings, host })
  try {
    await server.start()
  } catch (error) {
    await server.close()
    throw error
  }
  return {
    host,
    port: server.port,
    ownerUrl: server.ownerUrl,
    appUrl: (through, applicationName) =>
      appUrlOf(through, applicationName, through === server.port ? host : '127.0.0.1'),
    log: server.log,
    crash: async () => {
      await server.crash()
      await server.start()
    },
    stop: () => server.crash(),
    connect: () => server.connect(),
    close: () => server.close(),
  }
}
