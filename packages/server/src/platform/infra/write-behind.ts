import type { Counter } from 'prom-client'
import type { Log } from './log.ts'
import { type Metrics, sharedCounter } from './metrics.ts'

export interface WriteBehindOptions<T> {
  /** Label of the buffer in logs and in the metric of lost items. */
  readonly name: string
  /** Time between two writes; without it only `flush` writes. */
  readonly everyMs?: number
  /** Most items that wait. Those on their way to the database come on top, at most as many again. */
  readonly maxWaiting: number
  /** Most items of one write. */
  readonly maxLot?: number
  /** True once an item may be written; items that are not due are written only when the buffer is closed. */
  readonly isDue?: (item: T) => boolean
  readonly write: (items: readonly T[]) => Promise<void>
  /** Called with items that will not be written: too many waited, or their write failed. */
  readonly onLost?: (items: readonly T[]) => void
}

/**
 * A buffer of items that are written to the database after the request that caused them.
 *
 * An item is waiting → in flight → written | lost. One lot is in flight at a time: while the database does not respond, a single
 * transaction waits for it, and what arrives meanwhile waits here, up to a bound. An item is found until its write has ended, so
 * that a reader who asks the buffer first and the database second misses none.
 */
export class WriteBehind<T> {
  private waitingItems = new Map<unknown, T>()
  private inFlight: ReadonlyMap<unknown, T> = new Map()
  private lastFlush = Promise.resolve()
  private isClosed = false
  private readonly timer: NodeJS.Timeout | undefined
  private readonly lostItems: Counter
  private readonly log: Log
  private readonly options: WriteBehindOptions<T>

  constructor({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }, options: WriteBehindOptions<T>) {
    this.log = log
    this.options = options
    this.lostItems = lostCounter(metrics)
    if (options.everyMs !== undefined) this.timer = setInterval(() => this.tick(), options.everyMs).unref()
  }

  /** Number of items that are waiting or in flight. */
  get size() {
    return this.waitingItems.size + this.inFlight.size
  }

  /** Adds an item under a key of its own; returns false when too many wait and the item is lost. */
  add(key: unknown, item: T): boolean {
    if (this.isClosed || this.waitingItems.size >= this.options.maxWaiting) {
      this.lose([item])
      return false
    }
    this.waitingItems.set(key, item)
    return true
  }

  /** Returns an item that is not yet in flight, to which another of its kind can still be added. */
  waiting(key: unknown): T | undefined {
    return this.waitingItems.get(key)
  }

  /** Returns an item that is waiting or in flight. */
  find(key: unknown): T | undefined {
    return this.waitingItems.get(key) ?? this.inFlight.get(key)
  }

  /** Writes the items that are due. When the promise resolves, each that was added before the call is written or lost. */
  flush(): Promise<void> {
    return this.enqueueWrite(this.options.isDue)
  }

  /** Writes everything that waits, due or not. Items that are added later are lost. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.enqueueWrite(undefined)
    this.isClosed = true
    const unwritten = [...this.waitingItems.values()]
    this.waitingItems.clear()
    if (unwritten.length === 0) return
    this.log.warn(
      { buffer: this.options.name, lost: unwritten.length },
      'buffered items were lost when the process stopped',
    )
    this.lose(unwritten)
  }

  private tick() {
    if (this.inFlight.size === 0) void this.flush()
  }

  private enqueueWrite(isDue: ((item: T) => boolean) | undefined) {
    this.lastFlush = this.lastFlush.then(() => this.writeWaiting(isDue))
    return this.lastFlush
  }

  private async writeWaiting(isDue: ((item: T) => boolean) | undefined) {
    const due = [...this.waitingItems].filter(([, item]) => isDue?.(item) ?? true)
    const lotSize = this.options.maxLot ?? due.length
    for (let from = 0; from < due.length; from += lotSize) await this.writeLot(due.slice(from, from + lotSize))
  }

  private async writeLot(lot: readonly (readonly [unknown, T])[]) {
    for (const [key] of lot) this.waitingItems.delete(key)
    this.inFlight = new Map(lot)
    const items = lot.map(([, item]) => item)
    try {
      await this.options.write(items)
    } catch (error) {
      this.log.warn({ error, buffer: this.options.name, lost: items.length }, 'buffered items were not written')
      this.lose(items)
    } finally {
      this.inFlight = new Map()
    }
  }

  private lose(items: readonly T[]) {
    this.lostItems.inc({ buffer: this.options.name }, items.length)
    this.options.onLost?.(items)
  }
}

/** The counter that all buffers of a process share. */
const lostCounter = (metrics: Metrics) =>
  sharedCounter(metrics, {
    name: 'svc_write_behind_lost_total',
    help: 'Items that were not written behind the request that caused them, by buffer: too many waited, or the database was unavailable.',
    labelNames: ['buffer'],
  })
