const maxKnown = 50_000

/** Short-lived cache of ids that no key has: a repeated one costs no further query. Bounded; the oldest is evicted first. */
export interface UnknownKeys {
  readonly has: (id: string, nowMs: number) => boolean
  readonly add: (id: string, nowMs: number) => void
  readonly clear: () => void
}

export function createUnknownKeyCache(forMs: number): UnknownKeys {
  const until = new Map<string, number>()
  return {
    has: (id, nowMs) => {
      const end = until.get(id)
      if (end === undefined) return false
      if (nowMs < end) return true
      until.delete(id)
      return false
    },
    add: (id, nowMs) => {
      until.delete(id)
      if (until.size >= maxKnown) until.delete(until.keys().next().value!)
      until.set(id, nowMs + forMs)
    },
    clear: () => until.clear(),
  }
}
