import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Log } from '../infra/log.ts'
import { isDatabaseAway } from '../infra/sql.ts'
import { newTraceId } from '../infra/trace.ts'
import { contentTypeFault } from './body.ts'
import { ApiError, type FieldErrorCode, validationFailed } from './errors.ts'
import { inFlightOf } from './in-flight.ts'
import type { App } from './routes.ts'
import { traceHeader } from './tracing.ts'

/** What every error looks like on the wire, and nothing more: no stack, no SQL, no path ever leaves. */
export const envelope = (error: ApiError) =>
  JSON.stringify({ error: { code: error.code, message: error.message, details: error.details } })

const badBody = (code: FieldErrorCode, message: string) => validationFailed([{ field: 'body', code, message }])

/** What the framework itself refuses, in the contract's words. Any other error it raises is a fault of ours. */
const frameworkRefusals: Record<string, () => ApiError> = {
  FST_ERR_BAD_URL: () => new ApiError('bad_request', {}, { message: 'The path has a malformed percent-encoding.' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => badBody('invalid_body', 'The body ended before its content-length.'),
}

/** The one place that turns whatever was thrown into an error of the catalog. A status that an error carries is not trusted. */
function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  const { code } = (thrown ?? {}) as { code?: unknown }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return validationFailed([contentTypeFault(request)])
  const refusal = typeof code === 'string' ? frameworkRefusals[code] : undefined
  if (refusal) return refusal()
  if (isDatabaseAway(thrown)) return new ApiError('service_unavailable', {}, { cause: thrown })
  return new ApiError('internal', {}, { cause: thrown })
}

/** Answers every error of every route, known or not, with the envelope. */
export function answerErrors(app: App, log: Log) {
  app.setErrorHandler((thrown: unknown, request, reply) => sendError(log, thrown, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(log, new ApiError('not_found'), request, reply))
}

export function sendError(log: Log, thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  // A caller that hung up while sending is no failure of ours, whatever the stream calls it.
  const wasCutShort = request.raw.readableAborted && !(thrown instanceof ApiError)
  const error = wasCutShort ? badBody('invalid_body', 'The body was cut short.') : toApiError(thrown, request)
  // Saying no under load is counted, not told line by line: the log must not be what breaks next.
  const isTurnedAway = error.code === 'service_unavailable' && error === thrown && error.cause === undefined
  if (error.status >= 500 && !isTurnedAway) {
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
  reply.header(traceHeader, request.id)
  if (error.code === 'rate_limited') {
    reply.header('retry-after', (error as ApiError<'rate_limited'>).details.retry_after_seconds)
  }
  // The framework wants to cut the connection after a body it did not read, which can destroy the answer on its way to
  // a client that is still sending. Left open, the rest is read and dropped, within the request's time limit.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  asJsonText(reply, error.status).send(envelope(error))
}

const asIs = (payload: unknown) => payload as string

/** Prepares an answer whose bytes are JSON already: they are sent as they are. */
export const asJsonText = (reply: FastifyReply, status: number) =>
  reply.code(status).type('application/json').serializer(asIs)

/** Refuses what could not even be read as HTTP, or was not sent in time. */
export const refuseMalformedHttp = (log: Log) => (error: FastifyError & { code?: string }, socket: Socket) => {
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  // The peer is gone, or an answer is already on its way: nothing can be said any more.
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(
    'bad_request',
    {},
    { message: malformed[error.code] ?? 'The request is not valid HTTP.' },
  )
  const known = current && inFlightOf(current)
  if (known) {
    // Its head was understood, so the answer is that route's, with the trace id and all headers it has by now.
    known.reply.raw.shouldKeepAlive = false
    known.reply.raw.once('finish', () => socket.destroySoon())
    if (!known.reply.sent) sendError(log, refusal, known.request, known.reply)
    return
  }
  const traceId = newTraceId()
  log.info({ trace_id: traceId, reason: error.code }, 'refused a malformed request')
  socket.end(rawResponse(refusal, traceId))
}

const malformed: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not sent in time.',
}

const rawHeaders = (body: string, traceId: string) => ({
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

/** HTTP features that the server does not have, which Node would answer in its own words. */
export function refuseUnsupportedHttp({ server }: App) {
  const refusal = new ApiError('bad_request', {}, { message: 'The request is not supported.' })
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = envelope(refusal)
    response.writeHead(refusal.status, rawHeaders(body, newTraceId())).end(body)
  })
  server.on('connect', (_request, socket: Duplex) => {
    // Node hands the bare socket over: nobody else listens for its errors or ends it.
    socket.on('error', () => undefined)
    socket.end(rawResponse(refusal, newTraceId()), () => socket.destroy())
  })
}

/** What Node and the framework let pass, but HTTP does not: no host, or a query that is not percent-encoded properly. */
export function refuseMalformedRequests(app: App) {
  app.addHook('onRequest', ({ raw, headers }, _reply, done) => {
    const message =
      raw.httpVersion === '1.1' && headers.host === undefined
        ? 'The host header is missing.'
        : isDecodable(raw.url!)
          ? undefined
          : 'The query has a malformed percent-encoding.'
    done(message === undefined ? undefined : new ApiError('bad_request', {}, { message }))
  })
}

function isDecodable(url: string): boolean {
  const query = url.indexOf('?')
  if (query < 0 || !url.includes('%', query)) return true
  try {
    decodeURIComponent(url.slice(query))
    return true
  } catch {
    return false
  }
}
