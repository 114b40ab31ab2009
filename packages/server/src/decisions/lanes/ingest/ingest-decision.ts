import { lineageIn, makerOf } from '../../../access/identity/identity.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { AllowanceState } from '../../../money/engine/engine.ts'
import { type BatchDecision, type ChargedItem, type Command, decide } from '../../../money/engine/engine.ts'
import { type Allowance, emptyBalance } from '../../../money/ledger/ledger.ts'
import { trustIn } from '../../../money/trust/trust.ts'
import { isRunHold, type RunKey, type RunRecord } from '../../../records/run-log/run-log.ts'
import { type EndedRuns, endedRuns } from '../ended-runs.ts'
import { refuseStartOnly } from '../modes.ts'
import { allowancesOf } from '../operation-plans.ts'
import type { OrgConfig } from '../operations.ts'
import { addHeldAllowances, expiryCommands, usedChains } from '../org-decision.ts'
import { RunEnds } from '../run-ends.ts'
import { balanceOf, type OrgSnapshot } from '../snapshot.ts'
import { chainsOf } from './ingest-chains.ts'
import type { IngestPlan, PreparedItem, PreparedTask, Settlement } from './ingest-plan.ts'
import { conflict, IngestResults, isAtomic, isInvalid } from './ingest-results.ts'
import { checkSettlementRight, noSuchHold } from './ingest-rights.ts'
import type { IngestResult, IngestTask } from './ingest-tasks.ts'

export interface IngestDecision {
  readonly decision: BatchDecision
  readonly made: ReadonlyMap<string, Allowance>
  readonly results: ReadonlyMap<IngestTask, readonly IngestResult[] | ApiError>
  readonly chains: ReturnType<typeof usedChains>
  readonly runs: EndedRuns
  readonly unclaimed: readonly RunKey[]
  /** Runs that were written before the decision and then refused. */
  readonly refused: readonly RunRecord[]
}

