import type { IncomingMessage } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import { parseTraceparent, type Trace, type Tracing, withinTrace } from '../platform/infra/trace.ts'
import { present } from '../values/present.ts'
import type { App } from './routes.ts'

export const traceHeader = 'x-svc-trace-id'

/** Key of the trace on the message itself: a separate lookup would cost more than the rest of tracing. */
const key = Symbol('trace')
type Traced = IncomingMessage & { [key]?: Trace }

export const traceOf = (message: Traced): Trace => present(message[key])

/** Returns the id of a request, before anything else is known about it; the framework stores it as `request.id`. */
export const requestIdFrom = (tracing: Tracing) => (message: Traced) => {
  const header = message.headers['traceparent']
  const parent = typeof header === 'string' ? parseTraceparent(header) : undefined
  const trace = tracing.begin('request', SpanKind.SERVER, parent)
  message[key] = trace
  return trace.id
}

/** Runs each request inside its trace, so that every log line and query below it finds the id. */
export function traceRequests(app: App) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(traceHeader, request.id)
    withinTrace(traceOf(request.raw), done)
  })
}
