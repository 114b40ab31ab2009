import type { Caller } from '../access/identity/identity.ts'
import { formatUsd, parseUsd } from '../values/money.ts'
import type { BulkRun } from './bulk-schema.ts'
import type { RunCost } from './cost.ts'

/** Facts that telemetry has of a call beside its usage. The price of a seat is flat: its usage costs nothing more. */
export interface TelemetryFacts {
  readonly billing: 'seat' | 'metered'
  /** Cost as the client believes it. */
  readonly reported_cost_usd?: string
}

/** A run as callers send it, or one that was made of telemetry; no caller can send `telemetry`. */
export interface RecordedRun extends BulkRun {
  readonly telemetry?: TelemetryFacts
}

/** As much of a caller as records of its runs need. */
export type Recorder = Pick<Caller, 'kind' | 'id' | 'lineageId' | 'orgId' | 'pins' | 'requiredDimensions' | 'scopes'>

/** Returns a run with its cost as it counts: that of a seat is nothing, and what it would have been is what the run was worth. */
export function countedByTelemetry<T extends Pick<RunCost, 'usd'>>(
  run: RecordedRun,
  cost: T,
): { readonly run: BulkRun; readonly cost: T } {
  const { telemetry, ...sent } = run
  if (!telemetry) return { run, cost }
  const { billing, reported_cost_usd: reported } = telemetry
  const metadata = {
    ...sent.metadata,
    billing,
    ...(reported !== undefined && {
      reported_cost_usd: reported,
      cost_difference_usd: signed(cost.usd - parseUsd(reported)),
    }),
  }
  const isSeat = billing === 'seat'
  return {
    run: { ...sent, metadata, ...(isSeat && { value_usd: formatUsd(cost.usd) }) },
    cost: isSeat ? { ...cost, usd: 0n } : cost,
  }
}

const signed = (nano: bigint) => (nano < 0n ? `-${formatUsd(-nano)}` : formatUsd(nano))
