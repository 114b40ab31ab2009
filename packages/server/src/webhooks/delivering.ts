import { setTimeout as sleep } from 'node:timers/promises'
import { type Deprecation, deliveryHeaders } from '../deprecations/deprecations.ts'
import type { Platform } from '../infra/platform.ts'
import { dispatchDeliveries } from './dispatching.ts'
import { continueReplays, drainEvents } from './draining.ts'
import { deliveryMetrics } from './metrics.ts'
import { openOutbound } from './outbound.ts'

const drainEveryMs = 200

/** The worker's part: turns events into deliveries and delivers them, until it is closed. */
export function deliverWebhooks(platform: Platform, registry: readonly Deprecation[]) {
  const { sql, config, log, addresses } = platform
  const outbound = openOutbound(config)
  const dispatcher = dispatchDeliveries(
    platform,
    outbound,
    deliveryMetrics(platform),
    deliveryHeaders(registry, addresses.docsUrl()),
  )
  const closed = new AbortController()

  async function drain() {
    while (!closed.signal.aborted) {
      const made = await Promise.all([drainEvents(sql), continueReplays(sql)]).catch((error: unknown) => {
        log.warn({ error }, 'draining events failed; the next look tries again')
        return [0, 0]
      })
      const isIdle = made.every((count) => count === 0)
      if (!isIdle) dispatcher.wake()
      if (isIdle) await sleep(drainEveryMs, undefined, { signal: closed.signal }).catch(() => undefined)
    }
  }
  const draining = drain()

  return {
    close: async () => {
      closed.abort()
      await draining
      await dispatcher.close()
      await outbound.close()
    },
  }
}
