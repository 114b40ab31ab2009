import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

/** Shutdown of a process: it announces the stop, finishes its work, then exits. */
export interface Lifecycle {
  readonly isDraining: () => boolean
  /** Resolves when the process is asked to stop. */
  readonly stopRequested: Promise<string>
  readonly drain: (seconds: number) => Promise<void>
}

/** Lifecycle of an API whose creator also closes it: no signal is handled and nothing drains. */
export const manualLifecycle: Lifecycle = {
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

/** Exits the process when an orderly stop exceeds its time limit. */
export function stopWithin(seconds: number, log: Log) {
  setTimeout(() => {
    log.error({ seconds }, 'the orderly stop took too long')
    process.exit(1)
  }, seconds * 1_000).unref()
}
