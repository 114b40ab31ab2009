import { Lru } from '../../values/lru.ts'

/**
 * In-memory version of `take-windows.lua`, for the time that Redis does not answer. The number of windows is bounded; the least
 * recently used is evicted first.
 */

export interface WindowTake {
  readonly key: string
  readonly limit: number
  readonly cost: number
  readonly windowMs: number
  /** Number of buckets of a sliding window; none makes it a fixed window. */
  readonly slices: number
}

export interface WindowCount {
  readonly used: number
  /** Time until some of the used amount becomes available again. */
  readonly resetMs: number
  /** Time until the cost would be admitted; 0 when it is. */
  readonly waitMs: number
}

interface Ring {
  readonly buckets: Float64Array
  latest: number
  oldest: number
  sum: number
}

export interface LocalWindows {
  readonly take: (takes: readonly WindowTake[], nowMs: number) => { admitted: boolean; counts: WindowCount[] }
  readonly size: () => number
}

export function createLocalWindows(maxWindows: number): LocalWindows {
  const rings = new Lru<string, Ring>(maxWindows)

  function ringOf({ key, slices }: WindowTake, now: number): Ring {
    const found = rings.get(key)
    const usable = found?.buckets.length === slices + 1 && found.latest - now <= slices + 1 ? found : undefined
    const ring = usable ?? { buckets: new Float64Array(slices + 1), latest: now, oldest: now, sum: 0 }
    rings.set(key, ring)
    return ring
  }

  function peek(take: WindowTake, nowMs: number) {
    const { limit, cost, windowMs, slices } = take
    const perWindow = Math.max(slices, 1)
    const ring = ringOf(take, Math.floor((nowMs * perWindow) / windowMs))
    advance(ring, Math.floor((nowMs * perWindow) / windowMs))
    const size = ring.buckets.length
    const expiresInMs = (index: number) => Math.ceil(((index + size) * windowMs) / perWindow) - nowMs
    let waitMs = 0
    if (cost > limit) waitMs = windowMs
    else if (ring.sum + cost > limit) {
      let left = ring.sum
      let index = ring.oldest
      while (left + cost > limit) left -= ring.buckets[index++ % size]!
      waitMs = Math.max(expiresInMs(index - 1), 1)
    }
    return { ring, waitMs, expiresInMs }
  }

  return {
    size: () => rings.size,
    take: (takes, nowMs) => {
      const peeked = takes.map((take) => peek(take, nowMs))
      const admitted = peeked.every(({ waitMs }) => waitMs === 0)
      const counts = peeked.map(({ ring, waitMs, expiresInMs }, n) => {
        if (admitted) {
          ring.buckets[ring.latest % ring.buckets.length]! += takes[n]!.cost
          ring.sum += takes[n]!.cost
        }
        return { used: ring.sum, resetMs: ring.sum > 0 ? Math.max(expiresInMs(ring.oldest), 0) : 0, waitMs }
      })
      return { admitted, counts }
    },
  }
}

function advance(ring: Ring, now: number) {
  if (now <= ring.latest) return
  const { buckets } = ring
  const slices = buckets.length - 1
  if (now - ring.latest > slices) {
    buckets.fill(0)
    ring.sum = 0
    ring.oldest = now
  } else {
    for (; ring.oldest < now - slices; ring.oldest++) {
      ring.sum -= buckets[ring.oldest % buckets.length]!
      buckets[ring.oldest % buckets.length] = 0
    }
    while (ring.oldest < now && buckets[ring.oldest % buckets.length] === 0) ring.oldest++
  }
  ring.latest = now
}
