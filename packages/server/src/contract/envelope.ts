import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Log } from '../platform/infra/log.ts'
import { isOfMovingOrg, outageOf } from '../platform/infra/outage.ts'
import { newTraceId } from '../platform/infra/trace.ts'
import { errorCode } from '../values/thrown.ts'
import { contentTypeFault } from './body.ts'
import { isAnswered, isLingering, linger } from './connections.ts'
import { ApiError, type FieldErrorCode, isApiError, orgIsMoving, validationFailed } from './errors.ts'
import { inFlightOf } from './in-flight.ts'
import { protectiveHeaders } from './protection.ts'
import type { App } from './routes.ts'
import { traceHeader } from './tracing.ts'

/** Returns an error as it is on the wire, and nothing more: no stack, SQL or path ever leaves. */
export const envelope = (error: ApiError) =>
  JSON.stringify({ error: { code: error.code, message: error.message, details: error.details } })

const badBody = (code: FieldErrorCode, message: string) => validationFailed([{ field: 'body', code, message }])

/**
 * Errors with which the framework refuses a request, mapped to the catalog. Any other error that it raises is a fault of ours.
 */
const frameworkRefusals: Record<string, () => ApiError> = {
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => badBody('invalid_body', 'The body ended before its content-length.'),
}

/**
 * Turns anything thrown into an error of the catalog; the only place that does. A status that a foreign error carries is not
 * trusted.
 */
function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  const code = errorCode(thrown)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return validationFailed([contentTypeFault(request)])
  const refusal = code === undefined ? undefined : frameworkRefusals[code]
  if (refusal) return refusal()
  if (isOfMovingOrg(thrown)) return new ApiError('service_unavailable', {}, { message: orgIsMoving })
  if (outageOf(thrown)) return new ApiError('service_unavailable', {}, { cause: thrown })
  return new ApiError('internal', {}, { cause: thrown })
}

/** Returns the response status for anything thrown. */
export const statusOf = (thrown: unknown, request: FastifyRequest) => toApiError(thrown, request).status

/** Looks up a stored response to send in place of a refusal; `undefined` when the refusal stands. */
export type FindStoredResponse = (request: FastifyRequest) => Promise<{ status: number; body: string } | undefined>

/** Answers every error of every route with the envelope; a refusal only when no response is stored for its idempotency key. */
export function answerErrors(app: App, log: Log, findStoredResponse: FindStoredResponse = async () => undefined) {
  app.decorateRequest('isKeyPending', false)
  app.setErrorHandler((thrown: unknown, request, reply) => {
    if (request.isKeyPending && thrown instanceof ApiError && thrown.status < 500) return byKey(thrown, request, reply)
    sendError(log, thrown, request, reply)
    return undefined
  })

  async function byKey(refusal: ApiError, request: FastifyRequest, reply: FastifyReply) {
    request.isKeyPending = false
    try {
      const kept = await findStoredResponse(request)
      if (kept) return replay(reply, kept.status, kept.body)
    } catch (error) {
      sendError(log, error, request, reply)
      return reply
    }
    sendError(log, refusal, request, reply)
    return reply
  }
  app.setNotFoundHandler((request, reply) => sendError(log, new ApiError('not_found'), request, reply))
}

/** Returns the error of the catalog for anything thrown, and logs it where it is a failure of ours. */
export function reportError(log: Log, thrown: unknown, request: FastifyRequest): ApiError {
  // A caller that hung up while sending is not a failure of ours, whatever the stream calls it.
  const wasCutShort = request.raw.readableAborted && !(thrown instanceof ApiError)
  const error = wasCutShort ? badBody('invalid_body', 'The body was cut short.') : toApiError(thrown, request)
  // Refusals under load are counted, not logged one by one: the log must not be what breaks next.
  const isShed = error.code === 'service_unavailable' && error === thrown && error.cause === undefined
  if (error.status >= 500 && !isShed) {
    log.error(
      {
        trace_id: request.id,
        method: request.method,
        route: request.routeOptions.config?.template,
        code: error.code,
        error: error.cause ?? thrown,
      },
      'a request failed',
    )
  }
  return error
}

