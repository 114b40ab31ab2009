import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { sendRefusal, serveCall } from './calls/call.ts'
import { serveCheck } from './calls/check.ts'
import { serveFree, serveStored } from './calls/free-call.ts'
import type { GatewayParts } from './calls/gateway-parts.ts'
import type { LiveParts } from './calls/live-parts.ts'
import { serveModels } from './calls/model-list.ts'
import { mostInFlight } from './config-schema.ts'
import { dialectNamed } from './dialects/dialects.ts'
import { clientKindOf } from './refusals/client-kinds.ts'
import { refusalWith } from './refusals/refusals.ts'
import { queryOf, routeOf } from './routes.ts'

/** The state of a gateway that a balancer asks for. */
export interface Readiness {
  isDraining: boolean
}

/** The HTTP server of a gateway. */
export interface GatewayServer {
  readonly http: Server
  /** Closes connections on which nothing is asked or answered, also those on which nothing ever was: Node does not call them idle. */
  readonly closeQuiet: () => void
}

/** Makes the HTTP server of a gateway; it does not listen yet. */
export function createGatewayServer(live: LiveParts, readiness: Readiness): GatewayServer {
  let inFlight = 0
  const server = createServer(
    { requestTimeout: 120_000, headersTimeout: 10_000, keepAliveTimeout: 75_000 },
    (request, response) => {
      inFlight += 1
      response.once('close', () => {
        inFlight -= 1
      })
      const work = (parts: GatewayParts) => {
        const isFull = inFlight > mostInFlight(parts.config)
        return serve(parts, readiness, request, response, isFull)
      }
      live.use(work).catch((error: unknown) => {
        live.current.log.error({ error }, 'a request failed')
        if (response.headersSent) response.destroy()
        else
          response
            .writeHead(500, { 'content-type': 'application/json' })
            .end('{"error":{"message":"Weir: an unexpected error occurred."}}')
      })
    },
  )
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    // Clients that prefer a WebSocket take this for a no and go on over HTTP.
    socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    http: server,
    closeQuiet: () => {
      server.closeIdleConnections()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

/** Before the path of a call, asks for a decision alone. */
const checkPrefix = '/check/'

async function serve(
  parts: GatewayParts,
  readiness: Readiness,
  request: IncomingMessage,
  response: ServerResponse,
  isFull: boolean,
) {
  const [fullPath = '/', search] = (request.url ?? '/').split('?', 2)
  const isCheck = parts.config.checks === true && fullPath.startsWith(checkPrefix)
  const path = isCheck ? fullPath.slice(checkPrefix.length - 1) : fullPath
  const found = routeOf(request.method ?? 'GET', path, request.headers)
  const route = isCheck && found.kind !== 'call' ? ({ kind: 'closed', dialect: dialectNamed('chat') } as const) : found
  const client = clientKindOf(request.headers)
  if (route.kind === 'probe') {
    const isReady = route.name === 'healthz' || !readiness.isDraining
    response.writeHead(isReady ? 200 : 503, { 'content-type': 'text/plain' }).end(isReady ? 'ok' : 'draining')
    return
  }
  const dialect = ('dialect' in route ? route.dialect : undefined) ?? dialectNamed('chat')
  if (readiness.isDraining || isFull) {
    const refusal = refusalWith(503, 'service_unavailable', 'this gateway takes no more calls at the moment.', 1)
    sendRefusal(parts, refusal, dialect, client, response)
    return
  }
  const { refused, forwarded: query, key } = queryOf(route, search ?? '')
  if (refused !== undefined) {
    sendRefusal(
      parts,
      refusalWith(400, 'invalid_request', `the parameter ${refused} is not known here.`),
      dialect,
      client,
      response,
    )
    return
  }
  // From here on it is a key like any other, in a header that is not passed on.
  if (key !== undefined) request.headers['x-goog-api-key'] ??= key
  switch (route.kind) {
    case 'call':
      return (isCheck ? serveCheck : serveCall)(parts, { ...route, query }, request, response)
    case 'free':
      return serveFree(parts, { ...route, query }, request, response)
    case 'stored':
      return serveStored(parts, { ...route, query }, request, response)
    case 'models':
      return serveModels(parts, request, response, route.dialect)
    case 'closed':
      return sendRefusal(
        parts,
        refusalWith(404, 'not_found', `${request.method} ${path} is not metered here, so it is closed.`),
        dialect,
        client,
        response,
      )
  }
}
