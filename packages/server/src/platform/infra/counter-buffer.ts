import type { Counter } from 'prom-client'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Sql, Tx } from './sql.ts'
import { WriteBehind } from './write-behind.ts'

const flushEveryMs = 200
const maxWaiting = 10_000

/** A row of a table of counts, and how much is added to it. */
interface CountedRow {
  readonly org_id: string
  readonly count: number
}

interface CounterBufferOptions<R> {
  /** Label of the buffer in logs and in the metric of lost items. */
  readonly name: string
  /** Adds rows to those that are stored. */
  readonly write: (tx: Tx, rows: readonly R[]) => Promise<void>
  /** Counter of what is missing from the table: too many different rows waited, or the database was unavailable. */
  readonly lost?: Counter
}

/** Buffer of counts on their way into one table of organizations, so that what is counted writes nothing itself. */
export interface CounterBuffer<R> {
  /** Counts once. What waits under the same key becomes one row, with the values of the last. */
  readonly add: (key: string, row: R) => void
  readonly close: () => Promise<void>
}

export function createCounterBuffer<R extends CountedRow>(
  platform: { readonly sql: Sql; readonly metrics: Metrics; readonly log: Log },
  { name, write, lost }: CounterBufferOptions<R>,
): CounterBuffer<R> {
  const buffer = new WriteBehind<R>(platform, {
    name,
    everyMs: flushEveryMs,
    maxWaiting,
    write: (rows) => platform.sql.asOrgs([...new Set(rows.map(({ org_id }) => org_id))], (tx) => write(tx, rows)),
    onLost: (rows) => lost?.inc(rows.reduce((sum, { count }) => sum + count, 0)),
  })

  function add(key: string, row: R) {
    const alike = buffer.waiting(key)
    if (alike) Object.assign(alike, row, { count: alike.count + row.count })
    else buffer.add(key, row)
  }

  return { add, close: () => buffer.close() }
}
