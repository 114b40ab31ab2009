import { Counter } from 'prom-client'
import type { Metrics } from '../../platform/infra/metrics.ts'

/** Creates the counter of what became of telemetry that had to wait: nobody waits for an answer to it any more. */
export const createWaitingCounter = (metrics: Metrics) =>
  new Counter({
    name: 'svc_otlp_waited_total',
    help: 'Calls and sums of metrics that had to wait, by signal and result: recorded as a run, known already, rejected, or failed and to be tried again.',
    labelNames: ['signal', 'outcome'] as const,
    registers: [metrics],
  })

export type WaitingCounter = ReturnType<typeof createWaitingCounter>
