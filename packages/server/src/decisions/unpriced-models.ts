import { recordUnpriced } from '../money/prices/prices.ts'
import { type Metrics, sharedCounter } from '../platform/infra/metrics.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { Lru } from '../values/lru.ts'
import { minuteMs } from '../values/time.ts'
import type { DecisionInput } from './schema.ts'

/** Outcome of a request that named a model without a price. */
export type UnpricedOutcome = 'refused' | 'held' | 'settled'

const noteAgainMs = minuteMs
const recordedUntilMs = new Lru<string, number>(10_000)

/** Records a model without a price, whatever the outcome of the call: somebody has to price it. */
export function recordUnpricedModel(
  { sql, log, clock, metrics }: Pick<Platform, 'sql' | 'log' | 'clock' | 'metrics'>,
  orgId: string,
  { model, provider }: Pick<DecisionInput, 'model' | 'provider'>,
  outcome: UnpricedOutcome,
) {
  counterOf(metrics).inc({ outcome })
  const key = JSON.stringify([orgId, model, provider])
  const nowMs = clock.now().getTime()
  if (nowMs < (recordedUntilMs.get(key) ?? 0)) return
  recordedUntilMs.set(key, nowMs + noteAgainMs)
  recordUnpriced(sql, orgId, model, provider).catch((error: unknown) =>
    log.warn({ error }, 'failed to record an unpriced model'),
  )
}

/** The counter of a process. */
const counterOf = (metrics: Metrics) =>
  sharedCounter(metrics, {
    name: 'svc_unpriced_requests_total',
    help: 'Requests that named a model without a price: refused, held at a ceiling or an estimate, or settled at the held price.',
    labelNames: ['outcome'],
  })
