import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../test/support/random.ts'
import type { Cluster } from '../storm/cluster.ts'
import type { Member } from '../storm/faults.ts'
import { leaseSeconds } from './installation.ts'

/** How long it takes from one fault to the next, at least and at most. */
export interface Pace {
  readonly killMs: readonly [number, number]
  readonly pauseMs: readonly [number, number]
  readonly crashMs: readonly [number, number]
}

export interface Fault {
  readonly what: 'kill' | 'stop' | 'crash'
  readonly atMs: number
}

export interface WeatherReport {
  readonly faults: Fault[]
  /** When a worker that had stopped past its lease went on, each. */
  readonly resumedMs: number[]
}

/** Workers killed, workers stopped for longer than their lease, PostgreSQL crashed: each at its own random pace until it is over. */
export async function weatherOver(
  { cluster, workers }: { cluster: Cluster; workers: readonly Member[] },
  { killMs, pauseMs, crashMs }: Pace,
  random: Random,
  isOver: () => boolean,
): Promise<WeatherReport> {
  const report: WeatherReport = { faults: [], resumedMs: [] }
  const note = (what: Fault['what']) => void report.faults.push({ what, atMs: Date.now() })
  const paused = new Set<Member>()
  const revivals = new Set<Promise<void>>()
  const victims = () => workers.filter((worker) => worker.serves && !paused.has(worker))

  async function every([least, most]: readonly [number, number], work: () => Promise<void> | void) {
    for (;;) {
      const untilMs = performance.now() + random.between(least, most)
      while (performance.now() < untilMs && !isOver()) await sleep(50)
      if (isOver()) return
      await work()
    }
  }
  await Promise.all([
    every(killMs, () => {
      const all = victims()
      if (all.length === 0) return
      note('kill')
      const revival = random
        .pick(all)
        .kill()
        .finally(() => revivals.delete(revival))
      revivals.add(revival)
    }),
    every(pauseMs, async () => {
      const all = victims()
      if (all.length === 0) return
      const victim = random.pick(all)
      paused.add(victim)
      const resume = await victim.pause()
      note('stop')
      await sleep((leaseSeconds + 2) * 1_000)
      resume()
      report.resumedMs.push(Date.now())
      paused.delete(victim)
    }),
    every(crashMs, async () => {
      note('crash')
      await cluster.crash()
    }),
  ])
  await Promise.all(revivals)
  return report
}
