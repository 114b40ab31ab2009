import { AsyncLocalStorage } from 'node:async_hooks'

/** Limits on the transactions of one piece of work. */
export interface ReadLimiter {
  /** Waits for a slot, to be released with `leave`. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  /** Records how long a transaction kept PostgreSQL busy. */
  readonly spend: (ms: number) => void
  /** Statement timeout, when stricter than the default. */
  readonly statementMs: number | undefined
}

const current = new AsyncLocalStorage<ReadLimiter | undefined>()

/** Applies the limits to the transactions of this work and of everything that it starts. */
export const withReadLimiter = <T>(limiter: ReadLimiter, work: () => T): T => current.run(limiter, work)

/** Runs a transaction under the current limits. A nested one needs no second slot. */
export async function runWithinReadLimits<T>(
  transaction: (limiter: ReadLimiter | undefined) => Promise<T>,
): Promise<T> {
  const limiter = current.getStore()
  if (!limiter) return transaction(undefined)
  await limiter.enter()
  try {
    return await current.run(undefined, () => transaction(limiter))
  } finally {
    limiter.leave()
  }
}

/** Runs work and records its duration with the turn. */
export async function measureSpend<T>(limiter: ReadLimiter | undefined, work: () => Promise<T>): Promise<T> {
  if (!limiter) return work()
  const startedMs = performance.now()
  try {
    return await work()
  } finally {
    limiter.spend(performance.now() - startedMs)
  }
}
