import type {
  InputArguments,
  ListItem,
  ListPath,
  Method,
  PathWith,
  RequestInput,
  RequestSettings,
  Result,
} from './api.ts'
import { isUnsent } from './billing.ts'
import { isRetryable, WeirError } from './errors.ts'
import { answerError, isPlain, pauseMs, textOf, wait } from './exchange.ts'

export interface ClientOptions {
  /** The API key; `WEIR_API_KEY` of the environment where it is left out. */
  readonly apiKey?: string | undefined
  /** The address of Weir, without `/v1`; `WEIR_BASE_URL` of the environment where it is left out. */
  readonly baseUrl?: string | undefined
  /** Time for each attempt: 10 seconds where it is left out. */
  readonly timeoutMs?: number | undefined
  /** Repetitions of a request that Weir could not take: 2 where it is left out. */
  readonly maxRetries?: number | undefined
  /** The longest `Retry-After` that is waited for: 30 seconds where it is left out. A longer one is thrown. */
  readonly maxRetryWaitMs?: number | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** An answer, with what its headers say. */
export interface Answer<Data> {
  readonly data: Data
  readonly status: number
  readonly headers: Headers
  /** For `ifMatch` of a later change. */
  readonly etag: string | undefined
  readonly traceId: string | undefined
}

interface LooseInput extends RequestSettings {
  readonly path?: Readonly<Record<string, unknown>> | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]

/** A client of `/v1`: any route by its path in the reference, typed, repeated where that is safe. */
export class Client {
  readonly baseUrl: string
  readonly #apiKey: string
  readonly #options: ClientOptions

  constructor(options: ClientOptions = {}) {
    this.#options = options
    this.#apiKey = required('apiKey', options.apiKey ?? environment('WEIR_API_KEY'), 'WEIR_API_KEY')
    const url = required('baseUrl', options.baseUrl ?? environment('WEIR_BASE_URL'), 'WEIR_BASE_URL')
    if (!URL.canParse(url)) throw invalid('baseUrl', `${url} is no URL`)
    this.baseUrl = url.replace(/\/+$/, '').replace(/\/v1$/, '')
  }

  /** Sends a request and returns the data of its answer; throws a `WeirError` for every other answer and for none. */
  async request<M extends Method, Path extends PathWith<M>>(
    method: M,
    path: Path,
    ...[input]: InputArguments<RequestInput<M, Path>>
  ): Promise<Result<M, Path>> {
    const { data } = await this.#send<Result<M, Path>>(method, path, input ?? {})
    return data
  }

  /** Sends a request and returns its answer with status, headers and `ETag`. */
  answer<M extends Method, Path extends PathWith<M>>(
    method: M,
    path: Path,
    ...[input]: InputArguments<RequestInput<M, Path>>
  ): Promise<Answer<Result<M, Path>>> {
    return this.#send(method, path, input ?? {})
  }

  /** Reads a list to its end, page by page as they are needed. */
  async *list<Path extends ListPath>(
    path: Path,
    ...[input]: InputArguments<RequestInput<'GET', Path>>
  ): AsyncGenerator<ListItem<Path>, void, undefined> {
    const given: LooseInput = input ?? {}
    let cursor: string | undefined
    do {
      const query = cursor === undefined ? given.query : { ...given.query, cursor }
      const { data: page } = await this.#send<{ data: ListItem<Path>[]; next_cursor: string | null }>('GET', path, {
        ...given,
        query,
      })
      yield* page.data
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }

  /** Sends a request to a path that is not known at compile time, as the spool does. */
  send<Data = unknown>(method: Method, path: string, input: LooseInput = {}): Promise<Answer<Data>> {
    return this.#send(method, path, input)
  }

  /**
   * Posts something that bears a name of its own, such as the start or the end of a run, and so is the same however often it is sent. Where the
   * process that had it first was killed, its key is taken for a minute: it is sent under another one.
   */
  async sendNamed<Data = unknown>(
    path: string,
    body: object,
    idempotencyKey: string,
    settings: Pick<RequestSettings, 'signal' | 'maxRetries'> = {},
  ): Promise<Answer<Data>> {
    try {
      return await this.send<Data>('POST', path, { ...settings, body, idempotencyKey })
    } catch (error) {
      if (!(error instanceof WeirError) || error.code !== 'idempotency_key_processing') throw error
      return this.send<Data>('POST', path, { ...settings, body })
    }
  }

