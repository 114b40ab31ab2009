import { elementAt } from '../../../values/present.ts'
import type { ChartPoint } from './chart-model.ts'

/** The most points of a line: more than there are pixels only enlarge the file. */
export const maxPoints = 800

interface Point {
  readonly atMs: number
  readonly value: number
}

/** Splits points into runs of equal length. */
function runsOf<T>(points: readonly T[], count: number): T[][] {
  const size = Math.ceil(points.length / count)
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => points.slice(i * size, (i + 1) * size))
}

/** Downsamples points: keeps the lowest and the highest of each run, so that no peak is lost. */
export function downsample(points: readonly Point[]): readonly Point[] {
  if (points.length <= maxPoints) return points
  return runsOf(points, maxPoints / 2).flatMap((run) => {
    const low = run.reduce((a, b) => (b.value < a.value ? b : a))
    const high = run.reduce((a, b) => (b.value > a.value ? b : a))
    return low === high ? [low] : low.atMs < high.atMs ? [low, high] : [high, low]
  })
}

/** Downsamples a forecast: merges each run into one point whose intervals contain theirs. */
export function downsampleForecast(points: readonly ChartPoint[]): readonly ChartPoint[] {
  if (points.length <= maxPoints) return points
  return runsOf(points, maxPoints).map((run) => {
    const around = (interval: 'p50' | 'p80' | 'p95') =>
      [
        Math.min(...run.map((point) => point[interval][0])),
        Math.max(...run.map((point) => point[interval][1])),
      ] as const
    const mean = run.reduce((sum, point) => sum + point.mean, 0) / run.length
    return { atMs: elementAt(run, 0).atMs, mean, p50: around('p50'), p80: around('p80'), p95: around('p95') }
  })
}
