export interface SlotLimits {
  /** Number of slots in total. */
  readonly total: number
  /** Number of slots that one organization may hold at a time. */
  readonly perOrg: () => number
  /** Number of waiters that one organization may have. */
  readonly maxWaitingPerOrg: number
  readonly maxWaitMs: number
}

/** Thrown when no slot is available: the queue is full, or the wait timed out. */
export class NoSlot extends Error {}

interface Waiter {
  readonly admit: () => void
  readonly timer: NodeJS.Timeout
}

/**
 * A bounded number of slots with a bounded queue per organization. Organizations are served in turn, so a long queue delays
 * only its own organization.
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

  /** Number of organizations that hold a slot. */
  get organizations() {
    return this.busy.size
  }

  /** Takes a slot if one is free and nobody of this organization is waiting. */
  tryEnter(orgId: string): boolean {
    if (this.lines.has(orgId) || !this.hasRoomFor(orgId)) return false
    this.take(orgId)
    return true
  }

  /** Takes a slot as soon as one is free; rejects with `NoSlot` on timeout or when the signal aborts. */
  enter(orgId: string, signal?: AbortSignal): Promise<void> {
    if (this.tryEnter(orgId)) return Promise.resolve()
    const line = this.lines.get(orgId) ?? new Set()
    if (line.size >= this.limits.maxWaitingPerOrg) return Promise.reject(new NoSlot('the queue is full'))
    this.lines.set(orgId, line)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.remove(orgId, waiter)
        reject(new NoSlot('the wait timed out'))
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
      // An organization that was served moves to the end.
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
