/** A longer pause between two pieces of an answer may hide what is not shown. */
const longestPauseMs = 200

/** The time in which an answer shows what is generated. What is hidden was generated in the rest of its time. */
export class ShownTime {
  pieces = 0
  #firstMs = 0
  #lastMs = 0
  #shownMs = 0

  /** Counts one piece that was shown. */
  see(atMs: number) {
    if (this.pieces === 0) this.#firstMs = atMs
    else if (atMs - this.#lastMs <= longestPauseMs) this.#shownMs += atMs - this.#lastMs
    this.#lastMs = atMs
    this.pieces += 1
  }

  /** Seconds without the pauses. */
  get seconds(): number {
    return this.#shownMs / 1_000
  }

  /** Seconds from the first piece to the last. */
  get spanSeconds(): number {
    return (this.#lastMs - this.#firstMs) / 1_000
  }
}
