import { ApiError, validationFailed } from '../contract/errors.ts'
import { isRunHold, type RunKey, type RunRecord } from '../run-log/run-log.ts'
import type { ChargedItem, Verdict } from './decide.ts'
import type { Bound, PreparedItem, PreparedTask, Settlement } from './ingest-judging.ts'
import { faultsOf, type IngestResult, type IngestTask } from './ingest-tasks.ts'
import type { OrgReading } from './reading.ts'
import type { Definitions, KnownHold, RunEnding } from './tasks.ts'

/** Turns outcomes into results for the caller and rows to write. */
export class Outcomes {
  readonly results = new Map<IngestTask, readonly IngestResult[] | ApiError>()
  readonly endings = new Map<string, RunEnding>()
  readonly settled: RunRecord[] = []
  readonly counted: RunRecord[] = []
  readonly refused: RunRecord[] = []
  readonly unclaimed: RunKey[] = []
  readonly placed: { charge: ChargedItem['charge']; id: string }[] = []
  private readonly reading: OrgReading
  private readonly definitions: Definitions

  constructor(reading: OrgReading, definitions: Definitions) {
    this.reading = reading
    this.definitions = definitions
  }

  add({ prepared, settles, charges, faults }: Bound, verdicts: readonly Verdict[]) {
    const told = new Map<PreparedItem, IngestResult>()
    for (const [of, error] of faults) told.set(of, this.refuse(of, error))
    for (const [i, settlement] of settles.entries()) told.set(settlement.of, this.settlement(settlement, verdicts[i]!))
    const { refusals } = verdicts.at(-1) as Extract<Verdict, { type: 'charged' }>
    const errors = new Map(Array.from(refusals, ([i, refusal]) => [i, refusal.claim.kind.refuse(refusal)]))
    // All or nothing: items without a fault of their own are not recorded either.
    const common = isAtomic(prepared) ? (errors.values().next().value ?? faults.values().next().value) : undefined
    for (const [i, { of, charged }] of charges.entries()) {
      const error = errors.get(i)
      if (error) told.set(of, { ...this.refuse(of, error), refusal: refusals.get(i)! })
      else if (common) told.set(of, this.standBy(of, common))
      else {
        this.counted.push(of.draft.run)
        this.placed.push({ charge: charged.charge, id: of.draft.run.id })
        told.set(of, recorded(of.draft.run.id))
      }
    }
    const invalid = [...faults.values()].find(isInvalid)
    const byRun = new Map(prepared.items.map((of) => [of.draft.run.id, of]))
    for (const of of prepared.items)
      if (!told.has(of)) {
        const error = of.owner ? invalid : (common ?? invalid)
        const first = of.owner && byRun.get(of.owner.run_id)
        told.set(of, error ? this.standBy(of, error) : this.duplicate(of, first && told.get(first)))
      }
    if (invalid) this.results.set(prepared.task, invalidTask(prepared, faults))
    else
      this.results.set(
        prepared.task,
        prepared.items.map((of) => told.get(of)!),
      )
  }

  private settlement({ of, charge, ending }: Settlement, verdict: Verdict): IngestResult {
    const { item, draft } = of
    if (verdict.type !== 'ended') throw new TypeError(`no hold is settled by ${verdict.type}`)
    const hold = this.reading.holds.get(verdict.hold.id)!
    if (isRunHold(hold)) {
      this.giveUp(of)
      if (!verdict.isRepeat) this.endings.set(hold.id, ending!)
      return { ...recorded(hold.id, item.ignored(hold)), isDuplicate: verdict.isRepeat }
    }
    if (verdict.isRepeat) return this.refuse(of, conflict('The reservation is settled already.'))
    const run = item.settled(draft, verdict.hold as KnownHold, { definitions: this.definitions })
    this.settled.push(run)
    this.counted.push(run)
    this.placed.push({ charge, id: run.id })
    return recorded(run.id, item.ignored(hold))
  }

  /** Result of a run that was recorded before. Where one request names it twice, the second item gets the result of the first. */
  private duplicate(of: PreparedItem, first: IngestResult | undefined): IngestResult {
    this.giveUp(of)
    if (first?.error) return first
    const hold = of.item.holdId === undefined ? undefined : this.reading.holds.get(of.item.holdId)
    return {
      runId: of.owner!.run_id,
      isDuplicate: true,
      error: undefined,
      ...(hold && { ignored: of.item.ignored(hold) }),
    }
  }

  private standBy(of: PreparedItem, error: ApiError): IngestResult {
    return { ...this.refuse(of, error), isBystander: true }
  }

  private refuse(of: PreparedItem, error: ApiError): IngestResult {
    this.giveUp(of)
    if (of.owner === undefined && of.item.holdId === undefined) this.refused.push(of.draft.run)
    return { runId: null, isDuplicate: false, error }
  }

  private giveUp({ keys }: PreparedItem) {
    this.unclaimed.push(...keys)
  }
}

/** Every invalid field of a request, in one error. */
const invalidTask = ({ items }: PreparedTask, faults: ReadonlyMap<PreparedItem, ApiError>) =>
  validationFailed(
    items.flatMap((of, index) => {
      const error = faults.get(of)
      return error && isInvalid(error) ? faultsOf(error, index) : []
    }),
  )

const recorded = (runId: string, ignored: readonly string[] = []): IngestResult => ({
  runId,
  isDuplicate: false,
  error: undefined,
  ignored,
})

export const isInvalid = ({ code }: ApiError) => code === 'validation_failed'
export const isAtomic = ({ task }: PreparedTask) => task.mode === 'atomic'
export const conflict = (message: string) => new ApiError('conflict', {}, { message })
