import type { IncomingMessage } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import { parseTraceparent, type Trace, type Tracing, withinTrace } from '../infra/trace.ts'
import type { App } from './routes.ts'

export const traceHeader = 'x-svc-trace-id'

/** Kept on the message itself: a lookup beside it would cost more than all the rest of tracing. */
const key = Symbol('trace')
type Traced = IncomingMessage & { [key]?: Trace }

export const traceOf = (message: IncomingMessage): Trace => (message as Traced)[key]!

/** The id of a request, made before anything else is known of it; the framework keeps it as `request.id`. */
export const requestIdFrom = (tracing: Tracing) => (message: IncomingMessage) => {
  const header = message.headers['traceparent']
  const parent = typeof header === 'string' ? parseTraceparent(header) : undefined
  const trace = tracing.begin('request', SpanKind.SERVER, parent)
  ;(message as Traced)[key] = trace
  return trace.id
}

/** Runs the request inside its trace, so every log line and query below it finds the id. */
export function traceRequests(app: App) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(traceHeader, request.id)
    withinTrace(traceOf(request.raw), done)
  })
}
