import { Counter } from 'prom-client'
import type { Platform } from '../infra/platform.ts'
import { addRefusals, type RefusalCountRow } from './queries.ts'
import type { Explanation } from './schema.ts'

const maxWaiting = 10_000

/** How often organizations are refused, by UTC day and error code, on its way into the database. */
export interface RefusalCounts {
  readonly count: (orgId: string, body: Explanation) => void
  readonly flush: () => Promise<void>
}

/** Counts every refusal, kept as a sample or not: an agent that loops costs one row a day. Nothing that is answered depends on it. */
export function countRefusals({ sql, metrics, log }: Pick<Platform, 'sql' | 'metrics' | 'log'>): RefusalCounts {
  const lost = new Counter({
    name: 'svc_refusals_uncounted_total',
    help: 'Refusals that are missing from the daily counts: too many different ones, or the database was away.',
    registers: [metrics],
  })
  let waiting = new Map<string, RefusalCountRow & { count: number }>()
  let flushing = Promise.resolve()

  function count(orgId: string, { decision, dry_run, decided_at, error_code }: Explanation) {
    if (decision !== 'deny' || dry_run || error_code === null) return
    const day = decided_at.slice(0, 10)
    const key = `${orgId} ${day} ${error_code}`
    const alike = waiting.get(key)
    if (alike) alike.count += 1
    else if (waiting.size >= maxWaiting) lost.inc()
    else waiting.set(key, { org_id: orgId, day, error_code, count: 1 })
  }

  function flush() {
    const rows = [...waiting.values()]
    waiting = new Map()
    if (rows.length > 0)
      flushing = flushing
        .then(() => sql.asOrgs([...new Set(rows.map(({ org_id }) => org_id))], (tx) => addRefusals(tx, rows)))
        .catch((error: unknown) => {
          lost.inc(rows.reduce((sum, row) => sum + row.count, 0))
          log.warn({ error, lost: rows.length }, 'refusals were not counted')
        })
    return flushing
  }

  return { count, flush }
}
