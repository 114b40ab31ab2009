import type { Socket } from 'node:net'
import { Kysely, PostgresDialect, sql as raw, type Transaction } from 'kysely'
import pg from 'pg'
import { Gauge } from 'prom-client'
import { one } from '../../values/present.ts'
import type { Secret } from '../../values/secret.ts'
import { errorOf } from '../../values/thrown.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type OutageReason, outageOf } from './outage.ts'
import { measureSpend, runWithinReadLimits } from './read-limiter.ts'
import type { DB } from './tables.ts'
import { inSpan } from './trace.ts'
import { createWritability, type Writability } from './writability.ts'

/** Parses int8, in which money is stored, as bigint: a JavaScript number cannot hold it exactly. */
export const int8AsBigInt: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    oid === pg.types.builtins.INT8
      ? BigInt
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}

export type Tx = Transaction<DB>

/** Sets a savepoint: what follows can be rolled back alone. */
export const setSavepoint = (tx: Tx) => raw`savepoint mark`.execute(tx)
export const rollbackToSavepoint = (tx: Tx) => raw`rollback to savepoint mark`.execute(tx)

export interface Sql {
  /** Typed queries outside a tenant: for tables without an `org_id` only, all others show no rows. */
  readonly db: Kysely<DB>
  /** Runs one transaction that sees the rows of these organizations and of no other. */
  readonly asOrgs: <T>(
    orgIds: readonly string[],
    work: (tx: Tx) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
  /** Checks PostgreSQL on a dedicated connection: a pool that is merely busy is not an outage. */
  readonly check: () => Promise<DatabaseCheck>
  /** Records whether transactions outside the pool could write. */
  readonly writability: Writability
  /** Connection pool for code that uses the driver directly. */
  readonly pool: pg.Pool
  readonly close: () => Promise<void>
}

export interface DatabaseCheck {
  /** Time of the database; undefined when it does not answer. */
  readonly time: Date | undefined
  readonly outage: OutageReason | undefined
}

export interface TransactionOptions {
  /** True for one consistent, read-only snapshot for all statements. */
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
const queryTimeoutMessage = 'Query read timeout'

/**
 * Restricts a transaction to the rows of these organizations. One with a statement timeout also runs without parallel workers:
 * it may take its time, and leaves the other processors to others.
 */
export async function restrictToOrgs(tx: Tx, orgIds: readonly string[], statementMs?: number) {
  const bounds =
    statementMs === undefined
      ? raw``
      : raw`, set_config('statement_timeout', ${String(statementMs)}, true), set_config('max_parallel_workers_per_gather', '0', true)`
  // Local to the transaction, so that a pooled connection never carries a tenant over to the next request.
  await raw`select set_config('app.orgs', ${orgIds.join(',')}, true)${bounds}`.execute(tx)
}

/** Destroys a connection whose query timed out: the next caller would receive the late result. */
function dropOnQueryTimeout(client: pg.PoolClient) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const result = query(...args)
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === queryTimeoutMessage)
          (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
      })
    }
    return result
  }) as typeof client.query
}

/** Opens the pool of all transactions. */
function openPool({ url, maxConnections, applicationName, log, metrics }: SqlOptions): pg.Pool {
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
    // The server's limit does not help when its result never arrives.
    query_timeout: statementTimeoutMs + 5_000,
    types: int8AsBigInt,
  })
  // The pool replaces an idle connection that breaks; without a listener its error would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ error }, 'an idle database connection was lost')
  })
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    dropOnQueryTimeout(client)
  })
  if (metrics) reportConnections(pool, metrics)
  return pool
}

const reportConnections = (pool: pg.Pool, metrics: Metrics) =>
  new Gauge({
    name: 'svc_database_connections',
    help: 'Connections to PostgreSQL by state; waiting counts callers without one.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })

export function openSql(options: SqlOptions): Sql {
  const { url, applicationName } = options
  const pool = openPool(options)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const probe = new pg.Pool({
    connectionString: url.reveal(),
    max: 1,
    application_name: `${applicationName} probe`,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  probe.on('error', () => undefined)

  const writability = createWritability(url, applicationName)

  return {
    db,
    pool,
    writability,
    check: async () => {
      const answer = await probeDatabase(probe)
      if (answer instanceof Error) return { time: undefined, outage: outageOf(answer) ?? 'connection' }
      return { time: answer.now, outage: answer.is_read_only ? 'read_only' : await writability.outage() }
    },
    asOrgs: (orgIds, work, { isSnapshot = false } = {}) =>
      runWithinReadLimits((limiter) =>
        inSpan('transaction', { 'db.system.name': 'postgresql' }, async () => {
          try {
            return await (isSnapshot
              ? db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
              : db.transaction()
            ).execute((tx) =>
              measureSpend(limiter, async () => {
                await restrictToOrgs(tx, orgIds, limiter?.statementMs)
                return work(tx)
              }),
            )
          } catch (error) {
            if (!isSnapshot) writability.recordFailure(error)
            throw error
          }
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

async function probeDatabase(probe: pg.Pool): Promise<{ now: Date; is_read_only: boolean } | Error> {
  let client: pg.PoolClient | undefined
  try {
    client = await probe.connect()
    const { rows } = await client.query<{ now: Date; is_read_only: boolean }>(
      `select clock_timestamp() as now, current_setting('transaction_read_only')::boolean as is_read_only`,
    )
    client.release()
    return one(rows)
  } catch (error) {
    client?.release(true)
    return errorOf(error)
  }
}
