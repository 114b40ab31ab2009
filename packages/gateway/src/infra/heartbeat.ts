import { readFileSync, rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** The time between two beats. */
export const beatMs = 50

/** A heartbeat, as far as it came. */
export interface LastBeats {
  readonly lastMs: number
  readonly beforeMs: number
}

/** Milliseconds since the machine was started: the same clock for every thread and process of it. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Writes down, again and again, that this process lives: in a thread of its own, because a process that is about to be killed is often one that
 * does nothing else any more. By its last beat it is known when the process ended, and so for how long its providers went on.
 */
export class Heartbeat {
  readonly #worker: Worker
  private readonly path: string

  constructor(path: string) {
    this.path = path
    this.#worker = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), { workerData: path })
    this.#worker.on('error', () => undefined)
    this.#worker.unref()
  }

  async stop() {
    await this.#worker.terminate()
    rmSync(this.path, { force: true })
  }
}

/** Reads the heartbeat of a process that has ended; undefined where it had none. */
export function readBeats(path: string): LastBeats | undefined {
  try {
    const bytes = readFileSync(path)
    return { lastMs: bytes.readDoubleLE(0), beforeMs: bytes.readDoubleLE(8) }
  } catch {
    return undefined
  }
}

/** Returns the latest time at which a process can have ended: a thread that was late once can be as late again. */
export const endedBy = ({ lastMs, beforeMs }: LastBeats): number => lastMs + Math.max(2 * beatMs, lastMs - beforeMs)
