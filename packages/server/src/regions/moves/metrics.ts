import { Gauge } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import { countUnderway } from './record-queries.ts'

/** Reports organizations on their way, and how long one has been closed for it. */
export function reportMoves({ sql, metrics, log }: Pick<Platform, 'sql' | 'metrics' | 'log'>) {
  const underway = new Gauge({
    name: 'svc_org_moves_underway',
    help: 'Organizations that leave or arrive now.',
    registers: [metrics],
  })
  new Gauge({
    name: 'svc_org_move_closed_seconds',
    help: 'Time for which an organization that leaves has been closed; 0 where none is.',
    registers: [metrics],
    async collect() {
      try {
        const counted = await countUnderway(sql.pool)
        underway.set(counted.underway)
        this.set(counted.closed_seconds)
      } catch (error) {
        log.debug({ error }, 'moves were not counted')
      }
    },
  })
}
