import { setTimeout as sleep } from 'node:timers/promises'
import { type Deprecation, deliveryHeaders } from '../../contract/deprecations/deprecations.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { Rotation } from '../../values/rotation.ts'
import { createMailer } from '../destinations/mail.ts'
import { sendCodes } from '../destinations/mail-addresses.ts'
import { createMessageSender } from '../destinations/sender.ts'
import { closeDigests } from './digests.ts'
import { Dispatcher } from './dispatcher.ts'
import { continueReplays, drainEvents, type EventFollower } from './event-drain.ts'
import { deliveryMetrics } from './metrics.ts'
import { openOutbound } from './outbound.ts'
import { PayloadCache } from './payload-cache.ts'

const drainEveryMs = 200

/** Runs the worker's part until it is closed: turns events into deliveries, and sends them. */
export function startWebhookDelivery(platform: Platform, registry: readonly Deprecation[], follow?: EventFollower) {
  const { config, log, addresses } = platform
  const outbound = openOutbound(config)
  const recent = new PayloadCache()
  const host = () => new URL(addresses.publicUrl()).hostname
  const sendMail = createMailer({ config, log, host })
  const dispatcher = new Dispatcher(platform, {
    outbound,
    sendMessage: createMessageSender({
      outbound,
      sendMail,
      config,
      publicUrl: addresses.publicUrl,
      userAgent: `weir/${platform.version}`,
    }),
    metrics: deliveryMetrics(platform),
    recent,
    deprecationHeaders: deliveryHeaders(registry, addresses.docsUrl()),
  })
  const closed = new AbortController()
  const turns = new Rotation()

  async function repeat(work: () => Promise<number>) {
    while (!closed.signal.aborted) {
      const made = await work().catch((error: unknown) => {
        log.warn({ error }, 'draining events failed and will be retried')
        return 0
      })
      if (made > 0) dispatcher.wake()
      else await sleep(drainEveryMs, undefined, { signal: closed.signal }).catch(() => undefined)
    }
  }
  // New events do not wait for replays.
  const draining = [
    repeat(() => drainEvents(platform, recent, follow)),
    repeat(() => continueReplays(platform)),
    repeat(() => closeDigests(platform, turns)),
    ...(config.smtpUrl === undefined ? [] : [repeat(() => sendCodes(platform, sendMail))]),
  ]

  return {
    close: async () => {
      closed.abort()
      await Promise.all(draining)
      await dispatcher.close()
      await outbound.close()
    },
  }
}
