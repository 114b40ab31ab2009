import { Counter, Histogram } from 'prom-client'
import type { Metrics } from '../../platform/infra/metrics.ts'
import type { BatchOutcome, IngestOutcome } from './lane-outcome.ts'

type Registers = Metrics[]

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

export function laneMetrics(metrics: Metrics) {
  const registers: Registers = [metrics]
  const observeBatch = batchMetrics(registers)
  const observeOutcomes = outcomeMetrics(registers)
  return {
    wait: new Histogram({
      name: 'svc_lane_wait_seconds',
      help: 'How long requests waited for their turn.',
      buckets: seconds,
      registers: registers,
    }),
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
function batchMetrics(registers: Registers) {
  const batchSize = new Histogram({
    name: 'svc_lane_batch_size',
    help: 'Requests that were decided in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  })
  const commit = new Histogram({
    name: 'svc_lane_commit_seconds',
    help: 'How long batches took to write and commit.',
    buckets: seconds,
    registers,
  })
  const read = new Histogram({
    name: 'svc_lane_read_seconds',
    help: 'How long batches took to lock and read.',
    buckets: seconds,
    registers,
  })
  const repeats = new Counter({
    name: 'svc_lane_repeats_total',
    help: 'Organizations (`locked` by another process, limits `changed`) or requests (`unread` rows, a `name` that is being claimed) that were tried again in another batch.',
    labelNames: ['reason'],
    registers,
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
function outcomeMetrics(registers: Registers) {
  const decisions = new Counter({
    name: 'svc_decisions_total',
    help: 'Decided holds by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const refusals = new Counter({
    name: 'svc_refusals_total',
    help: 'Refused holds by the kind of limit that refused.',
    labelNames: ['kind'],
    registers,
  })
  const overrun = new Counter({
    name: 'svc_ledger_overrun_nano_usd_total',
    help: 'Cost above its hold, in nano-dollars.',
    registers,
  })
  const late = new Counter({
    name: 'svc_ledger_late_nano_usd_total',
    help: 'Cost settled after its hold had expired, in nano-dollars.',
    registers,
  })
  return (outcome: BatchOutcome) => {
    const counts = { allowed: 0, refused: 0, overrun: 0n, late: 0n }
    for (const { outcomes } of outcome.decisions) {
      for (const verdict of outcomes) {
        if (verdict.type === 'held') counts.allowed++
        else if (verdict.type === 'refused') {
          counts.refused++
          refusals.inc({ kind: verdict.refusal.claim.kind.kind })
        } else if (verdict.type === 'ended' && !verdict.isRepeat && verdict.hold.state === 'settled') {
          counts.overrun += verdict.hold.overrunNano ?? 0n
          if (verdict.isLate) counts.late += verdict.hold.chargedNano ?? 0n
        }
      }
    }
    decisions.inc({ outcome: 'allowed' }, counts.allowed)
    decisions.inc({ outcome: 'refused' }, counts.refused)
    overrun.inc(Number(counts.overrun))
    late.inc(Number(counts.late))
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
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  return (outcome: IngestOutcome) => {
    ingested.inc(outcome.runs)
    ingestSeconds.observe((outcome.readMs + outcome.decideMs + outcome.commitMs) / 1_000)
  }
}
