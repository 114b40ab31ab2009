import { isRetryable, isUnavailable, WeirError } from './errors.ts'

export interface LeaseOptions {
  readonly runId: string
  readonly leaseSeconds: number
  /** The time at which the lease began at the latest, by the clock of `performance`. */
  readonly sinceMs: number
  readonly extend: (signal: AbortSignal) => Promise<unknown>
  /** True where a call may go on whose lease ran out because Weir is away. */
  readonly mayLapse: boolean
}

const shortestPauseMs = 250

/** Keeps the lease of a run, from half of it on, until it is stopped. Its signal is aborted where the lease cannot be kept. */
export class Lease {
  readonly #loss = new AbortController()
  readonly #stop = new AbortController()
  readonly #options: LeaseOptions
  #endsAt: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#endsAt = options.sinceMs + options.leaseSeconds * 1_000
    this.#after(this.#endsAt - performance.now() - options.leaseSeconds * 500)
  }

  get signal(): AbortSignal {
    return this.#loss.signal
  }

  stop() {
    clearTimeout(this.#timer)
    this.#stop.abort()
  }

  #after(ms: number) {
    this.#timer = setTimeout(() => void this.#extend(), Math.max(0, ms))
  }

  async #extend() {
    const { leaseSeconds, extend } = this.#options
    const sentAt = performance.now()
    try {
      await extend(this.#stop.signal)
      this.#endsAt = sentAt + leaseSeconds * 1_000
      if (!this.#stop.signal.aborted) this.#after(leaseSeconds * 500)
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#afterFailure(error)
    }
  }

  #afterFailure(error: unknown) {
    const left = this.#endsAt - performance.now()
    const isAway = isUnavailable(error) || (error instanceof WeirError && isRetryable(error))
    if (!isAway) this.#lose('refused', error)
    else if (left > 0 || this.#options.mayLapse)
      this.#after(
        Math.max(
          shortestPauseMs,
          Math.min(left > 0 ? left : Number.POSITIVE_INFINITY, this.#options.leaseSeconds * 100),
        ),
      )
    else this.#lose('lapsed', error)
  }

  #lose(reason: 'refused' | 'lapsed', cause: unknown) {
    const { runId } = this.#options
    const why = reason === 'refused' ? 'Weir refused to extend it' : 'Weir could not be reached in time'
    this.#loss.abort(
      new WeirError({
        code: 'lease_lost',
        message: `The lease of ${runId} is lost: ${why}.`,
        details: { run_id: runId, reason },
        cause,
      }),
    )
  }
}
