import { Gauge } from 'prom-client'
import type { Platform } from '../platform/infra/platform.ts'
import { repeat } from '../platform/infra/repeat.ts'
import { expiredHolds, expiryGraceMs, type Lanes } from './lanes/lanes.ts'

const sweepEveryMs = 1_000
const perSweep = 1_000

/** Expires the holds whose lease is over, through the same lanes as everything else that moves money. */
export function sweepExpiredHolds({ sql, log, metrics }: Platform, lanes: Lanes) {
  const found = new Gauge({
    name: 'svc_holds_expired_found',
    help: 'Holds whose lease was over at the last sweep.',
    registers: [metrics],
  })
  async function sweep() {
    const holds = await expiredHolds(sql, expiryGraceMs, perSweep)
    found.set(holds.length)
    const ends = holds.map(({ orgId, holdId }) =>
      lanes.submit({ orgId, holdId, plan: () => ({ command: { type: 'expire', holdId } }) }),
    )
    const failed = (await Promise.allSettled(ends)).filter(({ status }) => status === 'rejected')
    if (failed.length > 0)
      log.warn({ failed: failed.length }, 'expired holds were not ended; the next sweep tries again')
    return holds.length === perSweep
  }

  return repeat(sweep, {
    everyMs: sweepEveryMs,
    onError: (error) => log.warn({ error }, 'the sweep for expired holds failed'),
  })
}
