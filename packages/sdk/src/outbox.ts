import { Unreserved } from './allowance.ts'
import type { Client } from './client.ts'
import { isRefusal, isRetryable, isUnavailable, WeirError } from './errors.ts'
import { wait } from './exchange.ts'
import type { Spool, SpooledRequest } from './spool.ts'

/** Something that the caller may want to know, and that no call throws. */
export type Notice =
  /** A call was made without a reservation, because Weir is away. */
  | { readonly type: 'failed_open'; readonly external_id: string; readonly error: unknown }
  /** The end of a call could not be reported yet; it waits in the spool. */
  | { readonly type: 'settlement_deferred'; readonly request: SpooledRequest; readonly error: unknown }
  /** The end of a call will not be reported: its run is charged what was reserved. */
  | { readonly type: 'settlement_lost'; readonly request: SpooledRequest; readonly error: unknown }
  /** A provider's answer did not say what it used, or not in a way that is known: the run is charged what was reserved. */
  | { readonly type: 'usage_unknown'; readonly external_id: string }

/** Errors of the key or the server, which may be put right: what was not taken for one of them is kept. */
const mendable = new Set<string>([
  'unauthorized',
  'key_expired',
  'gone',
  'ip_not_allowed',
  'org_suspended',
  'forbidden',
  'missing_scope',
  'internal',
  'policy_expression_error',
  'unrecognized_answer',
])

const atOnce = 8
const firstPauseMs = 500
const longestPauseMs = 30_000

/** Requests on their way to Weir, kept in the spool until it has taken them. */
export class Outbox {
  readonly unreserved = new Unreserved()
  readonly ready: Promise<void>
  readonly #client: Client
  readonly #spool: Spool
  readonly #notify: (notice: Notice) => void
  /** Requests that are being sent, or whose call goes on, in this process. */
  readonly #busy = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #round: Promise<boolean> | undefined
  #pauseMs = firstPauseMs
  #isClosed = false

  constructor(client: Client, spool: Spool, notify: (notice: Notice) => void) {
    this.#client = client
    this.#spool = spool
    this.#notify = notify
    this.ready = this.#restore()
    this.ready.catch(() => undefined)
  }

  /** Takes over what an earlier process has left. */
  async #restore() {
    const left = await this.#mine()
    for (const { id, unreserved_usd } of left)
      if (unreserved_usd !== undefined) this.unreserved.found(id, unreserved_usd)
    if (left.length > 0) this.#schedule(0)
  }

  /** Keeps a request and sends it; resolves with the data of the answer, or with undefined where it has to wait or is lost. */
  async post(request: SpooledRequest, purpose: 'settlement' | 'cleanup' = 'settlement'): Promise<unknown> {
    this.#busy.add(request.id)
    try {
      const isKept = await this.#keep(request, purpose)
      return await this.#deliver(request, isKept, purpose, 1)
    } finally {
      this.#busy.delete(request.id)
    }
  }

  /** Keeps a request for later without sending it; false where there is no room. It is not sent from here before `post` or `release`. */
  async hold(request: SpooledRequest): Promise<boolean> {
    this.#busy.add(request.id)
    const isKept = await this.#keep(request, 'settlement')
    if (!isKept) this.#busy.delete(request.id)
    return isKept
  }

  async #keep(request: SpooledRequest, purpose: 'settlement' | 'cleanup'): Promise<boolean> {
    try {
      return await this.#spool.put(request, purpose)
    } catch {
      // A disk that is full or gone is a spool without room.
      return false
    }
  }

  /** Sends all that may be sent now; true where nothing is left. */
  async flush(timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs
    for (;;) {
      await this.#send()
      const isEmpty = (await this.#mine()).length === 0
      if (isEmpty || Date.now() >= until) return isEmpty
      await wait(Math.min(200, Math.max(0, until - Date.now())))
    }
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #deliver(
    request: SpooledRequest,
    isKept: boolean,
    purpose: 'settlement' | 'cleanup',
    maxRetries: number,
  ): Promise<unknown> {
    try {
      const data = await this.#sendOne(request, maxRetries)
      await this.#forget(request)
      this.#pauseMs = firstPauseMs
      return data
    } catch (error) {
      if (isKept && isLasting(error)) {
        if (purpose === 'settlement') this.#notify({ type: 'settlement_deferred', request, error })
        this.#schedule(this.#pauseMs)
      } else {
        await this.#forget(request)
        if (purpose === 'settlement') this.#notify({ type: 'settlement_lost', request, error })
      }
      return undefined
    }
  }

  async #sendOne({ id, path, body, alternatives = [] }: SpooledRequest, maxRetries: number): Promise<unknown> {
    let next = { body, key: id }
    const left = alternatives.map((one, i) => ({ ...one, key: `${id}-${i + 1}` }))
    for (;;) {
      try {
        return (await this.#client.sendNamed(path, next.body, next.key, { maxRetries })).data
      } catch (error) {
        const index = left.findIndex(({ code }) => error instanceof WeirError && error.code === code)
        const [alternative] = index < 0 ? [] : left.splice(0, index + 1).slice(-1)
        if (alternative === undefined) throw error
        next = alternative
      }
    }
  }

  async #forget({ id }: SpooledRequest) {
    await this.#spool.remove(id).catch(() => undefined)
    this.unreserved.recorded(id)
  }

  async #mine(): Promise<SpooledRequest[]> {
    const all = await this.#spool.list()
    return all.filter(({ base_url }) => base_url === this.#client.baseUrl)
  }

  #schedule(ms: number) {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#sendAgain()
    }, ms)
    // What waits on disk does not keep a process alive, and `flush` waits for the rest.
    const timer: unknown = this.#timer
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
      timer.unref()
  }

  async #sendAgain() {
    if (await this.#send()) return
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
    this.#schedule(this.#pauseMs * (0.75 + Math.random() / 2))
  }

  #send(): Promise<boolean> {
    this.#round ??= this.#sendAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /** Sends what is due, several at once, until one finds Weir away; true where nothing is left. */
  async #sendAll(): Promise<boolean> {
    const waiting = (await this.#mine().catch(() => [])).filter(({ id }) => !this.#busy.has(id))
    const due = waiting.filter(({ due_at }) => due_at <= Date.now())
    let isAway = false
    const next = async () => {
      for (let request = due.shift(); request !== undefined && !isAway; request = due.shift()) {
        if (this.#busy.has(request.id)) continue
        this.#busy.add(request.id)
        try {
          await this.#sendOne(request, 0)
          await this.#forget(request)
          this.#pauseMs = firstPauseMs
        } catch (error) {
          if (!(error instanceof WeirError) || isUnavailable(error) || error.code === 'rate_limited') isAway = true
          else if (!isLasting(error)) {
            await this.#forget(request)
            this.#notify({ type: 'settlement_lost', request, error })
          }
        } finally {
          this.#busy.delete(request.id)
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, next))
    return !isAway && (await this.#mine().catch(() => [])).length === 0
  }
}

/** True where the request may be taken later as it is. */
const isLasting = (error: unknown): boolean =>
  !(error instanceof WeirError) || isRetryable(error) || mendable.has(error.code) || isRefusal(error)
