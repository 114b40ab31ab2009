import type { Agent } from '../../../access/identity/identity.ts'
import { type ApiError, type FieldFault, isApiError } from '../../../contract/errors.ts'
import type { BoundedChain } from '../../../money/chains/chains.ts'
import type { Command } from '../../../money/engine/engine.ts'
import type { Charge, Claim, LimitRefusal } from '../../../money/ledger/ledger.ts'
import type { EndedRun, KnownKeyRow, RunRecord } from '../../../records/run-log/run-log.ts'
import type { KnownHold, LaneTask, OrgConfig, ParentRun, PlanContext, RunEnding } from '../operations.ts'

/** Runs that have happened, to be recorded: all of one request. */
export interface IngestTask extends LaneTask {
  readonly items: readonly IngestItem[]
  /** The caller that records them. */
  readonly agent: Agent
  /** Effect of a refused charge: none of the runs is recorded, or the others are. */
  readonly mode: 'atomic' | 'partial'
  /** True when no limit refuses: cost that does not fit is overrun. */
  readonly isRecordedOnly: boolean
  readonly idempotency?:
    | {
        readonly key: string
        readonly hash: Buffer
        readonly answer: (results: readonly IngestResult[]) => string | undefined
      }
    | undefined
}

export interface IngestItem {
  /** The caller's own name for the run, and a hash of its content. */
  readonly key: { readonly name: string; readonly hash: string } | undefined
  /** The hold that the run settles: a reservation, or the hold of a started run. */
  readonly holdId: string | undefined
  readonly isStartedRun: boolean
  /** The run key of the request to a provider that the hold was for: other reports of the request find the run by it. */
  readonly requestKey: string | undefined
  /** True when its cost is an estimate, which an exact report of a started run replaces. */
  readonly isEstimate: boolean
  /** The run key of a settled reservation, and a hash of its content. */
  readonly holdKey: { readonly name: string; readonly hash: string } | undefined
  readonly customerId: string | undefined
  readonly chainId: string | undefined
  readonly parentId: string | undefined
  /** Equal for runs on the same account, which meet the same limits. */
  readonly account: string
  /** Returns the run and its charge, as far as they do not depend on a hold. Pure; throws the error for the caller. */
  readonly draft: (facts: DraftContext) => RunDraft
  readonly claims: (charge: Charge, facts: Pick<PlanContext, 'orgConfig' | 'customer' | 'nowMs'>) => readonly Claim[]
  readonly chargeInChain: (draft: RunDraft, chain: BoundedChain | undefined, facts: DraftContext) => Charge
  readonly settle: (facts: PlanContext, charge: Charge) => Extract<Command, { type: 'settle' }>
  /** Returns the ending of the run that this hold belongs to; throws the error for the caller. */
  readonly ending: (hold: KnownHold, facts: Pick<PlanContext, 'orgConfig' | 'nowMs'>) => RunEnding
  /** Returns the run of a settled reservation. */
  readonly settledRun: (draft: RunDraft, hold: KnownHold, facts: Pick<PlanContext, 'orgConfig'>) => RunRecord
  /** Fields that are ignored because the hold says otherwise. */
  readonly ignoredFields: (hold: KnownHold) => readonly string[]
  /** True when the run that owns one of the keys is this one. */
  readonly isSame: (owner: KnownKeyRow) => boolean
  /** True when a started run has ended in this way; the basis is that of the cost which it would have now. */
  readonly isSameEnd: (ended: EndedRun, ending: Pick<EndedRun, 'costBasis' | 'usageDetail'>) => boolean
}

export interface DraftContext {
  readonly orgConfig: OrgConfig
  readonly parent: ParentRun | undefined
  readonly nowMs: number
}

export interface RunDraft {
  readonly run: RunRecord
  readonly charge: Charge
}

/** Result of recording one run. */
export interface IngestResult {
  readonly runId: string | null
  readonly isDuplicate: boolean
  readonly error: ApiError | undefined
  readonly ignored?: readonly string[]
  /** True when it was refused only because another run of its request was. */
  readonly failedWithBatch?: true
  /** The limit that refused it. */
  readonly refusal?: LimitRefusal
}

export interface Ingested {
  readonly results: readonly IngestResult[]
  readonly replay?: string
}

/** Field errors of one run as field errors of the request. */
export function faultsOf(error: unknown, index: number): FieldFault[] {
  if (!isApiError(error, 'validation_failed')) throw error
  return error.details.fields.map((fault) => ({ ...fault, field: `runs.${index}.${fault.field}` }))
}
