/** Source of the current time for caps, sunsets, leases and expiry, injected so that a test can control it. */
export interface Clock {
  readonly now: () => Date
}

export const systemClock: Clock = Object.freeze({ now: () => new Date() })
