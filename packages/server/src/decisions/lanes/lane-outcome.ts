import type { BatchDecision } from '../../money/engine/engine.ts'
import type { Ingested, IngestTask } from './ingest/ingest-tasks.ts'
import type { Operation, OperationResult } from './operations.ts'

/** Result of one batch transaction. */
export interface LaneOutcome<T, A> {
  readonly answers: ReadonlyMap<T, A | Error>
  /** Number of unanswered tasks that are tried again because rows were missing. */
  readonly unread: number
  /** Tasks that only wait for another task of their batch, which is answered: that costs them no attempt. */
  readonly deferred: ReadonlySet<T>
  /** Tasks whose run key another transaction is claiming: they are tried again after a moment, which costs no attempt either. */
  readonly busy: ReadonlySet<T>
  readonly locked: ReadonlySet<string>
  readonly changed: ReadonlySet<string>
  /** The database's time; undefined where it was not read. */
  readonly databaseMs: number | undefined
  /** True when something was written. */
  readonly isCommitted: boolean
  readonly readMs: number
  readonly decideMs: number
  readonly commitMs: number
}

export interface BatchOutcome extends LaneOutcome<Operation, OperationResult> {
  readonly decisions: readonly BatchDecision[]
}

export interface IngestOutcome extends LaneOutcome<IngestTask, Ingested> {
  readonly runs: number
}
