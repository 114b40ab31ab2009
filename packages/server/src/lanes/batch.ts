import type { Chain } from '../chains/chains.ts'
import type { SealedAnswers } from '../idempotency/idempotency.ts'
import type { PipelinedConnection } from '../infra/pipelined-connection.ts'
import { forgetRunKeys, type RunKey } from '../run-log/run-log.ts'
import { timeOfUuid } from '../values/id.ts'
import { commit } from './commit.ts'
import { crossingsIn } from './crossings.ts'
import { type Decision, decideVersion } from './decide.ts'
import { type Answer, allowancesOf, bindTo, type Judgement, judge } from './judging.ts'
import type { LaneOutcome } from './lane.ts'
import * as queries from './queries.ts'
import { lockAndRead, type OrgReading, type Overdue, readOverdue, type Wanted } from './reading.ts'
import type { Definitions, Result, Task } from './tasks.ts'
import { type Outcome, writesOf } from './write-queries.ts'

export interface BatchContext {
  readonly connection: PipelinedConnection
  readonly definitionsOf: (orgId: string) => Definitions
  readonly sealedAnswers: SealedAnswers
  /** This process's estimate of the database's time, good enough to know which rows to read. */
  readonly expectedMs: number
  readonly hints: CustomerHints
}

/** Limits and packs of customers as last read: only a guess at which rows to read, never the basis of a decision. */
export interface CustomerHints {
  readonly of: (orgId: string) => OrgReading['customers']
  readonly learn: (orgId: string, reading: OrgReading) => void
}

export interface BatchOutcome extends LaneOutcome<Task, Omit<Result, 'timing'>> {
  readonly decisions: readonly Decision[]
}

/**
 * Runs one transaction for many requests, in two round trips: lock and read, then write and commit. Between them everything is
 * decided in memory. Callers may be answered only because this returned.
 */
export async function runBatch(tasks: readonly Task[], context: BatchContext): Promise<BatchOutcome> {
  const { connection, definitionsOf, sealedAnswers, hints } = context
  const startedMs = performance.now()
  const byOrg = Map.groupBy(tasks, ({ orgId }) => orgId)
  const reading = await lockAndRead(connection, wantedBy(tasks, [...byOrg.keys()], context))
  const readMs = performance.now()

  const answers = new Map<Task, Answer>()
  let unread = 0
  const deferred = new Set<Task>()
  const busy = new Set<Task>()
  const locked = new Set<string>()
  const changed = new Set<string>()
  const outcomes: Outcome[] = []
  /** Run keys that were claimed for organizations that are not decided in this batch. */
  const undecided: RunKey[] = []
  const at = new Date(reading.nowMs).toISOString()
  for (const [orgId, own] of byOrg) {
    const org = reading.orgs.get(orgId)
    const definitions = definitionsOf(orgId)
    if (!org) locked.add(orgId)
    else if (org.ledger.config_version !== definitions.version) changed.add(orgId)
    if (!org || changed.has(orgId)) {
      undecided.push(...runKeysOf(own))
      continue
    }
    hints.learn(orgId, org)
    const [claimants, free] = partition(own, ({ runKey }) => runKey !== undefined && org.busyNames.has(runKey.key))
    for (const task of claimants) busy.add(task)
    const judged = () => judge(orgId, free, org, definitions, reading.nowMs, sealedAnswers)
    let judgement = judged()
    let overdue = noneOverdue
    // Only before a refusal: overdue leases may free the amount that it lacked.
    if (isRefusing(judgement)) overdue = await readOverdue(connection, reading, orgId, judgement.decision.stops)
    if (overdue.isAny) judgement = judged()
    if (judgement instanceof Error) {
      // Inconsistent ledger state of one organization fails that organization only: the others go on.
      for (const task of free) answers.set(task, judgement)
      undecided.push(...runKeysOf(free))
      continue
    }
    for (const [task, answer] of judgement.answers) {
      // More leases are overdue than one transaction ends: refused requests try again after this one.
      if (overdue.isMore && isRefused(answer)) deferred.add(task)
      else answers.set(task, answer)
    }
    unread += judgement.unread.length + judgement.deferred.length
    for (const task of judgement.deferred) deferred.add(task)
    outcomes.push({
      orgId,
      seq: org.ledger.seq + 1n,
      at,
      found: org.rows,
      stopped: org.stopped,
      optIns: definitions.optIns,
      ...(overdue.isMore ? withoutStops(judgement) : judgement),
    })
  }
  const crossings = outcomes.flatMap((outcome) => crossingsIn(outcome, definitionsOf(outcome.orgId)))
  const writes = writesOf(outcomes, decideVersion, crossings)
  if (writes.length > 0 && undecided.length > 0) writes.push(forgetRunKeys(undecided))
  const decidedMs = performance.now()

  // With nothing to write, there is no commit to wait for.
  if (writes.length === 0) await connection.fly([queries.rollback])
  else await commit(connection, writes)
  return {
    answers,
    unread,
    deferred,
    busy,
    locked,
    changed,
    databaseMs: reading.nowMs,
    isCommitted: writes.length > 0,
    decisions: outcomes.map(({ decision }) => decision),
    readMs: readMs - startedMs,
    decideMs: decidedMs - readMs,
    commitMs: performance.now() - decidedMs,
  }
}

