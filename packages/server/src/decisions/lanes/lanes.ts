import { createStoredResponses } from '../../access/idempotency/idempotency.ts'
import { ApiError } from '../../contract/errors.ts'
import { openPipelinedConnection } from '../../platform/infra/pipelined-connection.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Secret } from '../../values/secret.ts'
import { runBatch } from './batch.ts'
import { runIngest } from './ingest/ingest-batch.ts'
import type { Ingested, IngestTask } from './ingest/ingest-tasks.ts'
import { Lane, type LaneOptions } from './lane.ts'
import { type BatchOutcome, type IngestOutcome } from './lane-outcome.ts'
import { laneMetrics } from './metrics.ts'
import type {
  LaneTask,
  Operation,
  OperationPlan,
  OperationResult,
  OrgConfig,
  Timed,
  WaitingCaller,
} from './operations.ts'
import { createOrgConfigCache } from './org-config-cache.ts'
import { estimateRows } from './row-estimate.ts'

export type { AllowanceState } from '../../money/engine/engine.ts'
export {
  type Command,
  decide,
  decideVersion,
  expiryGraceMs,
  type Hold,
  type LimitCheck,
  type Outcome,
} from '../../money/engine/engine.ts'
export { runFromHold } from './ended-runs.ts'
export { reportOfEnding } from './estimate-report.ts'
export {
  type DraftContext,
  faultsOf,
  type Ingested,
  type IngestItem,
  type IngestResult,
  type IngestTask,
  type RunDraft,
} from './ingest/ingest-tasks.ts'
export { refuseStartOnly } from './modes.ts'
export {
  type DecidedOperation,
  isHeld,
  type KnownHold,
  type NamedRun,
  type Operation,
  type OperationPlan,
  type OrgConfig,
  outcomeOf,
  type PlanContext,
  type RunEnding,
  StaleOperation,
  type Timed,
} from './operations.ts'
export { checkRightTo, isManager } from './ownership.ts'
export { expiredHolds } from './queries.ts'

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
const ingestTimeoutMs = 10_000
const ingestLaneCount = 2
const releaseEveryMs = 250

export interface Lanes {
  /** Runs a task in its organization's lane; rejects with the error for the caller. */
  readonly submit: <P extends OperationPlan>(
    operation: Operation<P>,
    caller?: WaitingCaller,
  ) => Promise<Timed<OperationResult<P>>>
  /** Records runs that have happened. */
  readonly ingest: (task: IngestTask, caller?: WaitingCaller) => Promise<Ingested>
  /** Returns an organization's configuration from this process's cache. */
  readonly orgConfigOf: (orgId: string) => Promise<OrgConfig>
  /** Releases a hold that nobody will use, whether or not it exists; retries until it has. */
  readonly releaseLater: (orgId: string, holdId: string) => void
  /** Connects; throws where the database cannot be used for decisions, as behind a pooler. */
  readonly open: () => Promise<void>
  readonly close: () => Promise<void>
}

