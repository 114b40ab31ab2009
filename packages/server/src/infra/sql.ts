import type { Socket } from 'node:net'
import { Kysely, PostgresDialect, sql as raw, type Transaction } from 'kysely'
import pg from 'pg'
import { Gauge } from 'prom-client'
import type { Secret } from '../values/secret.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { DB } from './tables.ts'
import { inSpan } from './trace.ts'

/** int8 is beyond what a JavaScript number holds exactly, and money is int8. */
export const int8AsBigInt: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    oid === pg.types.builtins.INT8
      ? BigInt
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}

export type Tx = Transaction<DB>

export interface Sql {
  /** Typed queries outside a tenant: on tables without an `org_id` only, others show no rows. */
  readonly db: Kysely<DB>
  /** One transaction that sees the rows of these organizations and of no other. */
  readonly asOrgs: <T>(
    orgIds: readonly string[],
    work: (tx: Tx) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
  /** What time it is in PostgreSQL, if it answers, on a connection of its own: a pool that is merely busy is no outage. */
  readonly time: () => Promise<Date | undefined>
  /** Connections for code that speaks to the driver itself. */
  readonly pool: pg.Pool
  readonly close: () => Promise<void>
}

export interface TransactionOptions {
  /** All statements see the same state; nothing can be written. */
  readonly isSnapshot?: boolean
}

export interface SqlOptions {
  readonly url: Secret
  readonly maxConnections: number
  readonly applicationName: string
  readonly log: Log
  readonly metrics?: Metrics
}

const statementTimeoutMs = 30_000
const probeTimeoutMs = 2_000
const unanswered = 'Query read timeout'

/** From here on a transaction sees the rows of these organizations and of no other. */
export async function seeOrgs(tx: Tx, orgIds: readonly string[]) {
  // Local to the transaction, so a pooled connection never carries a tenant over to the next request.
  await raw`select set_config('app.orgs', ${orgIds.join(',')}, true)`.execute(tx)
}

/** A connection that owes an answer is not given to the next caller, who would wait for the wrong one. */
function dropWhenUnanswered(client: pg.PoolClient) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const result = query(...args)
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === unanswered)
          (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
      })
    }
    return result
  }) as typeof client.query
}

export function openSql({ url, maxConnections, applicationName, log, metrics }: SqlOptions): Sql {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max: maxConnections,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Nothing on the primary may hold a snapshot for long: hot rows would bloat behind it.
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: statementTimeoutMs,
    // Short statements only: compiling one takes longer than running it.
    options: '-c jit=off',
    // The server's limit does not help when its answer never arrives.
    query_timeout: statementTimeoutMs + 5_000,
    types: int8AsBigInt,
  })
  // An idle connection that breaks is replaced by the pool; unheard, its error would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ error }, 'an idle database connection was lost')
  })
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    dropWhenUnanswered(client)
  })

  if (metrics) {
    new Gauge({
      name: 'svc_database_connections',
      help: 'Connections to PostgreSQL by state; waiting counts callers that have none yet.',
      labelNames: ['state'],
      registers: [metrics],
      collect() {
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ state: 'waiting' }, pool.waitingCount)
      },
    })
  }

  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const probe = new pg.Pool({
    connectionString: url.reveal(),
    max: 1,
    application_name: `${applicationName} probe`,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  probe.on('error', () => undefined)

  return {
    db,
    pool,
    time: async () => {
      const client = await probe.connect().catch(() => undefined)
      const answer = await client?.query<{ now: Date }>('select clock_timestamp() as now').catch(() => undefined)
      client?.release(answer === undefined)
      return answer?.rows[0]?.now
    },
    asOrgs: (orgIds, work, { isSnapshot = false } = {}) =>
      inSpan('transaction', { 'db.system.name': 'postgresql' }, () =>
        (isSnapshot
          ? db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
          : db.transaction()
        ).execute(async (tx) => {
          await seeOrgs(tx, orgIds)
          return work(tx)
        }),
      ),
    close: async () => {
      await db.destroy()
      // The query builder ends only a pool that it has used.
      if (!pool.ending) await pool.end()
      await probe.end()
    },
  }
}

const away = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])

/** Whether an error says that PostgreSQL cannot be reached or used now, as opposed to a fault in what was asked of it. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') {
    // 08: connection; 53: out of resources; 57: cancelled, shut down or starting up; 25006: a standby answered.
    return away.has(code) || /^(08|53|57)/.test(code) || code === '25006'
  }
  return /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )
}
