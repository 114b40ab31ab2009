import { ApiError } from '../contract/errors.ts'
import type { Log } from '../infra/log.ts'
import type { PipelinedConnection } from '../infra/pipelined-connection.ts'
import { UnknownOutcome } from './commit.ts'
import type { Memory } from './definitions.ts'
import type { LaneMetrics } from './metrics.ts'
import { type BatchSize, FairQueue, type Waiting } from './queue.ts'
import type { Definitions, LaneTask, Timing } from './tasks.ts'

const maxAttempts = 4
const reconnectMs = 100

/** What became of a batch. */
export interface LaneOutcome<T, A> {
  readonly answers: ReadonlyMap<T, A | Error>
  /** How many tasks, unanswered, have to go through again because rows were missing. */
  readonly unread: number
  /** Those that only wait for another one of their batch, which is answered: it costs them no attempt. */
  readonly deferred: ReadonlySet<T>
  readonly locked: ReadonlySet<string>
  readonly changed: ReadonlySet<string>
  /** Nothing where the database was not asked for it. */
  readonly databaseMs: number | undefined
  readonly readMs: number
  readonly decideMs: number
  readonly commitMs: number
}

export interface LaneOptions<T extends LaneTask, A extends object, O extends LaneOutcome<T, A>> {
  readonly connect: () => Promise<PipelinedConnection>
  /** One transaction for many tasks. Answers may be given only because it returned. */
  readonly runBatch: (
    tasks: readonly T[],
    connection: PipelinedConnection,
    definitionsOf: (orgId: string) => Definitions,
    expectedMs: number,
  ) => Promise<O>
  readonly observe: (outcome: O, size: number) => void
  readonly batchSize: BatchSize
  readonly maxWaiting: number
  /** How long a caller may wait for its turn. */
  readonly deadlineMs: number
  readonly memory: Memory
  readonly metrics: LaneMetrics
  readonly log: Log
  readonly expectedMs: () => number
  readonly learnTime: (databaseMs: number) => void
  /** Holds that may or may not have been made, and that nobody will use. */
  readonly releaseLater: (orgId: string, holdId: string) => void
}

/**
 * A line of requests in front of one connection. While a transaction is on its way the next requests gather, and then go
 * together, so the batch is as large as the load; each organization always stands in the same lane of a process.
 */
export class Lane<T extends LaneTask, A extends object, O extends LaneOutcome<T, A>> {
  private readonly options: LaneOptions<T, A, O>
  private readonly queue: FairQueue<T, A>
  /** Organizations that another process held: each goes alone next, and waits for its lock. */
  private readonly alone = new Set<string>()
  /** Parts of a batch that failed as a whole. */
  private readonly halves: (readonly Waiting<T, A>[])[] = []
  private connection: PipelinedConnection | undefined
  private running: Promise<void> | undefined
  private closed = false
  /** How long a batch takes, lately. */
  private batchMs = 0

  constructor(options: LaneOptions<T, A, O>) {
    this.options = options
    this.queue = new FairQueue(options.batchSize)
  }

  submit(task: T): Promise<A & { readonly timing: Timing }> {
    if (this.closed || this.isFull()) {
      this.options.metrics.turnedAway.inc()
      return Promise.reject(unavailable('Too many decisions are waiting. Retry with backoff.'))
    }
    return new Promise((resolve, reject) => {
      this.queue.add({ task, enqueuedMs: performance.now(), attempts: 0, resolve, reject })
      this.wake()
    })
  }

  /** Whoever would wait longer than it may is told at the door. */
  private isFull() {
    const { size, weight } = this.queue
    const { maxWaiting, batchSize, deadlineMs } = this.options
    return size >= maxWaiting || Math.floor(weight / batchSize.most) * this.batchMs > deadlineMs
  }

