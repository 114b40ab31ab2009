/**
 * For every alert, series that make it fire and clear again, a sample a minute, in the notation of `promtool test rules`. Cases of one
 * group stand beside each other in one test: none of their series is in another one's way.
 */
export interface AlertCase {
  readonly series: Readonly<Record<string, string>>
  /** The minute at which it fires, and one at which it does not any more. */
  readonly fires: number
  readonly clears: number
  /** Those without one are a group too. */
  readonly group?: string
}

const risesThenRests = (step: number, rises: number, rests: number) => `0+${step}x${rises} ${step * rises}+0x${rests}`
const highThenLow = (high: number, minutes: number, low = 0) => `${high}+0x${minutes} ${low}+0x90`
/** A counter that is not there before it has counted something. */
const appears = (value: number) => `_x5 ${value}+0x150`
const goneThenBack = '1+0x3 stale _x20 1+0x30'

const decisions = (suffix: string, labels: string) =>
  `svc_http_request_duration_seconds_${suffix}{method="POST",route="/v1/runs",${labels}}`

const failing = (perMinute: number, minutes: number, rests: number) => ({
  [decisions('count', 'status="201"')]: `0+1000x${minutes + rests}`,
  [decisions('count', 'status="503"')]: risesThenRests(perMinute, minutes, rests),
})
const slow = (perMinute: number, minutes: number, rests: number) => ({
  [decisions('count', 'status="201"')]: `0+1000x${minutes + rests}`,
  [decisions('bucket', 'status="201",le="0.25"')]:
    `0+${1000 - perMinute}x${minutes} ${(1000 - perMinute) * minutes + 1000}+1000x${rests}`,
})
/** A histogram of which all observations lie between two bounds while it is slow, and below the first one afterwards. */
const histogram = (name: string, [low, high]: readonly [number, number], minutes: number, rests: number) => ({
  [`${name}_bucket{le="${low}"}`]: `0+0x${minutes} 0+100x${rests}`,
  [`${name}_bucket{le="${high}"}`]: `0+100x${minutes + rests}`,
  [`${name}_bucket{le="+Inf"}`]: `0+100x${minutes + rests}`,
})
const once = (series: string, value = 1): AlertCase => ({
  series: { [series]: appears(value) },
  fires: 7,
  clears: 80,
})

