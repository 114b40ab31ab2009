/**
 * A cache of responses by query. An entry is valid until its inputs change; the least recently used go first when the cache
 * exceeds its size.
 */
export class ResponseCache {
  private readonly entries = new Map<string, { readonly madeFrom: string; readonly answer: Promise<Buffer> }>()
  private readonly sizes = new Map<string, number>()
  private readonly maxBytes: number
  private bytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Returns the cached response or computes it. Concurrent equal queries share one computation. */
  async get(asked: string, madeFrom: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.entries.get(asked)
    if (known?.madeFrom === madeFrom) {
      this.entries.delete(asked)
      this.entries.set(asked, known)
      return known.answer
    }
    this.evict(asked)
    const entry = { madeFrom, answer: make() }
    this.entries.set(asked, entry)
    try {
      const answer = await entry.answer
      if (this.entries.get(asked) === entry) this.store(asked, answer.byteLength)
      return answer
    } catch (error) {
      if (this.entries.get(asked) === entry) this.evict(asked)
      throw error
    }
  }

  /** The number of cached bytes. */
  get size(): number {
    return this.bytes
  }

  private store(asked: string, size: number) {
    this.sizes.set(asked, size)
    this.bytes += size
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.maxBytes) return
      if (this.sizes.has(oldest)) this.evict(oldest)
    }
  }

  private evict(asked: string) {
    this.bytes -= this.sizes.get(asked) ?? 0
    this.sizes.delete(asked)
    this.entries.delete(asked)
  }
}
