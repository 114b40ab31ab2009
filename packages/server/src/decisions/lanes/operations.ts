import type { BoundedChain, BoundsByWorkflow } from '../../money/chains/chains.ts'
import type { Command, Hold, Outcome } from '../../money/engine/engine.ts'
import type { CustomerFacts, HoldPayload, OrgLimits } from '../../money/ledger/ledger.ts'
import type { PriceBook } from '../../money/prices/prices.ts'
import type { loadRetention } from '../../records/retention/retention.ts'
import type { RunKey, RunRecord } from '../../records/run-log/run-log.ts'

/** An organization's limits, prices and retention, cached per process and validated by version. */
export interface OrgConfig extends OrgLimits {
  readonly prices: PriceBook
  readonly chainBounds: BoundsByWorkflow
  readonly retention: Awaited<ReturnType<typeof loadRetention>>
  /** The version of its policy set. */
  readonly policySet: bigint
  /** Kinds of events that are emitted only for organizations that opted in. */
  readonly optIns: ReadonlySet<string>
}

/** A hold with the request it was made for. */
export interface KnownHold extends Hold {
  /** The limits when it was made. */
  readonly limits: readonly (bigint | null)[]
  /** Thresholds of its limits, where no process caches them. */
  readonly thresholds?: readonly (readonly number[])[]
  readonly inputs: HoldPayload
}

export interface PlanContext {
  readonly orgConfig: OrgConfig
  /** Limit and packs of the customer that the task or its hold names. */
  readonly customer: CustomerFacts | undefined
  readonly hold: KnownHold | undefined
  /** The chain that the task names, or its parent belongs to; undefined where it has not begun. */
  readonly chain: BoundedChain | undefined
  readonly parent: ParentRun | undefined
  readonly nowMs: number
}

/** The place in its chain of a run that another run names as its parent. */
export interface ParentRun {
  readonly chainId: string | null
  readonly depth: number | null
}

/** The existing run with the run key that a task wants, and the hash of its content. */
export interface ExistingRun {
  readonly type: 'known'
  readonly runId: string
  readonly contentHash: Buffer | null
}

/** Durations of the parts of a decision. */
export interface Timing {
  waitMs: number
  readMs: number
  decideMs: number
  commitMs: number
}

export interface OperationResult {
  readonly outcome: Outcome | ExistingRun
  readonly atMs: number
  readonly timing: Timing
  /** The response stored under the idempotency key by an earlier request, to be sent again. */
  readonly replay?: string
}

/** Fields that every lane needs of its tasks. */
export interface LaneTask {
  readonly orgId: string
  /** The hold that the task would make. */
  readonly makesHold?: string | undefined
  readonly idempotency?: { readonly key: string; readonly hash: Buffer } | undefined
  readonly isAbandoned?: (() => boolean) | undefined
  /** True when a caller that lost the response can find the hold by a name of its own: then it is not released. */
  readonly isRecoverableByName?: boolean
}

/** One money request on its way through a lane. */
export interface Operation extends LaneTask {
  readonly customerId?: string | undefined
  readonly chainId?: string | undefined
  readonly parentId?: string | undefined
  /** The run key of the run that the task would start; where it is taken, the task is answered with the run that has it. */
  readonly runKey?: RunKey | undefined
  /** The ending of the run whose hold the task settles. */
  readonly ending?: RunEnding | undefined
  /** True when the customer's credit packs count. */
  readonly needsPacks?: boolean
  /** The hold to read. */
  readonly holdId?: string | undefined
  /**
   * Returns the command on the ledger. Called twice: with what is cached, to know which rows to read, and with what was read
   * under the lock, to decide. Pure; throws the error for the caller.
   */
  readonly plan: (facts: PlanContext) => Command
  /** The idempotency key, and the exact bytes of a successful response to store for retries; undefined for other responses. */
  readonly idempotency?: {
    readonly key: string
    readonly hash: Buffer
    readonly status?: number
    readonly answer: (verdict: Outcome, atMs: number) => string | undefined
  }
}

/** The ending of a run, beside its cost. Known once the task that ends it was planned with its hold. */
export interface RunEnding extends Pick<RunRecord, 'status' | 'usage' | 'valueNano' | 'endedAtMs' | 'costBasis'> {
  /** The model that ran, which may differ from the requested one. */
  readonly ran: Pick<RunRecord['about'], 'model' | 'provider'>
}
