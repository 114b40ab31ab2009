import { parseId } from '../../values/id.ts'
import { attribute, attributesOf, type SpanAttributes, textAttribute } from './attributes.ts'
import { kindOf, namesModel } from './span-kinds.ts'
import type { SpanFields, TracesRequest } from './traces.ts'

/** A span that represents one call of a model, with the usage of that call itself. */
export interface ModelCall {
  readonly span: SpanFields
  readonly attributes: SpanAttributes
  readonly resource: SpanAttributes
  readonly operation: string | undefined
  /** The same for every report of one call. */
  readonly id: string | undefined
}

/** A span with usage and a model that could not be recognized as a model call. */
export interface Unrecognized {
  readonly span: SpanFields
  readonly says: string
}

interface Seen {
  readonly parent: string | undefined
  readonly call: ModelCall | undefined
  /** True for an agent or a tool: calls beneath it are not the call above it. */
  readonly isBoundary: boolean
}

/**
 * Returns the model calls of a request, each once. Two instrumentations may report the same call, one inside the other: a span
 * whose usage is exactly the sum of the calls beneath it is such a second report and does not count again; nor does a second span
 * about the same response.
 */
export function modelCallsOf(
  request: TracesRequest,
  mapped: ReadonlySet<string> = new Set(),
): { calls: ModelCall[]; unrecognized: Unrecognized[]; ignored: number } {
  const seen = new Map<string, Seen>()
  const unrecognized: Unrecognized[] = []
  let spans = 0
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    const ofResource = attributesOf(resource, mapped)
    for (const scope of scopeSpans ?? [])
      for (const span of scope.spans ?? []) {
        spans++
        // Spans without an id do not repeat each other.
        const key = spanKey(span.traceId, span.spanId) ?? `span ${spans}`
        // An exporter that retries may send a span twice.
        if (seen.has(key)) continue
        const attributes = attributesOf(span, mapped)
        const kind = kindOf(attributes)
        const isUsed = hasUsage(attributes) && !isReported(attributes)
        if (kind.unknown !== undefined && isUsed && namesModel(attributes))
          unrecognized.push({ span, says: kind.unknown })
        const call =
          kind.isModelCall && isUsed
            ? { span, attributes, resource: ofResource, operation: kind.operation, id: callId(span, attributes) }
            : undefined
        seen.set(key, { parent: spanKey(span.traceId, span.parentSpanId), call, isBoundary: kind.isBoundary })
      }
  }
  const calls = distinctCalls(seen, wrappersIn(seen))
  return { calls, unrecognized, ignored: spans - calls.length - unrecognized.length }
}

function distinctCalls(seen: ReadonlyMap<string, Seen>, wrappers: ReadonlySet<ModelCall>): ModelCall[] {
  const calls = new Map<string | ModelCall, ModelCall>()
  for (const { call } of seen.values()) {
    if (!call || wrappers.has(call)) continue
    const identity = call.id ?? call
    if (!calls.has(identity)) calls.set(identity, call)
  }
  return [...calls.values()]
}

/**
 * Shortest id of a response that identifies it: shorter ones are counters or a few random digits of local servers, which may
 * repeat within a trace.
 */
const minResponseIdLength = 20
const maxResponseIdLength = 100

/**
 * Returns the id of a call, from its trace and response: a gateway and the program that calls it both report a call, from two
 * processes and so in two requests. Without the id of a response a call is identified by its span.
 */
function callId(span: SpanFields, attributes: SpanAttributes): string | undefined {
  const key = spanKey(span.traceId, span.spanId)
  const response = textAttribute('responseId', attributes)
  if (key === undefined || response === undefined) return key
  const isTelling = response.length >= minResponseIdLength && response.length <= maxResponseIdLength
  return isTelling && /^[\x21-\x7e]+$/.test(response) ? `${key.slice(0, key.indexOf(':'))}:${response}` : key
}

const isTraceId = /^(?!0+$)[0-9a-f]{32}$/i
const isSpanId = /^(?!0+$)[0-9a-f]{16}$/i

/** Returns a key that is the same for every spelling of a span's ids; undefined where they are invalid. */
export const spanKey = (traceId: unknown, spanId: unknown): string | undefined =>
  typeof traceId === 'string' && typeof spanId === 'string' && isTraceId.test(traceId) && isSpanId.test(spanId)
    ? `${traceId}:${spanId}`.toLowerCase()
    : undefined

const hasUsage = (attributes: SpanAttributes) =>
  (['input_tokens', 'output_tokens', 'cost_usd'] as const).some((name) => attribute(name, attributes) !== undefined)

/** True for a call that is a run already: its caller started and finishes it. */
const isReported = (attributes: SpanAttributes) => {
  const id = textAttribute('runId', attributes)
  return id !== undefined && parseId('run', id) !== undefined
}

const maxDepth = 64

function wrappersIn(seen: ReadonlyMap<string, Seen>): ReadonlySet<ModelCall> {
  const beneath = new Map<ModelCall, { input: number; output: number }>()
  for (const { call, parent } of seen.values()) {
    const outer = call && enclosingCall(seen, parent)
    if (!call || !outer || outer === call) continue
    const sum = beneath.get(outer) ?? { input: 0, output: 0 }
    const own = tokensOf(call)
    beneath.set(outer, { input: sum.input + own.input, output: sum.output + own.output })
  }
  const wrappers = new Set<ModelCall>()
  for (const [outer, sum] of beneath) {
    const own = tokensOf(outer)
    if (own.input === sum.input && own.output === sum.output && own.input + own.output > 0) wrappers.add(outer)
  }
  return wrappers
}

function enclosingCall(seen: ReadonlyMap<string, Seen>, parent: string | undefined): ModelCall | undefined {
  let key = parent
  for (let depth = 0; key !== undefined && depth < maxDepth; depth++) {
    const above = seen.get(key)
    if (!above || above.call || above.isBoundary) return above?.call
    key = above.parent
  }
  return undefined
}

const tokensOf = ({ attributes }: ModelCall) => ({
  input: Number(attribute('input_tokens', attributes) ?? 0),
  output: Number(attribute('output_tokens', attributes) ?? 0),
})
