import type { Window } from '../contract/lists.ts'

type Part = 'runs' | 'refusals'

/** How far a test has come. By time, which is known, in parts that are as large as the database expects them to be. */
export class Progress {
  private considered = 0
  private expected: number | null = null
  private fromMs = 0
  private spanMs = 1
  private shareOfRuns = 1
  private readonly walked: Record<Part, number> = { runs: 0, refusals: 0 }

  begin({ from, to }: Window, [runs, refusals]: readonly [runs: number, refusals: number]) {
    this.expected = runs + refusals
    this.fromMs = from.getTime()
    this.spanMs = to.getTime() - this.fromMs
    this.shareOfRuns = runs / Math.max(1, runs + refusals)
  }

  passed(part: Part, rows: number, atMs: number) {
    this.considered += rows
    this.walked[part] = Math.min(1, Math.max(0, (atMs - this.fromMs) / this.spanMs))
    if (part === 'refusals') this.walked.runs = 1
  }

  end() {
    this.walked.runs = this.walked.refusals = 1
  }

  view() {
    const { runs, refusals } = this.walked
    const fraction = runs * this.shareOfRuns + refusals * (1 - this.shareOfRuns)
    return {
      considered: this.considered,
      // Who has seen more than was expected knows better.
      total_estimate: this.expected === null ? null : Math.max(this.expected, this.considered),
      fraction: Math.round(fraction * 1_000) / 1_000,
    }
  }
}
