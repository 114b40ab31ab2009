import type { StoredResponses } from '../../access/idempotency/idempotency.ts'
import type { BoundedChain } from '../../money/chains/chains.ts'
import type { PipelinedConnection } from '../../platform/infra/pipelined-connection.ts'
import { deleteRunKeys, type RunKey } from '../../records/run-log/run-log.ts'
import { timeOfUuid } from '../../values/id.ts'
import type { CustomerHints } from './customer-hints.ts'
import type { BatchOutcome } from './lane-outcome.ts'
import { allowancesOf, type EarlierPlans, planOperation } from './operation-plans.ts'
import type { Operation, OperationPlan, OrgConfig } from './operations.ts'
import { decideOrg, type OrgDecision, type TaskAnswer } from './org-decision.ts'
import { type OrgWrites } from './org-writes.ts'
import { lockAndRead, type ReadSet } from './snapshot.ts'
import { decideAfterExpiry, isCurrent, writeAndCommit, writesBase } from './transaction.ts'

export interface BatchContext {
  readonly connection: PipelinedConnection
  readonly orgConfigOf: (orgId: string) => OrgConfig
  readonly responses: StoredResponses
  /** This process's estimate of the database's time, good enough to know which rows to read. */
  readonly estimatedDbTimeMs: number
  readonly customerHints: CustomerHints
}

/**
 * Runs one transaction for many requests, in two round trips: lock and read, then write and commit. Between them everything is
 * decided in memory. Callers may be answered only because this returned.
 */
export async function runBatch(tasks: readonly Operation[], context: BatchContext): Promise<BatchOutcome> {
  const { connection, orgConfigOf, responses, customerHints } = context
  const startedMs = performance.now()
  const byOrg = Map.groupBy(tasks, ({ orgId }) => orgId)
  const { readSet, plans } = prepareBatch(tasks, [...byOrg.keys()], context)
  const snapshot = await lockAndRead(connection, readSet)
  const readMs = performance.now()

  const answers = new Map<Operation, TaskAnswer>()
  let unread = 0
  const deferred = new Set<Operation>()
  const busy = new Set<Operation>()
  const locked = new Set<string>()
  const changed = new Set<string>()
  const outcomes: OrgWrites[] = []
  /** Run keys that were claimed for organizations that are not decided in this batch. */
  const undecided: RunKey[] = []
  for (const [orgId, own] of byOrg) {
    const org = snapshot.orgs.get(orgId)
    const orgConfig = orgConfigOf(orgId)
    if (!org) locked.add(orgId)
    else if (!isCurrent(org, orgConfig)) changed.add(orgId)
    if (!org || changed.has(orgId)) {
      undecided.push(...runKeysOf(own))
      continue
    }
    customerHints.learn(orgId, org)
    const [claimants, free] = partition(own, ({ runKey }) => runKey !== undefined && org.busyRunKeys.has(runKey.key))
    for (const task of claimants) busy.add(task)
    const { decided: orgDecision, overdue } = await decideAfterExpiry(connection, snapshot, orgId, () =>
      decideOrg(orgId, free, org, orgConfig, snapshot.nowMs, responses, plans),
    )
    if (orgDecision instanceof Error) {
      // Inconsistent ledger state of one organization fails that organization only: the others go on.
      for (const task of free) answers.set(task, orgDecision)
      undecided.push(...runKeysOf(free))
      continue
    }
    for (const [task, answer] of orgDecision.answers) {
      // More leases are overdue than one transaction ends: refused requests try again after this one.
      if (overdue.isMore && isRefused(answer)) deferred.add(task)
      else answers.set(task, answer)
    }
    unread += orgDecision.unread.length + orgDecision.deferred.length
    for (const task of orgDecision.deferred) deferred.add(task)
    outcomes.push({
      ...writesBase(orgId, org, orgConfig, snapshot.nowMs),
      ...(overdue.isMore ? withoutStops(orgDecision) : orgDecision),
    })
  }
  const cleanUp = undecided.length > 0 ? [deleteRunKeys(undecided)] : []
  const { isCommitted, decidedMs, commitMs } = await writeAndCommit(connection, outcomes, orgConfigOf, cleanUp)
  return {
    answers,
    unread,
    deferred,
    busy,
    locked,
    changed,
    databaseMs: snapshot.nowMs,
    isCommitted,
    decisions: outcomes.map(({ decision }) => decision),
    readMs: readMs - startedMs,
    decideMs: decidedMs - readMs,
    commitMs,
  }
}

