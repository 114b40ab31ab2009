import type { BackTest } from './back-test.ts'
import type { FittedMethod } from './fitted-methods.ts'
import type { HalfWidths } from './past-errors.ts'
import type { ForecastMethod } from './series.ts'

export interface Forecast {
  readonly method: ForecastMethod['method'] | FittedMethod | 'none'
  /** The expected value of each day ahead; empty when there is no forecast. */
  readonly mean: Float64Array
  readonly halfWidths: HalfWidths
  /** The number of latest days that the method was trained on. */
  readonly trainedDays: number
  readonly test: BackTest | null
  readonly confidence: Confidence
  readonly reasons: readonly string[]
}

export type Confidence = 'high' | 'medium' | 'low'
