import { readFileSync } from 'node:fs'

/** A look at the machine: time that others took from it. */
interface Look {
  readonly steal: number
  readonly total: number
  /** Microseconds in which something waited for a processor. */
  readonly pressure: number
  readonly atMs: number
}

function look(): Look {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .split('\n')[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return {
    steal,
    total: user + nice + system + idle + wait + irq + soft + steal,
    pressure: pressure(),
    atMs: performance.now(),
  }
}

function pressure(): number {
  try {
    return Number(/some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Watches how much of the machine was somebody else's; call the result to hear of it. */
export function watchMachine(): () => string {
  const before = look()
  return () => {
    const after = look()
    const stolen = (100 * (after.steal - before.steal)) / Math.max(1, after.total - before.total)
    const waited = (after.pressure - before.pressure) / 10 / Math.max(1, after.atMs - before.atMs)
    return `CPU steal ${stolen.toFixed(1)} %, pressure ${waited.toFixed(0)} %`
  }
}
