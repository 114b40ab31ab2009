export interface SlotLimits {
  /** Places in all. */
  readonly total: number
  /** Places that one organization may have at a time. */
  readonly perOrg: () => number
  /** How many of one organization may wait. */
  readonly maxWaitingPerOrg: number
  readonly maxWaitMs: number
}

/** Says that there is no place: the line is full, or took too long. */
export class NoSlot extends Error {}

interface Waiter {
  readonly admit: () => void
  readonly timer: NodeJS.Timeout
}

/**
 * A bounded number of places, with a bounded line of each organization for them. Organizations take turns, so one with a long line
 * waits for itself and nobody else waits for it.
 */
export class FairSlots {
  private readonly busy = new Map<string, number>()
  private readonly lines = new Map<string, Set<Waiter>>()
  private readonly limits: SlotLimits
  private taken = 0
  private waitingCount = 0

  constructor(limits: SlotLimits) {
    this.limits = limits
  }

  get inUse() {
    return this.taken
  }

  get waiting() {
    return this.waitingCount
  }

  /** How many organizations have a place now. */
  get organizations() {
    return this.busy.size
  }

  /** Takes a place where one is free and nobody of this organization waits for it. */
  tryEnter(orgId: string): boolean {
    if (this.lines.has(orgId) || !this.hasRoomFor(orgId)) return false
    this.take(orgId)
    return true
  }

  /** Takes a place as soon as there is one; rejects with `NoSlot` where that takes too long, and when the signal says so. */
  enter(orgId: string, signal?: AbortSignal): Promise<void> {
    if (this.tryEnter(orgId)) return Promise.resolve()
    const line = this.lines.get(orgId) ?? new Set()
    if (line.size >= this.limits.maxWaitingPerOrg) return Promise.reject(new NoSlot('the line is full'))
    this.lines.set(orgId, line)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.remove(orgId, waiter)
        reject(new NoSlot('it took too long'))
      }
      const waiter: Waiter = {
        admit: resolve,
        timer: setTimeout(giveUp, this.limits.maxWaitMs),
      }
      line.add(waiter)
      this.waitingCount++
      signal?.addEventListener('abort', () => line.has(waiter) && giveUp(), { once: true })
    })
  }

  leave(orgId: string) {
    const left = this.busy.get(orgId)! - 1
    if (left > 0) this.busy.set(orgId, left)
    else this.busy.delete(orgId)
    this.taken--
    this.admitNext()
  }

  private hasRoomFor = (orgId: string) =>
    this.taken < this.limits.total && (this.busy.get(orgId) ?? 0) < this.limits.perOrg()

  private take(orgId: string) {
    this.taken++
    this.busy.set(orgId, (this.busy.get(orgId) ?? 0) + 1)
  }

  private admitNext() {
    for (const [orgId, line] of this.lines) {
      if (this.taken >= this.limits.total) return
      if (!this.hasRoomFor(orgId)) continue
      const [waiter] = line
      this.remove(orgId, waiter!)
      // Whoever had its turn goes to the end of the line of organizations.
      if (line.size > 0) {
        this.lines.delete(orgId)
        this.lines.set(orgId, line)
      }
      this.take(orgId)
      waiter!.admit()
    }
  }

  private remove(orgId: string, waiter: Waiter) {
    clearTimeout(waiter.timer)
    const line = this.lines.get(orgId)!
    line.delete(waiter)
    this.waitingCount--
    if (line.size === 0) this.lines.delete(orgId)
  }
}
