/** A run as a node of its chain's tree. */
export interface TreeRun {
  readonly id: string
  readonly parentId: string | undefined
  /** As it was decided; a run that was only reported may have none. */
  readonly depth: number | null
  readonly costNano: bigint
}

export interface Placed<T> {
  readonly run: T
  readonly depth: number
  /** What the run and all below it cost. */
  readonly subtreeNano: bigint
}

/**
 * A tree in the order in which it is drawn: each run, then what it began, in the order in which they are given. A run whose
 * parent is not among them stands like a root; so does one of runs that claim to have begun each other.
 */
export function inTreeOrder<T extends TreeRun>(runs: readonly T[]): Placed<T>[] {
  const known = new Set(runs.map(({ id }) => id))
  const children = Map.groupBy(runs, ({ parentId }) => parentId)
  const isRoot = ({ parentId }: T) => parentId === undefined || !known.has(parentId)
  const placed: { run: T; depth: number; subtreeNano: bigint; above: number | undefined }[] = []
  const seen = new Set<string>()
  for (const root of [...runs.filter(isRoot), ...runs]) {
    // A stack and no recursion: a chain may be as deep as it has runs.
    const stack: { run: T; above: number | undefined }[] = [{ run: root, above: undefined }]
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { run, above } = next
      if (seen.has(run.id)) continue
      seen.add(run.id)
      const depth = run.depth ?? (above === undefined ? 1 : placed[above]!.depth + 1)
      const place = placed.push({ run, depth, subtreeNano: run.costNano, above }) - 1
      for (const child of (children.get(run.id) ?? []).toReversed()) stack.push({ run: child, above: place })
    }
  }
  // What stands below comes after, so from the end on every sum is complete before it is added to the one above.
  for (const { above, subtreeNano } of placed.toReversed())
    if (above !== undefined) placed[above]!.subtreeNano += subtreeNano
  return placed
}
