import { ApiError } from '../../contract/errors.ts'
import type { Actual, Hold } from '../../money/engine/engine.ts'
import type { EndedRun } from '../../records/run-log/run-log.ts'
import { timeOfUuid } from '../../values/id.ts'
import type { IngestItem } from './ingest/ingest-tasks.ts'
import type { RunEnding } from './operations.ts'

/** The ends of started runs: those on record, and those that the tasks of a batch report, in their order. A run ends once. */
export class RunEnds {
  private readonly ended: Map<string, EndedRun>
  /** Ends reported by the task that is being planned. */
  private readonly reported = new Map<string, EndedRun>()
  /** Runs whose estimate a task of this batch has replaced: what it reports is final. */
  private readonly replaced = new Set<string>()

  constructor(recorded: ReadonlyMap<string, EndedRun>) {
    this.ended = new Map(recorded)
  }

  /** Notes the end of a run that an item reports; refuses it where the run has ended otherwise. */
  report({ id: runId, estimate }: Hold, item: IngestItem, { ran, ...ending }: RunEnding, { usd }: Actual) {
    const before = this.reported.get(runId) ?? this.ended.get(runId)
    const isReplacement = estimate !== undefined && !item.isEstimate && !this.replaced.has(runId)
    if (isReplacement) this.replaced.add(runId)
    if (!before || isReplacement)
      this.reported.set(runId, {
        ...ending,
        model: ran.model,
        provider: ran.provider,
        costNano: usd,
        startedAtMs: timeOfUuid(runId),
      })
    else if (!item.isSameEnd(before, ending) || (item.isEstimate && before.costNano !== usd))
      throw new ApiError('conflict', {}, { message: 'The run has already ended with a different result.' })
  }

  /** Keeps the ends of the task if it is carried out, and drops them otherwise. */
  closeTask(isCarriedOut: boolean) {
    if (isCarriedOut) for (const [runId, end] of this.reported) this.ended.set(runId, end)
    this.reported.clear()
  }
}