export function sendError(log: Log, thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  const error = reportError(log, thrown, request)
  reply.headers(protectiveHeaders).header(traceHeader, request.id)
  if (isApiError(error, 'rate_limited')) reply.header('retry-after', error.details.retry_after_seconds)
  if (error.status === 401) reply.header('www-authenticate', challengeFor(request))
  // The framework would close the connection after a body that it did not read; `answerOnce` decides that.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  asJsonText(reply, error.status).send(envelope(error))
}

/** Returns the authentication challenge for a caller without a valid key (RFC 9110, section 11.6.1, and RFC 6750). */
const challengeFor = ({ headers }: FastifyRequest) =>
  headers.authorization === undefined ? 'Bearer realm="Weir"' : 'Bearer realm="Weir", error="invalid_token"'

/** Sends a stored response again. */
export function replay(reply: FastifyReply, status: number, body: string) {
  reply.header('idempotent-replayed', 'true')
  return body === '' ? reply.code(status).send() : asJsonText(reply, status).send(body)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True while the request's idempotency key has not been looked up: a refusal must not come before that. */
    isKeyPending: boolean
  }
}

/** Prepares a response whose body is JSON text already, to be sent as it is. */
export const asJsonText = (reply: FastifyReply, status: number) =>
  reply.code(status).type('application/json').serializer(String)

/** Headers that every response of a route carries, whatever it is. */
const commonHeaders = new Set([traceHeader, 'deprecation', 'sunset', 'link'])

/** Turns a response that is about to be sent into a refusal; returns the body to send in place of its own. */
export function withhold(reply: FastifyReply, refusal: ApiError): string {
  for (const name of Object.keys(reply.getHeaders())) if (!commonHeaders.has(name)) reply.removeHeader(name)
  asJsonText(reply.headers(protectiveHeaders), refusal.status)
  return envelope(refusal)
}

type ParserError = FastifyError & { readonly rawPacket?: unknown; readonly bytesParsed?: number }

/** Refuses data that could not be parsed as HTTP, or was not sent in time. */
export const refuseMalformedHttp = (log: Log) => (error: ParserError, socket: Socket) => {
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  // Data after the response that ended a connection is dropped, however malformed.
  if (isLingering(socket) && error.code !== 'ECONNRESET') return
  // The peer is gone, has not sent a request, or has its response: there is nothing to send.
  const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  if (error.code === 'ECONNRESET' || isSilent || !socket.writable || current?.headersSent || isAnswered(socket)) {
    socket.destroy()
    return
  }
  const refusal = hasUnknownMethod(error)
    ? new ApiError('not_found')
    : new ApiError('bad_request', {}, { message: malformed[error.code] ?? 'The request is not valid HTTP.' })
  const known = current && inFlightOf(current)
  if (known) {
    // Its headers were parsed, so the response is that of the route, with the trace id and all headers set so far.
    known.reply.raw.shouldKeepAlive = false
    known.reply.raw.once('finish', () => linger(socket))
    if (!known.request.isAnswered) sendError(log, refusal, known.request, known.reply)
    return
  }
  const traceId = newTraceId()
  log.info({ trace_id: traceId, reason: error.code }, 'refused a malformed request')
  socket.write(rawResponse(refusal, traceId))
  linger(socket)
}

const malformed: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not sent in time.',
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/

/** True when the parser failed on an unknown method in an otherwise well-formed request line. */
function hasUnknownMethod({ code, rawPacket, bytesParsed }: ParserError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false
  const start = rawPacket.lastIndexOf('\n', Math.max(0, (bytesParsed ?? 0) - 1)) + 1
  return requestLine.test(rawPacket.toString('latin1', start))
}

const rawHeaders = (body: string, traceId: string) => ({
  ...protectiveHeaders,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  [traceHeader]: traceId,
  connection: 'close',
})

function rawResponse(error: ApiError, traceId: string): string {
  const body = envelope(error)
  const headers = Object.entries(rawHeaders(body, traceId)).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...headers, '', body].join('\r\n')
}

export const unsupported = 'The request is not supported.'

/** Refuses HTTP features that the server lacks, which Node would answer in its own words. */
export function refuseUnsupportedHttp({ server }: App) {
  const refusal = new ApiError('bad_request', {}, { message: unsupported })
  // Refused by a hook like other malformed requests, so that the rest of the response is as usual.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Duplex) => {
    // Node passes the bare socket: nobody else handles its errors or ends it.
    socket.on('error', () => undefined)
    socket.end(rawResponse(refusal, newTraceId()), () => socket.destroy())
  })
}