/** Plans the tasks of one organization from what was read; returns which further rows that takes. */
export function planIngest(
  tasks: readonly PreparedTask[],
  snapshot: OrgSnapshot,
  orgConfig: OrgConfig,
  nowMs: number,
): { readonly plans: readonly IngestPlan[]; readonly unread: readonly string[] } {
  const chains = chainsOf(tasks, snapshot, orgConfig, nowMs)
  const claimsOf = new Map<string, ChargedItem['claims']>()
  const ends = new RunEnds(snapshot.endedRuns)
  const plans = tasks.map((prepared): IngestPlan => {
    const settles: Settlement[] = []
    const charges: { preparedItem: PreparedItem; charged: ChargedItem }[] = []
    const faults = new Map<PreparedItem, ApiError>()
    for (const each of prepared.items) {
      const { item, draft, parent } = each
      const facts = { orgConfig, parent, nowMs }
      const holdId = holdIdOf(each)
      const customer =
        draft.charge.customerId === undefined ? undefined : snapshot.customers.get(draft.charge.customerId)
      const hold = holdId === undefined ? undefined : snapshot.holds.get(holdId)
      try {
        // Ownership is checked first, so that nothing else is revealed about another caller's hold.
        checkSettlementRight(prepared.task.agent, each, hold ?? snapshot.holds.get(item.holdId ?? ''))
        if (each.owner && (!item.isSame(each.owner) || isOtherHold(item.holdId, holdId)))
          throw conflict('Another run has this external_id.')
        if (holdId !== undefined && each.owner === undefined && (!hold || isRunHold(hold) !== item.isStartedRun))
          throw noSuchHold(item)
        if (hold?.state === 'released' && isRunHold(hold)) throw conflict('The run was abandoned before it started.')
        if (hold?.state === 'settled' && !isRunHold(hold)) throw conflict('The reservation is settled already.')
        if (each.owner && !hold) continue
        const chainId = draft.run.about.chain_id
        const place = () => item.chargeInChain(draft, chainId === undefined ? undefined : chains.get(chainId), facts)
        // A started run keeps the place in its chain that it got at its start.
        const charge = hold && isRunHold(hold) ? draft.charge : place()
        if (hold) {
          const { customer_id } = hold.inputs
          const known = customer_id === undefined ? undefined : snapshot.customers.get(customer_id)
          const command = item.settle({ ...facts, customer: known, hold, chain: undefined }, charge)
          const ending = isRunHold(hold) ? item.ending(hold, facts) : undefined
          if (ending) ends.report(hold, item, ending, command.actual)
          settles.push({ preparedItem: each, command, charge, ending })
        } else {
          if (!prepared.task.isRecordedOnly) refuseStartOnly(orgConfig, lineageIn(prepared.task.agent))
          let claims = claimsOf.get(item.account)
          if (!claims) claimsOf.set(item.account, (claims = item.claims(charge, { orgConfig, customer, nowMs })))
          charges.push({ preparedItem: each, charged: { charge, claims } })
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        faults.set(each, error)
      }
    }
    // An invalid item refuses the whole request; a conflicting one refuses a request that is all or nothing.
    const isUnderstood = ![...faults.values()].some(isInvalid)
    ends.closeTask(isUnderstood)
    if (!isUnderstood) return { prepared, settles: [], charges: [], faults }
    return { prepared, settles, charges: faults.size > 0 && isAtomic(prepared) ? [] : charges, faults }
  })
  const wanted = plans.flatMap(commandsOf(orgConfig)).flatMap(allowancesOf)
  return {
    plans,
    unread: [...new Set(wanted.map(({ key }) => key).filter((key) => !snapshot.readKeys.has(key)))],
  }
}

/** The hold that an item settles: the one it names or, where its external_id belongs to a started run, the hold of that run. */
export const holdIdOf = ({ item, owner }: PreparedItem) => {
  if (owner === undefined) return item.holdId
  return owner.content_hash?.[0] === 0 ? owner.run_id : undefined
}

/** The started run that an item ends; it may have ended before. */
export const endedRunIdOf = (one: PreparedItem) => (one.item.isStartedRun || one.owner ? holdIdOf(one) : undefined)

/** True when the item names one hold but its external_id belongs to another. */
const isOtherHold = (said: string | undefined, named: string | undefined) =>
  said !== undefined && named !== undefined && said !== named

const commandsOf =
  (orgConfig: OrgConfig) =>
  ({ prepared, settles, charges }: IngestPlan): Command[] => [
    ...settles.map(({ command }) => command),
    {
      type: 'charge',
      items: charges.map(({ charged }) => charged),
      mode: modeOf(prepared.task, orgConfig),
      by: makerOf(prepared.task.agent),
    },
  ]

/** Returns how charges are taken: runs that are only recorded, and those that must not be lost, are booked above limits too. */
function modeOf({ isRecordedOnly, mode, agent }: IngestTask, { trust }: OrgConfig) {
  const isBooked = isRecordedOnly || trustIn(trust, lineageIn(agent)).overLimitReports === 'book'
  return isBooked ? (mode === 'atomic' ? 'atomic_facts' : 'facts') : mode
}

/** Decides the tasks of one organization by what was read under its lock. */
export function decideIngest(
  plans: readonly IngestPlan[],
  snapshot: OrgSnapshot,
  orgConfig: OrgConfig,
  nowMs: number,
): IngestDecision {
  const states = new Map<string, AllowanceState>()
  const made = new Map<string, Allowance>()
  for (const allowance of plans.flatMap(commandsOf(orgConfig)).flatMap(allowancesOf)) {
    if (states.has(allowance.key)) continue
    const row = snapshot.rows.get(allowance.key)
    states.set(allowance.key, { allowance, balance: row ? balanceOf(row) : emptyBalance, exists: row !== undefined })
    if (!row) made.set(allowance.key, allowance)
  }
  addHeldAllowances(snapshot, orgConfig, states)
  const commands = plans.flatMap(commandsOf(orgConfig))
  const targets = new Set(plans.flatMap(({ settles }) => settles.map(({ command }) => command.holdId)))
  const decision = decide(
    { allowances: states, holds: snapshot.holds },
    [...commands, ...expiryCommands(snapshot.holds, targets)],
    nowMs,
  )

  const ingestResults = new IngestResults(snapshot, orgConfig)
  let next = 0
  for (const each of plans) {
    const outcomes = decision.outcomes.slice(next, next + each.settles.length + 1)
    next += outcomes.length
    ingestResults.add(each, outcomes)
  }
  const started = endedRuns(decision, snapshot.holds, (holdId) => ingestResults.endings.get(holdId), orgConfig)
  return {
    decision,
    made,
    results: ingestResults.results,
    chains: usedChains(ingestResults.placed, snapshot, nowMs),
    runs: {
      inserted: [...started.inserted, ...ingestResults.settled],
      replaced: started.replaced,
      removed: started.removed,
      counted: [...started.counted, ...ingestResults.counted.map((run) => ({ run, sign: 1n as const }))],
    },
    unclaimed: ingestResults.unclaimed,
    refused: ingestResults.refused,
  }
}
