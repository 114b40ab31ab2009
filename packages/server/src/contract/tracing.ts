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

/** Returns the header by which a request that this one causes becomes a part of its trace. */
export function traceparentOf(message: Traced): string {
  const { id, span } = traceOf(message)
  const context = span?.spanContext()
  const given = message.headers['traceparent']
  // Where nothing is exported here, the caller's own span stays the parent, with its decision about sampling.
  if (!context && typeof given === 'string' && parseTraceparent(given)?.traceId === id) return given
  return `00-${id}-${context?.spanId ?? id.slice(0, 16)}-0${(context?.traceFlags ?? 0) & 1}`
}

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
