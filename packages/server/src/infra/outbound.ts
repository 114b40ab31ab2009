import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { type Connection, type Connections, createConnections } from './outbound-connections.ts'
import { type Failure, failureOf } from './outbound-failure.ts'
import { createNames } from './outbound-names.ts'
import {
  addressIn,
  createTargets,
  isFault,
  refusedAddress,
  type TargetFault,
  type TargetRules,
} from './outbound-target.ts'

/**
 * Requests to addresses that strangers chose. Literal addresses are judged and names are looked up by whoever opens the
 * socket, so the address that was judged is the address that is connected to, every time. No redirect is followed, no
 * proxy is asked, certificates are verified.
 */
export interface Outbound {
  /** What speaks against keeping a URL; a name is looked up. */
  readonly check: (url: string) => Promise<TargetFault | undefined>
  /** One attempt. Whatever the other side does is an outcome; one that `signal` ends is a failed connection. */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    signal?: AbortSignal,
  ) => Promise<Outcome>
  /** Ends what is under way as well. */
  readonly close: () => Promise<void>
}

export type Outcome = Answer | (Failure & { readonly latencyMs: number })

export interface Answer {
  readonly status: number
  readonly latencyMs: number
  /** The beginning of the body, without NUL characters, which PostgreSQL does not store. */
  readonly excerpt: string
}

export interface OutboundOptions extends TargetRules {
  /** Undefined for the resolver of the system. */
  readonly dnsServers: readonly string[] | undefined
  /** For an attempt as a whole, from the name lookup to the last byte of the answer. */
  readonly timeoutSeconds: number
}

const maxBodyBytes = 65_536
const excerptBytes = 1_024
const checkLookupMs = 5_000

export function createOutbound(options: OutboundOptions): Outbound {
  const targets = createTargets(options)
  const names = createNames(options.dnsServers, targets.isAllowedAddress)
  const connections = createConnections({ lookup: names.lookup, isAllowedAddress: targets.isAllowedAddress })
  const underWay = createUnderWay(options.timeoutSeconds * 1_000)
  let isClosed = false

  return {
    check: async (text) => {
      const url = targets.parse(text)
      if (isFault(url)) return url
      if (addressIn(url) !== undefined) return undefined
      // A name that does not resolve (yet, or not in time) is no fault: people save a webhook before its host exists, and
      // name servers have bad hours. The wall stands where connections are made; this tells people early.
      const lookup = names.addresses(url.hostname).catch((): string[] => [])
      const found = await Promise.race([lookup, sleep(checkLookupMs, [], { ref: false })])
      return found.every(targets.isAllowedAddress) ? undefined : { code: 'invalid_value', message: refusedAddress }
    },

    post: (text, headers, body, signal) =>
      new Promise((resolve) => {
        const startedMs = performance.now()
        const url = targets.parse(text)
        const attempt = new Attempt(connections, (result) => {
          underWay.delete(attempt)
          signal?.removeEventListener('abort', end)
          resolve({ ...result, latencyMs: Math.round(performance.now() - startedMs) })
        })
        const end = () => attempt.fail({ error: 'connection', message: 'The sender ended the attempt.' })
        if (isFault(url)) return attempt.fail({ error: 'refused_address', message: url.message })
        if (isClosed || signal?.aborted) return end()
        signal?.addEventListener('abort', end)
        underWay.add(attempt, startedMs)
        attempt.send(url.origin, { method: 'POST', path: url.pathname + url.search, headers, body })
      }),

    close: async () => {
      isClosed = true
      underWay.endAll({ error: 'connection', message: 'The sender ended the attempt.' })
      await connections.close()
    },
  }
}

type Result = Omit<Answer, 'latencyMs'> | Failure

class Attempt implements Dispatcher.DispatchHandler {
  readonly #connections: Connections
  readonly #settle: (result: Result) => void
  #connection: Connection | undefined
  #again: (() => void) | undefined
  #isSettled = false
  #status = 0
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
    this.#settle({ status: this.#status, excerpt })
  }

  onRequestStart() {}

  onResponseStart(_: unknown, status: number) {
    // Those below 200 only announce the answer.
    if (status >= 200) this.#status = status
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
    // The other side closed a connection that had carried requests before, as it may at any moment: nothing is wrong yet.
    if (again && failure.error === 'connection') {
      this.#again = undefined
      this.#connection!.drop()
      again()
    } else this.fail(failure)
  }
}

/** Attempts end in the order they began, so one timer serves all: it waits for the oldest. */
function createUnderWay(limitMs: number) {
  const started = new Map<Attempt, number>()
  let timer: NodeJS.Timeout | undefined

  function sweep() {
    timer = undefined
    const nowMs = performance.now()
    for (const [attempt, startedMs] of started) {
      if (startedMs + limitMs > nowMs) break
      attempt.fail({ error: 'timeout', message: `There was no whole answer within ${limitMs / 1_000} seconds.` })
    }
    for (const startedMs of started.values()) return arm(startedMs)
  }

  function arm(startedMs: number) {
    // Answers that came while the process was held up are read before time is called.
    timer = setTimeout(() => setImmediate(sweep), Math.max(0, startedMs + limitMs - performance.now()))
    timer.unref()
  }

  return {
    add: (attempt: Attempt, startedMs: number) => {
      started.set(attempt, startedMs)
      if (timer === undefined) arm(startedMs)
    },
    delete: (attempt: Attempt) => started.delete(attempt),
    endAll: (failure: Failure) => {
      clearTimeout(timer)
      for (const attempt of started.keys()) attempt.fail(failure)
    },
  }
}
