import { ApiError, orgIsMoving } from '../../contract/errors.ts'
import type { Log } from '../../platform/infra/log.ts'
import { movingOrgOf, outageOf, outages } from '../../platform/infra/outage.ts'
import type { PipelinedConnection } from '../../platform/infra/pipelined-connection.ts'
import type { Writability } from '../../platform/infra/writability.ts'
import { errorCode } from '../../values/thrown.ts'
import { UnknownOutcome } from './commit.ts'
import type { LaneOutcome } from './lane-outcome.ts'
import { LaneQueue } from './lane-queue.ts'
import type { LaneMetrics } from './metrics.ts'
import { type LaneTask, type OrgConfig, StaleOperation, type Timed, type WaitingCaller } from './operations.ts'
import type { OrgConfigCache } from './org-config-cache.ts'
import type { BatchSize, QueuedTask } from './queue.ts'

const maxAttempts = 4
const reconnectMs = 100
const busyKeyDelayMs = 20

export interface LaneOptions<T extends LaneTask, A extends object, O extends LaneOutcome<T, A>> {
  readonly connect: () => Promise<PipelinedConnection>
  /** Runs one transaction for many tasks. Callers may be answered only because it returned. */
  readonly runBatch: (
    tasks: readonly T[],
    connection: PipelinedConnection,
    orgConfigOf: (orgId: string) => OrgConfig,
    estimatedDbTimeMs: number,
  ) => Promise<O>
  readonly observe: (outcome: O, size: number) => void
  readonly batchSize: BatchSize
  /** Estimates the work of a task, in rows, without reading anything. */
  readonly workOf: (task: T) => number
  readonly maxWaiting: number
  /** The longest time that a caller may wait for its turn. */
  readonly deadlineMs: number
  readonly configCache: OrgConfigCache
  readonly metrics: LaneMetrics
  readonly log: Log
  readonly writability: Pick<Writability, 'recordFailure' | 'recordCommit'>
  readonly estimatedDbTimeMs: () => number
  readonly syncClock: (databaseMs: number) => void
  /** Releases a hold that may or may not exist, and that nobody will use. */
  readonly releaseLater: (orgId: string, holdId: string) => void
}

/**
 * A queue of requests in front of one connection. While a transaction is in flight the next requests gather and then go together,
 * so the batch is as large as the load. An organization always uses the same lane of a process.
 */
export class Lane<T extends LaneTask, A extends object, O extends LaneOutcome<T, A>> {
  private readonly options: LaneOptions<T, A, O>
  private readonly queue: LaneQueue<T, A>
  private readonly delayed = new Set<Promise<void>>()
  private connection: PipelinedConnection | undefined
  private running: Promise<void> | undefined
  private closed = false
  /** Recent duration of a batch. */
  private batchMs = 0

  constructor(options: LaneOptions<T, A, O>) {
    this.options = options
    this.queue = new LaneQueue(options.batchSize, options.workOf)
  }

  submit(task: T, caller?: WaitingCaller): Promise<Timed<A>> {
    if (this.closed || this.isFullFor(task.orgId)) {
      this.options.metrics.rejected.inc()
      return Promise.reject(unavailable('Too many decisions are waiting. Retry with backoff.'))
    }
    return new Promise((resolve, reject) => {
      this.queue.add({ task, caller, enqueuedMs: performance.now(), attempts: 0, resolve, reject })
      this.wake()
    })
  }

  private isFullFor(orgId: string) {
    const { maxWaiting, deadlineMs } = this.options
    return this.queue.isFullFor(orgId, maxWaiting, deadlineMs / this.batchMs)
  }

