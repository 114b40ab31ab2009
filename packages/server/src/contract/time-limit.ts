import { hasBodyBytes } from './body.ts'
import { ApiError } from './errors.ts'
import type { RequestsInFlight } from './in-flight.ts'
import type { App } from './routes.ts'

const sweepMs = 100

/**
 * Answers 503 for a handler that takes too long, counted from the end of the request. One sweep serves all requests: the
 * framework's own limit creates a timer and an abort signal for each, which cost more than all other hooks together. A response
 * that has begun is let through.
 */
export function limitHandlerTime(app: App, inFlight: RequestsInFlight, limitMs: number) {
  app.decorateRequest('receivedMs')
  app.decorateRequest('isAnswered', false)
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasBodyBytes(request)) request.receivedMs = performance.now()
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.receivedMs ??= performance.now()
    done()
  })

  // The first of these hooks: later ones may delay the response.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.isAnswered = true
    done(null, payload)
  })

  const timer = setInterval(() => {
    const latest = performance.now() - limitMs
    for (const { request, reply } of inFlight) {
      if (request.receivedMs === undefined || request.receivedMs > latest || request.isAnswered || reply.sent) continue
      reply.send(new ApiError('service_unavailable', {}, { message: 'The request took too long.' }))
    }
  }, sweepMs).unref()
  app.addHook('onClose', () => clearInterval(timer))
}

declare module 'fastify' {
  interface FastifyRequest {
    receivedMs?: number
    /** True when a response exists, sent or about to be. */
    isAnswered: boolean
  }
}
