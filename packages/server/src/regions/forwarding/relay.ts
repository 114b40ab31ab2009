import type { ClientRequest, IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasBodyBytes } from '../../contract/body.ts'
import { isWaiting, letSend } from '../../contract/connections.ts'
import { ApiError } from '../../contract/errors.ts'
import { traceparentOf } from '../../contract/tracing.ts'
import type { CellLink } from '../link/link.ts'
import { requestHeaders, responseHeaders, targetOf } from './message-heads.ts'

/** Size up to which a body is sent without asking the home first whether it wants it. */
const unaskedBytes = 65_536
/** Time after which a body is sent although the home has not asked for it: something in between may swallow `100 Continue`. */
const askedMs = 1_000
/** Time in which the home must take some of a body that is there. */
const stalledMs = 10_000
/** Looks within that time: a process that was paused itself sees between two of them what the home has taken meanwhile. */
const stallChecks = 5
/** Time beyond the limit of a handler, so that the home's own answer comes first. */
const graceMs = 2_000

/** Ends of a forwarded request: answered by its home, given up without effect, with an unknown one, or left by the caller. */
export type RelayOutcome = 'answered' | 'unavailable' | 'unanswered' | 'abandoned'

export interface RelayOptions {
  readonly link: CellLink
  /** Name of the cell that answers. */
  readonly home: string
  readonly clientAddress: string
  readonly handlerTimeoutMs: number
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Hands a request to the home of its organization, and its answer back, both as they come. Returns the outcome; with a refusal where
 * there is no answer.
 */
export function relay(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RelayOptions,
): Promise<{ readonly outcome: RelayOutcome; readonly refusal?: ApiError }> {
  return new Promise((resolve) => {
    new Relay(request, reply, options, resolve).start()
  })
}

class Relay {
  private readonly request: FastifyRequest
  private readonly reply: FastifyReply
  private readonly options: RelayOptions
  private readonly hasBody: boolean
  private readonly finish: (result: { readonly outcome: RelayOutcome; readonly refusal?: ApiError }) => void
  private upstream: ClientRequest | undefined
  private response: IncomingMessage | undefined
  private timer: NodeJS.Timeout | undefined
  private isConnected = false
  private isSending = false
  private isOver = false

  constructor(request: FastifyRequest, reply: FastifyReply, options: RelayOptions, finish: Relay['finish']) {
    this.request = request
    this.reply = reply
    this.options = options
    this.finish = finish
    // What a body of these methods says is not read anywhere.
    this.hasBody = hasBodyBytes(request) && !safeMethods.has(request.method)
  }

  start() {
    const { request, reply, options } = this
    // The home answers for the time that its handler takes.
    delete request.receivedMs
    reply.raw.once('close', this.leave)
    const length = request.headers['content-length']
    const mustAsk = this.hasBody && (isWaiting(request) || length === undefined || Number(length) > unaskedBytes)
    const framing = !this.hasBody
      ? []
      : length === undefined
        ? ['Transfer-Encoding', 'chunked']
        : ['Content-Length', length]
    // A caller of DELETE or POST without a body may have said so.
    const emptiness = !this.hasBody && length === '0' ? ['Content-Length', '0'] : []
    const { host } = new URL(options.link.cells.get(options.home)?.url ?? 'http://unknown')
    const head = {
      method: request.method,
      target: targetOf(request.originalUrl),
      headers: [
        'Host',
        host,
        ...requestHeaders(request.raw),
        ...framing,
        ...emptiness,
        'traceparent',
        traceparentOf(request.raw),
        ...(mustAsk ? ['Expect', '100-continue'] : []),
      ],
    }
    const given = request.headers.host
    const caller = { address: options.clientAddress, ...(given !== undefined && { host: given }) }
    let upstream: ClientRequest
    try {
      upstream = options.link.forward(options.home, head, caller)
    } catch (error) {
      return this.fail(error)
    }
    this.upstream = upstream
    upstream.on('error', (error) => this.fail(error))
    upstream.on('response', (response) => this.answer(response))
    upstream.on('continue', () => this.sendBody())
    upstream.on('socket', (socket) => {
      const connected = () => {
        this.isConnected = true
      }
      if (socket.connecting) socket.once('connect', connected)
      else connected()
    })
    if (!mustAsk) this.sendBody()
    else {
      upstream.flushHeaders()
      this.wait(askedMs, () => this.sendBody())
    }
  }

  private readonly sendBody = () => {
    const { upstream, request } = this
    if (!upstream || this.isSending || this.isOver || this.response) return
    this.isSending = true
    upstream.once('finish', () => this.awaitAnswer())
    if (!this.hasBody) {
      upstream.end()
      return
    }
    letSend(request, this.reply)
    request.raw.on('data', this.watch)
    upstream.on('drain', this.watch)
    request.raw.once('error', this.leave)
    request.raw.pipe(upstream)
    this.watch()
  }

  /** Gives the home time to take what is there; a caller that is slow is none of its faults. */
  private readonly watch = () => {
    if (this.response || this.isOver || this.upstream?.writableFinished) return
    this.awaitProgress(stallChecks)
  }

  private awaitProgress(checksLeft: number) {
    this.wait(stalledMs / stallChecks, () => {
      if (!this.upstream?.writableNeedDrain) return
      if (checksLeft > 1) this.awaitProgress(checksLeft - 1)
      else this.fail(new Error('the home does not take the body'))
    })
  }

  private awaitAnswer() {
    if (this.response || this.isOver) return
    this.request.raw.off('data', this.watch)
    this.wait(this.options.handlerTimeoutMs + graceMs, () => this.fail(new Error('no answer in time')))
  }

  private wait(ms: number, then: () => void) {
    clearTimeout(this.timer)
    this.timer = setTimeout(then, ms)
  }

  private answer(response: IncomingMessage) {
    const { reply, request, upstream } = this
    if (this.isOver) {
      response.resume()
      return
    }
    clearTimeout(this.timer)
    this.response = response
    // An answer may come before the whole body was read; the rest of it is nobody's.
    if (!upstream?.writableFinished) {
      request.raw.off('data', this.watch)
      request.raw.unpipe(upstream)
    }
    response.once('close', () => {
      if (!upstream?.writableFinished) upstream?.destroy()
    })
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    for (const [name, value] of responseHeaders(response)) reply.header(name, value)
    reply.code(response.statusCode ?? 502).send(response)
    reply.raw.once('close', () => {
      this.end('answered')
    })
  }

  private readonly leave = () => {
    this.upstream?.destroy()
    if (!this.response) this.end('abandoned')
  }

  private fail(error: unknown) {
    // Once the answer has begun, its own stream tells that it broke off.
    if (this.isOver || this.response) return
    this.upstream?.destroy()
    const mayHaveEffect = this.isConnected && this.isSending && !safeMethods.has(this.request.method)
    const message = mayHaveEffect
      ? 'The cell in which the organization lives has not answered, and may have done what was asked. Send the request again with the same Idempotency-Key.'
      : 'The cell in which the organization lives does not answer. Retry with backoff.'
    const refusal = new ApiError('service_unavailable', {}, { message, cause: error })
    this.end(mayHaveEffect ? 'unanswered' : 'unavailable', refusal)
  }

  private end(outcome: RelayOutcome, refusal?: ApiError) {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.reply.raw.off('close', this.leave)
    const { raw } = this.request
    raw.off('data', this.watch)
    raw.off('error', this.leave)
    if (this.upstream) raw.unpipe(this.upstream)
    this.finish({ outcome, ...(refusal && { refusal }) })
  }
}
