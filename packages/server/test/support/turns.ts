import { setImmediate } from 'node:timers/promises'

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

/** The best of three: a collection of garbage is not the work's. What is good enough at once is not tried again. */
export async function leastTurnMs(work: () => Promise<unknown>, goodEnoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && least > goodEnoughMs; i++) least = Math.min(least, await longestTurnMs(work))
  return least
}
