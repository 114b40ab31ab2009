import { Counter, Gauge, Histogram } from 'prom-client'
import type { HttpOutcome } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { countWaitingEvents } from './drain-queries.ts'

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>

export function deliveryMetrics({ sql, clock, metrics: registry }: Platform) {
  const registers = [registry]
  const attempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Attempts to deliver an event, by outcome (delivered, the class of an unsuccessful status, or the error) and by signing version; version 1 uses the organization’s secret, which is deprecated.',
    labelNames: ['outcome', 'version'],
    registers,
  })
  const seconds = new Histogram({
    name: 'svc_webhook_attempt_seconds',
    help: 'Response time of endpoints in seconds.',
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 5, 15, 60],
    registers,
  })
  const lag = new Histogram({
    name: 'svc_webhook_lag_seconds',
    help: 'Time from an event to its delivery, for deliveries that succeeded at the first attempt.',
    buckets: [0.05, 0.25, 1, 5, 30, 120, 600, 3_600],
    registers,
  })
  const dead = new Counter({
    name: 'svc_webhook_dead_letters_total',
    help: 'Deliveries that were given up after their last attempt.',
    registers,
  })
  const disabled = new Counter({
    name: 'svc_webhook_subscriptions_disabled_total',
    help: 'Subscriptions that the service disabled, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const oldest = new Gauge({
    name: 'svc_webhook_oldest_event_seconds',
    help: 'Age of the oldest event that is not yet turned into deliveries.',
    registers,
  })
  new Gauge({
    name: 'svc_webhook_events_waiting',
    help: 'Events that are not yet turned into deliveries, counted up to 10,000.',
    registers,
    async collect() {
      const found = await countWaitingEvents(sql.db).catch(() => undefined)
      if (!found) return
      this.set(found.waiting)
      oldest.set(found.oldest === null ? 0 : Math.max(0, (clock.now().getTime() - found.oldest.getTime()) / 1_000))
    },
  })
  return {
    disabled,
    observe: (
      outcome: HttpOutcome,
      {
        version,
        isDelivered,
        isLast,
        lagMs,
      }: { version: 1 | 2; isDelivered: boolean; isLast: boolean; lagMs?: number },
    ) => {
      const failure = 'error' in outcome ? outcome.error : `${Math.floor(outcome.status / 100)}xx`
      attempts.inc({ outcome: isDelivered ? 'delivered' : failure, version })
      seconds.observe(outcome.latencyMs / 1_000)
      if (isDelivered && lagMs !== undefined) lag.observe(lagMs / 1_000)
      if (!isDelivered && isLast) dead.inc()
    },
  }
}
