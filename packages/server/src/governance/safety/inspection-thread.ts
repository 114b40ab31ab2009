import { Worker } from 'node:worker_threads'
import { ApiError } from '../../contract/errors.ts'
import { FairSlots, NoSlot } from '../../platform/infra/fair-slots.ts'
import { type Finding, type InspectionOptions, inspect, type SafetyCheck } from './inspection.ts'
import type { SafetyInput } from './schema.ts'
import type { SafetySettings } from './settings.ts'

/** A message to the thread: an inspection, or the end of one that nobody waits for any more. */
export type InspectionMessage =
  | {
      readonly id: number
      readonly settings: SafetySettings
      readonly input: SafetyInput
      readonly includeBelowThreshold: boolean
    }
  | { readonly id: number; readonly isCancelled: true }

export interface InspectionResult {
  readonly id: number
  readonly findings?: Finding[]
  readonly failed?: string
}

interface Running {
  readonly resolve: (findings: Finding[]) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

export interface InspectionLimits {
  readonly total: number
  readonly perOrg: number
  readonly maxWaitingPerOrg: number
  readonly maxWaitMs: number
  readonly taskMs: number
}
const defaultLimits: InspectionLimits = {
  total: 8,
  perOrg: 2,
  maxWaitingPerOrg: 32,
  maxWaitMs: 10_000,
  taskMs: 10_000,
}

/** Length in UTF-16 units up to which an input is inspected in the thread of requests: it takes a few turns there. */
const shortLength = 65_536

/** Several times what all inspections at a time need; without a limit V8 would grow until the machine is out of memory. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

const unavailable = (message: string) => new ApiError('service_unavailable', {}, { message })
const stopping = () => unavailable('The process is stopping. Retry.')

const lengthOf = (input: SafetyInput) =>
  typeof input === 'string' ? input.length : input.reduce((sum, part) => sum + part.length, 0)

/**
 * Inspects inputs, the long ones in a thread of their own, where several take turns of a few milliseconds. Every character is
 * inspected: an input for which there is no time is refused, and not admitted.
 */
export class Inspector {
  private readonly limits: InspectionLimits
  private readonly slots: FairSlots
  private readonly running = new Map<number, Running>()
  private thread: Worker | undefined
  private count = 0
  private isClosed = false

  constructor(limits: Partial<InspectionLimits> = {}) {
    const all = { ...defaultLimits, ...limits }
    this.limits = all
    this.slots = new FairSlots({ ...all, perOrg: () => all.perOrg })
  }

  async inspect(
    orgId: string,
    check: SafetyCheck,
    input: SafetyInput,
    options: Pick<InspectionOptions, 'includeBelowThreshold'> = {},
  ): Promise<Finding[]> {
    if (check.watches.length === 0) return []
    if (lengthOf(input) <= shortLength) return inspect(check, input, options)
    try {
      await this.slots.enter(orgId)
    } catch (error) {
      if (error instanceof NoSlot)
        throw unavailable('Too many long inputs are waiting for inspection. Retry with backoff.')
      throw error
    }
    try {
      return await this.run(check, input, options.includeBelowThreshold === true)
    } finally {
      this.slots.leave(orgId)
    }
  }

  private run({ settings }: SafetyCheck, input: SafetyInput, includeBelowThreshold: boolean): Promise<Finding[]> {
    if (this.isClosed) return Promise.reject(stopping())
    const thread = (this.thread ??= this.start())
    const id = this.count++
    // A thread without work does not keep the process alive.
    if (this.running.size === 0) thread.ref()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        thread.postMessage({ id, isCancelled: true } satisfies InspectionMessage, [])
        this.settle(id, (one) => one.reject(unavailable('Inspecting the input took too long. Send a shorter one.')))
      }, this.limits.taskMs)
      this.running.set(id, { resolve, reject, timer })
      thread.postMessage({ id, settings, input, includeBelowThreshold } satisfies InspectionMessage, [])
    })
  }

  private start(): Worker {
    const thread = new Worker(new URL('./inspection-thread-program.ts', import.meta.url), { resourceLimits })
    thread.on('message', ({ id, findings, failed }: InspectionResult) =>
      this.settle(id, (one) =>
        findings ? one.resolve(findings) : one.reject(new Error(`an inspection failed: ${failed}`)),
      ),
    )
    thread.on('error', (error) => this.abandon(thread, new Error('the thread of inspections ended', { cause: error })))
    thread.on('exit', () => this.abandon(thread, stopping()))
    return thread
  }

  private settle(id: number, act: (one: Running) => void) {
    const one = this.running.get(id)
    if (!one) return
    this.running.delete(id)
    clearTimeout(one.timer)
    if (this.running.size === 0) this.thread?.unref()
    act(one)
  }

  /** Fails all that the thread was inspecting; the next inspection starts a new one. */
  private abandon(thread: Worker, error: Error) {
    if (this.thread !== thread) return
    this.thread = undefined
    for (const id of this.running.keys()) this.settle(id, (one) => one.reject(error))
  }

  async close() {
    this.isClosed = true
    const { thread } = this
    if (thread) this.abandon(thread, stopping())
    await thread?.terminate()
  }
}
