import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { randomIdBytes } from '../../values/entropy.ts'
import { elementAt } from '../../values/present.ts'

/**
 * Trace of one request, job or command, with or without OpenTelemetry: its id is in every log line and response. Spans are
 * created by hand at the two places that matter, the request and the query, so nothing is patched.
 */
export interface Trace {
  readonly id: string
  /** Present while traces are exported. */
  readonly span?: Span
}

const current = new AsyncLocalStorage<Trace>()

export const currentTrace = (): Trace | undefined => current.getStore()
export const withinTrace = <T>(trace: Trace, work: () => T): T => current.run(trace, work)

interface RemoteParent {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Parses a W3C `traceparent`; an invalid one is ignored, as the specification asks. */
export function parseTraceparent(header: string | undefined): RemoteParent | undefined {
  const match = header === undefined ? null : traceparent.exec(header)
  if (header === undefined || !match) return undefined
  // Version 00 has exactly four parts; only later versions may carry more.
  if (header.startsWith('00') && header.length !== 55) return undefined
  return {
    traceId: elementAt(match, 1),
    spanId: elementAt(match, 2),
    traceFlags: Number.parseInt(elementAt(match, 3), 16) & 1,
  }
}

const idBytes = 16

export const newTraceId = (): string => randomIdBytes(idBytes).toString('hex')

export interface Tracing {
  /** Starts the trace of one unit of work; the span can be renamed once the route is known. */
  readonly begin: (name: string, kind: SpanKind, parent?: RemoteParent) => Trace
  readonly close: () => Promise<void>
}

const disabledTracing: Tracing = {
  begin: (_name, _kind, parent) => ({ id: parent?.traceId ?? newTraceId() }),
  close: () => Promise.resolve(),
}

/** Creates tracing that exports when a collector is configured, and otherwise only generates ids. What exports is loaded only then. */
export async function createTracing(options: {
  sampleRatio: number
  endpoint: string | undefined
  serviceName: string
  version: string
}): Promise<Tracing> {
  const { endpoint } = options
  if (endpoint === undefined) return disabledTracing
  const { openTracer } = await import('./trace-export.ts')
  const { tracer, close } = openTracer({ ...options, endpoint })
  return {
    begin(name, kind, parent) {
      const from = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind }, from)
      tracers.set(span, tracer)
      return { id: span.spanContext().traceId, span }
    },
    close,
  }
}

const tracers = new WeakMap<Span, Tracer>()

/** Runs `work` inside a child span of the current trace; without export it just runs. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const parent = current.getStore()?.span
  const tracer = parent && tracers.get(parent)
  if (!parent || !tracer) return work()
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, trace.setSpan(context.active(), parent))
  try {
    return await work()
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
    throw error
  } finally {
    span.end()
  }
}
