import type { TimeWindow } from '../../contract/lists.ts'

type Part = 'runs' | 'refusals'

/** The progress of a test. It is measured by time, in parts weighted by the row counts that the database estimates. */
export class Progress {
  private considered = 0
  private expected: number | null = null
  private fromMs = 0
  private spanMs = 1
  private shareOfRuns = 1
  private readonly fractions: Record<Part, number> = { runs: 0, refusals: 0 }

  begin({ from, to }: TimeWindow, [runs, refusals]: readonly [runs: number, refusals: number]) {
    this.expected = runs + refusals
    this.fromMs = from.getTime()
    this.spanMs = to.getTime() - this.fromMs
    this.shareOfRuns = runs / Math.max(1, runs + refusals)
  }

  advance(part: Part, rows: number, atMs: number) {
    this.considered += rows
    this.fractions[part] = Math.min(1, Math.max(0, (atMs - this.fromMs) / this.spanMs))
    if (part === 'refusals') this.fractions.runs = 1
  }

  end() {
    this.fractions.runs = this.fractions.refusals = 1
  }

  view() {
    const { runs, refusals } = this.fractions
    const fraction = runs * this.shareOfRuns + refusals * (1 - this.shareOfRuns)
    return {
      considered: this.considered,
      // More rows than estimated have been read: the actual count is the better estimate.
      total_estimate: this.expected === null ? null : Math.max(this.expected, this.considered),
      fraction: Math.round(fraction * 1_000) / 1_000,
    }
  }
}
