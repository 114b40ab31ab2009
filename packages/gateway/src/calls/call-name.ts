import { createHash, randomUUID } from 'node:crypto'
import { RequestFault, type RequestHeaders } from '../dialects/dialect.ts'

const longestKey = 255
/** Attempts under one key of a caller that may end at no cost before no more are made. */
export const mostAttempts = 32

/**
 * The name of a call, which its runs have as their `external_id`. A caller's `Idempotency-Key` makes it the same name whenever and wherever
 * the call is sent again, so Weir lets only one of them start. An attempt that ended at no cost leaves the next number to another one.
 */
export class CallName {
  /** A hash of the request, by which another one under the same key is told. */
  readonly request: string
  /** Tells the starts of this call from those of its repetitions, where the caller has named it. */
  readonly nonce: string
  readonly #base: string | undefined
  #attempt = 0

  constructor(base: string | undefined, request: string) {
    this.#base = base
    this.nonce = base === undefined ? '' : randomUUID()
    this.request = request
  }

  /** True where the caller has named the call itself. */
  get isGiven(): boolean {
    return this.#base !== undefined
  }

  /** The id of the next run: a fresh one where the caller has given no name. */
  externalId(): string {
    return this.#base === undefined ? `gw:${randomUUID()}` : `gw:${this.#base}:${this.#attempt}`
  }

  /** Goes on to the next attempt; returns false where there were too many. */
  advance(): boolean {
    this.#attempt += 1
    return this.#attempt < mostAttempts
  }

  /** Metadata of a run under a given name, by which a start that is repeated is known. */
  get metadata(): Record<string, string> {
    return this.isGiven ? { gateway_call: this.nonce, gateway_request: this.request } : {}
  }
}

/** Names a call. The name depends on the caller's key: nobody else can take it, or learn of the call by it. */
export function callNameOf(headers: RequestHeaders, key: string, request: readonly string[]): CallName {
  const given = headers['idempotency-key']
  if (given === undefined || given === '') return new CallName(undefined, '')
  if (typeof given !== 'string' || given.length > longestKey)
    throw new RequestFault(
      'invalid_request',
      `Idempotency-Key must be one text of at most ${longestKey} characters`,
      'Idempotency-Key',
    )
  return new CallName(hashOf(['call', key, given]), hashOf(['request', ...request]))
}

const hashOf = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest('base64url')
