import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const shortTimes = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const longTimes = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120]

export type Metrics = ReturnType<typeof createMetrics>

/** Metrics of one gateway. Names begin with `weir_gateway_`. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'weir_gateway_requests_total',
      help: 'Requests, by dialect, provider, status and kind of client.',
      labelNames: ['dialect', 'provider', 'status', 'client'] as const,
      registers,
    }),
    added: new Histogram({
      name: 'weir_gateway_added_seconds',
      help: 'Time that the gateway adds, by part; the time of providers is never in it.',
      labelNames: ['part'] as const,
      buckets: shortTimes,
      registers,
    }),
    firstByte: new Histogram({
      name: 'weir_gateway_time_to_first_byte_seconds',
      help: 'Time from the dispatch of a call to the first byte of its answer.',
      labelNames: ['provider'] as const,
      buckets: longTimes,
      registers,
    }),
    holds: new Counter({
      name: 'weir_gateway_holds_total',
      help: 'Started runs, by how their bound was found: hard, counted or soft.',
      labelNames: ['bound'] as const,
      registers,
    }),
    violations: new Counter({
      name: 'weir_gateway_bound_violations_total',
      help: 'Calls that used more than a hard or counted bound allowed. Any is a defect: alert above 0.',
      labelNames: ['model', 'why', 'bound'] as const,
      registers,
    }),
    softOverruns: new Counter({
      name: 'weir_gateway_soft_overrun_tokens_total',
      help: 'Tokens that soft calls used above what was held.',
      registers,
    }),
    refusals: new Counter({
      name: 'weir_gateway_refusals_total',
      help: 'Refused calls, by code and dialect.',
      labelNames: ['code', 'dialect'] as const,
      registers,
    }),
    fits: new Counter({
      name: 'weir_gateway_fits_total',
      help: 'Calls that were made to fit: by a shorter output, a remembered or counted input, or a cheaper model.',
      labelNames: ['how'] as const,
      registers,
    }),
    settlements: new Counter({
      name: 'weir_gateway_settlements_total',
      help: 'Settlements, by kind: exact, partial, zero, held or journal.',
      labelNames: ['kind'] as const,
      registers,
    }),
    waiting: new Gauge({
      name: 'weir_gateway_settlements_waiting',
      help: 'Settlements that Weir has not taken yet.',
      registers,
    }),
    clientGone: new Counter({
      name: 'weir_gateway_client_gone_total',
      help: 'Callers that hung up, by what was done then.',
      labelNames: ['then'] as const,
      registers,
    }),
    upstreamFailures: new Counter({
      name: 'weir_gateway_upstream_failures_total',
      help: 'Failed attempts at providers, by class.',
      labelNames: ['class'] as const,
      registers,
    }),
    streams: new Gauge({ name: 'weir_gateway_streams', help: 'Answers that are on their way.', registers }),
    usageMissing: new Counter({
      name: 'weir_gateway_usage_missing_total',
      help: 'Complete answers that did not say what they used.',
      labelNames: ['provider', 'model'] as const,
      registers,
    }),
    unreadEvents: new Counter({
      name: 'weir_gateway_unread_events_total',
      help: 'Events of streams that the meter could not read.',
      registers,
    }),
    leasesLost: new Counter({
      name: 'weir_gateway_lease_lost_total',
      help: 'Leases that could not be extended in time.',
      registers,
    }),
    reloads: new Counter({
      name: 'weir_gateway_config_reloads_total',
      help: 'Times that the configuration was read again: taken, or faulty, so that the old one stays.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    bufferedBytes: new Gauge({
      name: 'weir_gateway_buffered_bytes',
      help: 'Bytes of requests in memory.',
      registers,
    }),
  }
}
