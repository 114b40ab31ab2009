import { setImmediate } from 'node:timers/promises'
import { currentPace } from './pace.ts'

/** The longest that this thread was busy without giving way to others, in CPU time: what else the machine does is not counted. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  const turns = { longest: 0, areOver: false }
  const watching = (async () => {
    let before = process.threadCpuUsage()
    while (!turns.areOver) {
      await setImmediate()
      const { user, system } = process.threadCpuUsage(before)
      turns.longest = Math.max(turns.longest, (user + system) / 1_000)
      before = process.threadCpuUsage()
    }
  })()
  await work()
  turns.areOver = true
  await watching
  return turns.longest
}

/**
 * The best of three, at the pace of a free core: a collection of garbage is not the work's, nor is a core that others share.
 * What is good enough at once is not tried again.
 */
export async function leastTurnMs(work: () => Promise<unknown>, goodEnoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && least > goodEnoughMs; i++) {
    const before = currentPace()
    const longest = await longestTurnMs(work)
    least = Math.min(least, longest / ((before + currentPace()) / 2))
  }
  return least
}
