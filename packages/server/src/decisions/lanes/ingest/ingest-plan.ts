import type { ApiError } from '../../../contract/errors.ts'
import type { ChargedItem, Command } from '../../../money/engine/engine.ts'
import type { KnownKeyRow, RunKey } from '../../../records/run-log/run-log.ts'
import type { ParentRun, RunEnding } from '../operations.ts'
import type { IngestItem, IngestTask, RunDraft } from './ingest-tasks.ts'

/** An item with everything known of it before the lock. */
export interface PreparedItem {
  readonly item: IngestItem
  readonly draft: RunDraft
  readonly keys: readonly RunKey[]
  /** The key of the request to a provider, where it was claimed for the hold just now; another run that has it keeps it. */
  requestKeys: readonly RunKey[]
  readonly parent: ParentRun | undefined
  /** The owner of one of the item's run keys, if another run has it. Set once the keys are claimed, as `requestKeys` is. */
  owner: KnownKeyRow | undefined
}

/** A task with its items, prepared. */
export interface PreparedTask {
  readonly task: IngestTask
  readonly items: readonly PreparedItem[]
}

/** A settlement that an item asks for. */
export interface Settlement {
  readonly preparedItem: PreparedItem
  readonly command: Extract<Command, { type: 'settle' }>
  readonly charge: ChargedItem['charge']
  /** undefined for a reservation: its run is written as it was sent. */
  readonly ending: RunEnding | undefined
}

/** The commands of an ingest task on an organization's ledger. */
export interface IngestPlan {
  readonly prepared: PreparedTask
  readonly settles: readonly Settlement[]
  readonly charges: readonly { readonly preparedItem: PreparedItem; readonly charged: ChargedItem }[]
  /** Items that cannot be recorded, whatever the limits say. */
  readonly faults: ReadonlyMap<PreparedItem, ApiError>
}
