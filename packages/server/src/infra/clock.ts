/** Time as an argument: caps, sunsets, leases and expiry all read it here, so a test can hold it. */
export interface Clock {
  readonly now: () => Date
}

export const systemClock: Clock = { now: () => new Date() }
