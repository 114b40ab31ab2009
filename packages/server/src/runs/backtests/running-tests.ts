import { setTimeout as sleep } from 'node:timers/promises'
import { envelope } from '../../contract/envelope.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Log } from '../../platform/infra/log.ts'
import { outageOf } from '../../platform/infra/outage.ts'
import type { Progress } from './progress.ts'
import type { BacktestView } from './schema.ts'

const maxAtOnce = 2
const maxMinutes = 10
const lineEveryMs = 500

/** Thrown when the caller has left, so that there is nobody to respond to. */
export class CallerDisconnected extends Error {}

/** The slot of one test among those that a process runs. */
export interface TestSlot {
  readonly signal: AbortSignal
  /** Aborts the test immediately. */
  readonly stop: () => void
  readonly release: () => void
}

/** The tests that this process runs: few, because each of them keeps it busy. */
export class RunningTests {
  private readonly byOrg = new Map<string, AbortController>()

  acquire(orgId: string): TestSlot {
    if (this.byOrg.has(orgId))
      throw unavailable('A back-test of this organization is already running. Retry when it has finished.')
    if (this.byOrg.size >= maxAtOnce) throw unavailable('Too many back-tests are running. Retry later.')
    const controller = new AbortController()
    this.byOrg.set(orgId, controller)
    // A time limit, however expensive its rules are: others wait for the slot.
    const tooLong = unavailable(`The back-test took more than ${maxMinutes} minutes. Request a shorter window.`)
    const timer = setTimeout(() => controller.abort(tooLong), maxMinutes * 60_000).unref()
    return {
      signal: controller.signal,
      stop: () => controller.abort(new CallerDisconnected()),
      release: () => {
        clearTimeout(timer)
        this.byOrg.delete(orgId)
      },
    }
  }

  /** Aborts all tests when the process stops. */
  stopAll() {
    for (const controller of this.byOrg.values())
      controller.abort(unavailable('The server is shutting down. Retry the request.'))
  }
}

const unavailable = (message: string) => new ApiError('service_unavailable', {}, { message })

const line = (value: object) => `${JSON.stringify(value)}\n`

/** Yields a test as lines: its progress, and finally its result. The response headers are sent with the first line. */
export async function* progressLines(
  result: Promise<BacktestView>,
  progress: Progress,
  failed: (error: unknown) => ApiError,
): AsyncGenerator<string, void, undefined> {
  const last = result.then(
    (view) => line({ type: 'result', ...view }),
    (error: unknown) => line({ type: 'error', ...(JSON.parse(envelope(failed(error))) as object) }),
  )
  for (;;) {
    yield line({ type: 'progress', ...progress.view() })
    const end = await Promise.race([last, sleep(lineEveryMs, undefined, { ref: false })])
    if (end === undefined) continue
    yield line({ type: 'progress', ...progress.view() })
    yield end
    return
  }
}

/** Converts a failure after the headers were sent into the error of the last line. */
export const backtestFailure = (log: Log, traceId: string) => (thrown: unknown) => {
  if (thrown instanceof ApiError) return thrown
  const error = new ApiError(outageOf(thrown) ? 'service_unavailable' : 'internal', {}, { cause: thrown })
  if (!(thrown instanceof CallerDisconnected)) log.error({ trace_id: traceId, error: thrown }, 'a back-test failed')
  return error
}
