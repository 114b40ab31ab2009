import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

/** The end of a process: first it says that it will go, then it finishes what it has, then it goes. */
export interface Lifecycle {
  readonly isDraining: () => boolean
  /** Resolves when the process is asked to stop. */
  readonly stopRequested: Promise<string>
  readonly drain: (seconds: number) => Promise<void>
}

/** Of an API that whoever started it also ends: no signal is heard, nothing drains. */
export const unendingLifecycle: Lifecycle = {
  isDraining: () => false,
  stopRequested: new Promise(() => undefined),
  drain: () => Promise.resolve(),
}

export function createLifecycle(log: Log): Lifecycle {
  let draining = false
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  return {
    isDraining: () => draining,
    stopRequested: promise,
    drain: async (seconds) => {
      draining = true
      log.info({ seconds }, 'draining')
      await sleep(seconds * 1_000)
    },
  }
}

/** Ends the process when an orderly stop takes longer than it may. */
export function stopWithin(seconds: number, log: Log) {
  setTimeout(() => {
    log.error({ seconds }, 'the orderly stop took too long')
    process.exit(1)
  }, seconds * 1_000).unref()
}
