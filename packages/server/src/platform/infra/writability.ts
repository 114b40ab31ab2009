import pg from 'pg'
import type { Secret } from '../../values/secret.ts'
import { type OutageReason, outageOf } from './outage.ts'

/**
 * Tracks whether PostgreSQL accepts writes. Writers report outages here; one lasts until a transaction commits or a trial write
 * succeeds, so that a process without traffic recovers as well.
 */
export interface Writability {
  readonly recordFailure: (error: unknown) => void
  readonly recordCommit: () => void
  /** Returns the current outage, after another trial if there was one. */
  readonly outage: () => Promise<OutageReason | undefined>
}

const trialTimeoutMs = 2_000
/** Minimum interval between trials, however many callers ask. */
const trialEveryMs = 1_000

/** Outages that persist; others pass by themselves, or show with the next statement. */
const lastingOutages: ReadonlySet<OutageReason> = new Set([
  'disk_full',
  'out_of_resources',
  'too_many_connections',
  'connections_refused',
  'read_only',
  'pooler',
])

export function createWritability(url: Secret, applicationName: string): Writability {
  let current: OutageReason | undefined
  let trial: Promise<void> | undefined
  let triedMs = Number.NEGATIVE_INFINITY

  function recordFailure(error: unknown) {
    const reason = outageOf(error)
    if (reason !== undefined && lastingOutages.has(reason)) current = reason
  }

  async function tryAgain() {
    triedMs = performance.now()
    try {
      await tryWrite(url, applicationName)
      current = undefined
    } catch (error) {
      recordFailure(error)
    }
  }

  return {
    recordFailure,
    recordCommit: () => {
      current = undefined
    },
    outage: async () => {
      if (current === undefined) return undefined
      if (performance.now() - triedMs >= trialEveryMs)
        trial ??= tryAgain().finally(() => {
          trial = undefined
        })
      await trial
      return current
    },
  }
}

/** Writes to a temporary table on a new connection and rolls back: this needs new pages, as production load would. */
async function tryWrite(url: Secret, applicationName: string) {
  const client = new pg.Client({
    connectionString: url.reveal(),
    application_name: `${applicationName} trial`,
    connectionTimeoutMillis: trialTimeoutMs,
    query_timeout: trialTimeoutMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin')
    await client.query('create temporary table write_trial on commit drop as select generate_series(1, 8000)')
    await client.query('rollback')
  } finally {
    await client.end().catch(() => undefined)
  }
}
