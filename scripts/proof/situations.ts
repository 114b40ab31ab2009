/** What the benchmark of situations finds, as it is kept in `docs/proof/performance.json`. */

/** A situation measured: each side is the median of its rounds. */
export interface Measured {
  readonly situation: string
  /** How requests come: so many callers who wait for their answers, or so many a second. */
  readonly load: string
  readonly sides: Readonly<Record<string, Side>>
}

export interface Side {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** The share that was turned away with 503, or got no answer. */
  readonly refused: number
  /** Milliseconds of processor for each call, where it is known. */
  readonly cpu?: number
}

export interface Second {
  readonly second: number
  readonly answered: number
  readonly failed: number
  readonly p99: number
}

export interface Failover {
  readonly perSecond: number
  readonly killedAt: number
  readonly seconds: readonly Second[]
  /** Seconds from the death of the primary to the first answer after it. */
  readonly firstAnswer: number
  /** Seconds from the death of the primary until p99 stays below twice what it was before. */
  readonly steady: number | null
  readonly p99Before: number
  readonly p99After: number
  readonly admitted: number
  /** Reservations that a caller was told of, and the promoted server does not know. */
  readonly lost: number
}

export interface Writes {
  readonly call: string
  readonly wal: number
  readonly disk: number
}

export interface Memory {
  readonly program: string
  readonly moment: string
  readonly mib: number
}

/** What the benchmark of situations has found so far. */
export interface Results {
  measured: Measured[]
  failover?: Failover
  writes: Writes[]
  memory: Memory[]
}
