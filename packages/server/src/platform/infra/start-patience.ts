import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { isSilence } from './outage.ts'

const patienceMs = 60_000
const pauseMs = 500

/**
 * Repeats a step of a start while PostgreSQL is silent or starting up: a busy database must not end a process whose restart
 * would only add to its load. Any other failure, a refused connection among them, is thrown at once.
 */
export async function withStartPatience<T>(log: Log, step: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isSilence(error) || performance.now() > deadline) throw error
      log.warn({ error }, 'the database does not answer yet; trying again')
      await sleep(pauseMs)
    }
  }
}
