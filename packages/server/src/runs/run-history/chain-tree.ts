import { elementAt } from '../../values/present.ts'

/** A run as a node of its chain's tree. */
export interface TreeRun {
  readonly id: string
  readonly parentId: string | undefined
  /** Depth as it was decided; a run that was only reported may have none. */
  readonly depth: number | null
  readonly costNano: bigint
}

export interface Placed<T> {
  readonly run: T
  readonly depth: number
  /** The cost of the run and of everything below it. */
  readonly subtreeNano: bigint
}

/**
 * Returns a tree in drawing order: each run, then its children, in the order in which they are given. A run whose parent is not
 * among them is treated as a root; so is one of several runs that name each other as parents.
 */
export function inTreeOrder<T extends TreeRun>(runs: readonly T[]): Placed<T>[] {
  const known = new Set(runs.map(({ id }) => id))
  const children = Map.groupBy(runs, ({ parentId }) => parentId)
  const isRoot = ({ parentId }: T) => parentId === undefined || !known.has(parentId)
  const placed: { run: T; depth: number; subtreeNano: bigint; above: number | undefined }[] = []
  const seen = new Set<string>()
  for (const root of [...runs.filter(isRoot), ...runs]) {
    // A stack instead of recursion: a chain may be as deep as it has runs.
    const stack: { run: T; above: number | undefined }[] = [{ run: root, above: undefined }]
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { run, above } = next
      if (seen.has(run.id)) continue
      seen.add(run.id)
      const depth = run.depth ?? (above === undefined ? 1 : elementAt(placed, above).depth + 1)
      const place = placed.push({ run, depth, subtreeNano: run.costNano, above }) - 1
      for (const child of (children.get(run.id) ?? []).toReversed()) stack.push({ run: child, above: place })
    }
  }
  // Children come after their parents, so from the end each sum is complete before it is added to the one above.
  for (const { above, subtreeNano } of placed.toReversed())
    if (above !== undefined) elementAt(placed, above).subtreeNano += subtreeNano
  return placed
}
