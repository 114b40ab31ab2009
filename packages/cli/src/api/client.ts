import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Fault } from '../faults.ts'
import { fieldOf, isRecord, type Json, recordsOf, textOf } from '../values.ts'
import { version } from '../version.ts'
import type { Answer } from './answer.ts'
import { faultOf } from './refusals.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Query = Readonly<Record<string, string | number | undefined>>

interface Request {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses that the caller understands beside successes. */
  readonly accepts?: readonly number[]
}

export interface ClientOptions {
  readonly url: string
  readonly key?: string | undefined
  readonly reason?: string | undefined
  readonly timeoutMs?: number
  /** The longest time that one request waits in all, where the server asks it to come later. */
  readonly longestWaitMs?: number
  /** Hears why the client waits before it asks again. */
  readonly onWait?: (why: string) => void
}

/** Attempts for one request that no server asked to come later, and the longest time that all of them may wait. */
const attempts = 6
const defaultLongestWaitMs = 90_000
const longestBackoffMs = 10_000
const longestStreamMs = 30 * 60_000
const userAgent = `weir-cli/${version}`

/** The client of a server: it speaks `/v1`, follows no redirect, and repeats only what is safe to repeat. */
export class Client {
  readonly url: string
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.#options = options
  }

  /** Returns a client that waits longer for an answer, and where the server asks it to, for a task that nobody watches. */
  patient(longestWaitMs: number): Client {
    return new Client({ ...this.#options, longestWaitMs, timeoutMs: longestWaitMs })
  }

  async get<T = Json>(path: string, query: Query = {}): Promise<T> {
    return (await this.send('GET', path, { query })).json as T
  }

  /** Returns the rows of a list, page by page as they are consumed. */
  async *rows<T = Json>(path: string, query: Query = {}): AsyncGenerator<T> {
    let cursor: string | undefined
    do {
      const page = await this.get(path, { limit: 200, ...query, cursor })
      yield* recordsOf(page['data']) as T[]
      cursor = textOf(page, 'next_cursor') || undefined
    } while (cursor !== undefined)
  }

  async all<T = Json>(path: string, query: Query = {}): Promise<T[]> {
    const found: T[] = []
    for await (const row of this.rows<T>(path, query)) found.push(row)
    return found
  }

  /** Sends a request. A change carries an `Idempotency-Key`, so that a repetition is the same change. */
  async send(method: Method, path: string, request: Request = {}): Promise<Answer> {
    const headers = { ...this.#headers(method, request), ...request.headers }
    const body = request.body === undefined ? null : JSON.stringify(request.body)
    let waitedMs = 0
    const longestWaitMs = this.#options.longestWaitMs ?? defaultLongestWaitMs
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(method, this.#address(path, request.query), headers, body)
      if (!(answer instanceof Error) && (answer.status < 400 || request.accepts?.includes(answer.status))) return answer
      const waitMs = patienceMs(answer, attempt)
      if (waitMs === undefined || waitedMs + waitMs > longestWaitMs)
        throw answer instanceof Error ? this.#unreachable(answer) : faultOf(answer, `${method} ${path}`)
      this.#options.onWait?.(answer instanceof Error ? 'no answer' : textOf(fieldOf(answer.json, 'error'), 'code'))
      await pause(waitMs)
      waitedMs += waitMs
    }
  }

  /** Returns the lines of an answer of any length as they arrive. */
  async *lines(path: string, query: Query): AsyncGenerator<string> {
    const headers = { ...this.#headers('GET', {}), accept: '*/*' }
    const signal = AbortSignal.timeout(longestStreamMs)
    const request = { headers, redirect: 'error', signal } as const
    const response = await fetch(this.#address(path, query), request).catch((error: unknown) => {
      throw this.#unreachable(error instanceof Error ? error : new Error(String(error)))
    })
    if (!response.ok || response.body === null) {
      const text = await response.text()
      throw faultOf({ status: response.status, headers: response.headers, text, json: parseJson(text) }, `GET ${path}`)
    }
    let rest = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      yield* parts
    }
    if (rest !== '') yield rest
  }

  /** Asks a probe, which needs no key; undefined where no answer came. */
  async probe(path: string): Promise<Answer | undefined> {
    const answer = await this.#attempt('GET', this.url + path, { 'user-agent': userAgent }, null)
    return answer instanceof Error ? undefined : answer
  }

  #address(path: string, query: Query = {}): string {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]))
    const text = new URLSearchParams(given).toString()
    return this.url + path + (text === '' ? '' : `${path.includes('?') ? '&' : '?'}${text}`)
  }

  #headers(method: Method, { body }: Request): Record<string, string> {
    const { key, reason } = this.#options
    return {
      'user-agent': userAgent,
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
      ...(method !== 'GET' && reason !== undefined && { 'x-svc-reason': percentEncode(reason) }),
    }
  }

  async #attempt(method: Method, url: string, headers: Record<string, string>, body: string | null) {
    try {
      const signal = AbortSignal.timeout(this.#options.timeoutMs ?? 60_000)
      // A redirect could lead the key to somebody else's server.
      const response = await fetch(url, { method, headers, body, redirect: 'error', signal })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      return { status: response.status, headers: response.headers, text, json: isJson ? parseJson(text) : undefined }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #unreachable(error: Error): Fault {
    const cause = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
    const code = isRecord(error.cause) ? textOf(error.cause, 'code') : ''
    return new Fault(
      'unreachable',
      `no answer from ${this.url}: ${code || cause}`,
      'Is the address right, and is the server running?',
    )
  }
}

/** Returns how long to wait before the same request is sent again; undefined where it must not be. */
function patienceMs(answer: Answer | Error, attempt: number): number | undefined {
  const backoffMs = Math.min(longestBackoffMs, 200 * 2 ** (attempt - 1))
  if (answer instanceof Error) return attempt < 4 && answer.name !== 'TimeoutError' ? backoffMs : undefined
  const code = textOf(fieldOf(answer.json, 'error'), 'code')
  if (code === 'rate_limited') return Number(answer.headers.get('retry-after') ?? 1) * 1_000
  const isBusy = code === 'service_unavailable' || code === 'idempotency_key_processing'
  return isBusy && attempt < attempts ? backoffMs : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The form in which a header carries any text. */
const percentEncode = (text: string) =>
  text.replace(/[^ -$&-~]/gu, (character) => encodeURIComponent(character)).slice(0, 6_000)
