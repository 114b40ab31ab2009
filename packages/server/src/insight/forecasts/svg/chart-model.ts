import type { ChartUnit } from '../../../platform/drawing/values.ts'

/** One point of a forecast with its three intervals, as the chart needs it. */
export interface ChartPoint {
  readonly atMs: number
  readonly mean: number
  readonly p50: readonly [number, number]
  readonly p80: readonly [number, number]
  readonly p95: readonly [number, number]
}

/** The content of a forecast chart: plain numbers in the unit of the axis. */
export interface ForecastChart {
  readonly title: string
  readonly unit: ChartUnit
  readonly timezone: string
  readonly history: readonly { readonly atMs: number; readonly value: number }[]
  readonly forecast: readonly ChartPoint[]
  readonly scenarios: readonly {
    readonly name: string
    readonly points: readonly { readonly atMs: number; readonly value: number }[]
  }[]
  readonly limits: readonly {
    readonly name: string
    /** The amount per step of a limit whose period is one step; null for other limits. */
    readonly perStep: number | null
    readonly exhaustedAtMs: number | null
    readonly earliestMs: number | null
    readonly latestMs: number | null
  }[]
  readonly confidence: 'high' | 'medium' | 'low'
}
