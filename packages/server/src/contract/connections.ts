import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Lifecycle } from '../platform/infra/lifecycle.ts'
import { hasBodyBytes, isBodyTooLong } from './body.ts'
import type { App } from './routes.ts'

/** Size up to which the unread rest of a body is discarded, so that the connection can serve the next request. */
const droppedBytes = 65_536
const lingerMs = 5_000

const awaitsContinue = Symbol('awaits leave to send its body')
type Sending = IncomingMessage & { [awaitsContinue]?: boolean }

const answeredEarly = Symbol('a request that was answered before its body was there')
const lingering = Symbol('lingering')
type Connection = Socket & { [answeredEarly]?: IncomingMessage; [lingering]?: true }

/** Keeps connections consistent when a response precedes the whole request: exactly one response each, and none lost. */
export function ensureSingleResponse(app: App) {
  // `100 Continue` is sent once the body is wanted, after every check that can refuse the request by its headers.
  app.server.on('checkContinue', (request: Sending, response) => {
    request[awaitsContinue] = true
    app.server.emit('request', request, response)
  })

  // A request that follows a response which ended the connection is not served: nobody would receive the response.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (!isLingering(raw.socket)) done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && hasBodyBytes(request)) answerEarly(request, reply)
    done(null, payload)
  })
}

/** Sends `100 Continue` to a caller that waits for it, unless the declared length alone refuses the body. */
export function sendContinue(app: App) {
  app.addHook('onRequest', (request, reply, done) => {
    if (isReadBody(request) && !isBodyTooLong(request)) letSend(request, reply)
    done()
  })
}

/** True for a request whose caller waits for `100 Continue` before it sends the body. */
export const isWaiting = ({ raw }: { readonly raw: Sending }): boolean => raw[awaitsContinue] === true

/** Sends `100 Continue` to a caller that waits for it. */
export function letSend(request: FastifyRequest, reply: FastifyReply) {
  const raw: Sending = request.raw
  if (raw[awaitsContinue] !== true) return
  raw[awaitsContinue] = false
  reply.raw.writeContinue()
}

const isReadBody = (request: FastifyRequest) =>
  request.method !== 'GET' && request.method !== 'HEAD' && hasBodyBytes(request)

function answerEarly(request: FastifyRequest, reply: FastifyReply) {
  const raw: Sending = request.raw
  const connection: Connection = raw.socket
  connection[answeredEarly] = raw
  // A caller that waited for `100 Continue` may send the body or not, so what follows on the connection is ambiguous.
  const isShort = Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= droppedBytes
  if (isShort && raw[awaitsContinue] !== true && reply.raw.shouldKeepAlive) return
  reply.header('connection', 'close')
  // Node would cut the connection after the response, and data still arriving would destroy the response on its way.
  connection.destroySoon = () => linger(connection)
}

/** True when the last request of a connection was answered although its body never came: nothing more is to be sent. */
export function isAnswered(connection: Connection): boolean {
  const request = connection[answeredEarly]
  return request !== undefined && !request.complete
}

export const isLingering = (connection: Connection) => connection[lingering] === true

/** Ends a connection after the data written to it, and discards what still arrives for a while (RFC 9112, section 9.6). */
export function linger(connection: Connection) {
  if (isLingering(connection)) return
  connection[lingering] = true
  const timer = setTimeout(() => connection.destroy(), lingerMs).unref()
  connection.once('close', () => clearTimeout(timer))
  connection.end()
}

/** Ends each connection with its next response while draining, so that none is cut while a request is on its way. */
export function closeConnectionsWhileDraining(app: App, lifecycle: Lifecycle) {
  app.addHook('onRequest', (_request, reply, done) => {
    if (lifecycle.isDraining()) reply.raw.shouldKeepAlive = false
    done()
  })
}
