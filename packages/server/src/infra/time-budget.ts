export interface BudgetLimits {
  /** What an organization that has used nothing for a while may use at once. */
  readonly burstMs: number
  /** What it gets back each second, up to the burst. */
  readonly msPerSecond: number
}

interface Account {
  /** Below 0 where more was used than there was: what something costs is known when it is over. */
  leftMs: number
  atMs: number
}

const maxAccounts = 10_000

/** Time that organizations may use, given back at a steady rate. Charged afterwards. */
export class TimeBudget {
  private readonly accounts = new Map<string, Account>()
  private readonly limits: BudgetLimits

  constructor(limits: BudgetLimits) {
    this.limits = limits
  }

  /** How long until the organization has anything left; 0 where it has. */
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
    // The one that has not been looked at for longest is forgotten first: it has most likely got everything back.
    this.accounts.delete(orgId)
    if (this.accounts.size >= maxAccounts) this.accounts.delete(this.accounts.keys().next().value!)
    this.accounts.set(orgId, account)
    return account
  }
}