/** Refused requests try again, so no limit has refused yet. */
const withoutStops = ({ decision, ...judgement }: Judgement): Judgement => ({
  ...judgement,
  decision: { ...decision, stops: [] },
})

const isRefusing = (judgement: Judgement | Error): judgement is Judgement =>
  !(judgement instanceof Error) && judgement.decision.verdicts.some(({ type }) => type === 'refused')

const isRefused = (answer: Answer) => !(answer instanceof Error) && answer.verdict.type === 'refused'

const noneOverdue: Overdue = { isAny: false, isMore: false }

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [first: T[], second: T[]] {
  const first: T[] = []
  const second: T[] = []
  for (const one of all) (isFirst(one) ? first : second).push(one)
  return [first, second]
}

/** Returns the rows that the tasks need, as far as can be told without reading. */
function wantedBy(tasks: readonly Task[], orgIds: readonly string[], context: BatchContext): Wanted {
  const { definitionsOf, expectedMs, hints } = context
  const allowances = new Map<string, { orgId: string; key: string }>()
  const customers = new Map<string, { orgId: string; customerId: string }>()
  const packs = new Map<string, { orgId: string; customerId: string }>()
  // Thresholds of prepaid quota apply to the sum of all top-ups, whichever of them is drawn.
  for (const orgId of orgIds) for (const { id } of definitionsOf(orgId).topUps) allowances.set(id, { orgId, key: id })
  for (const task of tasks) {
    const { orgId, customerId, parentId, chainId = '' } = task
    if (customerId !== undefined) {
      customers.set(`${orgId} ${customerId}`, { orgId, customerId })
      if (task.needsPacks === true) packs.set(`${orgId} ${customerId}`, { orgId, customerId })
    }
    // The parent is not known yet: a placeholder is enough to know which other rows to read.
    const parents = new Map(parentId === undefined ? [] : [[parentId, { chainId, depth: 0 }]])
    const chains = new Map(parentId === undefined ? [] : [[chainId, { ...unboundedChain, chainId }]])
    const guess = { customers: hints.of(orgId), holds: new Map(), chains, parents }
    for (const atMs of timesOf(task, expectedMs)) {
      try {
        for (const { key } of allowancesOf(bindTo(task, guess, definitionsOf(orgId), atMs)))
          if (!allowances.has(key)) allowances.set(key, { orgId, key })
      } catch {
        // Thrown again, and reported to the caller, when the task is planned with what was read.
      }
    }
  }
  return {
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
}

const runKeysOf = (tasks: readonly Task[]) => tasks.flatMap(({ runKey }) => (runKey ? [runKey] : []))

const unboundedChain: Chain = { chainId: '', maxCostNano: null, maxTokens: null, maxDepth: null, lastUsedAtMs: 0 }

/** A settlement is booked in the periods of its hold, which may have ended: the time inside the hold's id tells roughly which. */
function timesOf({ holdId }: Task, expectedMs: number): number[] {
  if (holdId === undefined) return [expectedMs]
  const madeMs = timeOfUuid(holdId)
  return [madeMs - maxSkewMs, madeMs + maxSkewMs]
}

const maxSkewMs = 5_000
