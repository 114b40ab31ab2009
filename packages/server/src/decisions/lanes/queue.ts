import type { LaneTask, Timed, WaitingCaller } from './operations.ts'

/** A task in a lane, with the callbacks of the caller that waits for it. */
export interface QueuedTask<T extends LaneTask, A> {
  readonly task: T
  readonly caller?: WaitingCaller | undefined
  readonly enqueuedMs: number
  attempts: number
  /** True when its run key was being claimed by another transaction at the last attempt. */
  wasBusy?: boolean
  readonly resolve: (result: Timed<A>) => void
  readonly reject: (error: unknown) => void
}

/** The largest batch, and the share of one organization in it while others wait, in tasks and in work. */
export interface BatchSize {
  readonly tasks: number
  readonly tasksOfOneOrg: number
  readonly work: number
  readonly workOfOneOrg: number
}

interface Entry<T extends LaneTask, A> {
  readonly waiting: QueuedTask<T, A>
  readonly work: number
}

/** The waiting tasks of one organization, and the work it may use in its next turn beyond its usual share. */
interface OrgQueue<T extends LaneTask, A> {
  readonly entries: Entry<T, A>[]
  work: number
  credit: number
}

/**
 * A queue of tasks by organization, taken in turns of equal work (deficit round robin): while others wait, a turn is worth one
 * share, and an organization whose next task needs more saves shares up until they cover it. So an organization that asks for
 * much waits itself, and does not delay the others.
 */
export class FairQueue<T extends LaneTask, A> {
  private readonly lines = new Map<string, OrgQueue<T, A>>()
  private readonly limits: BatchSize
  private readonly workOf: (task: T) => number
  private count = 0
  private total = 0

  constructor(limits: BatchSize, workOf: (task: T) => number) {
    this.limits = limits
    this.workOf = workOf
  }

  get size() {
    return this.count
  }

  sizeOf(orgId: string): number {
    return this.lines.get(orgId)?.entries.length ?? 0
  }

  /** Returns the number of whole batches before a task that this organization would add now. */
  batchesBefore(orgId: string): number {
    const { tasks, work, tasksOfOneOrg, workOfOneOrg } = this.limits
    const own = this.lines.get(orgId)
    const others = this.lines.size - (own ? 1 : 0)
    if (others === 0) return own ? Math.floor(Math.max(own.entries.length / tasks, own.work / work)) : 0
    const round = Math.min(
      Math.max(this.count / tasks, this.total / work),
      (this.lines.size * workOfOneOrg) / work,
      (this.lines.size * tasksOfOneOrg) / tasks,
    )
    const turns = own ? Math.floor(Math.max(own.entries.length / tasksOfOneOrg, own.work / workOfOneOrg)) : 0
    return Math.floor(turns * Math.max(round, 1) + round)
  }

  add(waiting: QueuedTask<T, A>) {
    this.lineOf(waiting.task.orgId).entries.push(this.entryFor(waiting))
  }

  /** Puts tasks back to the front, in their order. */
  putBack(all: readonly QueuedTask<T, A>[]) {
    for (const [orgId, own] of Map.groupBy(all, ({ task }) => task.orgId))
      this.lineOf(orgId).entries.unshift(...own.map((waiting) => this.entryFor(waiting)))
  }

  /** Returns the next batch, or that of one organization. A task is never split, however much work it is. */
  take(only?: string): QueuedTask<T, A>[] {
    const batch: QueuedTask<T, A>[] = []
    const capacity = { tasks: this.limits.tasks, work: this.limits.work }
    const alone = only ?? (this.lines.size === 1 ? this.lines.keys().next().value : undefined)
    if (alone !== undefined) {
      const line = this.lines.get(alone)
      if (line) this.move(alone, line, Math.max(1, countFitting(line.entries, capacity)), capacity, batch)
      return batch
    }
    // Where no organization's savings cover its next task, each saves another share.
    while (batch.length === 0 && this.lines.size > 0) this.takeTurns(capacity, batch)
    return batch
  }

  /** Returns the next batch of the organization whose turn it is, and of no other. */
  takeOne(): QueuedTask<T, A>[] {
    const [orgId] = this.lines.keys()
    return orgId === undefined ? [] : this.take(orgId)
  }

  private takeTurns(capacity: Capacity, batch: QueuedTask<T, A>[]) {
    const { tasksOfOneOrg, workOfOneOrg } = this.limits
    for (const [orgId, line] of Array.from(this.lines)) {
      if (capacity.tasks <= 0 || capacity.work <= 0) return
      const next = line.entries[0]!.work
      const credit = line.credit + workOfOneOrg
      const share = { tasks: Math.min(tasksOfOneOrg, capacity.tasks), work: Math.min(credit, capacity.work) }
      const isCovered = next <= credit
      const count = countFitting(line.entries, share)
      // A task larger than any batch is a batch of its own.
      const isLarge = count === 0 && isCovered && batch.length === 0
      line.credit = credit
      if (count > 0 || isLarge) this.move(orgId, line, Math.max(1, count), capacity, batch)
      else if (!isCovered) this.rotate(orgId, line)
      // Savings are for the task at the head of the line, not a reserve for several turns.
      line.credit = Math.min(line.credit, line.entries[0]?.work ?? 0)
    }
  }

  /** Moves the first tasks of an organization into a batch. */
  private move(orgId: string, line: OrgQueue<T, A>, count: number, capacity: Capacity, batch: QueuedTask<T, A>[]) {
    for (const { waiting, work } of line.entries.splice(0, count)) {
      batch.push(waiting)
      this.count--
      this.total -= work
      line.work -= work
      line.credit -= work
      capacity.tasks--
      capacity.work -= work
    }
    this.rotate(orgId, line)
  }

  /** Moves an organization that has had its turn to the end of the line. */
  private rotate(orgId: string, line: OrgQueue<T, A>) {
    this.lines.delete(orgId)
    if (line.entries.length > 0) this.lines.set(orgId, line)
  }

  private lineOf(orgId: string): OrgQueue<T, A> {
    const known = this.lines.get(orgId)
    if (known) return known
    const line = { entries: [], work: 0, credit: 0 }
    this.lines.set(orgId, line)
    return line
  }

  private entryFor(waiting: QueuedTask<T, A>): Entry<T, A> {
    const work = this.workOf(waiting.task)
    this.count++
    this.total += work
    this.lineOf(waiting.task.orgId).work += work
    return { waiting, work }
  }
}

/** Tasks and work that still fit. */
interface Capacity {
  tasks: number
  work: number
}

/** Returns how many of the first tasks fit. */
function countFitting(entries: readonly { readonly work: number }[], { tasks, work }: Capacity): number {
  let left = work
  const beyond = entries.slice(0, tasks).findIndex((entry) => (left -= entry.work) < 0)
  return beyond === -1 ? Math.min(entries.length, tasks) : beyond
}
