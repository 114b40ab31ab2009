import { Worker } from 'node:worker_threads'
import type { Dialect } from '../dialects/dialect.ts'

export interface CountRequest {
  readonly id: number
  readonly dialect: Dialect['name']
  /** The text of a request; undefined where it is not wanted. */
  readonly input: string | undefined
  /** The events of its answer. */
  readonly events: Uint8Array
}

/** Tokens by a public vocabulary: not what a provider bills, but proportional to it. */
export interface Counts {
  readonly input: number | undefined
  readonly output: number
}

export interface CountAnswer extends Counts {
  readonly id: number
}

/** A counter of the tokens of requests and answers, in a thread of its own: a tokenizer would hold up every other call. */
export class TokenCounter {
  #worker: Worker | undefined
  #next = 0
  readonly #open = new Map<number, (counts: Counts | undefined) => void>()

  /** Counts the tokens of a request and of the text in the events of its answer; undefined where it cannot. */
  count(dialect: Dialect['name'], input: string | undefined, chunks: readonly Buffer[]): Promise<Counts | undefined> {
    this.#worker ??= this.#start()
    this.#next += 1
    const request: CountRequest = { id: this.#next, dialect, input, events: Buffer.concat(chunks) }
    const { promise, resolve } = Promise.withResolvers<Counts | undefined>()
    this.#open.set(request.id, resolve)
    this.#worker.ref()
    this.#worker.postMessage(request, [])
    return promise
  }

  async close() {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #start(): Worker {
    const worker = new Worker(new URL('./token-thread.ts', import.meta.url))
    worker.on('message', (counts: CountAnswer) => {
      this.#open.get(counts.id)?.(counts)
      this.#open.delete(counts.id)
      if (this.#open.size === 0) worker.unref()
    })
    const end = () => {
      if (this.#worker === worker) this.#worker = undefined
      for (const resolve of this.#open.values()) resolve(undefined)
      this.#open.clear()
    }
    worker.on('error', end)
    worker.on('exit', end)
    return worker
  }
}