export function openLanes(platform: Platform): Lanes {
  const { sql, config, clock, metrics, log } = platform
  const configCache = createOrgConfigCache(sql)
  const orphanedHolds = new Map<string, string>()
  // Requests are planned with this process's clock as corrected by the database's; decisions use the database's time alone.
  let offsetMs = 0
  const observed = laneMetrics(metrics)
  const responses = createStoredResponses(config)
  const lane = {
    connect: () =>
      openPipelinedConnection({ url: config.databaseUrl, applicationName: 'weir lane', settings: laneSettings }),
    configCache,
    metrics: observed,
    log,
    writability: sql.writability,
    estimatedDbTimeMs: () => clock.now().getTime() + offsetMs,
    syncClock: (databaseMs: number) => {
      offsetMs = databaseMs - clock.now().getTime()
    },
    releaseLater: (orgId: string, holdId: string) => {
      orphanedHolds.set(holdId, orgId)
    },
  }
  const decisionLane: LaneOptions<Operation, OperationResult, BatchOutcome> = {
    ...lane,
    batchSize: { tasks: 256, tasksOfOneOrg: 64, work: 2_000, workOfOneOrg: 256 },
    workOf: (task) => estimateRows(task, configCache.get(task.orgId), configCache.customerHints.get(task.orgId)),
    maxWaiting: 20_000,
    deadlineMs: config.decisionQueueTimeoutMs,
    runBatch: (tasks, connection, orgConfigOf, estimatedDbTimeMs) =>
      runBatch(tasks, {
        connection,
        orgConfigOf,
        responses,
        estimatedDbTimeMs,
        customerHints: configCache.customerHints,
      }),
    observe: observed.observe,
  }
  const lanes = Array.from({ length: config.lanes }, () => new Lane(decisionLane))
  const ingestLane: LaneOptions<IngestTask, Ingested, IngestOutcome> = {
    ...lane,
    connect: () => openIngestConnection(config.databaseUrl),
    batchSize: { tasks: 1_000, tasksOfOneOrg: 250, work: 5_000, workOfOneOrg: 1_000 },
    workOf: ({ items }) => items.length,
    maxWaiting: 2_000,
    deadlineMs: 10_000,
    runBatch: (tasks, connection, orgConfigOf, estimatedDbTimeMs) =>
      runIngest(tasks, {
        connection,
        orgConfigOf,
        responses,
        estimatedDbTimeMs,
        customerHints: configCache.customerHints,
      }),
    observe: observed.observeIngest,
  }
  const bulkLanes = Array.from({ length: ingestLaneCount }, () => new Lane(ingestLane))
  // A lane hands back the plan that the operation made, so its type is the operation's.
  const submit = rejectConcurrent((task: Operation, caller) =>
    laneFor(lanes, task).submit(task, caller),
  ) as Lanes['submit']
  // Any free lane: writes that come before the lock can run in parallel, even for one organization.
  let turn = 0
  const ingest = rejectConcurrent(
    (task: IngestTask, caller): Promise<Ingested> => bulkLanes[turn++ % bulkLanes.length]!.submit(task, caller),
  )
  const timer = setInterval(createReleaser(orphanedHolds, submit), releaseEveryMs)
  return {
    submit,
    ingest,
    orgConfigOf: async (orgId) => configCache.get(orgId) ?? configCache.load(orgId),
    releaseLater: lane.releaseLater,
    open: async () => {
      await Promise.all([lanes[0]!.open(), bulkLanes[0]!.open()])
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all([...lanes, ...bulkLanes].map((each) => each.close()))
    },
  }
}

const openIngestConnection = (url: Secret) =>
  openPipelinedConnection({
    url,
    applicationName: 'weir ingest',
    settings: ingestSettings,
    pipelineTimeoutMs: ingestTimeoutMs,
  })

/** Returns a function that releases all orphaned holds; each stays in the map until that has succeeded. */
function createReleaser(orphanedHolds: Map<string, string>, submit: Lanes['submit']) {
  const releasing = new Set<string>()
  return () => {
    for (const [holdId, orgId] of orphanedHolds) {
      if (releasing.has(holdId)) continue
      releasing.add(holdId)
      submit({ orgId, holdId, plan: () => ({ command: { type: 'release', holdId } }) })
        .then(
          () => orphanedHolds.delete(holdId),
          () => undefined,
        )
        .finally(() => releasing.delete(holdId))
    }
  }
}

/** The last digits of an id are random, so organizations spread evenly. */
const laneFor = <L>(lanes: readonly L[], { orgId }: LaneTask) =>
  lanes[Number.parseInt(orgId.slice(-8), 16) % lanes.length]!

/** Rejects a second request with an idempotency key while the first is in flight; between processes a database lock does so. */
function rejectConcurrent<T extends LaneTask, R>(submit: (task: T, caller?: WaitingCaller) => Promise<R>) {
  const inFlight = new Map<string, Buffer>()
  return (task: T, caller?: WaitingCaller): Promise<R> => {
    if (!task.idempotency) return submit(task, caller)
    const { key, hash } = task.idempotency
    const requestKey = `${task.orgId} ${key}`
    const other = inFlight.get(requestKey)
    if (other)
      return Promise.reject(
        new ApiError(other.equals(hash) ? 'idempotency_key_processing' : 'idempotency_key_conflict'),
      )
    inFlight.set(requestKey, hash)
    return submit(task, caller).finally(() => inFlight.delete(requestKey))
  }
}
