import type { Unit } from '../drawing/values.ts'

/** One point of a forecast with its three intervals, as the drawing needs it. */
export interface PicturePoint {
  readonly atMs: number
  readonly mean: number
  readonly p50: readonly [number, number]
  readonly p80: readonly [number, number]
  readonly p95: readonly [number, number]
}

/** What a drawing of one forecast shows: plain numbers, already in the unit of the axis. */
export interface Picture {
  readonly title: string
  readonly unit: Unit
  readonly timezone: string
  readonly history: readonly { readonly atMs: number; readonly value: number }[]
  readonly forecast: readonly PicturePoint[]
  readonly scenarios: readonly {
    readonly name: string
    readonly points: readonly { readonly atMs: number; readonly value: number }[]
  }[]
  readonly limits: readonly {
    readonly name: string
    /** The limit spread over one step, where the limit is one per step; null where it is not. */
    readonly perStep: number | null
    readonly exhaustedAtMs: number | null
    readonly earliestMs: number | null
    readonly latestMs: number | null
  }[]
  readonly confidence: 'high' | 'medium' | 'low'
}
