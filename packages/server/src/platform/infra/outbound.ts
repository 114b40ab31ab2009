import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { type Connection, type Connections, createConnections } from './outbound-connections.ts'
import { type Failure, failureOf } from './outbound-failure.ts'
import { createNameResolver } from './outbound-resolver.ts'
import {
  addressIn,
  createTargets,
  isTargetFault,
  refusedAddressMessage,
  type TargetFault,
  type TargetRules,
} from './outbound-target.ts'

/**
 * HTTP client for URLs that strangers chose. Addresses are checked where the socket is opened, so the address that was checked
 * is the address that is connected to, every time. Redirects are not followed, proxies are not used, and certificates are
 * verified.
 */
export interface Outbound {
  /** Returns why a URL must not be stored, if so; resolves its name. */
  readonly check: (url: string) => Promise<TargetFault | undefined>
  /**
   * Makes one attempt. Every behaviour of the other side is an outcome; an attempt that `signal` aborts is a failed connection.
   */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    signal?: AbortSignal,
  ) => Promise<HttpOutcome>
  /** Closes all connections and aborts the attempts in progress. */
  readonly close: () => Promise<void>
}

export type HttpOutcome = HttpResponse | (Failure & { readonly latencyMs: number })

export interface HttpResponse {
  readonly status: number
  readonly latencyMs: number
  /** Beginning of the body, without NUL characters, which PostgreSQL cannot store. */
  readonly excerpt: string
  /** The `Retry-After` header, as it was sent. */
  readonly retryAfter: string | undefined
}

export interface OutboundOptions extends TargetRules {
  /** Name servers to use; undefined for the system's resolver. */
  readonly dnsServers: readonly string[] | undefined
  /** Timeout of a whole attempt, from the name lookup to the last byte of the response. */
  readonly timeoutSeconds: number
}

const maxBodyBytes = 65_536
const excerptBytes = 1_024
const checkLookupMs = 5_000

export function createOutbound(options: OutboundOptions): Outbound {
  const targets = createTargets(options)
  const resolver = createNameResolver(options.dnsServers, targets.isAllowedAddress)
  const connections = createConnections({ lookup: resolver.lookup, isAllowedAddress: targets.isAllowedAddress })
  const attempts = createAttemptTimeouts(options.timeoutSeconds * 1_000)
  let isClosed = false

  return {
    check: async (text) => {
      const url = targets.parse(text)
      if (isTargetFault(url)) return url
      if (addressIn(url) !== undefined) return undefined
      // A name that does not resolve (yet, or not in time) is not a fault: people save a webhook before its host exists, and
      // name servers fail at times. The egress policy is enforced where connections are made; this check only reports early.
      const lookup = resolver.addresses(url.hostname).catch((): string[] => [])
      const found = await Promise.race([lookup, sleep(checkLookupMs, [], { ref: false })])
      return found.every(targets.isAllowedAddress)
        ? undefined
        : { code: 'invalid_value', message: refusedAddressMessage }
    },

    post: (text, headers, body, signal) =>
      new Promise((resolve) => {
        const startedMs = performance.now()
        const url = targets.parse(text)
        const attempt = new HttpAttempt(connections, (result) => {
          attempts.delete(attempt)
          signal?.removeEventListener('abort', end)
          resolve({ ...result, latencyMs: Math.round(performance.now() - startedMs) })
        })
        const end = () => attempt.fail({ error: 'connection', message: 'The sender aborted the attempt.' })
        if (isTargetFault(url)) return attempt.fail({ error: 'refused_address', message: url.message })
        if (isClosed || signal?.aborted) return end()
        signal?.addEventListener('abort', end)
        attempts.add(attempt, startedMs)
        attempt.send(url.origin, { method: 'POST', path: url.pathname + url.search, headers, body })
      }),

    close: async () => {
      isClosed = true
      attempts.endAll({ error: 'connection', message: 'The sender aborted the attempt.' })
      await connections.close()
    },
  }
}

type Result = Omit<HttpResponse, 'latencyMs'> | Failure

class HttpAttempt implements Dispatcher.DispatchHandler {
  readonly #connections: Connections
  readonly #settle: (result: Result) => void
  #connection: Connection | undefined
  #again: (() => void) | undefined
  #isSettled = false
  #status = 0
  #retryAfter: string | undefined
  #bodyBytes = 0
  readonly #beginning: Buffer[] = []

  constructor(connections: Connections, settle: (result: Result) => void) {
    this.#connections = connections
    this.#settle = settle
  }

  send(origin: string, request: Dispatcher.DispatchOptions) {
    this.#connection = this.#connections.take(origin)
    if (this.#connection.isUsed) {
      this.#again = () => {
        this.#connection = this.#connections.open(origin)
        this.#connection.client.dispatch(request, this)
      }
    }
    this.#connection.client.dispatch(request, this)
  }

  fail(failure: Failure) {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#connection?.drop()
    this.#settle(failure)
  }

  #succeed() {
    this.#isSettled = true
    const excerpt = Buffer.concat(this.#beginning).toString('utf8', 0, excerptBytes).replaceAll('\0', '')
    this.#settle({ status: this.#status, excerpt, retryAfter: this.#retryAfter })
  }

  onRequestStart() {}

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders) {
    // Informational statuses precede the response.
    if (status >= 200) {
      this.#status = status
      this.#retryAfter = headers['retry-after']
    }
    this.#again = undefined
  }

  onResponseData(_: unknown, chunk: Buffer) {
    if (this.#isSettled) return
    if (this.#bodyBytes < excerptBytes) this.#beginning.push(chunk)
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes <= maxBodyBytes) return
    this.#connection!.drop()
    this.#succeed()
  }

  onResponseEnd() {
    if (this.#isSettled) return
    this.#connection!.release()
    this.#succeed()
  }

  onResponseError(_: unknown, error: Error) {
    if (this.#isSettled) return
    const failure = failureOf(error)
    const again = this.#again
    // The other side closed a reused connection, as it may at any moment: not a failure yet.
    if (again && failure.error === 'connection') {
      this.#again = undefined
      this.#connection!.drop()
      again()
    } else this.fail(failure)
  }
}

/**
 * Creates the set of attempts in progress. They time out in the order they began, so a single timer, set for the oldest, serves
 * all.
 */
function createAttemptTimeouts(limitMs: number) {
  const started = new Map<HttpAttempt, number>()
  let timer: NodeJS.Timeout | undefined

  function sweep() {
    timer = undefined
    const nowMs = performance.now()
    for (const [attempt, startedMs] of started) {
      if (startedMs + limitMs > nowMs) break
      attempt.fail({ error: 'timeout', message: `No complete response within ${limitMs / 1_000} s.` })
    }
    for (const startedMs of started.values()) return arm(startedMs)
  }

  function arm(startedMs: number) {
    // Responses that arrived while the process was blocked are read before the timeout fires.
    timer = setTimeout(() => setImmediate(sweep), Math.max(0, startedMs + limitMs - performance.now()))
    timer.unref()
  }

  return {
    add: (attempt: HttpAttempt, startedMs: number) => {
      started.set(attempt, startedMs)
      if (timer === undefined) arm(startedMs)
    },
    delete: (attempt: HttpAttempt) => started.delete(attempt),
    endAll: (failure: Failure) => {
      clearTimeout(timer)
      for (const attempt of started.keys()) attempt.fail(failure)
    },
  }
}
