import { AsyncLocalStorage } from 'node:async_hooks'

/** Limits on the transactions of one piece of work. */
export interface ReadTurn {
  /** Waits for a slot, to be released with `leave`. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  /** Records how long a transaction kept PostgreSQL busy. */
  readonly spend: (ms: number) => void
  /** Statement timeout, when stricter than the default. */
  readonly statementMs: number | undefined
}

const current = new AsyncLocalStorage<ReadTurn | undefined>()

/** Applies the limits to the transactions of this work and of everything that it starts. */
export const withReadTurn = <T>(turn: ReadTurn, work: () => T): T => current.run(turn, work)

/** Runs a transaction under the current limits. A nested one needs no second slot. */
export async function inReadTurn<T>(transaction: (turn: ReadTurn | undefined) => Promise<T>): Promise<T> {
  const turn = current.getStore()
  if (!turn) return transaction(undefined)
  await turn.enter()
  try {
    return await current.run(undefined, () => transaction(turn))
  } finally {
    turn.leave()
  }
}

/** Runs work and records its duration with the turn. */
export async function spending<T>(turn: ReadTurn | undefined, work: () => Promise<T>): Promise<T> {
  if (!turn) return work()
  const startedMs = performance.now()
  try {
    return await work()
  } finally {
    turn.spend(performance.now() - startedMs)
  }
}
