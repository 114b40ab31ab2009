import { Worker } from 'node:worker_threads'
import { FairSlots, NoSlot } from '../platform/infra/fair-slots.ts'
import { errorCode } from '../values/thrown.ts'
import { ApiError } from './errors.ts'

/** Several times what the largest file takes; without a limit V8 would grow until the machine is out of memory. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }
const taskMs = 20_000

const unavailable = (message: string) => new ApiError('service_unavailable', {}, { message })

/** A text can be made so that reading it takes hundreds of times its length. */
const faultOf = (error: unknown, { one }: TaskWords): Error =>
  errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ApiError('payload_too_large', {}, { message: `The ${one} has too many values to be read. Send fewer.` })
    : new Error(`a ${one} could not be read`, { cause: error })

/** Words for what a thread reads, such as `price list`. */
export interface TaskWords {
  readonly one: string
  readonly many: string
}

/** Reads files of callers outside the thread that decides: the largest take half a second. One at a time, organizations in turn. */
export class TaskThread<Task, Result> {
  private readonly slots = new FairSlots({ total: 1, perOrg: () => 1, maxWaitingPerOrg: 4, maxWaitMs: 10_000 })
  private readonly program: URL
  private readonly words: TaskWords
  private running: Worker | undefined

  constructor(program: URL, words: TaskWords) {
    this.program = program
    this.words = words
  }

  async run(orgId: string, task: Task): Promise<Result> {
    try {
      await this.slots.enter(orgId)
    } catch (error) {
      if (error instanceof NoSlot) throw unavailable(`Too many ${this.words.many} are being read. Retry with backoff.`)
      throw error
    }
    try {
      return await this.runThread(task)
    } finally {
      this.slots.leave(orgId)
    }
  }

  /** Runs a task in a thread of its own: files are rare, so none is kept. */
  private async runThread(task: Task): Promise<Result> {
    const thread = new Worker(this.program, { workerData: task, resourceLimits })
    this.running = thread
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(unavailable(`Reading the ${this.words.one} took too long.`)), taskMs)
    try {
      return await Promise.race([
        late.promise,
        new Promise<Result>((resolve, reject) => {
          thread.once('message', resolve)
          thread.once('error', (error) => reject(faultOf(error, this.words)))
          thread.once('exit', () => reject(unavailable('The server is shutting down. Retry the request.')))
        }),
      ])
    } finally {
      clearTimeout(timer)
      this.running = undefined
      await thread.terminate()
    }
  }

  async close() {
    await this.running?.terminate()
  }
}