  async #send<Data>(method: Method, path: string, input: LooseInput): Promise<Answer<Data>> {
    const url = this.baseUrl + filled(path, input.path) + queryText(input.query)
    const init = this.#init(method, input)
    const attempts = 1 + (input.maxRetries ?? this.#options.maxRetries ?? 2)
    let mayHaveArrived = false
    for (let attempt = 1; ; attempt += 1) {
      const outcome: Answer<Data> | WeirError = await this.#attempt<Data>(url, init, input, { attempt, mayHaveArrived })
      if (!(outcome instanceof WeirError)) return outcome
      mayHaveArrived ||= outcome.code !== 'connection_failed' || outcome.details.may_have_arrived
      const pause = pauseMs(outcome, attempt)
      if (attempt >= attempts || !isRetryable(outcome) || pause > (this.#options.maxRetryWaitMs ?? 30_000))
        throw outcome
      await wait(pause, input.signal)
    }
  }

  #init(method: Method, input: LooseInput): RequestInit {
    const { body } = input
    const isText = typeof body === 'string'
    const key = method === 'GET' ? undefined : (input.idempotencyKey ?? crypto.randomUUID())
    return {
      method,
      // A redirect would carry the key elsewhere.
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(input.ifMatch !== undefined && { 'if-match': input.ifMatch }),
        ...(input.ifNoneMatch !== undefined && { 'if-none-match': input.ifNoneMatch }),
        ...input.headers,
        authorization: `Bearer ${this.#apiKey}`,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    }
  }

  /** Makes one attempt; returns what speaks against its success, so that it can be made again. */
  async #attempt<Data>(
    url: string,
    init: RequestInit,
    { signal, timeoutMs = this.#options.timeoutMs ?? 10_000 }: RequestSettings,
    { attempt: attempts, mayHaveArrived }: { attempt: number; mayHaveArrived: boolean },
  ): Promise<Answer<Data> | WeirError> {
    signal?.throwIfAborted()
    const timer = new AbortController()
    const alarm = setTimeout(() => timer.abort(), timeoutMs)
    try {
      const fetch = this.#options.fetch ?? globalThis.fetch
      const response = await fetch(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timer.signal]) : timer.signal,
      })
      const text = await textOf(response)
      const error = answerError(response, text)
      if (error) return error
      const { status, headers } = response
      const data = (text === '' ? undefined : isPlain(headers) ? text : JSON.parse(text)) as Data
      const [etag, traceId] = ['etag', 'x-svc-trace-id'].map((name) => headers.get(name) ?? undefined)
      return { data, status, headers, etag, traceId }
    } catch (cause) {
      signal?.throwIfAborted()
      if (timer.signal.aborted)
        return new WeirError({
          code: 'timed_out',
          message: `Weir did not answer within ${timeoutMs} ms.`,
          details: { attempts, timeout_ms: timeoutMs },
          cause,
        })
      return new WeirError({
        code: 'connection_failed',
        message: `Weir could not be reached at ${this.baseUrl}.`,
        details: { attempts, may_have_arrived: mayHaveArrived || !isUnsent(cause) },
        cause,
      })
    } finally {
      clearTimeout(alarm)
    }
  }
}

export const invalid = (option: string, message: string) =>
  new WeirError({ code: 'invalid_option', message, details: { option } })

function required(option: string, value: string | undefined, variable: string): string {
  if (value === undefined || value.trim() === '')
    throw invalid(option, `Weir needs ${option}: pass it, or set ${variable}.`)
  return value.trim()
}

const filled = (path: string, values: Readonly<Record<string, unknown>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    // An empty segment would be another path.
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
      throw invalid(name, `${path} needs ${name}.`)
    return encodeURIComponent(value)
  })

function queryText(query: object = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
