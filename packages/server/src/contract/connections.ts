import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasBodyBytes, isTooLong } from './body.ts'
import type { App } from './routes.ts'

/** Up to here the rest of a body that nobody wants is read and dropped, and the connection serves the next request. */
const droppedBytes = 65_536
const lingerMs = 5_000

const awaitsLeave = Symbol('awaits leave to send its body')
type Sending = IncomingMessage & { [awaitsLeave]?: boolean }

const answeredEarly = Symbol('a request that was answered before its body was there')
const lingering = Symbol('lingering')
type Connection = Socket & { [answeredEarly]?: IncomingMessage; [lingering]?: true }

/** Keeps connections in order where an answer comes before the whole request: one answer each, and none that is lost. */
export function answerOnce(app: App) {
  // Leave is given when the body is wanted, after everything that can refuse the request by its head.
  app.server.on('checkContinue', (request: Sending, response) => {
    request[awaitsLeave] = true
    app.server.emit('request', request, response)
  })

  // What follows a request whose answer ended the connection is not carried out: nobody would hear what became of it.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (!isLingering(raw.socket)) done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && hasBodyBytes(request)) answerEarly(request, reply)
    done(null, payload)
  })
}

/** Lets a caller that waits for it send its body, unless its length alone refuses it. */
export function giveLeaveToSend(app: App) {
  app.addHook('onRequest', (request, reply, done) => {
    const raw: Sending = request.raw
    if (raw[awaitsLeave] === true && isReadBody(request) && !isTooLong(request)) {
      raw[awaitsLeave] = false
      reply.raw.writeContinue()
    }
    done()
  })
}

const isReadBody = (request: FastifyRequest) =>
  request.method !== 'GET' && request.method !== 'HEAD' && hasBodyBytes(request)

function answerEarly(request: FastifyRequest, reply: FastifyReply) {
  const { raw } = request
  const connection: Connection = raw.socket
  connection[answeredEarly] = raw
  // Who waited for leave may send the body or not, so what follows on the connection cannot be told apart.
  const isShort = Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= droppedBytes
  if (isShort && (raw as Sending)[awaitsLeave] !== true && reply.raw.shouldKeepAlive) return
  reply.header('connection', 'close')
  // Node would cut the connection behind the answer, and what its caller has yet to send would destroy the answer on its way.
  connection.destroySoon = () => linger(connection)
}

/** Whether the last request of a connection has its answer, though its body never came: nothing more is to be said to it. */
export function isAnswered(connection: Connection): boolean {
  const request = connection[answeredEarly]
  return request !== undefined && !request.complete
}

export const isLingering = (connection: Connection) => connection[lingering] === true

/** Ends a connection behind what was written to it, while what still arrives is dropped for a while (RFC 9112, section 9.6). */
export function linger(connection: Connection) {
  if (isLingering(connection)) return
  connection[lingering] = true
  const timer = setTimeout(() => connection.destroy(), lingerMs).unref()
  connection.once('close', () => clearTimeout(timer))
  connection.end()
}
