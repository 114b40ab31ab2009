import type { Step } from './calendar.ts'
import type { FedLimit } from './limits.ts'
import type { Dimension, SeriesRow } from './queries.ts'
import type { Formula, Scenario } from './scenarios.ts'

/** Everything that an answer is made from: plain data, because another thread makes it. */
export interface Task {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly by: Dimension | null
  readonly horizon: number
  readonly step: Step
  readonly timezone: string
  /** The local date of now; the first day that is forecast. */
  readonly today: string
  readonly nowMs: number
  readonly trainingDays: number
  readonly series: readonly SeriesRow[]
  readonly limits: readonly FedLimit[]
  readonly scenarios: readonly { readonly scenario: Scenario; readonly formula: Formula }[]
  readonly format: 'json' | 'svg'
}