  private wake() {
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (!this.queue.isEmpty) this.wake()
    })
  }

  /** Connects before the first request arrives; throws where the database cannot be used. */
  async open() {
    this.connection ??= await this.options.connect()
  }

  private async run() {
    // One turn of the event loop, so that requests which arrive together share a batch.
    await new Promise(setImmediate)
    while (!this.queue.isEmpty) {
      const taken = this.queue.next().filter((waiting) => this.isStillWanted(waiting))
      const { batch, definitions: orgConfigs } = this.withConfig(taken)
      if (batch.length > 0) await this.executeBatch(batch, orgConfigs)
    }
  }

  private isStillWanted(waiting: QueuedTask<T, A>) {
    const isLate = performance.now() - waiting.enqueuedMs > this.options.deadlineMs
    if (!isLate && waiting.attempts < maxAttempts && waiting.caller?.destroyed !== true) return true
    waiting.reject(unavailable(isLate ? waitedTooLong : undefined))
    return false
  }

  /** Returns the tasks whose organization's configuration is cached; the others wait aside while it is loaded. */
  private withConfig(taken: readonly QueuedTask<T, A>[]) {
    const { configCache } = this.options
    const batch: QueuedTask<T, A>[] = []
    const orgConfigs = new Map<string, OrgConfig>()
    for (const [orgId, own] of Map.groupBy(taken, ({ task }) => task.orgId)) {
      const known = configCache.get(orgId)
      if (known) {
        orgConfigs.set(orgId, known)
        batch.push(...own)
        continue
      }
      void this.loadConfig(orgId, own)
    }
    return { batch, definitions: orgConfigs }
  }

  private async loadConfig(orgId: string, own: readonly QueuedTask<T, A>[]) {
    try {
      await this.options.configCache.load(orgId)
      this.queue.putBack(own)
      this.wake()
    } catch (error) {
      for (const { reject } of own) reject(error)
    }
  }

  private async executeBatch(batch: readonly QueuedTask<T, A>[], orgConfigs: ReadonlyMap<string, OrgConfig>) {
    for (const waiting of batch) waiting.attempts++
    const startedMs = performance.now()
    const { runBatch, observe, estimatedDbTimeMs, syncClock } = this.options
    let outcome: O
    try {
      this.connection ??= await this.options.connect()
      const tasks = withBusyLast(batch).map(({ task }) => task)
      outcome = await runBatch(tasks, this.connection, (orgId) => orgConfigs.get(orgId)!, estimatedDbTimeMs())
    } catch (error) {
      return this.fail(batch, error)
    }
    if (outcome.databaseMs !== undefined) syncClock(outcome.databaseMs)
    if (outcome.isCommitted) this.options.writability.recordCommit()
    this.deliver(batch, outcome, startedMs)
    observe(outcome, batch.length)
    this.batchMs = this.batchMs * 0.8 + (performance.now() - startedMs) * 0.2
  }

  private deliver(batch: readonly QueuedTask<T, A>[], outcome: O, startedMs: number) {
    const { configCache, metrics, log } = this.options
    for (const orgId of outcome.changed) configCache.evict(orgId)
    for (const orgId of outcome.locked) this.queue.runAlone(orgId)
    const again: QueuedTask<T, A>[] = []
    const delayed: QueuedTask<T, A>[] = []
    for (const waiting of batch) {
      const answer = outcome.answers.get(waiting.task)
      if (answer === undefined) {
        // What others do to the organization is no failure of the request: its deadline bounds how often it comes again.
        const isOthersDoing =
          outcome.deferred.has(waiting.task) ||
          outcome.busy.has(waiting.task) ||
          outcome.changed.has(waiting.task.orgId)
        if (isOthersDoing) waiting.attempts--
        ;(outcome.busy.has(waiting.task) ? delayed : again).push(waiting)
      } else if (answer instanceof Error) {
        if (!(answer instanceof ApiError || answer instanceof StaleOperation))
          log.error({ error: answer, org_id: waiting.task.orgId }, 'batch failed: inconsistent ledger state')
        waiting.reject(answer)
      } else {
        const { readMs, decideMs, commitMs } = outcome
        const waitMs = startedMs - waiting.enqueuedMs
        metrics.wait.observe(waitMs / 1_000)
        waiting.resolve({ ...answer, timing: { waitMs, readMs, decideMs, commitMs } })
      }
    }
    this.queue.putBack(again)
    if (delayed.length > 0) this.retryAfterDelay(delayed)
  }

  /** Tries tasks again after a short delay; the others go on meanwhile. */
  private retryAfterDelay(waiting: readonly QueuedTask<T, A>[]) {
    const pause = this.retryLater(waiting).finally(() => this.delayed.delete(pause))
    this.delayed.add(pause)
  }

  private async retryLater(waiting: readonly QueuedTask<T, A>[]) {
    await new Promise((resolve) => setTimeout(resolve, busyKeyDelayMs))
    // Behind those that came meanwhile: busy run keys of an organization must not delay its other requests.
    for (const one of waiting) {
      one.wasBusy = true
      this.queue.add(one)
    }
    this.wake()
  }

  /** Handles a failed batch. After any error the connection is not used again: its state is unknown. */
  private async fail(batch: readonly QueuedTask<T, A>[], error: unknown) {
    const { log, metrics, releaseLater, writability } = this.options
    this.connection?.destroy()
    this.connection = undefined
    const code = errorCode(error) ?? ''
    const outage = outageOf(error)
    const movingOrg = movingOrgOf(error)
    if (movingOrg !== undefined) return this.leave(batch, movingOrg)
    writability.recordFailure(error)
    metrics.failures.inc({
      reason: error instanceof UnknownOutcome ? 'unknown' : (outage ?? (code === '' ? 'connection' : code)),
    })
    if (error instanceof UnknownOutcome) {
      log.warn({ error }, 'the outcome of a batch is unknown')
      for (const { task, reject } of batch) {
        // A retry with an idempotency key finds the outcome by itself; a hold that nobody will ask for again must be released.
        if (task.makesHold !== undefined && !task.idempotency && task.isRecoverableByName !== true)
          releaseLater(task.orgId, task.makesHold)
        reject(unavailable())
      }
    } else if (lacksPartition(error)) {
      log.error({ error }, 'there is no partition to write to')
      for (const { reject } of batch) reject(unavailable())
    } else if (isPoison(code)) this.isolate(batch, error)
    else {
      if (!isRetryable(code)) {
        log.warn({ error, reason: outage }, outage ? outages[outage] : 'a batch failed and is tried again')
        await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
      this.queue.putBack(batch)
    }
  }

  /** Refuses the requests of an organization that changes its cell; the others of the batch go on. */
  private leave(batch: readonly QueuedTask<T, A>[], orgId: string) {
    const [own, others] = [
      batch.filter(({ task }) => task.orgId === orgId),
      batch.filter(({ task }) => task.orgId !== orgId),
    ]
    for (const { reject } of own) reject(unavailable(orgIsMoving))
    for (const waiting of others) waiting.attempts--
    this.queue.putBack(others)
  }

  /**
   * Isolates a request that PostgreSQL rejects: the batch is halved until the guilty one is alone, so that it does not fail the
   * others.
   */
  private isolate(batch: readonly QueuedTask<T, A>[], error: unknown) {
    this.options.log.error({ error, requests: batch.length }, 'a batch cannot be written')
    if (this.queue.split(batch)) return batch[0]!.reject(error)
    for (const waiting of batch) waiting.attempts--
  }

  async close() {
    this.closed = true
    while (this.running || this.delayed.size > 0) await Promise.all([this.running, ...this.delayed])
    this.connection?.destroy()
  }
}

/**
 * Puts tasks whose run key was busy last, in random order: only a few of an organization are tried in one batch, and none may
 * block the others for good.
 */
function withBusyLast<W extends Pick<QueuedTask<LaneTask, never>, 'wasBusy'>>(batch: readonly W[]): readonly W[] {
  if (!batch.some(({ wasBusy }) => wasBusy)) return batch
  const place = new Map(batch.map((waiting) => [waiting, waiting.wasBusy ? Math.random() : -1]))
  return batch.toSorted((a, b) => place.get(a)! - place.get(b)!)
}

const waitedTooLong = 'The request has waited too long for its turn. Retry with backoff.'
const unavailable = (message?: string) =>
  new ApiError('service_unavailable', {}, message === undefined ? {} : { message })

/** True when the request cannot be stored: it would fail again. */
const isPoison = (code: string) => /^(22|23)/.test(code) || code === 'WE001'

/** True when a concurrent transaction won: the same request can succeed at once. */
const isRetryable = (code: string) => ['40001', '40P01', '55P03'].includes(code)

const lacksPartition = (error: unknown) =>
  error instanceof Error && 'routine' in error && error.routine === 'ExecFindPartition'
