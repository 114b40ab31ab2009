import type { ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Meter } from '../dialects/dialect.ts'
import { parseJson, parseObject } from '../dialects/fields.ts'
import { anthropicError, errorEvent } from '../refusals/refusals.ts'
import { requestIdOf, returnedHeaders } from '../upstreams/headers.ts'
import { AmazonEventScanner, amazonStreamType } from '../values/amazon-events.ts'
import { EventScanner } from '../values/event-stream.ts'
import type { Admission } from './admission.ts'
import { type AttemptEnd, breakRefusal, isAmbiguous, passingStatuses, refusedStatuses } from './attempt-end.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { hidesReasoning, type Unfinished } from './judgement.ts'
import { ownerOf } from './owned-ids.ts'
import { ShownTime } from './shown-time.ts'

const keptBytes = 1_048_576

/** One dispatch of a call to a provider, with its answer on the way back to the caller. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly ended: Promise<AttemptEnd>
  readonly meter: Meter
  readonly shown = new ShownTime()
  #resolve: (end: AttemptEnd) => void
  #controller: Dispatcher.DispatchController | undefined
  #sentAt: number
  #firstByteAt: number | undefined
  #lastByteAt: number
  #status = 0
  /** The provider's own id of the request, where its answer says it. */
  requestId: string | undefined
  #isStream = false
  #isFiltered = false
  #isRewritten = false
  #isKeptBack = false
  #isBegun = false
  /** True for a refusal after work: Azure bills a request that its filter has read. */
  #isBilledRefusal = false
  /** Headers of an answer that goes on only when its body has been looked at. */
  #held: Record<string, string | string[]> | undefined
  readonly #shows: (data: string) => boolean
  #isSent = false
  #isOver = false
  #isClientGone = false
  #cut: string | undefined
  #cloudError: { readonly headers: Record<string, string | string[]>; readonly chunks: Buffer[] } | undefined
  #scanner: EventScanner | AmazonEventScanner = new EventScanner()
  readonly #kept: Buffer[] = []
  #keptSize = 0

  private readonly parts: GatewayParts
  private readonly call: IncomingCall
  private readonly admission: Admission
  private readonly response: ServerResponse
  private readonly hasNext: boolean

  constructor(
    parts: GatewayParts,
    call: IncomingCall,
    admission: Admission,
    response: ServerResponse,
    hasNext: boolean,
  ) {
    this.parts = parts
    this.call = call
    this.admission = admission
    this.response = response
    this.hasNext = hasNext
    const { promise, resolve } = Promise.withResolvers<AttemptEnd>()
    this.ended = promise
    this.#resolve = resolve
    this.meter = call.dialect.meter(call.asked)
    // Where thinking is hidden, an event that does not say what it shows may show nothing.
    const isHidden = hidesReasoning(call, admission)
    this.#shows = call.dialect.shows ?? (() => !isHidden)
    this.#sentAt = parts.clock.monotonicMs()
    this.#lastByteAt = this.#sentAt
  }

  get seconds(): number {
    return (this.parts.clock.monotonicMs() - this.#sentAt) / 1_000
  }

  /** The time since the answer began to come, until its last byte. */
  get answerSeconds(): number {
    return this.#firstByteAt === undefined ? 0 : (this.#lastByteAt - this.#firstByteAt) / 1_000
  }

  /** Returns all that is known of the answer so far. */
  unfinished(): Unfinished {
    return {
      said: this.meter.inputSoFar(),
      // What refuses a call is no answer.
      chunks: this.#status < 300 ? this.#kept : [],
      isCutOff: this.#isStream && this.#keptSize > keptBytes,
      isStream: this.#isStream,
      seconds: this.seconds,
      shownSeconds: this.shown.seconds,
      silentSeconds: (this.parts.clock.monotonicMs() - this.#lastByteAt) / 1_000,
    }
  }

  /** The caller has hung up: stop the provider where that stops the billing, else read on for its usage. */
  clientGone() {
    if (this.#isOver || this.#isClientGone) return
    this.#isClientGone = true
    const then = this.admission.upstream.onClientGone
    this.parts.metrics.clientGone.inc({ then })
    // What has not been sent is not billed by anybody.
    if (then === 'abort' || !this.#isSent) this.#abort()
    else this.#controller?.resume()
  }

  /** Ends the answer in the middle, because the call may not go on. */
  cut(message: string) {
    this.#cut = message
    this.#abort()
  }

  #abort() {
    if (this.#controller) this.#controller.abort(new Error('the call ends here'))
    else this.#end({ kind: 'not_sent', message: 'the call ended before it was sent' })
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    this.#isSent = true
    this.#sentAt = this.parts.clock.monotonicMs()
    this.#lastByteAt = this.#sentAt
    if (this.#isOver) controller.abort(new Error('the call ends here'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    if (status < 200) return
    this.#status = status
    this.requestId = requestIdOf(headers)
    this.#lastByteAt = this.parts.clock.monotonicMs()
    this.parts.metrics.firstByte.observe({ provider: this.admission.upstream.name }, this.seconds)
    // A refused credential of the gateway's own is not the caller's concern, and some providers repeat a part of it in their answer.
    if (this.admission.upstream.refusesGateway(status) || (this.hasNext && passingStatuses.has(status))) {
      this.#isKeptBack = true
      return
    }
    const type = String(headers['content-type'] ?? '')
    const isAmazons = status < 300 && type.startsWith(amazonStreamType)
    if (isAmazons) this.#scanner = new AmazonEventScanner()
    this.#isRewritten = isAmazons && this.call.dialect.name !== 'bedrock'
    this.#isStream = isAmazons || (status < 300 && type.startsWith('text/event-stream'))
    const isFiltered = this.#isStream && this.call.dialect.isOurs !== undefined && !this.call.asked.wantsUsage
    this.#isFiltered = this.#isRewritten || isFiltered
    if (status === 400 && isAmbiguous(this.admission.upstream.config, this.call.dialect))
      this.#held = returnedHeaders(headers, false)
    if (this.#isClientGone || this.#held) return
    if (status >= 300 && this.admission.upstream.errorMessage && this.call.dialect.name !== 'bedrock') {
      this.#cloudError = { headers: returnedHeaders(headers, true), chunks: [] }
      return
    }
    this.response.writeHead(status, {
      ...returnedHeaders(headers, this.#isFiltered),
      ...(this.#isRewritten && { 'content-type': 'text/event-stream; charset=utf-8' }),
    })
    // Headers often come with the first event: then they go on together.
    if (this.#isStream) process.nextTick(() => this.#flushHeaders())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#lastByteAt = this.parts.clock.monotonicMs()
    this.#firstByteAt ??= this.#lastByteAt
    if (this.#isKeptBack) return
    if (this.#cloudError) {
      this.#cloudError.chunks.push(Buffer.from(chunk))
      return
    }
    if ((this.#status < 300 && !this.#isStream) || this.#held) this.#keep(chunk)
    if (this.#held) return
    // Whoever has the whole answer may use its ids at once, so they must be known by then.
    if (!this.#isStream && this.#status < 300 && this.meter.newIds) return
    const canTakeMore = this.#isStream ? this.#passEvents(chunk) : this.#write(chunk)
    if (canTakeMore || this.#isClientGone) return
    controller.pause()
    this.response.once('drain', () => controller.resume())
  }

  onResponseEnd() {
    const rest = this.#scanner.rest()
    if (this.#isStream && rest) this.#see(rest.data)
    if (this.#isStream && rest && this.#isFiltered && !this.#isOurs(rest.data)) this.#write(rest.bytes)
    if (this.#cloudError && !this.#isClientGone) this.#writeCloudError(this.#cloudError)
    if (this.#held) this.#passHeld(this.#held)
    const isWhole = this.#status < 300 && !this.#isStream
    if (isWhole) {
      const bytes = Buffer.concat(this.#kept)
      this.meter.whole(parseJson(bytes.toString()))
      this.#ownIds()
      if (this.meter.newIds) this.#write(bytes)
    }
    if (!this.#isKeptBack && !this.#isClientGone) this.response.end()
    if (this.#status >= 300) {
      this.#end(
        refusedStatuses.has(this.#status) && !this.#isBilledRefusal
          ? { kind: 'refused', status: this.#status, isPassedOn: !this.#isKeptBack }
          : { kind: 'unfinished', why: 'upstream', message: `the provider answered ${this.#status}` },
      )
      return
    }
    this.#end({ kind: 'complete' })
  }

  /** Passes on an answer that was looked at, unless it refuses the gateway's own key in a status that says something else. */
  #passHeld(headers: Record<string, string | string[]>) {
    const body = Buffer.concat(this.#kept)
    const { kind } = this.admission.upstream.config
    this.#isBilledRefusal = kind === 'azure' && body.includes('content_filter')
    if (this.call.dialect.refusesKey?.(parseJson(body.toString())) === true) {
      this.#isKeptBack = true
      this.#status = 401
    } else if (!this.#isClientGone) this.response.writeHead(this.#status, headers).write(body)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    if (!this.#isSent) return this.#end({ kind: 'not_sent', message: error.message })
    if (this.#isClientGone) return this.#end({ kind: 'unfinished', why: 'client_gone', message: 'the caller hung up' })
    const message = this.#cut ?? `the answer of the provider broke off (${error.message})`
    if (this.#isStream && this.response.writable) {
      this.response.end(errorEvent(breakRefusal(message, this.#cut !== undefined), this.call.dialect.name))
    } else if (this.response.headersSent) this.response.destroy()
    this.#end({ kind: 'unfinished', why: this.#cut === undefined ? 'upstream' : 'cut', message })
  }

  /** Lets the meter see every event, and the caller all but those that are there for the gateway only. */
  #passEvents(chunk: Buffer): boolean {
    const isFresh = this.#scanner.isBetween
    const events = this.#scanner.push(chunk)
    this.#keep(this.#scanner instanceof EventScanner ? chunk : Buffer.concat(events.map(({ bytes }) => bytes)))
    for (const { data } of events) this.#see(data)
    if (!this.#isFiltered) return this.#write(chunk)
    const kept = events.filter(({ data }) => !this.#isOurs(data))
    if (kept.length === 0) return true
    // Mostly all of a chunk goes on as it came.
    const isUnchanged = isFresh && this.#scanner.isBetween && kept.length === events.length && !this.#isRewritten
    return this.#write(isUnchanged ? chunk : Buffer.concat(kept.map(({ bytes }) => bytes)))
  }

  /** True for an event that the caller did not ask for. */
  #isOurs(data: string | undefined): boolean {
    const { dialect, asked } = this.call
    return data !== undefined && dialect.isOurs?.(asked, this.admission.upstream.config, data) === true
  }

  /** Writes the error of a cloud as the maker of its model would, because that is what the caller reads. */
  #writeCloudError({ headers, chunks }: { headers: Record<string, string | string[]>; chunks: readonly Buffer[] }) {
    const bytes = Buffer.concat(chunks)
    const message = this.admission.upstream.errorMessage?.(parseObject(bytes.toString()) ?? {})
    const own = message === undefined ? bytes : JSON.stringify(anthropicError(this.#status, message))
    this.response.writeHead(this.#status, headers).write(own)
  }

  #see(data: string | undefined) {
    if (data === undefined) return
    if (this.#shows(data)) this.shown.see(this.#lastByteAt)
    this.meter.event(data)
    this.#ownIds()
  }

  /** Notes whose the parts of the answer are that the provider keeps. */
  #ownIds() {
    const ids = this.meter.newIds?.() ?? []
    if (ids.length === 0 || this.call.body.value['store'] === false) return
    const { upstream, model } = this.admission
    const owner = ownerOf(this.call.caller.key)
    this.parts.ownedIds.add(ids, { owner, provider: upstream.name, model: model.name })
  }

  #flushHeaders() {
    if (!this.#isBegun && !this.#isOver && !this.response.destroyed) this.response.flushHeaders()
  }

  #write(chunk: Buffer): boolean {
    this.#isBegun = true
    return this.#isClientGone || this.response.destroyed || this.response.write(chunk)
  }

  /** Keeps a copy of the answer: whole where it must be parsed, and the beginning of a stream to judge it by. */
  #keep(chunk: Buffer) {
    this.#keptSize += chunk.length
    if (!this.#isStream || this.#keptSize <= keptBytes) this.#kept.push(Buffer.from(chunk))
  }

  #end(end: AttemptEnd) {
    if (this.#isOver) return
    this.#isOver = true
    this.#resolve(end)
  }
}
