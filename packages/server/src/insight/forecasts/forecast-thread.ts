import { Worker } from 'node:worker_threads'
import { ApiError } from '../../contract/errors.ts'
import { present } from '../../values/present.ts'
import type { ForecastTask } from './task.ts'

interface QueuedForecast {
  readonly orgId: string
  readonly task: ForecastTask
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (error: Error) => void
}

export interface ThreadLimits {
  readonly maxWaiting: number
  readonly maxWaitingPerOrg: number
  readonly taskMs: number
  readonly program: URL
}

const defaultLimits: ThreadLimits = {
  maxWaiting: 16,
  maxWaitingPerOrg: 4,
  taskMs: 10_000,
  program: new URL('./thread.ts', import.meta.url),
}
/** Several times what the largest response takes; without a limit V8 would grow until the machine is out of memory. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const unavailable = (message: string) => new ApiError('service_unavailable', {}, { message })

/**
 * A worker thread for forecasts, so that no request waits for computation. It runs one task at a time; a task that exceeds its
 * time limit is terminated with its thread, and the next task starts a new one.
 */
export class ForecastThread {
  private readonly waiting: QueuedForecast[] = []
  private readonly limits: ThreadLimits
  private thread: Worker | undefined
  private current: QueuedForecast | undefined
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits }
  }

  run(orgId: string, task: ForecastTask): Promise<Buffer> {
    const ofOrg = [this.current, ...this.waiting].filter((one) => one?.orgId === orgId).length
    if (this.isClosed) return Promise.reject(unavailable('The server is shutting down. Retry the request.'))
    if (this.waiting.length >= this.limits.maxWaiting || ofOrg >= this.limits.maxWaitingPerOrg)
      return Promise.reject(unavailable('Too many forecasts are waiting. Retry later.'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ orgId, task, resolve, reject })
      this.next()
    })
  }

  private next() {
    if (this.current || this.waiting.length === 0) return
    this.current = present(this.waiting.shift())
    this.timer = setTimeout(() => this.abort(unavailable('The forecast took too long.')), this.limits.taskMs)
    this.thread ??= this.start()
    this.thread.ref()
    this.thread.postMessage(this.current.task, [])
  }

  private start(): Worker {
    const thread = new Worker(this.limits.program, { resourceLimits })
    const isOurs = () => this.thread === thread
    thread.on('message', ({ bytes, failed }: { bytes?: Uint8Array; failed?: string }) => {
      if (!isOurs()) return
      if (bytes) this.finish((one) => one.resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
      else this.finish((one) => one.reject(new Error(`a forecast failed: ${failed}`)))
    })
    thread.on('error', (error) => isOurs() && this.abort(new Error('the forecast thread exited', { cause: error })))
    thread.on('exit', () => isOurs() && this.abort(new Error('the forecast thread exited')))
    return thread
  }

  private finish(settle: (one: QueuedForecast) => void) {
    clearTimeout(this.timer)
    const one = this.current
    this.current = undefined
    // Between tasks, the thread does not keep the process alive.
    this.thread?.unref()
    if (one) settle(one)
    this.next()
  }

  private abort(error: Error) {
    const { thread } = this
    this.thread = undefined
    void thread?.terminate()
    this.finish((one) => one.reject(error))
  }

  async close() {
    this.isClosed = true
    for (const one of this.waiting.splice(0)) one.reject(unavailable('The server is shutting down. Retry the request.'))
    const { thread } = this
    this.abort(unavailable('The server is shutting down. Retry the request.'))
    await thread?.terminate()
  }
}
