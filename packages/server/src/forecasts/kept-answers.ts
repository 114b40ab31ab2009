/**
 * A cache of responses by query. An entry is valid until its inputs change; the least recently used go first when the cache
 * exceeds its size.
 */
export class KeptAnswers {
  private readonly answers = new Map<string, { readonly madeFrom: string; readonly answer: Promise<Buffer> }>()
  private readonly sizes = new Map<string, number>()
  private readonly maxBytes: number
  private bytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Returns the cached response or computes it. Concurrent equal queries share one computation. */
  async get(asked: string, madeFrom: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.answers.get(asked)
    if (known?.madeFrom === madeFrom) {
      this.answers.delete(asked)
      this.answers.set(asked, known)
      return known.answer
    }
    this.forget(asked)
    const entry = { madeFrom, answer: make() }
    this.answers.set(asked, entry)
    try {
      const answer = await entry.answer
      if (this.answers.get(asked) === entry) this.keep(asked, answer.byteLength)
      return answer
    } catch (error) {
      if (this.answers.get(asked) === entry) this.forget(asked)
      throw error
    }
  }

  /** The number of cached bytes. */
  get size(): number {
    return this.bytes
  }

  private keep(asked: string, size: number) {
    this.sizes.set(asked, size)
    this.bytes += size
    for (const oldest of this.answers.keys()) {
      if (this.bytes <= this.maxBytes) return
      if (this.sizes.has(oldest)) this.forget(oldest)
    }
  }

  private forget(asked: string) {
    this.bytes -= this.sizes.get(asked) ?? 0
    this.sizes.delete(asked)
    this.answers.delete(asked)
  }
}
