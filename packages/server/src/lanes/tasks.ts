import type { BoundsByWorkflow, Chain } from '../chains/chains.ts'
import type { CustomerFacts, OrgLimits } from '../ledger/ledger.ts'
import type { PriceBook } from '../prices/prices.ts'
import type { loadRetention } from '../retention/retention.ts'
import type { RunKey, RunRecord } from '../run-log/run-log.ts'
import type { Ask, Verdict } from './decide.ts'
import type { Hold } from './ending.ts'

/** What is set for an organization, as one process remembers it. */
export interface Definitions extends OrgLimits {
  readonly prices: PriceBook
  readonly chainBounds: BoundsByWorkflow
  readonly retention: Awaited<ReturnType<typeof loadRetention>>
  /** The version of its rules. */
  readonly policySet: bigint
  /** Kinds of events that are written only because it asked for them. */
  readonly optIns: ReadonlySet<string>
}

/** A hold with what it was asked for with. */
export interface KnownHold extends Hold {
  /** What the limits were when it was made. */
  readonly limits: readonly (bigint | null)[]
  /** And their thresholds, where no process remembers them. */
  readonly thresholds?: readonly (readonly number[])[]
  readonly inputs: { readonly customer_id?: string }
}

export interface Facts {
  readonly definitions: Definitions
  /** What is set for the customer that the task names, or its hold. */
  readonly customer: CustomerFacts | undefined
  readonly hold: KnownHold | undefined
  /** The chain that the task names, or its parent belongs to; nothing where it has not begun. */
  readonly chain: Chain | undefined
  readonly parent: ParentRun | undefined
  readonly nowMs: number
}

/** Where a run stands that another one names as its parent. */
export interface ParentRun {
  readonly chainId: string | null
  readonly depth: number | null
}

/** The run that has the key which a task asked for, and what was said of it then. */
export interface KnownRun {
  readonly type: 'known'
  readonly runId: string
  readonly contentHash: Buffer | null
}

/** How long the parts of a decision took. */
export interface Timing {
  waitMs: number
  readMs: number
  decideMs: number
  commitMs: number
}

export interface Result {
  readonly verdict: Verdict | KnownRun
  readonly atMs: number
  readonly timing: Timing
  /** The bytes kept under the caller's key by an earlier request, to be answered again. */
  readonly replay?: string
}

/** What every lane asks of what travels on it. */
export interface LaneTask {
  readonly orgId: string
  /** The hold that the task would make. */
  readonly makesHold?: string | undefined
  readonly idempotency?: { readonly key: string; readonly hash: Buffer } | undefined
  readonly isAbandoned?: (() => boolean) | undefined
  /** A caller that lost the answer finds the hold again by a name of its own, so it is not given back. */
  readonly isFoundAgain?: boolean
}

/** One request on its way through a lane. */
export interface Task extends LaneTask {
  readonly customerId?: string | undefined
  readonly chainId?: string | undefined
  readonly parentId?: string | undefined
  /** What names the run that the task would start; where it is taken, the task is answered with the run that has it. */
  readonly runKey?: RunKey | undefined
  /** How the run ended whose hold the task settles. */
  readonly ending?: RunEnding | undefined
  /** Whether the customer's credit packs count. */
  readonly needsPacks?: boolean
  /** A hold to read. */
  readonly holdId?: string | undefined
  /**
   * What the request asks of the books. Called twice: with what is remembered, to know which rows to read, and with what
   * was read under the lock, to decide. Pure; throws what the caller is to be told.
   */
  readonly bind: (facts: Facts) => Ask
  /** Kept for retries with the key: the exact bytes of a successful answer, or nothing for others. */
  readonly idempotency?: {
    readonly key: string
    readonly hash: Buffer
    readonly status?: number
    readonly answer: (verdict: Verdict, atMs: number) => string | undefined
  }
}

/** The end of a run, beside its cost. Known once the task that ends it was bound to its hold. */
export interface RunEnding extends Pick<RunRecord, 'status' | 'usage' | 'valueNano' | 'endedAtMs' | 'costBasis'> {
  /** The model that ran, which may be another one than was asked for. */
  readonly ran: Pick<RunRecord['about'], 'model' | 'provider'>
}
