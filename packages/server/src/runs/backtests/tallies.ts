import { formatUsd } from '../../values/money.ts'

/** The counters of a team, model or rule. */
export interface Tally {
  refused: number
  failed: number
  savedNano: bigint
}

const maxKeys = 10_000
const maxListed = 50

export const newTally = (): Tally => ({ refused: 0, failed: 0, savedNano: 0n })

export function addTo(tally: Tally, { refused, failed, savedNano }: Tally) {
  tally.refused += refused
  tally.failed += failed
  tally.savedNano += savedNano
}

export const tallyView = ({ refused, failed, savedNano }: Tally) => ({
  refused,
  failed,
  saved_usd: formatUsd(savedNano),
})

export interface Ranked<K> {
  readonly largest: readonly (readonly [K, Tally])[]
  readonly other: Tally
  readonly isExact: boolean
}

/**
 * Ranks any number of keys in bounded memory: a fixed number is counted individually and exactly; further keys are summed as
 * others, and the result is marked as inexact.
 */
export class Ranking<K> {
  private readonly tallies = new Map<K, Tally>()
  private readonly overflow = newTally()
  private readonly max: number

  constructor(max = maxKeys) {
    this.max = max
  }

  add(key: K, tally: Tally) {
    let own = this.tallies.get(key)
    if (!own && this.tallies.size < this.max) this.tallies.set(key, (own = newTally()))
    addTo(own ?? this.overflow, tally)
  }

  ranked(most = maxListed): Ranked<K> {
    const all = [...this.tallies].sort(([, a], [, b]) => bySavings(a, b))
    const other = { ...this.overflow }
    for (const [, tally] of all.slice(most)) addTo(other, tally)
    const isExact = this.overflow.refused + this.overflow.failed === 0
    return { largest: all.slice(0, most), other, isExact }
  }
}

const bySavings = (a: Tally, b: Tally) =>
  a.savedNano === b.savedNano ? b.refused - a.refused || b.failed - a.failed : a.savedNano < b.savedNano ? 1 : -1

/** Keeps the largest few of any number of items. */
export class Largest<T> {
  private readonly kept: { readonly size: bigint; readonly item: T }[] = []
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Adds an item, created only if it is among the largest so far. */
  offer(size: bigint, make: () => T) {
    const least = this.kept.at(-1)
    if (this.kept.length === this.most && least!.size >= size) return
    const place = this.kept.findIndex((other) => other.size < size)
    this.kept.splice(place < 0 ? this.kept.length : place, 0, { size, item: make() })
    if (this.kept.length > this.most) this.kept.pop()
  }

  items = (): T[] => this.kept.map(({ item }) => item)
}
