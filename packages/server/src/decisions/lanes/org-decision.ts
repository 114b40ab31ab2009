import type { StoredResponses } from '../../access/idempotency/idempotency.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AllowanceState } from '../../money/engine/engine.ts'
import { type BatchDecision, type Command, decide } from '../../money/engine/engine.ts'
import {
  type Allowance,
  allowanceOf,
  type ChainPlace,
  type Charge,
  emptyBalance,
  thresholdsOf,
} from '../../money/ledger/ledger.ts'
import { kindOf } from '../../money/limit-kinds.ts'
import type { RunKey } from '../../records/run-log/run-log.ts'
import { errorOf } from '../../values/thrown.ts'
import { type EndedRuns, endedRuns } from './ended-runs.ts'
import { type EarlierPlans, type PlannedOperation, planOperations } from './operation-plans.ts'
import {
  type ExistingRun,
  type Operation,
  type OperationPlan,
  type OperationResult,
  type OrgConfig,
  type ReplayedResponse,
} from './operations.ts'
import type { StoredResponse } from './org-writes.ts'
import type { StoredResponseRow } from './queries.ts'
import { balanceOf, type OrgSnapshot } from './snapshot.ts'

export type TaskAnswer = OperationResult | Error

/** Shortest time between two updates of a chain's last use. */
const chainTouchMs = 3_600_000

/** Result of deciding one organization's tasks. */
export interface OrgDecision {
  readonly decision: BatchDecision
  readonly answers: ReadonlyMap<Operation, TaskAnswer>
  /** Tasks that need rows which were not read: a new period has begun, or the customer has a limit that was not known. */
  readonly unread: readonly Operation[]
  /** Tasks that wait until another task of the batch is decided. */
  readonly deferred: readonly Operation[]
  readonly made: ReadonlyMap<string, Allowance>
  readonly storedResponses: readonly StoredResponse[]
  /** Chains that have begun or are used again, by id, each with the run that did so. */
  readonly chains: ReadonlyMap<string, { readonly chain: ChainPlace; readonly runId: string }>
  readonly runs: EndedRuns
  /** Run keys that were claimed for runs which do not take place. */
  readonly unclaimed: readonly RunKey[]
}

/**
 * Decides the tasks of one organization by what was read under its lock. Returns the error where its ledger state is
 * inconsistent.
 */
export function decideOrg(...args: Parameters<typeof decideOperations>): OrgDecision | Error {
  try {
    return decideOperations(...args)
  } catch (error) {
    return errorOf(error)
  }
}

function decideOperations(
  orgId: string,
  tasks: readonly Operation[],
  snapshot: OrgSnapshot,
  orgConfig: OrgConfig,
  nowMs: number,
  responses: StoredResponses,
  earlierPlans: EarlierPlans,
): OrgDecision {
  const earlier = earlierAnswers(orgId, tasks, snapshot, responses)
  const { planned, failed, unread, deferred } = planOperations(
    tasks.filter((task) => !earlier.answers.has(task) && !earlier.deferred.has(task)),
    snapshot,
    orgConfig,
    nowMs,
    earlierPlans,
  )
  const { states, made } = openAllowances(planned, snapshot)
  addHeldAllowances(snapshot, orgConfig, states)

  const targets = new Set(planned.map(({ task }) => task.holdId))
  const decision = decide(
    { allowances: states, holds: snapshot.holds },
    [...planned.map(({ plan }) => plan.command), ...expiryCommands(snapshot.holds, targets)],
    nowMs,
  )

  const answers = new Map<Operation, TaskAnswer>([...earlier.answers, ...failed])
  const storedResponses: StoredResponse[] = []
  const held: { charge: Charge; id: string }[] = []
  const started = new Set<Operation>()
  // A run gets the ending of the request that ended it, not of a later one in the same batch.
  const endings = new Map<string, OperationPlan['ending']>()
  for (const [i, { task, plan }] of planned.entries()) {
    const outcome = decision.outcomes[i]!
    const decided = { type: 'decided', plan, outcome, atMs: nowMs } as const
    answers.set(task, decided)
    const body = task.idempotency?.answer(decided)
    if (body !== undefined) {
      const { key, hash, status = 200 } = task.idempotency!
      storedResponses.push({ key, hash, status, sealed: responses.seal(orgId, key, body) })
    }
    if (outcome.type === 'ended' && !outcome.isRepeat) endings.set(outcome.hold.id, plan.ending)
    const { command } = plan
    if (outcome.type !== 'held' || command.type !== 'hold' || command.isDryRun) continue
    started.add(task)
    held.push(command)
  }
  return {
    decision,
    answers,
    unread,
    deferred: [...earlier.deferred, ...deferred],
    made,
    storedResponses,
    chains: usedChains(held, snapshot, nowMs),
    runs: endedRuns(decision, snapshot.holds, (holdId) => endings.get(holdId), orgConfig),
    unclaimed: tasks.flatMap((task) => (task.runKey && !started.has(task) ? [task.runKey] : [])),
  }
}

