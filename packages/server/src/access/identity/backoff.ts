import { Lru } from '../../values/lru.ts'
import { addressBlock } from '../../values/network.ts'

/** Counts a failed verification of a presented token; returns whether there were too many. */
export type CountFailure = (source: string) => Promise<{ overLimit: boolean; retryAfterSeconds: number }>

const maxSources = 20_000

/**
 * Failed verifications by source: an address, or the /64 network of an IPv6 address, because one customer of a provider
 * controls all of it. A source over the limit is cached here until its time is up, without asking Redis.
 */
export interface Backoff {
  readonly isOver: (source: string) => boolean
  /** Records a failure; returns the seconds until the source may fail again, if it has failed too often. */
  readonly fail: (source: string) => Promise<number | undefined>
}

export const sourceOf = addressBlock

export function createBackoff(countFailure: CountFailure, nowMs: () => number): Backoff {
  const overUntil = new Lru<string, number>(maxSources)

  function leftMs(source: string): number {
    const until = overUntil.get(source)
    if (until === undefined) return 0
    const left = until - nowMs()
    if (left <= 0) overUntil.delete(source)
    return Math.max(0, left)
  }

  return {
    isOver: (source) => leftMs(source) > 0,
    fail: async (source) => {
      const left = leftMs(source)
      if (left > 0) return Math.ceil(left / 1_000)
      const { overLimit, retryAfterSeconds } = await countFailure(source)
      if (!overLimit) return undefined
      overUntil.set(source, nowMs() + retryAfterSeconds * 1_000)
      return retryAfterSeconds
    },
  }
}
