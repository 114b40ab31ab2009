import { ApiError } from '../contract/errors.ts'
import { sealedAnswers } from '../idempotency/idempotency.ts'
import { openPipelinedConnection } from '../infra/pipelined-connection.ts'
import type { Platform } from '../infra/platform.ts'
import { type BatchOutcome, runBatch } from './batch.ts'
import { rememberDefinitions } from './definitions.ts'
import { type IngestOutcome, runIngest } from './ingest-batch.ts'
import type { Ingested, IngestTask } from './ingest-tasks.ts'
import { Lane, type LaneOptions } from './lane.ts'
import { laneMetrics } from './metrics.ts'
import type { Definitions, LaneTask, Result, Task } from './tasks.ts'
import { decisionWork } from './work.ts'

export type { Book } from './book.ts'
export { type Ask, decide, decideVersion, type HoldInputs, type Reading, type Verdict } from './decide.ts'
export { expiryGraceMs, type Hold } from './ending.ts'
export {
  type Draft,
  type DraftFacts,
  faultsOf,
  type Ingested,
  type IngestItem,
  type IngestResult,
  type IngestTask,
} from './ingest-tasks.ts'
export { checkRightToEnd } from './ownership.ts'
export { expiredHolds } from './queries.ts'
export { runOf } from './recording.ts'
export type { Definitions, Facts, KnownHold, Result, RunEnding, Task } from './tasks.ts'

/**
 * Session settings of a lane. Nobody waits for long: a lock times out after half a second, and a paused process loses its
 * transaction after two seconds. Rows are reached through their keys only: a plan that was cached while a day's partition was
 * empty must not become a sequential scan later.
 */
export const laneSettings = {
  synchronous_commit: 'on',
  lock_timeout: '500',
  idle_in_transaction_session_timeout: '2000',
  statement_timeout: '2000',
  client_connection_check_interval: '1000',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  // The five statements of a batch are not planned again each time.
  plan_cache_mode: 'force_generic_plan',
}
/**
 * Session settings of ingest: many rows at once take longer, and are joined by hash. A paused process keeps its locks for three
 * seconds.
 */
const ingestSettings = {
  ...laneSettings,
  lock_timeout: '2000',
  idle_in_transaction_session_timeout: '3000',
  statement_timeout: '8000',
  enable_hashjoin: 'on',
}
const ingestFlightMs = 10_000
const ingestLanes = 2
const releaseEveryMs = 250

export interface Lanes {
  /** Runs a task in its organization's lane; rejects with the error for the caller. */
  readonly submit: (task: Task) => Promise<Result>
  /** Records runs that have happened. */
  readonly ingest: (task: IngestTask) => Promise<Ingested>
  /** Returns an organization's configuration from this process's cache. */
  readonly definitionsOf: (orgId: string) => Promise<Definitions>
  /** Releases a hold that nobody will use, whether or not it exists; retries until it has. */
  readonly releaseLater: (orgId: string, holdId: string) => void
  /** Connects; throws where the database cannot be used for decisions, as behind a pooler. */
  readonly open: () => Promise<void>
  readonly close: () => Promise<void>
}

