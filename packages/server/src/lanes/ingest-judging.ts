import { ApiError, validationFailed } from '../contract/errors.ts'
import { type Allowance, emptyBalance } from '../ledger/ledger.ts'
import { isRunHold, type KnownKeyRow, type RunKey, type RunRecord } from '../run-log/run-log.ts'
import type { Book } from './book.ts'
import { type Ask, type ChargedItem, type Decision, decide, type Verdict } from './decide.ts'
import { chainsOf } from './ingest-chains.ts'
import type { Draft, IngestItem, IngestResult, IngestTask } from './ingest-tasks.ts'
import { faultsOf } from './ingest-tasks.ts'
import { allowancesOf, chainsUsed, expiredAsks, openHeldAllowances } from './judging.ts'
import { balanceOf, type OrgReading } from './reading.ts'
import { type RunsEnded, runsEnded } from './recording.ts'
import type { Definitions, KnownHold, ParentRun, RunEnding } from './tasks.ts'

/** An item with what is known of it before the lock. */
export interface PreparedItem {
  readonly item: IngestItem
  readonly draft: Draft
  readonly keys: readonly RunKey[]
  readonly parent: ParentRun | undefined
  /** Set once the names are claimed: who has one of them already. */
  owner: KnownKeyRow | undefined
}

export interface PreparedTask {
  readonly task: IngestTask
  readonly items: readonly PreparedItem[]
}

interface Settlement {
  readonly of: PreparedItem
  readonly ask: Extract<Ask, { type: 'settle' }>
  readonly charge: ChargedItem['charge']
  /** Nothing for a reservation: its run is written as it was sent. */
  readonly ending: RunEnding | undefined
}

/** What is asked of an organization's books by a task. */
interface Bound {
  readonly prepared: PreparedTask
  readonly settles: readonly Settlement[]
  readonly charges: readonly { readonly of: PreparedItem; readonly charged: ChargedItem }[]
  /** What cannot be recorded, whatever the limits say. */
  readonly faults: ReadonlyMap<PreparedItem, ApiError>
}

export interface IngestJudgement {
  readonly decision: Decision
  readonly made: ReadonlyMap<string, Allowance>
  readonly results: ReadonlyMap<IngestTask, readonly IngestResult[] | ApiError>
  readonly chains: ReturnType<typeof chainsUsed>
  readonly runs: RunsEnded
  readonly unclaimed: readonly RunKey[]
  /** Runs that were written before the verdict, and do not take place. */
  readonly refused: readonly RunRecord[]
}

