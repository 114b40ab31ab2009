const periodMs = 1_000

/** Recently active organizations: each stays listed for one to two periods after its last request. */
export class RecentOrgs {
  private current = new Set<string>()
  private previous = new Set<string>()
  private readonly timer = setInterval(() => this.turn(), periodMs).unref()

  add(orgId: string) {
    this.current.add(orgId)
  }

  get hasSeveral() {
    if (this.current.size > 1 || this.previous.size > 1) return true
    const [current] = this.current
    const [previous] = this.previous
    return current !== undefined && previous !== undefined && current !== previous
  }

  close() {
    clearInterval(this.timer)
  }

  private turn() {
    this.previous = this.current
    this.current = new Set()
  }
}