export function openLanes(platform: Platform): Lanes {
  const { sql, config, clock, metrics, log } = platform
  const memory = rememberDefinitions(sql)
  const unwanted = new Map<string, string>()
  // Requests are planned with this process's clock as corrected by the database's; decisions use the database's time alone.
  let offsetMs = 0
  const observed = laneMetrics(metrics)
  const answers = sealedAnswers(config)
  const lane = {
    connect: () =>
      openPipelinedConnection({ url: config.databaseUrl, applicationName: 'weir lane', settings: laneSettings }),
    memory,
    metrics: observed,
    log,
    writability: sql.writability,
    expectedMs: () => clock.now().getTime() + offsetMs,
    learnTime: (databaseMs: number) => {
      offsetMs = databaseMs - clock.now().getTime()
    },
    releaseLater: (orgId: string, holdId: string) => {
      unwanted.set(holdId, orgId)
    },
  }
  const decisionLane: LaneOptions<Task, Omit<Result, 'timing'>, BatchOutcome> = {
    ...lane,
    batchSize: { tasks: 256, tasksOfOneOrg: 64, work: 2_000, workOfOneOrg: 256 },
    workOf: (task) => decisionWork(task, memory.known(task.orgId), memory.hints.of(task.orgId)),
    maxWaiting: 20_000,
    deadlineMs: 1_000,
    runBatch: (tasks, connection, definitionsOf, expectedMs) =>
      runBatch(tasks, { connection, definitionsOf, sealedAnswers: answers, expectedMs, hints: memory.hints }),
    observe: observed.observe,
  }
  const lanes = Array.from({ length: config.lanes }, () => new Lane(decisionLane))
  const ingestLane: LaneOptions<IngestTask, Ingested, IngestOutcome> = {
    ...lane,
    connect: () =>
      openPipelinedConnection({
        url: config.databaseUrl,
        applicationName: 'weir ingest',
        settings: ingestSettings,
        flightTimeoutMs: ingestFlightMs,
      }),
    batchSize: { tasks: 1_000, tasksOfOneOrg: 250, work: 5_000, workOfOneOrg: 1_000 },
    workOf: ({ items }) => items.length,
    maxWaiting: 2_000,
    deadlineMs: 10_000,
    runBatch: (tasks, connection, definitionsOf, expectedMs) =>
      runIngest(tasks, { connection, definitionsOf, sealedAnswers: answers, expectedMs, hints: memory.hints }),
    observe: observed.observeIngest,
  }
  const ingesting = Array.from({ length: ingestLanes }, () => new Lane(ingestLane))
  const submit = oneAtATime((task: Task) => laneFor(lanes, task).submit(task))
  // Any free lane: writes that come before the lock can run in parallel, even for one organization.
  let turn = 0
  const ingest = oneAtATime((task: IngestTask): Promise<Ingested> => ingesting[turn++ % ingesting.length]!.submit(task))

  const releasing = new Set<string>()
  const timer = setInterval(() => {
    for (const [holdId, orgId] of unwanted) {
      if (releasing.has(holdId)) continue
      releasing.add(holdId)
      submit({ orgId, holdId, bind: () => ({ type: 'release', holdId }) })
        .then(
          () => unwanted.delete(holdId),
          () => undefined,
        )
        .finally(() => releasing.delete(holdId))
    }
  }, releaseEveryMs)

  return {
    submit,
    ingest,
    definitionsOf: async (orgId) => memory.known(orgId) ?? memory.recall(orgId),
    releaseLater: lane.releaseLater,
    open: async () => {
      await Promise.all([lanes[0]!.open(), ingesting[0]!.open()])
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all([...lanes, ...ingesting].map((each) => each.close()))
    },
  }
}

/** The last digits of an id are random, so organizations spread evenly. */
const laneFor = <L>(lanes: readonly L[], { orgId }: LaneTask) =>
  lanes[Number.parseInt(orgId.slice(-8), 16) % lanes.length]!

/** Rejects a second request with an idempotency key while the first is in flight; between processes a database lock does so. */
function oneAtATime<T extends LaneTask, R>(submit: (task: T) => Promise<R>) {
  const inFlight = new Map<string, Buffer>()
  return (task: T): Promise<R> => {
    if (!task.idempotency) return submit(task)
    const { key, hash } = task.idempotency
    const of = `${task.orgId} ${key}`
    const other = inFlight.get(of)
    if (other)
      return Promise.reject(
        new ApiError(other.equals(hash) ? 'idempotency_key_processing' : 'idempotency_key_conflict'),
      )
    inFlight.set(of, hash)
    return submit(task).finally(() => inFlight.delete(of))
  }
}
