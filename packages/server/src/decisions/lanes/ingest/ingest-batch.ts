import { type BoundStatement, type PipelinedConnection, rowsOf } from '../../../platform/infra/pipelined-connection.ts'
import {
  buildParameters,
  claimRuns,
  deleteRunKeys,
  deleteRuns,
  type KnownKeyRow,
  readRunKeys,
} from '../../../records/run-log/run-log.ts'
import { errorOf } from '../../../values/thrown.ts'
import { readParents } from '../chain-queries.ts'
import type { IngestOutcome } from '../lane-outcome.ts'
import type { ParentRun } from '../operations.ts'
import { storedResponse } from '../org-decision.ts'
import { type OrgWrites } from '../org-writes.ts'
import * as queries from '../queries.ts'
import { type BatchSnapshot, type OrgSnapshot, readMore } from '../snapshot.ts'
import { decideAfterExpiry, hasRefusals, isCurrent, writeAndCommit, writesBase } from '../transaction.ts'
import type { IngestContext } from './ingest-context.ts'
import { decideIngest, type IngestDecision, planIngest } from './ingest-decision.ts'
import { type PreparedBatch, prepareTasks, setOwners } from './ingest-drafts.ts'
import { type PreparedTask } from './ingest-plan.ts'
import { lockAndReadIngest } from './ingest-snapshot.ts'
import type { Ingested, IngestTask } from './ingest-tasks.ts'

/**
 * Records the runs of many requests in one transaction. Everything that does not depend on the decision is written before any
 * lock: run keys, in order, and runs. Then all organizations are locked in order, and their charges are decided. Refused runs are
 * deleted before the commit.
 */
export async function runIngest(tasks: readonly IngestTask[], context: IngestContext): Promise<IngestOutcome> {
  const { connection, orgConfigOf, responses } = context
  const startedMs = performance.now()
  const orgIds = [...new Set(tasks.map(({ orgId }) => orgId))].sort()
  const answers: IngestAnswers = new Map()
  const parents = await begin(tasks, orgIds, context, answers)
  const open = tasks.filter((task) => !answers.has(task))
  const { ready, deferred } = await prepareTasks(open, parents, orgConfigOf, context.estimatedDbTimeMs, answers)
  if (ready.tasks.length === 0) {
    await connection.pipeline([queries.rollback])
    return outcomeOf(answers, deferred, startedMs, startedMs, undefined)
  }
  await claimKeysAndRuns(connection, ready, context.estimatedDbTimeMs)

  const snapshot = await lockAndReadIngest(ready, context)
  const readMs = performance.now()
  const changed = new Set([...snapshot.orgs].filter(([id, org]) => !isCurrent(org, orgConfigOf(id))).map(([id]) => id))
  if (changed.size > 0) {
    // The rows written so far rest on prices and limits that have changed: the whole batch is tried again.
    await connection.pipeline([queries.rollback])
    return { ...outcomeOf(new Map(), new Set(), startedMs, readMs, snapshot.nowMs), changed }
  }
  const { judged: judgements, broken, postponed } = await decideOrgs(ready, snapshot, context)
  for (const { prepared, error } of broken) answers.set(prepared.task, error)
  const outcomes = judgements.map(({ orgId, org, judgement }): OrgWrites => {
    const storedResponses = Array.from(judgement.results).flatMap(([{ idempotency }, results]) => {
      const body = results instanceof Error ? undefined : idempotency?.answer(results)
      if (!idempotency || body === undefined) return []
      const { key, hash } = idempotency
      return [{ key, hash, status: 200, sealed: responses.seal(orgId, key, body) }]
    })
    return { ...writesBase(orgId, org, orgConfigOf(orgId), snapshot.nowMs), storedResponses, ...judgement }
  })
  const undecided = [...broken.map(({ prepared }) => prepared), ...postponed]
  const refused = [
    ...judgements.flatMap(({ orgId, judgement }) => judgement.refused.map(({ id }) => ({ orgId, id }))),
    ...undecided.flatMap(({ task, items }) => items.map(({ draft }) => ({ orgId: task.orgId, id: draft.run.id }))),
  ]
  const keys = undecided.flatMap(({ items }) => items.flatMap(({ keys: own, requestKeys }) => [...own, ...requestKeys]))
  const cleanUp = [
    ...(undecided.length > 0 ? [deleteRunKeys(keys)] : []),
    ...(refused.length > 0 ? [deleteRuns(refused)] : []),
  ]
  const { isCommitted, decidedMs, commitMs } = await writeAndCommit(connection, outcomes, orgConfigOf, cleanUp)
  for (const { judgement } of judgements)
    for (const [task, results] of judgement.results) answers.set(task, results instanceof Error ? results : { results })
  return {
    ...outcomeOf(
      answers,
      new Set([...deferred, ...postponed.map(({ task }) => task)]),
      startedMs,
      readMs,
      snapshot.nowMs,
    ),
    runs: judgements.reduce((sum, { judgement }) => sum + judgement.runs.counted.length, 0),
    isCommitted,
    decideMs: decidedMs - readMs,
    commitMs,
  }
}

type IngestAnswers = Map<IngestTask, Ingested | Error>

const outcomeOf = (
  answers: IngestAnswers,
  deferred: ReadonlySet<IngestTask>,
  startedMs: number,
  readMs: number,
  databaseMs: number | undefined,
): IngestOutcome => ({
  answers,
  unread: deferred.size,
  deferred,
  busy: new Set(),
  locked: new Set(),
  changed: new Set(),
  databaseMs,
  isCommitted: false,
  runs: 0,
  readMs: readMs - startedMs,
  decideMs: 0,
  commitMs: 0,
})

