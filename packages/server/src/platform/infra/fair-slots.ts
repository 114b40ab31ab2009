import { present } from '../../values/present.ts'

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
  private readonly usedByOrg = new Map<string, number>()
  private readonly queues = new Map<string, Set<Waiter>>()
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
  get orgCount() {
    return this.usedByOrg.size
  }

  /** Takes a slot if one is free and nobody of this organization is waiting. */
  tryEnter(orgId: string): boolean {
    if (this.queues.has(orgId) || !this.hasSlotFor(orgId)) return false
    this.take(orgId)
    return true
  }

  /** Takes a slot as soon as one is free; rejects with `NoSlot` on timeout or when the signal aborts. */
  enter(orgId: string, signal?: AbortSignal): Promise<void> {
    if (this.tryEnter(orgId)) return Promise.resolve()
    const line = this.queues.get(orgId) ?? new Set()
    if (line.size >= this.limits.maxWaitingPerOrg) return Promise.reject(new NoSlot('the queue is full'))
    this.queues.set(orgId, line)
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
    const left = present(this.usedByOrg.get(orgId)) - 1
    if (left > 0) this.usedByOrg.set(orgId, left)
    else this.usedByOrg.delete(orgId)
    this.taken--
    this.admitNext()
  }

  private hasSlotFor = (orgId: string) =>
    this.taken < this.limits.total && (this.usedByOrg.get(orgId) ?? 0) < this.limits.perOrg()

  private take(orgId: string) {
    this.taken++
    this.usedByOrg.set(orgId, (this.usedByOrg.get(orgId) ?? 0) + 1)
  }

  private admitNext() {
    for (const [orgId, line] of this.queues) {
      if (this.taken >= this.limits.total) return
      if (!this.hasSlotFor(orgId)) continue
      const [waiter] = line
      this.remove(orgId, waiter!)
      // An organization that was served moves to the end.
      if (line.size > 0) {
        this.queues.delete(orgId)
        this.queues.set(orgId, line)
      }
      this.take(orgId)
      waiter!.admit()
    }
  }

  private remove(orgId: string, waiter: Waiter) {
    clearTimeout(waiter.timer)
    const line = present(this.queues.get(orgId))
    line.delete(waiter)
    this.waitingCount--
    if (line.size === 0) this.queues.delete(orgId)
  }
}
