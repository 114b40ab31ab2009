import type pg from 'pg'
import type { Platform } from '../../src/platform/infra/platform.ts'
import type { BenchPostgres } from '../support/postgres.ts'
import { percentiles, type Round } from '../support/report.ts'
import type { BenchOrg } from '../support/server.ts'
import { median } from '../support/statistics.ts'

/** What a part of the benchmark is given. */
export interface RunsBench {
  readonly postgres: BenchPostgres
  readonly platform: Platform
  /** The owner of the schema. */
  readonly owner: pg.Client
  readonly org: BenchOrg
  readonly smoke: boolean
}

/** How much slower the slowest of one side are, at most so much; a smoke run judges nothing. */
export function slowerBy(a: readonly Round[], b: readonly Round[], { bar, smoke }: { bar: number; smoke: boolean }) {
  const ratios = a.map(({ p99 }, i) => p99! / b[i]!.p99!)
  if (!smoke && median(ratios) > bar) process.exitCode = 1
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  return `p99 ratio ${median(ratios).toFixed(2)} (${least}–${most}, bar at most ${bar})`
}

/** How long each of some pieces of work takes, one after the other. */
export async function timed<T>(pieces: readonly T[], work: (piece: T) => Promise<void>): Promise<Round> {
  const times: number[] = []
  const started = performance.now()
  for (const piece of pieces) {
    const before = performance.now()
    await work(piece)
    times.push(performance.now() - before)
  }
  return { rate: (1000 * pieces.length) / (performance.now() - started), ...percentiles(times) }
}
