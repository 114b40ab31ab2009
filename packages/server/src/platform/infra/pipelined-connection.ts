import { strict as assert } from 'node:assert'
import type { Socket } from 'node:net'
import pg from 'pg'
import { one } from '../../values/present.ts'
import type { Secret } from '../../values/secret.ts'
import type { BoundStatement } from './flight.ts'
import { AlteredSession } from './outage.ts'
import { PipelineQuery, type RowShapes, type StatementResult } from './pipeline-query.ts'
import { int8AsBigInt } from './sql.ts'

export { type BoundStatement, type Statement, statement } from './flight.ts'
export type { StatementResult } from './pipeline-query.ts'

/** Returns the rows of a result; none for a statement that was not sent. */
export const rowsOf = <Row extends object>(result: StatementResult<Row> | undefined): readonly Row[] =>
  result?.rows ?? []

/**
 * A dedicated connection that pipelines statements. After a failure it is of no further use: the statements behind the failed one
 * were skipped, and the transaction is open.
 */
export interface PipelinedConnection {
  /** Sends all statements at once and resolves with all results; throws the first failure. */
  readonly pipeline: (statements: readonly BoundStatement[]) => Promise<StatementResult[]>
  /** Returns the warnings that PostgreSQL has sent since the last call. */
  readonly takeWarnings: () => string[]
  readonly destroy: () => void
}

const connectTimeoutMs = 2_000
/** Timeout above the server's own limits: only a connection that is silent altogether reaches it. */
const defaultPipelineTimeoutMs = 4_000

export async function openPipelinedConnection(options: {
  url: Secret
  applicationName: string
  settings: Readonly<Record<string, string>>
  pipelineTimeoutMs?: number
}): Promise<PipelinedConnection> {
  const client = new pg.Client({
    connectionString: options.url.reveal(),
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: int8AsBigInt,
    options: Object.entries(options.settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  let warnings: string[] = []
  // Pending statements fail by themselves; an event without a listener would end the process.
  client.on('error', () => undefined)
  // By SQLSTATE class: the severity is written in the server's language.
  client.on('notice', ({ code, message }) => {
    if (code?.startsWith('01') === true) warnings.push(message ?? code)
  })
  await client.connect()
  try {
    await assertSession(client, options.settings)
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
  const shapes: RowShapes = new Map()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection

  let flight: PipelineQuery | undefined
  // One timer for all flights, set back at the start of each.
  const timer = setTimeout(() => {
    flight?.handleError(new Error('the database connection does not answer'))
  }, options.pipelineTimeoutMs ?? defaultPipelineTimeoutMs).unref()

  return {
    pipeline: async (statements) => {
      assert(!flight, 'a connection has one flight at a time')
      timer.refresh()
      try {
        flight = client.query(new PipelineQuery(statements, shapes, int8AsBigInt))
        return await flight.results
      } finally {
        flight = undefined
      }
    },
    takeWarnings: () => {
      const taken = warnings
      warnings = []
      return taken
    },
    destroy: () => {
      clearTimeout(timer)
      stream.destroy()
      void client.end().catch(() => undefined)
    },
  }
}

/**
 * Refuses a session that is not the requested one. A pooler answers connection start-up by itself, may drop the settings, and
 * may route each transaction to another backend: locks and durability would silently not hold.
 */
async function assertSession(client: pg.Client, settings: Readonly<Record<string, string>>) {
  const { rows } = await client.query<{ pid: number; granted: Record<string, string> }>(
    `select pg_backend_pid() as pid, (select json_object_agg(name, setting) from pg_settings where name = any($1)) as granted`,
    [Object.keys(settings)],
  )
  const { pid, granted } = one(rows)
  const lost = Object.entries(settings).filter(([name, value]) => granted[name] !== value)
  const { processID } = client as unknown as { processID: number | null }
  if (lost.length === 0 && pid === processID) return
  const differences = [
    ...lost.map(([name, value]) => `${name} is ${granted[name]} instead of ${value}`),
    ...(pid === processID ? [] : [`process ${pid} serves what process ${processID} had accepted`]),
  ]
  throw new AlteredSession(
    `SVC_DATABASE_URL does not lead to PostgreSQL itself: ${differences.join(', ')}. Connect without a pooler in between.`,
  )
}
