import { ApiError } from '../contract/errors.ts'
import { makerOf } from '../identity/identity.ts'
import { type Allowance, emptyBalance } from '../ledger/ledger.ts'
import { isRunHold, type KnownKeyRow, type RunKey, type RunRecord } from '../run-log/run-log.ts'
import type { Book } from './book.ts'
import { type Ask, type ChargedItem, type Decision, decide } from './decide.ts'
import { chainsOf } from './ingest-chains.ts'
import { conflict, isAtomic, isInvalid, Outcomes } from './ingest-outcomes.ts'
import { checkRight, noSuchHold } from './ingest-rights.ts'
import type { Draft, IngestItem, IngestResult, IngestTask } from './ingest-tasks.ts'
import { allowancesOf, chainsUsed, expiredAsks, openHeldAllowances } from './judging.ts'
import { balanceOf, type OrgReading } from './reading.ts'
import { type RunsEnded, runsEnded } from './recording.ts'
import { RunEnds } from './run-ends.ts'
import type { Definitions, ParentRun, RunEnding } from './tasks.ts'

/** An item with everything known of it before the lock. */
export interface PreparedItem {
  readonly item: IngestItem
  readonly draft: Draft
  readonly keys: readonly RunKey[]
  readonly parent: ParentRun | undefined
  /** The owner of one of the item's run keys, if another run has it. Set once the keys are claimed. */
  owner: KnownKeyRow | undefined
}

export interface PreparedTask {
  readonly task: IngestTask
  readonly items: readonly PreparedItem[]
}

export interface Settlement {
  readonly of: PreparedItem
  readonly ask: Extract<Ask, { type: 'settle' }>
  readonly charge: ChargedItem['charge']
  /** undefined for a reservation: its run is written as it was sent. */
  readonly ending: RunEnding | undefined
}

/** The commands of an ingest task on an organization's ledger. */
export interface Bound {
  readonly prepared: PreparedTask
  readonly settles: readonly Settlement[]
  readonly charges: readonly { readonly of: PreparedItem; readonly charged: ChargedItem }[]
  /** Items that cannot be recorded, whatever the limits say. */
  readonly faults: ReadonlyMap<PreparedItem, ApiError>
}

export interface IngestJudgement {
  readonly decision: Decision
  readonly made: ReadonlyMap<string, Allowance>
  readonly results: ReadonlyMap<IngestTask, readonly IngestResult[] | ApiError>
  readonly chains: ReturnType<typeof chainsUsed>
  readonly runs: RunsEnded
  readonly unclaimed: readonly RunKey[]
  /** Runs that were written before the decision and then refused. */
  readonly refused: readonly RunRecord[]
}

/** Plans the tasks of one organization from what was read; returns which further rows that takes. */
export function bindIngest(
  tasks: readonly PreparedTask[],
  reading: OrgReading,
  definitions: Definitions,
  nowMs: number,
): { readonly bound: readonly Bound[]; readonly unread: readonly string[] } {
  const chains = chainsOf(tasks, reading, definitions, nowMs)
  const claimsOf = new Map<string, ChargedItem['claims']>()
  const ends = new RunEnds(reading.endedRuns)
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
      const hold = holdId === undefined ? undefined : reading.holds.get(holdId)
      try {
        // Ownership is checked first, so that nothing else is revealed about another caller's hold.
        checkRight(prepared.task.agent, each, hold ?? reading.holds.get(item.holdId ?? ''))
        if (each.owner && (!item.isSame(each.owner) || isElsewhere(item.holdId, holdId)))
          throw conflict('Another run has this external_id.')
        if (holdId !== undefined && each.owner === undefined && (!hold || isRunHold(hold) !== item.isStartedRun))
          throw noSuchHold(item)
        if (hold?.state === 'released') throw conflict('The reservation was released.')
        if (hold?.state === 'settled' && !isRunHold(hold)) throw conflict('The reservation is settled already.')
        if (each.owner && !hold) continue
        const chainId = draft.run.about.chain_id
        const place = () => item.placed(draft, chainId === undefined ? undefined : chains.get(chainId), facts)
        // A started run keeps the place in its chain that it got at its start.
        const charge = hold && isRunHold(hold) ? draft.charge : place()
        if (hold) {
          const { customer_id } = hold.inputs
          const known = customer_id === undefined ? undefined : reading.customers.get(customer_id)
          const ask = item.settle({ ...facts, customer: known, hold, chain: undefined }, charge)
          const ending = isRunHold(hold) ? item.ending(hold, facts) : undefined
          if (ending) ends.bring(hold.id, item, ending, ask.actual)
          settles.push({ of: each, ask, charge, ending })
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
    // An invalid item refuses the whole request; a conflicting one refuses a request that is all or nothing.
    const isUnderstood = ![...faults.values()].some(isInvalid)
    ends.close(isUnderstood)
    if (!isUnderstood) return { prepared, settles: [], charges: [], faults }
    return { prepared, settles, charges: faults.size > 0 && isAtomic(prepared) ? [] : charges, faults }
  })
  const wanted = bound.flatMap(asksOf).flatMap(allowancesOf)
  return { bound, unread: [...new Set(wanted.map(({ key }) => key).filter((key) => !reading.asked.has(key)))] }
}

/** The hold that an item settles: the one it names or, where its external_id belongs to a started run, the hold of that run. */
export const holdIdOf = ({ item, owner }: PreparedItem) => {
  if (owner === undefined) return item.holdId
  return owner.content_hash?.[0] === 0 ? owner.run_id : undefined
}

/** The started run that an item ends; it may have ended before. */
export const endedRunIdOf = (one: PreparedItem) => (one.item.isStartedRun || one.owner ? holdIdOf(one) : undefined)

/** True when the item names one hold but its external_id belongs to another. */
const isElsewhere = (said: string | undefined, named: string | undefined) =>
  said !== undefined && named !== undefined && said !== named

const asksOf = ({ prepared, settles, charges }: Bound): Ask[] => [
  ...settles.map(({ ask }) => ask),
  {
    type: 'charge',
    items: charges.map(({ charged }) => charged),
    mode: modeOf(prepared.task),
    by: makerOf(prepared.task.agent),
  },
]

const modeOf = ({ areFacts, mode }: IngestTask) => (areFacts ? (mode === 'atomic' ? 'atomic_facts' : 'facts') : mode)

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

  const outcome = new Outcomes(reading, definitions)
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
