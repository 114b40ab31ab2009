import type { BatchDecision } from '../../money/engine/engine.ts'
import type { Allowance, ChainPlace } from '../../money/ledger/ledger.ts'
import type { RunKey } from '../../records/run-log/run-log.ts'
import type { EndedRuns } from './ended-runs.ts'

/** One organization's part of a batch, ready to be written. */
export interface OrgWrites {
  readonly orgId: string
  readonly seq: bigint
  /** The database's time under the lock, as text and in milliseconds. */
  readonly at: string
  readonly atMs: number
  readonly decision: BatchDecision
  /** Allowances that have a row, and its `ctid`; the others are inserted. */
  readonly found: ReadonlyMap<string, { readonly place: string; readonly last_seq: bigint; readonly spent: bigint }>
  readonly made: ReadonlyMap<string, Allowance>
  /** Allowances that emitted an event for a refusal before. */
  readonly stopped: ReadonlySet<string>
  readonly storedResponses: readonly StoredResponse[]
  readonly chains: ReadonlyMap<string, { readonly chain: ChainPlace; readonly runId: string }>
  readonly runs: EndedRuns
  readonly unclaimed: readonly RunKey[]
  /** Kinds of events that the organization has opted in to. */
  readonly optIns: ReadonlySet<string>
}

export interface StoredResponse {
  readonly key: string
  readonly hash: Buffer
  readonly status: number
  readonly sealed: Buffer
}
