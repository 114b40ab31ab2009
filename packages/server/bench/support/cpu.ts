import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second for everybody. */
const microsPerTick = 10_000

function ticks(pid: number, fields: readonly number[]) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold spaces and brackets; numbers follow the last of them.
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.reduce((sum, field) => sum + Number(values[field]), 0)
  } catch {
    return 0
  }
}

const [user, system, endedUser, endedSystem] = [11, 12, 13, 14] as const

/** Processor time that a process has used. */
export const cpuMicrosOf = (pid: number) => ticks(pid, [user, system]) * microsPerTick

/** The same of a process and all its children, past ones included. */
export function cpuMicrosOfFamily(pid: number) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const own = ticks(pid, [user, system, endedUser, endedSystem])
  return children.reduce((sum, child) => sum + ticks(Number(child), [user, system]), own) * microsPerTick
}