/** Refused requests try again, so no limit has refused yet. */
const withoutStops = ({ decision, ...judgement }: OrgDecision): OrgDecision => ({
  ...judgement,
  decision: { ...decision, stops: [] },
})

const isRefused = (answer: TaskAnswer) =>
  !(answer instanceof Error) && answer.type === 'decided' && answer.outcome.type === 'refused'

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [first: T[], second: T[]] {
  const first: T[] = []
  const second: T[] = []
  for (const one of all) (isFirst(one) ? first : second).push(one)
  return [first, second]
}

/** Plans the operations with what is cached; returns these plans, and the rows that they need. */
function prepareBatch(
  tasks: readonly Operation[],
  orgIds: readonly string[],
  context: BatchContext,
): { readonly plans: EarlierPlans; readonly readSet: ReadSet } {
  const plans = new Map<Operation, OperationPlan>()
  const { orgConfigOf, estimatedDbTimeMs, customerHints } = context
  const allowances = new Map<string, { orgId: string; key: string }>()
  const customers = new Map<string, { orgId: string; customerId: string }>()
  const packs = new Map<string, { orgId: string; customerId: string }>()
  // Thresholds of prepaid quota apply to the sum of all top-ups, whichever of them is drawn.
  for (const orgId of orgIds) for (const { id } of orgConfigOf(orgId).topUps) allowances.set(id, { orgId, key: id })
  for (const task of tasks) {
    const { orgId, customerId, parentId, chainId = '' } = task
    if (customerId !== undefined) {
      customers.set(`${orgId} ${customerId}`, { orgId, customerId })
      if (task.needsPacks === true) packs.set(`${orgId} ${customerId}`, { orgId, customerId })
    }
    const customersOfOrg = customerHints.get(orgId)
    const guess =
      parentId === undefined
        ? { customers: customersOfOrg, holds: none, chains: none, parents: none }
        : { customers: customersOfOrg, holds: none, ...placeholders(parentId, chainId) }
    for (const atMs of timesOf(task, estimatedDbTimeMs)) {
      try {
        const plan = planOperation(task, guess, orgConfigOf(orgId), atMs)
        plans.set(task, plan)
        for (const { key } of allowancesOf(plan.command)) if (!allowances.has(key)) allowances.set(key, { orgId, key })
      } catch {
        // Thrown again, and reported to the caller, when the task is planned with what was read.
      }
    }
  }
  const readSet = {
    orgIds,
    allowances: [...allowances.values()],
    customers: [...customers.values()],
    packs: [...packs.values()],
    holds: tasks.flatMap(({ orgId, holdId }) => (holdId === undefined ? [] : [{ orgId, holdId }])),
    keys: tasks.flatMap(({ orgId, idempotency }) => (idempotency ? [{ orgId, key: idempotency.key }] : [])),
    chains: tasks.flatMap(({ orgId, chainId }) => (chainId === undefined ? [] : [{ orgId, chainId }])),
    parents: tasks.flatMap(({ orgId, parentId }) => (parentId === undefined ? [] : [{ orgId, parentId }])),
    runKeys: runKeysOf(tasks),
  }
  return { plans, readSet }
}

const runKeysOf = (tasks: readonly Operation[]) => tasks.flatMap(({ runKey }) => (runKey ? [runKey] : []))

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** A parent that is not known yet, and its chain: enough to know which other rows to read. */
const placeholders = (parentId: string, chainId: string) => ({
  parents: new Map([[parentId, { chainId, depth: 0 }]]),
  chains: new Map([[chainId, { ...unboundedChain, chainId }]]),
})

const unboundedChain: BoundedChain = {
  chainId: '',
  maxCostNano: null,
  maxTokens: null,
  maxDepth: null,
  lastUsedAtMs: 0,
}

/** A settlement is booked in the periods of its hold, which may have ended: the time inside the hold's id tells roughly which. */
function timesOf({ holdId, bindsNow }: Operation, estimatedDbTimeMs: number): number[] {
  if (holdId === undefined || bindsNow === true) return [estimatedDbTimeMs]
  const madeMs = timeOfUuid(holdId)
  return [madeMs - maxSkewMs, madeMs + maxSkewMs]
}

const maxSkewMs = 5_000
