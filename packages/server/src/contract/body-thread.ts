import { deserialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { FairSlots, NoSlot } from '../platform/infra/fair-slots.ts'
import { errorCode } from '../values/thrown.ts'
import { ApiError, type FieldFault } from './errors.ts'
import type { JsonBounds } from './json-bounds.ts'
import type { BodySource } from './routes.ts'
import { unreadable } from './unreadable-body.ts'
import { assembleValue, type Piece } from './value-pieces.ts'

export interface BodyTask {
  readonly bytes: Uint8Array
  readonly bounds: JsonBounds
  /** Route template, which names the schema that the body is validated against. */
  readonly route: string
  /** Reader of a body that is not JSON. */
  readonly source: BodySource | undefined
}

export type BodyTaskResult =
  | { readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly faults: readonly FieldFault[] }
  | { readonly tooLarge: string }
  | { readonly failed: string }

export type ThreadSchemas = Record<string, { readonly schema: object; readonly judgesText: boolean }>

interface Running {
  readonly resolve: (result: BodyTaskResult) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

interface Limits {
  readonly maxWaitingPerOrg: number
  readonly maxWaitMs: number
  readonly taskMs: number
}
const defaultLimits: Limits = { maxWaitingPerOrg: 32, maxWaitMs: 10_000, taskMs: 10_000 }

/** Limits several times what the largest body needs; otherwise V8 would grow until the machine is full. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

const unavailable = (message: string) => new ApiError('service_unavailable', {}, { message })
const stopping = () => unavailable('The process is stopping. Retry.')

/**
 * A thread that parses and validates large bodies, so that no other request waits for them. Organizations are served in turn; a
 * body that takes too long is abandoned together with its thread, and the next one gets a new thread.
 */
export class BodyThread {
  private readonly slots: FairSlots
  private readonly limits: Limits
  private readonly schemas: ThreadSchemas
  private thread: Worker | undefined
  private current: Running | undefined
  private isClosed = false

  constructor(schemas: ThreadSchemas, limits: Partial<Limits> = {}) {
    this.schemas = schemas
    this.limits = { ...defaultLimits, ...limits }
    this.slots = new FairSlots({ total: 1, perOrg: () => 1, ...this.limits })
  }

  /** Returns the value, or the faults that `unreadable` wraps. The bytes are transferred to the thread. */
  async read(orgId: string, task: BodyTask): Promise<unknown> {
    try {
      await this.slots.enter(orgId)
    } catch (error) {
      if (error instanceof NoSlot) throw unavailable('Too many large request bodies are queued. Retry with backoff.')
      throw error
    }
    let result: BodyTaskResult
    try {
      result = await this.run(task)
    } finally {
      this.slots.leave(orgId)
    }
    if ('faults' in result) return unreadable(...result.faults)
    if ('tooLarge' in result) throw new ApiError('payload_too_large', {}, { message: result.tooLarge })
    if ('failed' in result) throw new Error(`a body could not be read: ${result.failed}`)
    return assembleValue(result.pieces, (piece) => deserialize(piece) as Piece)
  }

  /** Runs one task; the caller holds the only slot. */
  private run(task: BodyTask): Promise<BodyTaskResult> {
    if (this.isClosed) return Promise.reject(stopping())
    const thread = (this.thread ??= this.start())
    thread.ref()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.giveUp(thread, unavailable('Reading the body took too long.')),
        this.limits.taskMs,
      )
      this.current = { resolve, reject, timer }
      thread.postMessage(task, [task.bytes.buffer as ArrayBuffer])
    })
  }

  private start(): Worker {
    const thread = new Worker(new URL('./body-thread-program.ts', import.meta.url), {
      workerData: this.schemas,
      resourceLimits,
    })
    thread.on('message', (result: BodyTaskResult) => {
      if (this.thread !== thread) return
      // An idle thread does not keep the process alive.
      thread.unref()
      this.settle(({ resolve }) => resolve(result))
    })
    thread.on('error', (error) => this.giveUp(thread, causeOf(error)))
    thread.on('exit', () => this.giveUp(thread, stopping()))
    return thread
  }

  private giveUp(thread: Worker, error: Error) {
    if (this.thread !== thread) return
    this.thread = undefined
    void thread.terminate()
    this.settle(({ reject }) => reject(error))
  }

  private settle(act: (task: Running) => void) {
    const task = this.current
    if (!task) return
    this.current = undefined
    clearTimeout(task.timer)
    act(task)
  }

  async close() {
    this.isClosed = true
    const { thread } = this
    if (thread) this.giveUp(thread, stopping())
    await thread?.terminate()
  }
}

/** Classifies the end of the thread: memory is bounded, so a body that needs more than any valid one is too large. */
const causeOf = (error: Error) =>
  errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ApiError('payload_too_large', {}, { message: 'The body is too complex to parse.' })
    : new Error('the thread that reads bodies ended', { cause: error })
