import { ApiError, validationFailed } from '../../../contract/errors.ts'
import type { ChargedItem, Outcome } from '../../../money/engine/engine.ts'
import { isRunHold, type RunKey, type RunRecord } from '../../../records/run-log/run-log.ts'
import type { KnownHold, OrgConfig, RunEnding } from '../operations.ts'
import type { OrgSnapshot } from '../snapshot.ts'
import type { IngestPlan, PreparedItem, PreparedTask, Settlement } from './ingest-plan.ts'
import { faultsOf, type IngestResult, type IngestTask } from './ingest-tasks.ts'

/** Turns outcomes into results for the caller and rows to write. */
export class IngestResults {
  readonly results = new Map<IngestTask, readonly IngestResult[] | ApiError>()
  readonly endings = new Map<string, RunEnding>()
  readonly settled: RunRecord[] = []
  readonly counted: RunRecord[] = []
  readonly refused: RunRecord[] = []
  private readonly released: RunKey[] = []
  /** The request that each run of the batch was made for. */
  private readonly requests = new Map<string, RunKey>()
  readonly placed: { charge: ChargedItem['charge']; id: string }[] = []
  private readonly reading: OrgSnapshot
  private readonly orgConfig: OrgConfig

  constructor(reading: OrgSnapshot, orgConfig: OrgConfig) {
    this.reading = reading
    this.orgConfig = orgConfig
  }

  add({ prepared, settles, charges, faults }: IngestPlan, verdicts: readonly Outcome[]) {
    const resultByItem = new Map<PreparedItem, IngestResult>()
    for (const [preparedItem, error] of faults) resultByItem.set(preparedItem, this.refuse(preparedItem, error))
    for (const [i, settlement] of settles.entries())
      resultByItem.set(settlement.preparedItem, this.settlement(settlement, verdicts[i]!))
    const { refusals } = verdicts.at(-1) as Extract<Outcome, { type: 'charged' }>
    const errors = new Map(Array.from(refusals, ([i, refusal]) => [i, refusal.claim.kind.refuse(refusal)]))
    // All or nothing: items without a fault of their own are not recorded either.
    const common = isAtomic(prepared) ? (errors.values().next().value ?? faults.values().next().value) : undefined
    for (const [i, { preparedItem, charged }] of charges.entries()) {
      const error = errors.get(i)
      if (error) resultByItem.set(preparedItem, { ...this.refuse(preparedItem, error), refusal: refusals.get(i)! })
      else if (common) resultByItem.set(preparedItem, this.failWithBatch(preparedItem, common))
      else {
        this.counted.push(preparedItem.draft.run)
        this.placed.push({ charge: charged.charge, id: preparedItem.draft.run.id })
        resultByItem.set(preparedItem, recordedResult(preparedItem.draft.run.id))
      }
    }
    const invalid = [...faults.values()].find(isInvalid)
    const byRun = new Map(prepared.items.map((preparedItem) => [preparedItem.draft.run.id, preparedItem]))
    for (const preparedItem of prepared.items)
      if (!resultByItem.has(preparedItem)) {
        const error = preparedItem.owner ? invalid : (common ?? invalid)
        const first = preparedItem.owner && byRun.get(preparedItem.owner.run_id)
        resultByItem.set(
          preparedItem,
          error
            ? this.failWithBatch(preparedItem, error)
            : this.duplicate(preparedItem, first && resultByItem.get(first)),
        )
      }
    if (invalid) this.results.set(prepared.task, invalidTask(prepared, faults))
    else
      this.results.set(
        prepared.task,
        prepared.items.map((preparedItem) => resultByItem.get(preparedItem)!),
      )
  }

  private settlement({ preparedItem, charge, ending }: Settlement, outcome: Outcome): IngestResult {
    const { item, draft } = preparedItem
    if (outcome.type !== 'ended') throw new TypeError(`no hold is settled by ${outcome.type}`)
    const hold = this.reading.holds.get(outcome.hold.id)!
    if (isRunHold(hold)) {
      this.releaseKeys(preparedItem)
      this.noteRequest(preparedItem, hold, outcome.isRepeat)
      if (!outcome.isRepeat) this.endings.set(hold.id, ending!)
      return { ...recordedResult(hold.id, item.ignoredFields(hold)), isDuplicate: outcome.isRepeat }
    }
    if (outcome.isRepeat) return this.refuse(preparedItem, conflict('The reservation is settled already.'))
    const run = item.settledRun(draft, outcome.hold as KnownHold, { orgConfig: this.orgConfig })
    this.settled.push(run)
    this.counted.push(run)
    this.placed.push({ charge, id: run.id })
    return recordedResult(run.id, item.ignoredFields(hold))
  }

  /** Keys that were claimed for nothing. */
  get unclaimed(): RunKey[] {
    const kept = new Set(Array.from(this.requests.values(), ({ key }) => key))
    return this.released.filter(({ key }) => !kept.has(key))
  }

  /** Notes for which request a run was made: the one that is named at its first end, and no other. */
  private noteRequest({ requestKeys }: PreparedItem, { id, state }: KnownHold, isRepeat: boolean) {
    const isFirst = !isRepeat && state !== 'settled' && !this.requests.has(id)
    for (const key of requestKeys)
      if (isFirst) this.requests.set(id, key)
      else this.released.push(key)
  }

  /** Result of a run that was recorded before. Where one request names it twice, the second item gets the result of the first. */
  private duplicate(preparedItem: PreparedItem, first: IngestResult | undefined): IngestResult {
    this.releaseKeys(preparedItem)
    this.released.push(...preparedItem.requestKeys)
    if (first?.error) return first
    const hold = preparedItem.item.holdId === undefined ? undefined : this.reading.holds.get(preparedItem.item.holdId)
    return {
      runId: preparedItem.owner!.run_id,
      isDuplicate: true,
      error: undefined,
      ...(hold && { ignored: preparedItem.item.ignoredFields(hold) }),
    }
  }

  private failWithBatch(preparedItem: PreparedItem, error: ApiError): IngestResult {
    return { ...this.refuse(preparedItem, error), failedWithBatch: true }
  }

  private refuse(preparedItem: PreparedItem, error: ApiError): IngestResult {
    this.releaseKeys(preparedItem)
    // Who may not settle a run must not make other reports of a request look like second ones.
    this.released.push(...preparedItem.requestKeys)
    if (preparedItem.owner === undefined && preparedItem.item.holdId === undefined)
      this.refused.push(preparedItem.draft.run)
    return { runId: null, isDuplicate: false, error }
  }

  private releaseKeys({ keys }: PreparedItem) {
    this.released.push(...keys)
  }
}

/** Every invalid field of a request, in one error. */
const invalidTask = ({ items }: PreparedTask, faults: ReadonlyMap<PreparedItem, ApiError>) =>
  validationFailed(
    items.flatMap((preparedItem, index) => {
      const error = faults.get(preparedItem)
      return error && isInvalid(error) ? faultsOf(error, index) : []
    }),
  )

const recordedResult = (runId: string, ignored: readonly string[] = []): IngestResult => ({
  runId,
  isDuplicate: false,
  error: undefined,
  ignored,
})

export const isInvalid = ({ code }: ApiError) => code === 'validation_failed'
export const isAtomic = ({ task }: PreparedTask) => task.mode === 'atomic'
export const conflict = (message: string) => new ApiError('conflict', {}, { message })
