import { ApiError } from '../../contract/errors.ts'
import type { Actual } from '../../money/engine/engine.ts'
import type { EndedRun } from '../../records/run-log/run-log.ts'
import { timeOfUuid } from '../../values/id.ts'
import type { IngestItem } from './ingest/ingest-tasks.ts'
import type { RunEnding } from './operations.ts'

/** The ends of started runs: those on record, and those that the tasks of a batch report, in their order. A run ends once. */
export class RunEnds {
  private readonly ended: Map<string, EndedRun>
  /** Ends reported by the task that is being planned. */
  private readonly reported = new Map<string, EndedRun>()

  constructor(recorded: ReadonlyMap<string, EndedRun>) {
    this.ended = new Map(recorded)
  }

  /** Notes the end of a run that an item reports; refuses it where the run has ended otherwise. */
  report(runId: string, item: IngestItem, { ran, ...ending }: RunEnding, { usd }: Actual) {
    const before = this.reported.get(runId) ?? this.ended.get(runId)
    if (!before)
      this.reported.set(runId, {
        ...ending,
        model: ran.model,
        provider: ran.provider,
        costNano: usd,
        startedAtMs: timeOfUuid(runId),
      })
    else if (!item.isSameEnd(before, ending.costBasis))
      throw new ApiError('conflict', {}, { message: 'The run has already ended with a different result.' })
  }

  /** Keeps the ends of the task if it is carried out, and drops them otherwise. */
  closeTask(isCarriedOut: boolean) {
    if (isCarriedOut) for (const [runId, end] of this.reported) this.ended.set(runId, end)
    this.reported.clear()
  }
}