  private wake() {
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (this.hasWork()) this.wake()
    })
  }

  private hasWork() {
    return this.queue.size > 0 || this.halves.length > 0
  }

  private async run() {
    // One turn of the event loop, so that requests which arrive together travel together.
    await new Promise(setImmediate)
    while (this.hasWork()) {
      const taken = (this.halves.shift() ?? this.nextBatch()).filter((waiting) => this.isWorthwhile(waiting))
      const { batch, definitions } = this.withDefinitions(taken)
      if (batch.length > 0) await this.carryOut(batch, definitions)
    }
  }

  private nextBatch() {
    const [orgId] = this.alone
    if (orgId !== undefined) this.alone.delete(orgId)
    return this.queue.take(orgId)
  }

  private isWorthwhile(waiting: Waiting<T, A>) {
    const isLate = performance.now() - waiting.enqueuedMs > this.options.deadlineMs || waiting.attempts >= maxAttempts
    if (!isLate && waiting.task.isAbandoned?.() !== true) return true
    waiting.reject(unavailable())
    return false
  }

  /** An organization whose limits are not in memory waits aside while they are read; the others go on. */
  private withDefinitions(taken: readonly Waiting<T, A>[]) {
    const { memory } = this.options
    const batch: Waiting<T, A>[] = []
    const definitions = new Map<string, Definitions>()
    for (const [orgId, own] of Map.groupBy(taken, ({ task }) => task.orgId)) {
      const known = memory.known(orgId)
      if (known) {
        definitions.set(orgId, known)
        batch.push(...own)
        continue
      }
      void this.recall(orgId, own)
    }
    return { batch, definitions }
  }

  private async recall(orgId: string, own: readonly Waiting<T, A>[]) {
    try {
      await this.options.memory.recall(orgId)
      this.queue.putBack(own)
      this.wake()
    } catch (error) {
      for (const { reject } of own) reject(error)
    }
  }

  private async carryOut(batch: readonly Waiting<T, A>[], definitions: ReadonlyMap<string, Definitions>) {
    for (const waiting of batch) waiting.attempts++
    const startedMs = performance.now()
    const { runBatch, observe, expectedMs, learnTime } = this.options
    let outcome: O
    try {
      this.connection ??= await this.options.connect()
      const tasks = batch.map(({ task }) => task)
      outcome = await runBatch(tasks, this.connection, (orgId) => definitions.get(orgId)!, expectedMs())
    } catch (error) {
      return this.fail(batch, error)
    }
    if (outcome.databaseMs !== undefined) learnTime(outcome.databaseMs)
    this.deliver(batch, outcome, startedMs)
    observe(outcome, batch.length)
    this.batchMs = this.batchMs * 0.8 + (performance.now() - startedMs) * 0.2
  }

  private deliver(batch: readonly Waiting<T, A>[], outcome: O, startedMs: number) {
    const { memory, metrics, log } = this.options
    for (const orgId of outcome.changed) memory.forget(orgId)
    for (const orgId of outcome.locked) this.alone.add(orgId)
    const again: Waiting<T, A>[] = []
    for (const waiting of batch) {
      const answer = outcome.answers.get(waiting.task)
      if (answer === undefined) {
        if (outcome.deferred.has(waiting.task)) waiting.attempts--
        again.push(waiting)
      } else if (answer instanceof Error) {
        if (!(answer instanceof ApiError))
          log.error({ error: answer, org_id: waiting.task.orgId }, 'books cannot be decided on')
        waiting.reject(answer)
      } else {
        const { readMs, decideMs, commitMs } = outcome
        const waitMs = startedMs - waiting.enqueuedMs
        metrics.wait.observe(waitMs / 1_000)
        waiting.resolve({ ...answer, timing: { waitMs, readMs, decideMs, commitMs } })
      }
    }
    this.queue.putBack(again)
  }

  /** After any error the connection is not used again: what it still owes is unknown. */
  private async fail(batch: readonly Waiting<T, A>[], error: unknown) {
    const { log, metrics, releaseLater } = this.options
    this.connection?.destroy()
    this.connection = undefined
    const { code = '' } = error as { code?: string }
    metrics.failures.inc({ reason: error instanceof UnknownOutcome ? 'unknown' : code === '' ? 'connection' : code })
    if (error instanceof UnknownOutcome) {
      log.warn({ error }, 'the outcome of a batch is unknown')
      for (const { task, reject } of batch) {
        // A keyed retry finds out by itself; what nobody will ask for again must not stay held.
        if (task.makesHold !== undefined && !task.idempotency && task.isFoundAgain !== true)
          releaseLater(task.orgId, task.makesHold)
        reject(unavailable())
      }
    } else if (lacksPartition(error)) {
      log.error({ error }, 'there is no partition to write to')
      for (const { reject } of batch) reject(unavailable())
    } else if (isPoison(code)) this.isolate(batch, error)
    else {
      if (!isRace(code)) {
        log.warn({ error }, 'a batch was not carried out')
        await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
      this.queue.putBack(batch)
    }
  }

  /** One request that PostgreSQL cannot take must not fail the others: halves, until the guilty one is alone. */
  private isolate(batch: readonly Waiting<T, A>[], error: unknown) {
    if (batch.length === 1) return batch[0]!.reject(error)
    const middle = Math.ceil(batch.length / 2)
    this.halves.push(batch.slice(0, middle), batch.slice(middle))
    for (const waiting of batch) waiting.attempts--
  }

  async close() {
    this.closed = true
    while (this.running) await this.running
    this.connection?.destroy()
  }
}

const unavailable = (message?: string) =>
  new ApiError('service_unavailable', {}, message === undefined ? {} : { message })

/** What was asked cannot be stored: the same would fail again. */
const isPoison = (code: string) => /^(22|23)/.test(code) || code === 'WE001'

/** Somebody else was faster: the same can succeed at once. */
const isRace = (code: string) => ['40001', '40P01', '55P03'].includes(code)

const lacksPartition = (error: unknown) => (error as { routine?: string }).routine === 'ExecFindPartition'
