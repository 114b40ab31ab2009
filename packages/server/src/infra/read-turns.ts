import { AsyncLocalStorage } from 'node:async_hooks'

/** How the transactions of one piece of work are bounded. */
export interface ReadTurn {
  /** Waits for a place; whoever entered leaves. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  /** Told how long each transaction kept PostgreSQL busy. */
  readonly spend: (ms: number) => void
  /** The longest that one statement may take, where it is bounded further than by default. */
  readonly statementMs: number | undefined
}

const current = new AsyncLocalStorage<ReadTurn | undefined>()

/** Bounds the transactions of this work, and of all that it starts. */
export const withReadTurn = <T>(turn: ReadTurn, work: () => T): T => current.run(turn, work)

/** Runs a transaction in the turn of whoever asks for it. One inside another needs no second place. */
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

/** Tells the turn how long the work took. */
export async function spending<T>(turn: ReadTurn | undefined, work: () => Promise<T>): Promise<T> {
  if (!turn) return work()
  const startedMs = performance.now()
  try {
    return await work()
  } finally {
    turn.spend(performance.now() - startedMs)
  }
}