export const alertCases: Readonly<Record<string, AlertCase>> = {
  WeirDecisionErrorsFast: { series: failing(50, 30, 200), fires: 20, clears: 120, group: 'WeirDecisionErrorsFast' },
  WeirDecisionErrorsSlow: { series: failing(4, 30, 200), fires: 25, clears: 170, group: 'WeirDecisionErrorsSlow' },
  WeirDecisionLatencyFast: { series: slow(300, 30, 200), fires: 20, clears: 120, group: 'WeirDecisionLatencyFast' },
  WeirDecisionLatencySlow: { series: slow(40, 30, 200), fires: 25, clears: 170, group: 'WeirDecisionLatencySlow' },

  WeirOrgMoveHangs: { series: { svc_org_move_closed_seconds: highThenLow(90, 10) }, fires: 5, clears: 20 },

  WeirApiAbsent: { series: { 'svc_build_info{role="api"}': goneThenBack }, fires: 8, clears: 30 },
  WeirWorkerAbsent: { series: { 'svc_build_info{role="worker"}': goneThenBack }, fires: 12, clears: 30 },
  WeirGatewayDown: {
    series: { 'up{job="weir-gateway",instance="a"}': '1+0x3 0+0x20 1+0x30' },
    fires: 8,
    clears: 30,
  },
  WeirVersionsMixed: {
    series: {
      'svc_build_info{role="api",version="1.0.0"}': '1+0x90 stale',
      'svc_build_info{role="api",version="1.1.0"}': '1+0x120',
    },
    group: 'absences',
    fires: 70,
    clears: 100,
  },
  WeirEventLoopBusy: {
    series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': highThenLow(0.5, 20) },
    fires: 15,
    clears: 40,
  },
  WeirRequestsShed: {
    series: { 'svc_shed_requests_total{urgency="read"}': risesThenRests(5, 20, 40) },
    fires: 10,
    clears: 40,
  },
  WeirDatabasePoolExhausted: {
    series: { 'svc_database_connections{state="waiting",instance="a"}': highThenLow(3, 20) },
    fires: 15,
    clears: 40,
  },
  WeirRateLimitsFallBack: {
    series: { 'svc_rate_limit_fallback_total{mode="local"}': risesThenRests(5, 20, 40) },
    fires: 10,
    clears: 40,
  },

  WeirPostgresUnreachable: once('svc_lane_failures_total{reason="connection"}'),
  WeirPostgresUnwritable: once('svc_lane_failures_total{reason="disk_full"}'),
  WeirCommitUnknown: once('svc_lane_failures_total{reason="unknown"}'),
  WeirLaneDefect: once('svc_lane_failures_total{reason="WE001"}'),
  WeirLaneWaitLong: { series: histogram('svc_lane_wait_seconds', [0.25, 0.5], 30, 60), fires: 20, clears: 60 },
  WeirLanesFull: { series: histogram('svc_lane_batch_size', [128, 256], 30, 60), fires: 20, clears: 60 },
  WeirLanesTurnAway: { series: { svc_lane_turned_away_total: risesThenRests(2, 20, 40) }, fires: 10, clears: 40 },
  WeirLockContention: {
    series: {
      'svc_lane_repeats_total{reason="locked"}': risesThenRests(6000, 40, 60),
      'svc_decisions_total{outcome="allowed"}': '0+6000x100',
    },
    fires: 30,
    clears: 70,
  },
  WeirRefusalsUnrecorded: {
    series: { svc_decisions_unrecorded_total: risesThenRests(9, 30, 60) },
    fires: 25,
    clears: 60,
  },
  WeirUnpricedCallsRefused: once('svc_unpriced_requests_total{outcome="refused"}'),
  WeirPriceCatalogOld: { series: { svc_price_catalog_age_days: '181+0x90 2+0x30' }, fires: 70, clears: 100 },

  WeirLedgerDrift: { series: { svc_ledger_drift_nano_usd: '-5+0x10 0+0x30' }, fires: 5, clears: 20 },
  WeirLedgerUnchecked: {
    series: {
      'svc_build_info{role="worker",version="1.1.0",instance="a"}': '1+0x200',
      'process_start_time_seconds{instance="a"}': '0+0x200',
      'svc_job_duration_seconds_count{exported_job="verify-ledgers",outcome="done"}': '_x120 1+0x80',
    },
    group: 'absences',
    fires: 80,
    clears: 125,
  },
  WeirSettlementsLate: { series: { svc_ledger_late_nano_usd_total: risesThenRests(7, 40, 60) }, fires: 30, clears: 80 },
  WeirOverrunGrowing: {
    series: { svc_ledger_overrun_nano_usd_total: '0+0x5 0+100000000x95 9500000000+1000x150' },
    fires: 90,
    clears: 190,
  },
  WeirReservationsLeftOpen: { series: { svc_holds_expired_found: highThenLow(900, 20) }, fires: 15, clears: 40 },

  WeirPartitionsRunOut: { series: { svc_partitions_days_ahead: '2.5+0x20 7+0x30' }, fires: 15, clears: 40 },
  WeirPartitionsUnknown: {
    series: { svc_partitions_days_ahead: '7+0x2 stale _x30 7+0x30' },
    group: 'absences',
    fires: 25,
    clears: 50,
  },
  WeirUsageUnfolded: { series: { svc_usage_deltas_waiting: '20000+900x40 5+0x30' }, fires: 30, clears: 60 },
  WeirIngestSlow: { series: histogram('svc_ingest_seconds', [1, 5], 30, 60), fires: 25, clears: 80 },
  WeirSpansNotRecorded: once('svc_otlp_spans_total{outcome="unrecognized"}'),
  WeirJobFailing: once('svc_job_failures_total{exported_job="prune-rows"}', 4),
  WeirRecordsLost: once('svc_write_behind_lost_total{buffer="explanations"}'),

  WeirWebhookEventsWaiting: { series: { svc_webhook_oldest_event_seconds: '0+60x10 0+0x30' }, fires: 8, clears: 20 },
  WeirWebhookLag: { series: histogram('svc_webhook_lag_seconds', [5, 30], 30, 60), fires: 25, clears: 80 },
  WeirWebhookForbiddenAddress: once('svc_webhook_attempts_total{outcome="refused_address",version="2"}'),
  WeirWebhookDeadLetters: once('svc_webhook_dead_letters_total'),

  WeirGatewayBoundViolated: once('weir_gateway_bound_violations_total{model="gpt-4o",why="output"}'),
  WeirGatewaySettlementsWaiting: {
    series: { 'weir_gateway_settlements_waiting{instance="a"}': '0+2x20 0+0x30' },
    fires: 15,
    clears: 40,
  },
  WeirGatewayUsageMissing: once('weir_gateway_usage_missing_total{model="gpt-4o",provider="openai"}'),
  WeirGatewayConfigRejected: once('weir_gateway_config_reloads_total{outcome="faulty",instance="a"}'),
  WeirGatewayLeasesLost: once('weir_gateway_lease_lost_total'),
}
