import { Lru } from '../../values/lru.ts'

export interface BudgetLimits {
  /** Maximum balance: the time that an idle organization may use at once. */
  readonly burstMs: number
  /** Refill rate, up to the burst. */
  readonly msPerSecond: number
}

interface Account {
  /** Balance; negative after an overdraft, since a cost is known only afterwards. */
  leftMs: number
  atMs: number
}

const maxAccounts = 10_000

/** Token bucket of time per organization, refilled at a steady rate and charged afterwards. */
export class TimeBudget {
  private readonly accounts = new Lru<string, Account>(maxAccounts)
  private readonly limits: BudgetLimits

  constructor(limits: BudgetLimits) {
    this.limits = limits
  }

  /** Returns the time until the organization has a positive balance; 0 when it has one. */
  waitMs(orgId: string, nowMs: number): number {
    const { leftMs } = this.at(orgId, nowMs)
    return leftMs > 0 ? 0 : Math.ceil(((1 - leftMs) * 1_000) / this.limits.msPerSecond)
  }

  spend(orgId: string, ms: number, nowMs: number) {
    this.at(orgId, nowMs).leftMs -= ms
  }

  private at(orgId: string, nowMs: number): Account {
    const { burstMs, msPerSecond } = this.limits
    const account = this.accounts.get(orgId) ?? { leftMs: burstMs, atMs: nowMs }
    const passedMs = Math.max(0, nowMs - account.atMs)
    account.leftMs = Math.min(burstMs, account.leftMs + (passedMs * msPerSecond) / 1_000)
    account.atMs = nowMs
    // The least recently used account is evicted first: it has most likely refilled.
    this.accounts.set(orgId, account)
    return account
  }
}
