interface Entry<V> {
  readonly value: V
  /** True when it was used since it was last looked at for eviction. */
  isUsed: boolean
}

/**
 * A map of bounded size. When it is full, the oldest entry that has not been used since it was last passed over makes room for the
 * new one (second chance), so that reaching the limit costs one entry and not all of them, and a hit costs no more than a look-up.
 */
export class Lru<K, V> {
  private readonly stored = new Map<K, Entry<V>>()
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  get size() {
    return this.stored.size
  }

  get(key: K): V | undefined {
    const entry = this.stored.get(key)
    if (entry === undefined) return undefined
    entry.isUsed = true
    return entry.value
  }

  has(key: K): boolean {
    return this.get(key) !== undefined
  }

  set(key: K, value: V) {
    this.stored.delete(key)
    if (this.stored.size >= this.max) this.evict()
    this.stored.set(key, { value, isUsed: false })
  }

  delete(key: K) {
    this.stored.delete(key)
  }

  clear() {
    this.stored.clear()
  }

  /** Lists the entries, the next to make room first. Listing is no use of them. */
  *entries(): Generator<[K, V]> {
    for (const [key, { value }] of this.stored) yield [key, value]
  }

  /** Gives up the first entry that was not used; those that were are spared once and go to the end. */
  private evict() {
    for (const [key, entry] of this.stored) {
      this.stored.delete(key)
      if (!entry.isUsed) return
      entry.isUsed = false
      this.stored.set(key, entry)
    }
  }
}
