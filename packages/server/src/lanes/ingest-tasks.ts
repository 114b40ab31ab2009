import type { Chain } from '../chains/chains.ts'
import { ApiError, type FieldFault } from '../contract/errors.ts'
import type { Agent } from '../identity/identity.ts'
import type { Charge, Claim, Refusal } from '../ledger/ledger.ts'
import type { EndedRun, KnownKeyRow, RunRecord } from '../run-log/run-log.ts'
import type { Ask } from './decide.ts'
import type { Definitions, Facts, KnownHold, LaneTask, ParentRun, RunEnding } from './tasks.ts'

/** Runs that have happened, on their way to being recorded: all of one request. */
export interface IngestTask extends LaneTask {
  readonly items: readonly IngestItem[]
  /** Who records them. */
  readonly agent: Agent
  /** Where one charge is refused: none is recorded, or the others are. */
  readonly mode: 'atomic' | 'partial'
  /** No limit refuses: what did not fit is overrun. */
  readonly areFacts: boolean
  readonly idempotency?:
    | {
        readonly key: string
        readonly hash: Buffer
        readonly answer: (results: readonly IngestResult[]) => string | undefined
      }
    | undefined
}

export interface IngestItem {
  /** The caller's own name for the run, and a hash of what was said of it. */
  readonly key: { readonly name: string; readonly hash: string } | undefined
  /** What the run settles: a reservation, or the hold of a run that was started. */
  readonly holdId: string | undefined
  readonly isStartedRun: boolean
  /** How a settled reservation names its run, and a hash of what was said of it. */
  readonly holdKey: { readonly name: string; readonly hash: string } | undefined
  readonly customerId: string | undefined
  readonly chainId: string | undefined
  readonly parentId: string | undefined
  /** Equal for runs on the same account: they meet the same limits. */
  readonly account: string
  /** The run and what it is charged, as far as that does not depend on a hold. Pure; throws what the caller is to be told. */
  readonly draft: (facts: DraftFacts) => Draft
  readonly claims: (charge: Charge, facts: Pick<Facts, 'definitions' | 'customer' | 'nowMs'>) => readonly Claim[]
  readonly placed: (draft: Draft, chain: Chain | undefined, facts: DraftFacts) => Charge
  readonly settle: (facts: Facts, charge: Charge) => Extract<Ask, { type: 'settle' }>
  /** How the run ended whose hold this is; throws what the caller is to be told. */
  readonly ending: (hold: KnownHold, facts: Pick<Facts, 'definitions' | 'nowMs'>) => RunEnding
  /** The run of a settled reservation. */
  readonly settled: (draft: Draft, hold: KnownHold, facts: Pick<Facts, 'definitions'>) => RunRecord
  /** Fields that are not used, because the hold says otherwise. */
  readonly ignored: (hold: KnownHold) => readonly string[]
  /** Whether the run that has one of the names is this one. */
  readonly isSame: (owner: KnownKeyRow) => boolean
  /** Whether a started run has ended in this way. */
  readonly isSameEnd: (ended: EndedRun) => boolean
}

export interface DraftFacts {
  readonly definitions: Definitions
  readonly parent: ParentRun | undefined
  readonly nowMs: number
}

export interface Draft {
  readonly run: RunRecord
  readonly charge: Charge
}

/** What became of one run. */
export interface IngestResult {
  readonly runId: string | null
  readonly isDuplicate: boolean
  readonly error: ApiError | undefined
  readonly ignored?: readonly string[]
  /** Refused only because another run of its request was. */
  readonly isBystander?: true
  /** The limit that refused it. */
  readonly refusal?: Refusal
}

export interface Ingested {
  readonly results: readonly IngestResult[]
  readonly replay?: string
}

/** The faults of one run as faults of the request. */
export function faultsOf(error: unknown, index: number): FieldFault[] {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
  const { fields } = (error as ApiError<'validation_failed'>).details
  return fields.map((fault) => ({ ...fault, field: `runs.${index}.${fault.field}` })) as FieldFault[]
}
