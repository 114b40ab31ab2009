import type { JsonObject } from './objects.ts'

/** A request that must still reach Weir: how a call ended, or that it was made while Weir was away. */
export interface SpooledRequest {
  /** Its name, and the `Idempotency-Key` under which it is sent. */
  readonly id: string
  /** The Weir that it is for. */
  readonly base_url: string
  readonly path: string
  readonly body: JsonObject
  /** Bodies to send instead where one is refused with a code, in this order. */
  readonly alternatives?: readonly { readonly code: string; readonly body: JsonObject }[]
  /** The time from which it may be sent, in milliseconds since 1970: before that, its call may go on. */
  readonly due_at: number
  /** The most that a call without a reservation can cost, in dollars; undefined for all others. */
  readonly unreserved_usd?: string
}

/** Keeps requests until Weir has taken them. A spool that outlives the process loses none when it ends. */
export interface Spool {
  /** Keeps a request, in place of one of the same id; false where there is no room. Room is kept from `cleanup` that settlements may need. */
  put(request: SpooledRequest, purpose: 'settlement' | 'cleanup'): Promise<boolean>
  remove(id: string): Promise<void>
  list(): Promise<readonly SpooledRequest[]>
}

/** A spool that ends with the process. What is lost with it is charged what was reserved. */
export class MemorySpool implements Spool {
  readonly #requests = new Map<string, SpooledRequest>()
  readonly #maxEntries: number

  constructor({ maxEntries = 10_000 }: { readonly maxEntries?: number } = {}) {
    this.#maxEntries = maxEntries
  }

  put(request: SpooledRequest, purpose: 'settlement' | 'cleanup'): Promise<boolean> {
    const room = purpose === 'cleanup' ? this.#maxEntries / 2 : this.#maxEntries
    if (!this.#requests.has(request.id) && this.#requests.size >= room) return Promise.resolve(false)
    this.#requests.set(request.id, request)
    return Promise.resolve(true)
  }

  remove(id: string): Promise<void> {
    this.#requests.delete(id)
    return Promise.resolve()
  }

  list(): Promise<readonly SpooledRequest[]> {
    return Promise.resolve([...this.#requests.values()])
  }
}
