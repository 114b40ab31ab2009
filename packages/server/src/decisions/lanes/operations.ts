import type { BoundedChain, BoundsByWorkflow } from '../../money/chains/chains.ts'
import type { DimensionRules } from '../../money/dimensions/dimensions.ts'
import type { Command, Hold, Outcome } from '../../money/engine/engine.ts'
import type { CustomerFacts, HoldPayload, OrgLimits } from '../../money/ledger/ledger.ts'
import type { PriceBook } from '../../money/prices/prices.ts'
import type { TrustBySubject } from '../../money/trust/trust.ts'
import type { loadRetention } from '../../records/retention/retention.ts'
import type { RunKey, RunRecord } from '../../records/run-log/run-log.ts'

/** An organization's limits, prices and retention, cached per process and validated by version. */
export interface OrgConfig extends OrgLimits {
  readonly prices: PriceBook
  /** The rules about names, where there are some. */
  readonly dimensions?: DimensionRules
  /** The trust in callers, where it was set. */
  readonly trust?: TrustBySubject | undefined
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

/** The existing run with the run key that an operation wants, and the hash of its content. */
export interface ExistingRun {
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

/** A plan: the command on the ledger, and what the response and the run's row need beside its outcome. */
export interface OperationPlan {
  readonly command: Command
  /** The ending of the run whose hold is settled. */
  readonly ending?: RunEnding | undefined
}

/** An operation that was decided: by this plan, with this outcome, at this time of the database. */
export interface DecidedOperation<P extends OperationPlan = OperationPlan> {
  readonly type: 'decided'
  readonly plan: P
  readonly outcome: Outcome
  readonly atMs: number
}

/** An operation whose run key belongs to a run already: nothing was decided. */
export interface NamedRun {
  readonly type: 'existing'
  readonly run: ExistingRun
}

/** An operation whose idempotency key has been used: the response that was stored then, to be sent again. */
export interface ReplayedResponse {
  readonly type: 'replayed'
  readonly response: string
}

/** A result with the durations of its parts. */
export type Timed<R> = R & { readonly timing: Timing }

export type OperationResult<P extends OperationPlan = OperationPlan> = DecidedOperation<P> | NamedRun | ReplayedResponse

/** True when the operation holds its amount, or would have as a dry run. */
export const isHeld = (result: OperationResult) => outcomeOf(result).type === 'held'

/** Returns the outcome of an operation without keys, which is always decided. */
export function outcomeOf(result: OperationResult): Outcome {
  if (result.type !== 'decided') throw new TypeError(`nothing was decided: the operation is ${result.type}`)
  return result.outcome
}

/** Thrown to the caller of a lane when the configuration that its operation requires is no longer in force. */
export class StaleOperation extends Error {}

/** The connection of a caller that waits for its task: once it is destroyed, nobody does. */
export interface WaitingCaller {
  readonly destroyed: boolean
}

/** Fields that every lane needs of its tasks. */
export interface LaneTask {
  readonly orgId: string
  /** The hold that the task would make. */
  readonly makesHold?: string | undefined
  readonly idempotency?: { readonly key: string; readonly hash: Buffer } | undefined
  /** True when a caller that lost the response can find the hold by a name of its own: then it is not released. */
  readonly isRecoverableByName?: boolean
}

/** One money request: a value that a lane plans, decides and answers. */
export interface Operation<P extends OperationPlan = OperationPlan> extends LaneTask {
  readonly customerId?: string | undefined
  readonly chainId?: string | undefined
  readonly parentId?: string | undefined
  /** The run key of the run that the task would start; where it is taken, the task is answered with the run that has it. */
  readonly runKey?: RunKey | undefined
  /** Configuration that must still be in force when the operation is decided; else it ends with `StaleOperation`. */
  readonly requires?: Partial<Pick<OrgConfig, 'policySet' | 'prices'>> | undefined
  /** True when the customer's credit packs count. */
  readonly needsPacks?: boolean
  /** The hold to read. */
  readonly holdId?: string | undefined
  /** True when its claims are those of now, and not of the time of its hold. */
  readonly bindsNow?: boolean
  /**
   * Plans the operation. Called twice: with what is cached, to know which rows to read, and with what was read under the lock, to
   * decide; then it may return the earlier plan, where that still holds. Pure; throws the error for the caller.
   */
  plan(context: PlanContext, earlier?: P): P
  /** The idempotency key, and the exact bytes of a successful response to store for retries; undefined for other responses. */
  readonly idempotency?: {
    readonly key: string
    readonly hash: Buffer
    readonly status?: number
    answer(decided: DecidedOperation<P>): string | undefined
  }
}

/** The ending of a run, beside its cost. */
export interface RunEnding
  extends Pick<RunRecord, 'status' | 'usage' | 'usageDetail' | 'valueNano' | 'endedAtMs' | 'costBasis'> {
  /** The model that ran, which may differ from the requested one. */
  readonly ran: Pick<RunRecord['about'], 'model' | 'provider'>
}
