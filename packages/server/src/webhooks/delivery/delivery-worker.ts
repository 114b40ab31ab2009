import { type Deprecation, deliveryHeaders } from '../../contract/deprecations/deprecations.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { repeat } from '../../platform/infra/repeat.ts'
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
  const turns = new Rotation()

  function drain(work: () => Promise<number>) {
    async function round() {
      const made = await work()
      if (made > 0) dispatcher.wake()
      return made > 0
    }
    const onError = (error: unknown) => log.warn({ error }, 'draining events failed and will be retried')
    return repeat(round, { everyMs: drainEveryMs, onError })
  }
  // New events do not wait for replays.
  const draining = [
    drain(() => drainEvents(platform, recent, follow)),
    drain(() => continueReplays(platform)),
    drain(() => closeDigests(platform, turns)),
    ...(config.smtpUrl === undefined ? [] : [drain(() => sendCodes(platform, sendMail))]),
  ]

  return {
    close: async () => {
      await Promise.all(draining.map(({ close }) => close()))
      await dispatcher.close()
      await outbound.close()
    },
  }
}
