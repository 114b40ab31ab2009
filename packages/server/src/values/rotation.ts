/** The id before all others. */
const first = '00000000-0000-0000-0000-000000000000'

/** Goes round ids in their order, so that each gets its turn however many there are. */
export class Rotation {
  #last = first

  /** Returns the next ids, `most` of them at most, each once. `find` returns those after an id, in their order. */
  async next(find: (after: string, most: number) => Promise<readonly string[]>, most: number): Promise<string[]> {
    const start = this.#last
    const found = [...(await find(start, most))]
    if (found.length < most && start !== first) {
      const rest = await find(first, most - found.length)
      found.push(...rest.filter((id) => id <= start))
    }
    this.#last = found.at(-1) ?? first
    return found
  }
}
