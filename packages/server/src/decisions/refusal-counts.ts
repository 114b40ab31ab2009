import { Counter } from 'prom-client'
import { createCounterBuffer } from '../platform/infra/counter-buffer.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { addLimitRefusals, addRefusals, type LimitRefusalRow, type RefusalCountRow } from './queries.ts'
import type { Explanation } from './schema.ts'

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
  const days = createCounterBuffer<RefusalCountRow>(platform, { name: 'refusal_counts', write: addRefusals, lost })
  const limits = createCounterBuffer<LimitRefusalRow>(platform, {
    name: 'limit_refusal_counts',
    write: addLimitRefusals,
    lost,
  })

  return {
    count: (orgId, { decided_at, error_code }, stoppedKey) => {
      if (error_code === null) return
      const day = decided_at.slice(0, 10)
      days.add(`${orgId} ${day} ${error_code}`, { org_id: orgId, day, error_code, count: 1 })
      if (stoppedKey !== undefined)
        limits.add(`${orgId} ${stoppedKey}`, { org_id: orgId, key: stoppedKey, count: 1, at: decided_at })
    },
    close: async () => {
      await Promise.all([days.close(), limits.close()])
    },
  }
}
