const maxExamples = 3

/** What is not carried over, or is different afterwards, each with how often and some examples. */
export class Notes {
  readonly #left = new Map<string, { count: number; examples: string[] }>()
  readonly #said = new Set<string>()

  /** Notes something that is left behind. */
  add(what: string, example?: string) {
    const note = this.#left.get(what) ?? { count: 0, examples: [] }
    note.count += 1
    if (example !== undefined && note.examples.length < maxExamples) note.examples.push(example)
    this.#left.set(what, note)
  }

  /** Notes a difference, once. */
  say(what: string) {
    this.#said.add(what)
  }

  get left(): { what: string; count: number; examples: readonly string[] }[] {
    return [...this.#left].map(([what, note]) => ({ what, ...note }))
  }

  get said(): string[] {
    return [...this.#said]
  }
}
