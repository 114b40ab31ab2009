import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../../values/present.ts'

/**
 * Batched lookups: however many are requested at once, few queries are in flight. None is refused; sources are served in turn,
 * so one that requests many waits behind those that request few.
 */
export interface Lookups<T> {
  /**
   * Finds one. It is shared with others that ask for the same id at the same version of what is read: whoever asks after a change
   * must not be answered from before it. Without a version it is shared with nobody.
   */
  readonly find: (id: string, source: string, version: bigint | undefined) => Promise<T | undefined>
}

export interface LookupOptions {
  /** Number of queries that may be in flight at once. */
  readonly queries: number
  readonly idsPerQuery: number
  /** Minimum time from the end of one query to the start of the next. */
  readonly pauseMs: number
}

interface PendingLookup<T> {
  readonly id: string
  readonly resolve: (found: T | undefined) => void
  readonly reject: (error: unknown) => void
}

export function createLookups<T>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  { queries, idsPerQuery, pauseMs }: LookupOptions,
): Lookups<T> {
  const waiting = new Map<string, PendingLookup<T>[]>()
  const underway = new Map<string, { readonly version: bigint | undefined; readonly found: Promise<T | undefined> }>()
  let running = 0

  /** Takes one lookup of each source in turn; sources served this time come last the next. */
  function takeRoundRobin(): PendingLookup<T>[] {
    const taken: PendingLookup<T>[] = []
    while (waiting.size > 0 && taken.length < idsPerQuery) {
      for (const [source, list] of [...waiting].slice(0, idsPerQuery - taken.length)) {
        taken.push(present(list.shift()))
        waiting.delete(source)
        if (list.length > 0) waiting.set(source, list)
      }
    }
    return taken
  }

  async function run(wanted: readonly PendingLookup<T>[]) {
    running++
    try {
      const found = await read(wanted.map(({ id }) => id))
      for (const { id, resolve } of wanted) resolve(found.get(id))
    } catch (error) {
      for (const { reject } of wanted) reject(error)
    }
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false })
    running--
    start()
  }

  function start() {
    while (running < queries && waiting.size > 0) void run(takeRoundRobin())
  }

  return {
    find: (id, source, version) => {
      const same = underway.get(id)
      if (same && version !== undefined && same.version === version) return same.found
      const { promise, resolve, reject } = Promise.withResolvers<T | undefined>()
      const found = promise.finally(() => {
        if (underway.get(id)?.found === found) underway.delete(id)
      })
      found.catch(() => undefined)
      underway.set(id, { version, found })
      const list = waiting.get(source)
      if (list) list.push({ id, resolve, reject })
      else waiting.set(source, [{ id, resolve, reject }])
      start()
      return found
    },
  }
}
