import type { Step } from './calendar.ts'
import type { CountedLimit } from './limits.ts'
import type { SeriesRow, UsageDimension } from './queries.ts'
import type { Formula, Scenario } from './scenarios/scenarios.ts'

/** The inputs of a forecast: plain data, because another thread computes it. */
export interface ForecastTask {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly by: UsageDimension | null
  readonly horizon: number
  readonly step: Step
  readonly timezone: string
  /** The local date, which is the first forecast day. */
  readonly today: string
  readonly nowMs: number
  readonly trainingDays: number
  readonly series: readonly SeriesRow[]
  readonly limits: readonly CountedLimit[]
  readonly scenarios: readonly { readonly scenario: Scenario; readonly formula: Formula }[]
  readonly format: 'json' | 'svg'
}