/**
 * Begins the transaction, answers retries with their stored responses, and reads the runs that are named as parents: they do not
 * change.
 */
async function begin(
  tasks: readonly IngestTask[],
  orgIds: readonly string[],
  context: IngestContext,
  answers: IngestAnswers,
) {
  const keys = tasks.flatMap(({ orgId, idempotency }) => (idempotency ? [{ orgId, key: idempotency.key }] : []))
  const named = tasks.flatMap(({ orgId, items }) =>
    items.flatMap(({ parentId }) => (parentId === undefined ? [] : [{ orgId, parentId }])),
  )
  const wantedParents = [...new Map(named.map((pair) => [`${pair.orgId} ${pair.parentId}`, pair])).values()]
  const statements: BoundStatement[] = [
    queries.begin,
    queries.tenants(orgIds),
    ...(keys.length > 0 ? [queries.lockIdempotencyKeys(keys), queries.readStoredResponses(keys)] : []),
    ...(wantedParents.length > 0 ? readParents(wantedParents).slice(0, 1) : []),
  ]
  const results = await context.connection.pipeline(statements)
  const resultOf = (name: string) => results[statements.findIndex(({ statement }) => statement.name === name)]
  const kept = new Map(
    rowsOf<queries.StoredResponseRow>(resultOf('kept_answers')).map((row) => [`${row.org_id} ${row.key}`, row]),
  )
  const locks = rowsOf<{ is_ours: boolean }>(resultOf('key_locks'))
  const busy = new Set(keys.filter((_, i) => !locks[i]!.is_ours).map(({ orgId, key }) => `${orgId} ${key}`))
  for (const task of tasks) {
    if (!task.idempotency) continue
    const key = `${task.orgId} ${task.idempotency.key}`
    const answer = storedResponse(task.orgId, task.idempotency, kept.get(key), busy.has(key), context.responses)
    if (answer) answers.set(task, answer instanceof Error ? answer : { results: [], replay: answer.response })
  }
  const parents = rowsOf<{ org_id: string; id: string; chain_id: string | null; depth: number | null }>(
    resultOf('parents'),
  )
  return new Map<string, ParentRun>(
    parents.map(({ org_id, id, chain_id, depth }) => [`${org_id} ${id}`, { chainId: chain_id, depth }]),
  )
}

/** Claims run keys, writes the runs, and reads who owns the keys that were taken. */
async function claimKeysAndRuns(
  { pipeline: fly }: PipelinedConnection,
  { tasks, keys }: PreparedBatch,
  estimatedDbTimeMs: number,
) {
  const at = new Date(estimatedDbTimeMs).toISOString()
  const runs = tasks.flatMap(({ task, items }) =>
    items.flatMap(({ item, draft: { run } }) =>
      item.holdId === undefined && run.retentionClass !== null ? [{ orgId: task.orgId, run, at }] : [],
    ),
  )
  if (keys.length === 0 && runs.length === 0) return
  const [taken] = await fly([claimRuns(await buildParameters(runs), keys)])
  const others = rowsOf<{ org_id: string; key: string }>(taken).map(({ org_id, key }) => ({ orgId: org_id, key }))
  if (others.length === 0) return
  const [known] = await fly([readRunKeys(others)])
  setOwners(tasks, rowsOf<KnownKeyRow>(known))
}

interface DecidedOrg {
  readonly orgId: string
  readonly org: OrgSnapshot
  readonly judgement: IngestDecision
}

async function decideOrgs(
  { tasks }: PreparedBatch,
  snapshot: BatchSnapshot,
  { connection, orgConfigOf, customerHints }: IngestContext,
) {
  const judged: DecidedOrg[] = []
  const broken: { prepared: PreparedTask; error: Error }[] = []
  const postponed: PreparedTask[] = []
  for (const [orgId, own] of Map.groupBy(tasks, ({ task }) => task.orgId)) {
    const org = snapshot.orgs.get(orgId)!
    const orgConfig = orgConfigOf(orgId)
    customerHints.learn(orgId, org)
    const decide = async (): Promise<IngestDecision | Error> => {
      const planned = catchError(() => planIngest(own, org, orgConfig, snapshot.nowMs))
      if (planned instanceof Error) return planned
      // A new period has begun, or a customer has a limit of its own: read the missing rows once more, under the lock.
      if (planned.unread.length > 0) await readMore(connection, org, orgId, planned.unread)
      return catchError(() => decideIngest(planned.plans, org, orgConfig, snapshot.nowMs))
    }
    let undecided: readonly PreparedTask[] = own
    const { decided, overdue } = await decideAfterExpiry(connection, snapshot, orgId, decide)
    let ingestDecision = decided
    if (overdue.isMore && hasRefusals(decided)) {
      // More leases are overdue than one transaction ends: this one ends them, and the runs are tried again after it.
      postponed.push(...own)
      ingestDecision = catchError(() => decideIngest([], org, orgConfig, snapshot.nowMs))
      undecided = []
    }
    if (ingestDecision instanceof Error) {
      // Inconsistent ledger state of one organization fails that organization only: the others go on.
      for (const prepared of undecided) broken.push({ prepared, error: ingestDecision })
      continue
    }
    judged.push({ orgId, org, judgement: ingestDecision })
  }
  return { judged, broken, postponed }
}

function catchError<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return errorOf(error)
  }
}
