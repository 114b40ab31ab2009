import type { Step } from './calendar.ts'
import type { FedLimit } from './limits.ts'
import type { Dimension, SeriesRow } from './queries.ts'
import type { Formula, Scenario } from './scenarios.ts'

/** The inputs of a forecast: plain data, because another thread computes it. */
export interface Task {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly by: Dimension | null
  readonly horizon: number
  readonly step: Step
  readonly timezone: string
  /** The local date, which is the first forecast day. */
  readonly today: string
  readonly nowMs: number
  readonly trainingDays: number
  readonly series: readonly SeriesRow[]
  readonly limits: readonly FedLimit[]
  readonly scenarios: readonly { readonly scenario: Scenario; readonly formula: Formula }[]
  readonly format: 'json' | 'svg'
}
