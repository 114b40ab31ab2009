/** Source of time. Only differences matter here, and what the journal says. */
export interface Clock {
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number
  readonly wallMs: () => number
}

export const systemClock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }
