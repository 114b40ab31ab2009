import { Lru } from '../../values/lru.ts'

const maxKnown = 50_000

/** Short-lived cache of ids that no key has: a repeated one costs no further query. Bounded; the one that was presented longest ago is evicted first. */
export interface UnknownKeys {
  readonly has: (id: string, nowMs: number) => boolean
  readonly add: (id: string, nowMs: number) => void
  readonly clear: () => void
}

export function createUnknownKeyCache(forMs: number): UnknownKeys {
  const until = new Lru<string, number>(maxKnown)
  return {
    has: (id, nowMs) => {
      const end = until.get(id)
      if (end === undefined) return false
      if (nowMs < end) return true
      until.delete(id)
      return false
    },
    add: (id, nowMs) => {
      until.set(id, nowMs + forMs)
    },
    clear: () => until.clear(),
  }
}