/** Answers operations whose idempotency key or run key was used before; those whose run key another of the batch wants wait for it. */
function earlierAnswers(orgId: string, tasks: readonly Operation[], snapshot: OrgSnapshot, responses: StoredResponses) {
  const answers = new Map<Operation, TaskAnswer>()
  const deferred = new Set<Operation>()
  for (const task of tasks) {
    const { idempotency } = task
    const stored =
      idempotency &&
      storedResponse(
        orgId,
        idempotency,
        snapshot.storedResponses.get(idempotency.key),
        snapshot.busyKeys.has(idempotency.key),
        responses,
      )
    const named = stored ? undefined : findKeyOwner(task, tasks, snapshot)
    if (stored) answers.set(task, stored)
    else if (named === 'undecided') deferred.add(task)
    else if (named) answers.set(task, { type: 'existing', run: named })
  }
  return { answers, deferred }
}

/** Returns the state of every allowance that the plans touch, and those that have no row yet. */
function openAllowances(planned: readonly PlannedOperation[], snapshot: OrgSnapshot) {
  const states = new Map<string, AllowanceState>()
  const made = new Map<string, Allowance>()
  for (const { allowances } of planned) {
    for (const allowance of allowances) {
      if (states.has(allowance.key)) continue
      const row = snapshot.rows.get(allowance.key)
      states.set(allowance.key, { allowance, balance: row ? balanceOf(row) : emptyBalance, exists: row !== undefined })
      if (!row) made.set(allowance.key, allowance)
    }
  }
  return { states, made }
}

/** Returns chains that have begun, or were not used for a while, each with the run that used it. */
export function usedChains(
  runs: readonly { readonly charge: Charge; readonly id: string }[],
  { chains }: OrgSnapshot,
  nowMs: number,
): ReadonlyMap<string, { readonly chain: ChainPlace; readonly runId: string }> {
  const used = new Map<string, { chain: ChainPlace; runId: string }>()
  for (const { charge, id } of runs) {
    const { chain } = charge
    if (!chain || used.has(chain.chainId)) continue
    const known = chains.get(chain.chainId)
    if (!known || nowMs - known.lastUsedAtMs > chainTouchMs) used.set(chain.chainId, { chain, runId: id })
  }
  return used
}

/** Commands that expire holds which were read only because their lease may be over. */
export const expiryCommands = (holds: OrgSnapshot['holds'], targets: ReadonlySet<string | undefined>): Command[] =>
  Array.from(holds.values())
    .filter(({ id, state }) => state === 'open' && !targets.has(id))
    .map(({ id }) => ({ type: 'expire', holdId: id }))

/**
 * Returns the owner of the run key that a task wants, if another run has it; `undecided` while that is another task of the batch.
 */
function findKeyOwner(
  { runKey }: Operation,
  tasks: readonly Operation[],
  { runKeys }: OrgSnapshot,
): ExistingRun | 'undecided' | undefined {
  const owner = runKey && runKeys.get(runKey.key)
  if (!owner || owner.run_id === runKey.runId) return undefined
  if (tasks.some(({ makesHold }) => makesHold === owner.run_id)) return 'undecided'
  return { runId: owner.run_id, contentHash: owner.content_hash }
}

/** Adds the allowances of existing holds: a hold ends on the rows where it was made, whatever happened to their limits since. */
export function addHeldAllowances(snapshot: OrgSnapshot, orgConfig: OrgConfig, states: Map<string, AllowanceState>) {
  if (snapshot.holds.size === 0) return
  const limits = new Map(orgConfig.limits.map((limit) => [limit.id, limit]))
  for (const hold of snapshot.holds.values()) {
    for (const [i, key] of hold.keys.entries()) {
      const row = snapshot.rows.get(key)
      if (states.has(key) || !row || !('limit_id' in row)) continue
      const kind = kindOf(row.kind)
      const atTheTime = {
        // A limit of the configuration that is not there any more has ended, and only counts.
        amount: kind.source === 'config' ? null : hold.limits[i]!,
        enforcement: 'block',
        thresholds: thresholdsOf(kind, hold.thresholds?.[i]),
      } as const
      const limit = limits.get(row.limit_id) ?? atTheTime
      states.set(key, { allowance: allowanceOf(row, limit), balance: balanceOf(row), exists: true })
    }
  }
}

/** Returns the stored response to an earlier request with the key, or the error while there is none. */
export function storedResponse(
  orgId: string,
  { key, hash }: { readonly key: string; readonly hash: Buffer },
  row: Pick<StoredResponseRow, 'request_hash' | 'sealed'> | undefined,
  isBusy: boolean,
  responses: StoredResponses,
): ReplayedResponse | ApiError | undefined {
  if (isBusy) return new ApiError('idempotency_key_processing')
  if (!row) return undefined
  if (!row.request_hash.equals(hash)) return new ApiError('idempotency_key_conflict')
  if (row.sealed === null) return new ApiError('idempotency_key_processing')
  return { type: 'replayed', response: responses.open(orgId, key, row.sealed) }
}