/** Binds the tasks of one organization by what was read; says which further rows that takes. */
export function bindIngest(
  tasks: readonly PreparedTask[],
  reading: OrgReading,
  definitions: Definitions,
  nowMs: number,
): { readonly bound: readonly Bound[]; readonly unread: readonly string[] } {
  const chains = chainsOf(tasks, reading, definitions, nowMs)
  const claimsOf = new Map<string, ChargedItem['claims']>()
  const bound = tasks.map((prepared): Bound => {
    const settles: Settlement[] = []
    const charges: { of: PreparedItem; charged: ChargedItem }[] = []
    const faults = new Map<PreparedItem, ApiError>()
    for (const each of prepared.items) {
      const { item, draft, parent } = each
      const facts = { definitions, parent, nowMs }
      const holdId = holdIdOf(each)
      const customer =
        draft.charge.customerId === undefined ? undefined : reading.customers.get(draft.charge.customerId)
      try {
        if (each.owner && (!item.isSame(each.owner) || isElsewhere(item.holdId, holdId)))
          throw conflict('Another run has this external_id.')
        const hold = holdId === undefined ? undefined : reading.holds.get(holdId)
        if (holdId !== undefined && each.owner === undefined && (!hold || isRunHold(hold) !== item.isStartedRun))
          throw noSuchHold(item)
        if (hold?.state === 'released') throw conflict('The reservation was released.')
        if (hold?.state === 'settled' && !isRunHold(hold)) throw conflict('The reservation is settled already.')
        if (each.owner && !hold) continue
        const chainId = draft.run.about.chain_id
        const charge = item.placed(draft, chainId === undefined ? undefined : chains.get(chainId), facts)
        if (hold) {
          const known =
            hold.inputs.customer_id === undefined ? customer : reading.customers.get(hold.inputs.customer_id)
          settles.push({
            of: each,
            ask: item.settle({ ...facts, customer: known, hold, chain: undefined }, charge),
            charge,
            ending: isRunHold(hold) ? item.ending(hold, nowMs) : undefined,
          })
        } else {
          let claims = claimsOf.get(item.account)
          if (!claims) claimsOf.set(item.account, (claims = item.claims(charge, { definitions, customer, nowMs })))
          charges.push({ of: each, charged: { charge, claims } })
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        faults.set(each, error)
      }
    }
    // What is not understood refuses the whole request; what contradicts refuses charges that go all or none.
    if ([...faults.values()].some(isInvalid)) return { prepared, settles: [], charges: [], faults }
    return { prepared, settles, charges: faults.size > 0 && isAtomic(prepared) ? [] : charges, faults }
  })
  const wanted = bound.flatMap(asksOf).flatMap(allowancesOf)
  return { bound, unread: [...new Set(wanted.map(({ key }) => key).filter((key) => !reading.asked.has(key)))] }
}

/** What an item settles: what it says, or, where its name is that of a run that was started, that run. */
export const holdIdOf = ({ item, owner }: PreparedItem) => {
  if (owner === undefined) return item.holdId
  return owner.content_hash?.[0] === 0 ? owner.run_id : undefined
}

/** What is said to be settled is not what has the name. */
const isElsewhere = (said: string | undefined, named: string | undefined) =>
  said !== undefined && named !== undefined && said !== named

const isInvalid = ({ code }: ApiError) => code === 'validation_failed'
const isAtomic = ({ task }: PreparedTask) => task.mode === 'atomic'
const conflict = (message: string) => new ApiError('conflict', {}, { message })
const noSuchHold = ({ isStartedRun }: IngestItem) =>
  isStartedRun
    ? validationFailed([{ field: 'run_id', code: 'invalid_value', message: 'There is no such running run.' }])
    : validationFailed([{ field: 'reservation_id', code: 'invalid_value', message: 'There is no such reservation.' }])

const asksOf = ({ prepared, settles, charges }: Bound): Ask[] => [
  ...settles.map(({ ask }) => ask),
  {
    type: 'charge',
    items: charges.map(({ charged }) => charged),
    mode: prepared.task.areFacts ? 'facts' : prepared.task.mode,
  },
]

/** Decides the tasks of one organization by what was read under its lock. */
export function judgeIngest(
  bound: readonly Bound[],
  reading: OrgReading,
  definitions: Definitions,
  nowMs: number,
): IngestJudgement {
  const books = new Map<string, Book>()
  const made = new Map<string, Allowance>()
  for (const allowance of bound.flatMap(asksOf).flatMap(allowancesOf)) {
    if (books.has(allowance.key)) continue
    const row = reading.rows.get(allowance.key)
    books.set(allowance.key, { allowance, balance: row ? balanceOf(row) : emptyBalance, exists: row !== undefined })
    if (!row) made.set(allowance.key, allowance)
  }
  openHeldAllowances(reading, definitions, books)
  const asks = bound.flatMap(asksOf)
  const targets = new Set(bound.flatMap(({ settles }) => settles.map(({ ask }) => ask.holdId)))
  const decision = decide(
    { allowances: books, holds: reading.holds },
    [...asks, ...expiredAsks(reading.holds, targets)],
    nowMs,
  )

  const outcome = new Outcomes(reading)
  let next = 0
  for (const each of bound) {
    const verdicts = decision.verdicts.slice(next, next + each.settles.length + 1)
    next += verdicts.length
    outcome.add(each, verdicts)
  }
  const started = runsEnded(decision, reading.holds, (holdId) => outcome.endings.get(holdId), definitions)
  return {
    decision,
    made,
    results: outcome.results,
    chains: chainsUsed(outcome.placed, reading, nowMs),
    runs: {
      inserted: [...started.inserted, ...outcome.settled],
      replaced: started.replaced,
      counted: [...started.counted, ...outcome.counted.map((run) => ({ run, sign: 1n as const }))],
    },
    unclaimed: outcome.unclaimed,
    refused: outcome.refused,
  }
}

/** Sorts verdicts into what is told and what is written. */
class Outcomes {
  readonly results = new Map<IngestTask, readonly IngestResult[] | ApiError>()
  readonly endings = new Map<string, RunEnding>()
  readonly settled: RunRecord[] = []
  readonly counted: RunRecord[] = []
  readonly refused: RunRecord[] = []
  readonly unclaimed: RunKey[] = []
  readonly placed: { charge: ChargedItem['charge']; id: string }[] = []
  private readonly reading: OrgReading

  constructor(reading: OrgReading) {
    this.reading = reading
  }

  add({ prepared, settles, charges, faults }: Bound, verdicts: readonly Verdict[]) {
    const told = new Map<PreparedItem, IngestResult>()
    for (const [of, error] of faults) told.set(of, this.refuse(of, error))
    for (const [i, settlement] of settles.entries()) told.set(settlement.of, this.settlement(settlement, verdicts[i]!))
    const { refusals } = verdicts.at(-1) as Extract<Verdict, { type: 'charged' }>
    const errors = new Map(Array.from(refusals, ([i, refusal]) => [i, refusal.claim.kind.refuse(refusal)]))
    // All or none: whoever is not at fault itself is not recorded either.
    const common = isAtomic(prepared) ? (errors.values().next().value ?? faults.values().next().value) : undefined
    for (const [i, { of, charged }] of charges.entries()) {
      const error = errors.get(i)
      if (error) told.set(of, this.refuse(of, error))
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
      if (verdict.isRepeat) return { runId: hold.id, isDuplicate: true, error: undefined }
      this.endings.set(hold.id, ending!)
      return recorded(hold.id)
    }
    if (verdict.isRepeat) return this.refuse(of, conflict('The reservation is settled already.'))
    const run = item.settled(draft, verdict.hold as KnownHold)
    this.settled.push(run)
    this.counted.push(run)
    this.placed.push({ charge, id: run.id })
    return recorded(run.id)
  }

  /** A run whose name is taken, by the same run. Named twice in one request, what became of the first has become of the second. */
  private duplicate(of: PreparedItem, first: IngestResult | undefined): IngestResult {
    this.giveUp(of)
    if (first?.error) return first
    return { runId: of.owner!.run_id, isDuplicate: true, error: undefined }
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

/** Everything in a request that is not understood, in one error. */
const invalidTask = ({ items }: PreparedTask, faults: ReadonlyMap<PreparedItem, ApiError>) =>
  validationFailed(
    items.flatMap((of, index) => {
      const error = faults.get(of)
      return error && isInvalid(error) ? faultsOf(error, index) : []
    }),
  )

const recorded = (runId: string): IngestResult => ({ runId, isDuplicate: false, error: undefined })
