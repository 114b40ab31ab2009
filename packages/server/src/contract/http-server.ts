import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Log } from '../platform/infra/log.ts'
import type { Tracing } from '../platform/infra/trace.ts'
import { refuseMalformedHttp, refuseUnsupportedHttp } from './envelope.ts'
import { routingTarget } from './request-heads.ts'
import type { App } from './routes.ts'
import { serializeResponses } from './serialization.ts'
import { requestIdFrom } from './tracing.ts'

interface HttpServerOptions {
  readonly config: Config
  readonly log: Log
  readonly tracing: Tracing
  /** Answers the framework errors that bypass all hooks. */
  readonly answerPastHooks: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** Creates the HTTP server of the API, without routes and hooks. */
export function createHttpServer({ config, log, tracing, answerPastHooks }: HttpServerOptions): App {
  const app: App = fastify({
    genReqId: requestIdFrom(tracing),
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutSeconds * 1_000,
    http: {
      requireHostHeader: false, // refused in the contract's words instead
      headersTimeout: config.requestTimeoutSeconds * 1_000,
      connectionsCheckingInterval: 1_000,
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Longer than the headers can be, so that a route's own schema refuses an overlong parameter.
    routerOptions: { maxParamLength: 32_768 },
    rewriteUrl: routingTarget,
    frameworkErrors: (error, request, reply) => void answerPastHooks(error, request, reply),
    clientErrorHandler: refuseMalformedHttp(log),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // With a logger of its own the framework would add listeners to every response; only its warnings and errors are wanted.
  Object.assign(app.log, { warn: log.warn.bind(log), error: log.error.bind(log), fatal: log.fatal.bind(log) })
  refuseUnsupportedHttp(app)
  serializeResponses(app)
  return app
}
