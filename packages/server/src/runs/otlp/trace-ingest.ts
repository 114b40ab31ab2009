import { isApiError } from '../../contract/errors.ts'
import type { Lanes } from '../../decisions/lanes/lanes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { elementAt } from '../../values/present.ts'
import { ingestTask, type RecordedRun, type Recorder } from '../runs.ts'
import type { BulkRunInput } from './trace-runs.ts'

/** Records runs as facts, in the periods of a time if one is given; the results are in the order of the runs. */
export type Ingest = (
  caller: Recorder,
  runs: readonly (BulkRunInput & RecordedRun)[],
  countedAtMs?: number,
) => Promise<{ readonly results: readonly { readonly error?: Reason | undefined }[] }>

export const createIngest =
  ({ clock }: Pick<Platform, 'clock'>, lanes: Lanes): Ingest =>
  async (caller, runs, countedAtMs) =>
    lanes.ingest(
      await ingestTask(caller, runs, { mode: 'partial', isRecordedOnly: true, countedAtMs }, clock.now().getTime()),
    )

interface Reason {
  readonly code: string
  readonly message: string
}

export interface RejectedRun {
  readonly run: BulkRunInput
  readonly reason: Reason
}

/** Validation has several stages, and each reports all faults that it finds. */
const maxRounds = 4

/**
 * Records all runs that can be recorded, and returns the others. A second report of a call is not among them: the call is
 * recorded. A batch is refused as a whole for a fault of one run, such as a model without a price: these runs were not sent as
 * one unit, so the others are sent again without it.
 */
export async function recordRuns(
  ingest: Ingest,
  caller: Recorder,
  runs: readonly (BulkRunInput & RecordedRun)[],
  countedAtMs?: number,
): Promise<RejectedRun[]> {
  const refused: RejectedRun[] = []
  let left = runs
  for (let round = 1; left.length > 0; round++) {
    try {
      const { results } = await ingest(caller, left, countedAtMs)
      for (const [index, { error }] of results.entries())
        if (error && !isSecondReport(elementAt(left, index), error))
          refused.push({ run: elementAt(left, index), reason: error })
      break
    } catch (error) {
      const faults = faultsByRun(error)
      if (faults.size === 0 || round === maxRounds) throw error
      for (const [index, reason] of faults) refused.push({ run: elementAt(left, index), reason })
      left = left.filter((_run, index) => !faults.has(index))
    }
  }
  return refused
}

const isKnownBySpan = /^otlp:[0-9a-f]{32}:[0-9a-f]{16}$/

/** True for another span, with different content, about a response that is recorded already. */
const isSecondReport = ({ external_id }: BulkRunInput, { code }: Reason) =>
  code === 'conflict' && !isKnownBySpan.test(external_id)

/** Returns the first fault of each run; empty for an error that is about anything else. */
function faultsByRun(error: unknown): ReadonlyMap<number, Reason> {
  const found = new Map<number, Reason>()
  if (!isApiError(error, 'validation_failed')) return found
  for (const { field, code, message } of error.details.fields) {
    const [, index, name] = /^runs\.(\d+)\.(.+)$/.exec(field) ?? []
    if (index === undefined) return new Map()
    if (!found.has(Number(index))) found.set(Number(index), { code, message: `${name}: ${message}` })
  }
  return found
}
