import { Counter } from 'prom-client'
import type { Platform } from '../platform/infra/platform.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { WriteBehind } from '../platform/infra/write-behind.ts'
import { addLimitRefusals, addRefusals, type LimitRefusalRow, type RefusalCountRow } from './queries.ts'
import type { Explanation } from './schema.ts'

const flushEveryMs = 200
const maxWaiting = 10_000

/** Counters of refusals, by UTC day and error code and by limit and period, buffered on their way into the database. */
export interface RefusalCounter {
  /** Counts a refusal, and the allowance that refused where there is one. */
  readonly count: (orgId: string, body: Explanation, stoppedKey: string | undefined) => void
  readonly close: () => Promise<void>
}

/** Counts every refusal, listed or not: an agent that loops costs one row a day. No response depends on it. */
export function createRefusalCounter(platform: Pick<Platform, 'sql' | 'metrics' | 'log'>): RefusalCounter {
  const lost = new Counter({
    name: 'svc_refusals_uncounted_total',
    help: 'Refusals that are missing from the counts by day or by limit: too many different ones, or the database was unavailable.',
    registers: [platform.metrics],
  })
  const days = createCounterBuffer<RefusalCountRow>(platform, 'refusal_counts', lost, addRefusals)
  const limits = createCounterBuffer<LimitRefusalRow>(platform, 'limit_refusal_counts', lost, addLimitRefusals)

  return {
    count: (orgId, { decided_at, error_code }, stoppedKey) => {
      if (error_code === null) return
      const day = decided_at.slice(0, 10)
      days.add(`${orgId} ${day} ${error_code}`, () => ({ org_id: orgId, day, error_code, count: 1 }))
      if (stoppedKey !== undefined)
        limits.add(`${orgId} ${stoppedKey}`, () => ({ org_id: orgId, key: stoppedKey, count: 1, at: decided_at }))
    },
    close: async () => {
      await Promise.all([days.close(), limits.close()])
    },
  }
}

interface CountedRow {
  readonly org_id: string
  readonly count: number
}

/** Buffered counters of one table: those with the same key are one row. */
function createCounterBuffer<R extends CountedRow>(
  platform: Pick<Platform, 'sql' | 'metrics' | 'log'>,
  name: string,
  lost: Counter,
  write: (tx: Tx, rows: readonly R[]) => Promise<void>,
) {
  const buffer = new WriteBehind<R & { count: number }>(platform, {
    name,
    everyMs: flushEveryMs,
    maxWaiting,
    write: (rows) => platform.sql.asOrgs([...new Set(rows.map(({ org_id }) => org_id))], (tx) => write(tx, rows)),
    onLost: (rows) => lost.inc(rows.reduce((sum, { count }) => sum + count, 0)),
  })

  function add(key: string, make: () => R) {
    const alike = buffer.waiting(key)
    if (alike) alike.count += 1
    else buffer.add(key, make())
  }

  return { add, close: () => buffer.close() }
}
