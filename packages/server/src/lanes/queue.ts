import type { LaneTask, Timing } from './tasks.ts'

/** A task in a lane, and its caller who waits. */
export interface Waiting<T extends LaneTask, A> {
  readonly task: T
  readonly enqueuedMs: number
  attempts: number
  readonly resolve: (result: A & { readonly timing: Timing }) => void
  readonly reject: (error: unknown) => void
}

/** How much goes into one batch, and how much of it to one organization while others wait. */
export interface BatchSize {
  readonly most: number
  readonly mostOfOneOrg: number
}

/** Tasks by organization, taken in turns: one that asks for much waits for itself, not the others for it. */
export class FairQueue<T extends LaneTask, A> {
  private readonly byOrg = new Map<string, Waiting<T, A>[]>()
  private readonly limits: BatchSize
  private count = 0
  private total = 0

  constructor(limits: BatchSize) {
    this.limits = limits
  }

  get size() {
    return this.count
  }

  /** What all that wait are worth together. */
  get weight() {
    return this.total
  }

  add(waiting: Waiting<T, A>) {
    const own = this.byOrg.get(waiting.task.orgId)
    if (own) own.push(waiting)
    else this.byOrg.set(waiting.task.orgId, [waiting])
    this.count++
    this.total += weightOf(waiting)
  }

  /** Back to the front, in their order. */
  putBack(all: readonly Waiting<T, A>[]) {
    for (const [orgId, own] of Map.groupBy(all, ({ task }) => task.orgId)) {
      this.byOrg.set(orgId, [...own, ...(this.byOrg.get(orgId) ?? [])])
      this.count += own.length
      for (const waiting of own) this.total += weightOf(waiting)
    }
  }

  /** The next batch, or that of one organization. A task is never cut, however much it is worth. */
  take(only?: string): Waiting<T, A>[] {
    const batch: Waiting<T, A>[] = []
    const { most, mostOfOneOrg } = this.limits
    let room = most
    const turns = only === undefined ? [...this.byOrg] : [[only, this.byOrg.get(only) ?? []] as const]
    for (const [orgId, own] of turns) {
      if (room <= 0) break
      const fitting = fittingIn(own, Math.min(room, this.byOrg.size > 1 ? mostOfOneOrg : most), batch.length === 0)
      if (fitting.count === 0) continue
      batch.push(...own.slice(0, fitting.count))
      room -= fitting.weight
      this.total -= fitting.weight
      const rest = own.slice(fitting.count)
      // Whoever has had its turn goes to the end of the line.
      this.byOrg.delete(orgId)
      if (rest.length > 0) this.byOrg.set(orgId, rest)
    }
    this.count -= batch.length
    return batch
  }
}

const weightOf = ({ task }: Waiting<LaneTask, never>) => task.weight ?? 1

/** How many of the first tasks fit; the very first of a batch always does. */
function fittingIn(own: readonly Waiting<LaneTask, never>[], room: number, isFirst: boolean) {
  let count = 0
  let weight = 0
  for (const waiting of own) {
    const more = weightOf(waiting)
    if (weight + more > room && !(isFirst && count === 0)) break
    count++
    weight += more
  }
  return { count, weight }
}
