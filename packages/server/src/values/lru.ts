/**
 * A map of bounded size. When it is full, the entry that was used longest ago makes room for the new one, so that reaching the
 * limit costs one entry and not all of them.
 */
export class Lru<K, V> {
  private readonly stored = new Map<K, V>()
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  get size() {
    return this.stored.size
  }

  get(key: K): V | undefined {
    const value = this.stored.get(key)
    if (value === undefined) return undefined
    this.stored.delete(key)
    this.stored.set(key, value)
    return value
  }

  has(key: K): boolean {
    return this.get(key) !== undefined
  }

  set(key: K, value: V) {
    this.stored.delete(key)
    if (this.stored.size >= this.max) this.evict()
    this.stored.set(key, value)
  }

  delete(key: K) {
    this.stored.delete(key)
  }

  clear() {
    this.stored.clear()
  }

  /** Lists the entries, those used longest ago first. Listing is no use of them. */
  entries(): IterableIterator<[K, V]> {
    return this.stored.entries()
  }

  private evict() {
    for (const oldest of this.stored.keys()) {
      this.stored.delete(oldest)
      return
    }
  }
}
