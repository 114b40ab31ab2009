import { Counter, Histogram } from 'prom-client'
import type { Metrics } from '../../platform/infra/metrics.ts'
import { type CounterSeries, seriesCounter, seriesHistogram } from '../../platform/infra/series.ts'
import type { BatchOutcome, IngestOutcome } from './lane-outcome.ts'

type Registers = Metrics[]

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

export function laneMetrics(metrics: Metrics) {
  const registers: Registers = [metrics]
  const observeBatch = batchMetrics(metrics)
  const observeOutcomes = outcomeMetrics(metrics)
  return {
    wait: seriesHistogram(metrics, {
      name: 'svc_lane_wait_seconds',
      help: 'How long requests waited for their turn.',
      labelNames: [],
      buckets: seconds,
    })({}),
    rejected: new Counter({
      name: 'svc_lane_turned_away_total',
      help: 'Requests refused with 503 because too many were waiting.',
      registers: registers,
    }),
    failures: new Counter({
      name: 'svc_lane_failures_total',
      help: 'Batches that failed, by SQLSTATE, or `connection`, or `unknown` outcome.',
      labelNames: ['reason'],
      registers: registers,
    }),
    observeIngest: ingestMetrics(registers),
    observe: (outcome: BatchOutcome, size: number) => {
      observeBatch(outcome, size)
      observeOutcomes(outcome)
    },
  }
}

export type LaneMetrics = ReturnType<typeof laneMetrics>

/** Sizes and times of batches, and what had to be tried again. */
function batchMetrics(metrics: Metrics) {
  const batchSize = seriesHistogram(metrics, {
    name: 'svc_lane_batch_size',
    help: 'Requests that were decided in one transaction.',
    labelNames: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  })({})
  const commit = seriesHistogram(metrics, {
    name: 'svc_lane_commit_seconds',
    help: 'How long batches took to write and commit.',
    labelNames: [],
    buckets: seconds,
  })({})
  const read = seriesHistogram(metrics, {
    name: 'svc_lane_read_seconds',
    help: 'How long batches took to lock and read.',
    labelNames: [],
    buckets: seconds,
  })({})
  const repeats = new Counter({
    name: 'svc_lane_repeats_total',
    help: 'Organizations (`locked` by another process, limits `changed`) or requests (`unread` rows, a `name` that is being claimed) that were tried again in another batch.',
    labelNames: ['reason'],
    registers: [metrics],
  })
  return (outcome: BatchOutcome, size: number) => {
    batchSize.observe(size)
    read.observe(outcome.readMs / 1_000)
    commit.observe(outcome.commitMs / 1_000)
    if (outcome.locked.size > 0) repeats.inc({ reason: 'locked' }, outcome.locked.size)
    if (outcome.changed.size > 0) repeats.inc({ reason: 'changed' }, outcome.changed.size)
    if (outcome.unread > 0) repeats.inc({ reason: 'unread' }, outcome.unread)
    if (outcome.busy.size > 0) repeats.inc({ reason: 'name' }, outcome.busy.size)
  }
}

/** Decisions by outcome, and cost that differs from its hold. */
function outcomeMetrics(metrics: Metrics) {
  const decisions = seriesCounter(metrics, {
    name: 'svc_decisions_total',
    help: 'Decided holds by outcome.',
    labelNames: ['outcome'],
  })
  const allowed = decisions({ outcome: 'allowed' })
  const refused = decisions({ outcome: 'refused' })
  const refusals = seriesCounter(metrics, {
    name: 'svc_refusals_total',
    help: 'Refused holds by the kind of limit that refused.',
    labelNames: ['kind'],
  })
  const refusalsOf = new Map<string, CounterSeries>()
  const overrun = seriesCounter(metrics, {
    name: 'svc_ledger_overrun_nano_usd_total',
    help: 'Cost above its hold, in nano-dollars.',
    labelNames: [],
  })({})
  const late = seriesCounter(metrics, {
    name: 'svc_ledger_late_nano_usd_total',
    help: 'Cost settled after its hold had expired, in nano-dollars.',
    labelNames: [],
  })({})

  function countRefusal(kind: string) {
    refused.add(1)
    let series = refusalsOf.get(kind)
    if (!series) refusalsOf.set(kind, (series = refusals({ kind })))
    series.add(1)
  }

  return ({ decisions: decided }: BatchOutcome) => {
    for (const { outcomes } of decided) {
      for (const verdict of outcomes) {
        if (verdict.type === 'held') allowed.add(1)
        else if (verdict.type === 'refused') countRefusal(verdict.refusal.claim.kind.kind)
        else if (verdict.type === 'ended' && !verdict.isRepeat && verdict.hold.state === 'settled') {
          overrun.add(Number(verdict.hold.overrunNano ?? 0n))
          if (verdict.isLate) late.add(Number(verdict.hold.chargedNano ?? 0n))
        }
      }
    }
  }
}

function ingestMetrics(registers: Registers) {
  const ingested = new Counter({
    name: 'svc_runs_ingested_total',
    help: 'Runs that were recorded by ingest.',
    registers,
  })
  const ingestSeconds = new Histogram({
    name: 'svc_ingest_seconds',
    help: 'How long a transaction of ingested runs took.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 5],
    registers,
  })
  return (outcome: IngestOutcome) => {
    ingested.inc(outcome.runs)
    ingestSeconds.observe((outcome.readMs + outcome.decideMs + outcome.commitMs) / 1_000)
  }
}
