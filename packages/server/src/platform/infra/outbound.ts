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
  /** Makes one request whose whole response is wanted. A response that is longer than `maxBytes` is a failure. */
  readonly request: (request: OutboundRequest) => Promise<WholeResponse | Failure>
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

export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly maxBytes: number
}

export interface WholeResponse {
  readonly status: number
  /** The `Retry-After` header, as it was sent. */
  readonly retryAfter: string | undefined
  readonly contentType: string
  readonly body: Buffer
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
  const egress = { lookup: resolver.lookup, isAllowedAddress: targets.isAllowedAddress }
  const connections = createConnections(egress)
  const attempts = createAttemptTimeouts(options.timeoutSeconds * 1_000)
  let isClosed = false

  function attemptTo<R>(
    text: string,
    request: Omit<Dispatcher.DispatchOptions, 'path'>,
    limits: Limits,
    signal: AbortSignal | undefined,
    resultOf: (result: Result, startedMs: number) => R,
  ): Promise<R> {
    return new Promise((resolve) => {
      const startedMs = performance.now()
      const url = targets.parse(text)
      const attempt = new HttpAttempt(connections, limits, (result) => {
        attempts.delete(attempt)
        signal?.removeEventListener('abort', end)
        resolve(resultOf(result, startedMs))
      })
      const end = () => attempt.fail({ error: 'connection', message: 'The sender aborted the attempt.' })
      if (isTargetFault(url)) return attempt.fail({ error: 'refused_address', message: url.message })
      if (isClosed || signal?.aborted) return end()
      signal?.addEventListener('abort', end)
      attempts.add(attempt, startedMs)
      attempt.send(url.origin, { ...request, path: url.pathname + url.search })
    })
  }

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
      attemptTo(text, { method: 'POST', headers, body }, excerptLimits, signal, (result, startedMs) => ({
        ...('error' in result ? result : excerptOf(result)),
        latencyMs: Math.round(performance.now() - startedMs),
      })),

    request: ({ url, method, headers, body = null, maxBytes }) =>
      attemptTo(url, { method, headers, body }, { keptBytes: maxBytes, whole: true }, undefined, (result) =>
        'error' in result
          ? result
          : {
              status: result.status,
              retryAfter: result.headers['retry-after'],
              contentType: result.headers['content-type'] ?? '',
              body: result.body,
            },
      ),

    close: async () => {
      isClosed = true
      attempts.endAll({ error: 'connection', message: 'The sender aborted the attempt.' })
      await connections.close()
    },
  }
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body, as far as it is kept. */
  readonly body: Buffer
}
type Result = Answered | Failure

/** Limits of a response: how much of it is kept, and whether it is wanted whole or cut. */
interface Limits {
  readonly keptBytes: number
  readonly whole: boolean
}
const excerptLimits: Limits = { keptBytes: excerptBytes, whole: false }

const excerptOf = ({ status, headers, body }: Answered): Omit<HttpResponse, 'latencyMs'> => ({
  status,
  excerpt: body.toString('utf8', 0, excerptBytes).replaceAll('\0', ''),
  retryAfter: headers['retry-after'],
})

class HttpAttempt implements Dispatcher.DispatchHandler {
  readonly #connections: Connections
  readonly #limits: Limits
  readonly #settle: (result: Result) => void
  #connection: Connection | undefined
  #again: (() => void) | undefined
  #isSettled = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #bodyBytes = 0
  readonly #beginning: Buffer[] = []

  constructor(connections: Connections, limits: Limits, settle: (result: Result) => void) {
    this.#connections = connections
    this.#limits = limits
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
    this.#settle({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#beginning) })
  }

  onRequestStart() {}

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders) {
    // Informational statuses precede the response.
    if (status >= 200) {
      this.#status = status
      this.#headers = headers
    }
    this.#again = undefined
  }

  onResponseData(_: unknown, chunk: Buffer) {
    if (this.#isSettled) return
    const { keptBytes, whole } = this.#limits
    if (this.#bodyBytes < keptBytes) this.#beginning.push(chunk)
    this.#bodyBytes += chunk.length
    if (whole && this.#bodyBytes > keptBytes)
      return this.fail({ error: 'protocol', message: `The response has more than ${keptBytes} bytes.` })
    if (whole || this.#bodyBytes <= maxBodyBytes) return
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
