import type { SealedAnswers } from '../idempotency/idempotency.ts'
import type { PipelinedConnection, Sent } from '../infra/pipelined-connection.ts'
import {
  claimRuns,
  forgetRunKeys,
  forgetRuns,
  type KnownKeyRow,
  parametersInTurns,
  readRunKeys,
} from '../run-log/run-log.ts'
import type { CustomerHints } from './batch.ts'
import { readParents } from './chain-queries.ts'
import { commit } from './commit.ts'
import { crossingsIn } from './crossings.ts'
import { decideVersion } from './decide.ts'
import { bindIngest, type IngestJudgement, judgeIngest, type PreparedTask } from './ingest-judging.ts'
import { claimedBy, preparedTasks, type Ready } from './ingest-preparing.ts'
import { lockAndReadFor } from './ingest-reading.ts'
import type { Ingested, IngestTask } from './ingest-tasks.ts'
import { keptAnswer } from './judging.ts'
import type { LaneOutcome } from './lane.ts'
import * as queries from './queries.ts'
import { type OrgReading, type Reading, readMore, readOverdue } from './reading.ts'
import type { Definitions, ParentRun } from './tasks.ts'
import { type Outcome, writesOf } from './write-queries.ts'

export interface IngestContext {
  readonly connection: PipelinedConnection
  readonly definitionsOf: (orgId: string) => Definitions
  readonly sealedAnswers: SealedAnswers
  readonly expectedMs: number
  readonly hints: CustomerHints
}

export interface IngestOutcome extends LaneOutcome<IngestTask, Ingested> {
  readonly runs: number
}

/**
 * Records the runs of many requests in one transaction. Everything that does not depend on the decision is written before any
 * lock: run keys, in order, and runs. Then all organizations are locked in order, and their charges are decided. Refused runs are
 * deleted before the commit.
 */
export async function runIngest(tasks: readonly IngestTask[], context: IngestContext): Promise<IngestOutcome> {
  const { connection, definitionsOf, sealedAnswers } = context
  const startedMs = performance.now()
  const orgIds = [...new Set(tasks.map(({ orgId }) => orgId))].sort()
  const answers: Answers = new Map()
  const parents = await begin(tasks, orgIds, context, answers)
  const open = tasks.filter((task) => !answers.has(task))
  const { ready, deferred } = await preparedTasks(open, parents, definitionsOf, context.expectedMs, answers)
  if (ready.tasks.length === 0) {
    await connection.fly([queries.rollback])
    return outcomeOf(answers, deferred, startedMs, startedMs, undefined)
  }
  await claim(connection, ready, context.expectedMs)

  const reading = await lockAndReadFor(ready, context)
  const readMs = performance.now()
  const changed = new Set(
    [...reading.orgs]
      .filter(([id, { ledger }]) => ledger.config_version !== definitionsOf(id).version)
      .map(([id]) => id),
  )
  if (changed.size > 0) {
    // The rows written so far rest on prices and limits that have changed: the whole batch is tried again.
    await connection.fly([queries.rollback])
    return { ...outcomeOf(new Map(), new Set(), startedMs, readMs, reading.nowMs), changed }
  }
  const { judged: judgements, broken, postponed } = await judgeAll(ready, reading, context)
  for (const { prepared, error } of broken) answers.set(prepared.task, error)
  const at = new Date(reading.nowMs).toISOString()
  const outcomes = judgements.map(({ orgId, org, judgement }): Outcome => {
    const keptAnswers = Array.from(judgement.results).flatMap(([{ idempotency }, results]) => {
      const body = results instanceof Error ? undefined : idempotency?.answer(results)
      if (!idempotency || body === undefined) return []
      const { key, hash } = idempotency
      return [{ key, hash, status: 200, sealed: sealedAnswers.seal(orgId, key, body) }]
    })
    const { optIns } = definitionsOf(orgId)
    const { rows: found, stopped } = org
    return { orgId, seq: org.ledger.seq + 1n, at, found, stopped, keptAnswers, optIns, ...judgement }
  })
  const crossings = outcomes.flatMap((outcome) => crossingsIn(outcome, definitionsOf(outcome.orgId)))
  const writes = writesOf(outcomes, decideVersion, crossings)
  const undecided = [...broken.map(({ prepared }) => prepared), ...postponed]
  const refused = [
    ...judgements.flatMap(({ orgId, judgement }) => judgement.refused.map(({ id }) => ({ orgId, id }))),
    ...undecided.flatMap(({ task, items }) => items.map(({ draft }) => ({ orgId: task.orgId, id: draft.run.id }))),
  ]
  const decidedMs = performance.now()
  if (writes.length === 0) await connection.fly([queries.rollback])
  else {
    if (undecided.length > 0)
      writes.push(forgetRunKeys(undecided.flatMap(({ items }) => items.flatMap(({ keys }) => keys))))
    if (refused.length > 0) writes.push(forgetRuns(refused))
    await commit(connection, writes)
  }
  for (const { judgement } of judgements)
    for (const [task, results] of judgement.results) answers.set(task, results instanceof Error ? results : { results })
  return {
    ...outcomeOf(
      answers,
      new Set([...deferred, ...postponed.map(({ task }) => task)]),
      startedMs,
      readMs,
      reading.nowMs,
    ),
    runs: judgements.reduce((sum, { judgement }) => sum + judgement.runs.counted.length, 0),
    isCommitted: writes.length > 0,
    decideMs: decidedMs - readMs,
    commitMs: performance.now() - decidedMs,
  }
}

