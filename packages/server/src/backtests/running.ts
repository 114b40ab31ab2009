import { setTimeout as sleep } from 'node:timers/promises'
import { envelope } from '../contract/envelope.ts'
import { ApiError } from '../contract/errors.ts'
import type { Log } from '../infra/log.ts'
import { outageOf } from '../infra/outage.ts'
import type { Progress } from './progress.ts'
import type { BacktestView } from './schema.ts'

const maxAtOnce = 2
const maxMinutes = 10
const lineEveryMs = 500

/** Whoever asked has left: nobody is answered any more. */
export class CallerLeft extends Error {}

/** The place of one test among those that a process works on. */
export interface Place {
  readonly signal: AbortSignal
  /** Ends the work at once. */
  readonly stop: () => void
  readonly leave: () => void
}

/** The tests that this process works on: few, because each of them keeps it busy. */
export class RunningTests {
  private readonly byOrg = new Map<string, AbortController>()

  enter(orgId: string): Place {
    if (this.byOrg.has(orgId)) throw busy('A back-test of this organization is running. Retry when it is done.')
    if (this.byOrg.size >= maxAtOnce) throw busy('As many back-tests are running as can. Retry later.')
    const controller = new AbortController()
    this.byOrg.set(orgId, controller)
    // However costly its rules: others wait for its place.
    const tooLong = busy(`The back-test took more than ${maxMinutes} minutes. Ask for a shorter window.`)
    const timer = setTimeout(() => controller.abort(tooLong), maxMinutes * 60_000).unref()
    return {
      signal: controller.signal,
      stop: () => controller.abort(new CallerLeft()),
      leave: () => {
        clearTimeout(timer)
        this.byOrg.delete(orgId)
      },
    }
  }

  /** The process ends, and waits for no test. */
  stopAll() {
    for (const controller of this.byOrg.values()) controller.abort(busy('The process is stopping. Retry.'))
  }
}

const busy = (message: string) => new ApiError('service_unavailable', {}, { message })

const line = (value: object) => `${JSON.stringify(value)}\n`

/** A test as lines: how far it is, and in the end what came of it. The head is sent with the first line. */
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

/** What is told of a failure after the head was sent. */
export const failureOf = (log: Log, traceId: string) => (thrown: unknown) => {
  if (thrown instanceof ApiError) return thrown
  const error = new ApiError(outageOf(thrown) ? 'service_unavailable' : 'internal', {}, { cause: thrown })
  if (!(thrown instanceof CallerLeft)) log.error({ trace_id: traceId, error: thrown }, 'a back-test failed')
  return error
}