type Answers = Map<IngestTask, Ingested | Error>

const outcomeOf = (
  answers: Answers,
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
  answers: Answers,
) {
  const keys = tasks.flatMap(({ orgId, idempotency }) => (idempotency ? [{ orgId, key: idempotency.key }] : []))
  const named = tasks.flatMap(({ orgId, items }) =>
    items.flatMap(({ parentId }) => (parentId === undefined ? [] : [`${orgId} ${parentId}`])),
  )
  const wantedParents = [...new Set(named)].map((pair) => {
    const [orgId, parentId] = pair.split(' ') as [string, string]
    return { orgId, parentId }
  })
  const flight: Sent[] = [
    queries.begin,
    queries.tenants(orgIds),
    ...(keys.length > 0 ? [queries.lockIdempotencyKeys(keys), queries.readKeptAnswers(keys)] : []),
    ...(wantedParents.length > 0 ? readParents(wantedParents).slice(0, 1) : []),
  ]
  const results = await context.connection.fly(flight)
  const rowsOf = <T>(name: string) =>
    (results[flight.findIndex(({ statement }) => statement.name === name)]?.rows ?? []) as T[]
  const kept = new Map(rowsOf<queries.KeptAnswerRow>('kept_answers').map((row) => [`${row.org_id} ${row.key}`, row]))
  const locks = rowsOf<{ is_ours: boolean }>('key_locks')
  const busy = new Set(keys.filter((_, i) => !locks[i]!.is_ours).map(({ orgId, key }) => `${orgId} ${key}`))
  for (const task of tasks) {
    if (!task.idempotency) continue
    const of = `${task.orgId} ${task.idempotency.key}`
    const answer = keptAnswer(task.orgId, task.idempotency, kept.get(of), busy.has(of), context.sealedAnswers)
    if (answer) answers.set(task, answer instanceof Error ? answer : { results: [], replay: answer.replay })
  }
  const parents = rowsOf<{ org_id: string; id: string; chain_id: string | null; depth: number | null }>('parents')
  return new Map<string, ParentRun>(
    parents.map(({ org_id, id, chain_id, depth }) => [`${org_id} ${id}`, { chainId: chain_id, depth }]),
  )
}

/** Claims run keys, writes the runs, and reads who owns the keys that were taken. */
async function claim({ fly }: PipelinedConnection, { tasks, keys }: Ready, expectedMs: number) {
  const at = new Date(expectedMs).toISOString()
  const runs = tasks.flatMap(({ task, items }) =>
    items.flatMap(({ item, draft: { run } }) =>
      item.holdId === undefined && run.retentionClass !== null ? [{ orgId: task.orgId, run, at }] : [],
    ),
  )
  if (keys.length === 0 && runs.length === 0) return
  const [taken] = await fly([claimRuns(await parametersInTurns(runs), keys)])
  const others = (taken!.rows as { org_id: string; key: string }[]).map(({ org_id, key }) => ({ orgId: org_id, key }))
  if (others.length === 0) return
  const [known] = await fly([readRunKeys(others)])
  claimedBy(tasks, known!.rows as KnownKeyRow[])
}

interface Judged {
  readonly orgId: string
  readonly org: OrgReading
  readonly judgement: IngestJudgement
}

async function judgeAll({ tasks }: Ready, reading: Reading, { connection, definitionsOf, hints }: IngestContext) {
  const judged: Judged[] = []
  const broken: { prepared: PreparedTask; error: Error }[] = []
  const postponed: PreparedTask[] = []
  for (const [orgId, own] of Map.groupBy(tasks, ({ task }) => task.orgId)) {
    const org = reading.orgs.get(orgId)!
    const definitions = definitionsOf(orgId)
    hints.learn(orgId, org)
    const judge = async (): Promise<IngestJudgement | Error> => {
      const asked = caught(() => bindIngest(own, org, definitions, reading.nowMs))
      if (asked instanceof Error) return asked
      // A new period has begun, or a customer has a limit of its own: read the missing rows once more, under the lock.
      if (asked.unread.length > 0) await readMore(connection, org, orgId, asked.unread)
      return caught(() => judgeIngest(asked.bound, org, definitions, reading.nowMs))
    }
    let undecided: readonly PreparedTask[] = own
    let judgement = await judge()
    if (isRefusing(judgement)) {
      const { isAny, isMore } = await readOverdue(connection, reading, orgId, judgement.decision.stops)
      if (isAny) judgement = await judge()
      if (isMore && isRefusing(judgement)) {
        // More leases are overdue than one transaction ends: this one ends them, and the runs are tried again after it.
        postponed.push(...own)
        judgement = caught(() => judgeIngest([], org, definitions, reading.nowMs))
        undecided = []
      }
    }
    if (judgement instanceof Error) {
      // Inconsistent ledger state of one organization fails that organization only: the others go on.
      for (const prepared of undecided) broken.push({ prepared, error: judgement })
      continue
    }
    judged.push({ orgId, org, judgement })
  }
  return { judged, broken, postponed }
}

const isRefusing = (judgement: IngestJudgement | Error): judgement is IngestJudgement =>
  !(judgement instanceof Error) &&
  judgement.decision.verdicts.some((verdict) => verdict.type === 'charged' && verdict.refusals.size > 0)

function caught<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return error as Error
  }
}
