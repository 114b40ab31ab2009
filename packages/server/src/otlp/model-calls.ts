import { type Attributes, attribute, attributesOf, textAttribute } from './attributes.ts'
import type { SpanFields, TracesRequest } from './traces.ts'

/** A span that stands for one call of a model, with what was used by that call itself. */
export interface ModelCall {
  readonly span: SpanFields
  readonly attributes: Attributes
  readonly resource: Attributes
  readonly operation: string | undefined
}

interface Seen {
  readonly parent: string | undefined
  readonly call: ModelCall | undefined
  /** An agent or a tool: what is called beneath it is not what stands above it. */
  readonly isBoundary: boolean
}

/** Operations in which a model is called; agents, tools, workflows and memories only contain such calls. */
const modelOperations = new Set(['chat', 'text_completion', 'generate_content', 'embeddings'])
const formerOperations: Record<string, string> = {
  chat: 'chat',
  completion: 'text_completion',
  embedding: 'embeddings',
}

/**
 * The model calls of a request, each once. An agent's span often repeats the tokens of the calls beneath it, so only a span whose
 * operation is a model call counts, and only with usage of its own. Two instrumentations may see the same call, one inside the
 * other: a span whose usage is exactly the sum of the calls beneath it is that second look and counts no more.
 */
export function modelCallsOf(request: TracesRequest): { calls: ModelCall[]; ignored: number } {
  const seen = new Map<string, Seen>()
  let spans = 0
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    const ofResource = attributesOf((resource as { attributes?: unknown } | null | undefined)?.attributes)
    for (const scope of scopeSpans ?? [])
      for (const span of scope.spans ?? []) {
        spans++
        const attributes = attributesOf(span.attributes)
        const kind = kindOf(attributes)
        const call =
          kind.isModelCall && hasUsage(attributes)
            ? { span, attributes, resource: ofResource, operation: kind.operation }
            : undefined
        // Spans without an id are no repetitions of each other.
        const key = spanKey(span.traceId, span.spanId) ?? `span ${spans}`
        const parent = spanKey(span.traceId, span.parentSpanId)
        // An exporter that tries again may send a span twice.
        if (!seen.has(key)) seen.set(key, { parent, call, isBoundary: kind.isBoundary })
      }
  }
  const wrappers = wrappersIn(seen)
  const calls = Array.from(seen.values(), ({ call }) => call).filter(
    (call) => call !== undefined && !wrappers.has(call),
  ) as ModelCall[]
  return { calls, ignored: spans - calls.length }
}

const isTraceId = /^(?!0+$)[0-9a-f]{32}$/i
const isSpanId = /^(?!0+$)[0-9a-f]{16}$/i

/** The same for every spelling of the ids of a span; nothing where they are none. */
export const spanKey = (traceId: unknown, spanId: unknown): string | undefined =>
  typeof traceId === 'string' && typeof spanId === 'string' && isTraceId.test(traceId) && isSpanId.test(spanId)
    ? `${traceId}:${spanId}`.toLowerCase()
    : undefined

function kindOf(attributes: Attributes): { isModelCall: boolean; isBoundary: boolean; operation?: string | undefined } {
  const operation = textAttribute('operation', attributes)
  if (operation !== undefined) {
    const isModelCall = modelOperations.has(operation)
    return { isModelCall, isBoundary: !isModelCall, operation }
  }
  const former = textAttribute('formerOperation', attributes)
  if (former !== undefined) {
    const known = Object.hasOwn(formerOperations, former) ? formerOperations[former] : undefined
    return { isModelCall: known !== undefined, isBoundary: false, operation: known }
  }
  const openInference = textAttribute('openInferenceKind', attributes)
  if (openInference !== undefined) {
    const isEmbedding = openInference === 'EMBEDDING'
    const isModelCall = isEmbedding || openInference === 'LLM'
    return { isModelCall, isBoundary: !isModelCall, operation: isEmbedding ? 'embeddings' : undefined }
  }
  const isContainer = attribute('traceloopKind', attributes) !== undefined
  const namesModel = (['requestModel', 'responseModel'] as const).some((name) => attribute(name, attributes))
  return { isModelCall: namesModel && !isContainer, isBoundary: isContainer }
}

const hasUsage = (attributes: Attributes) =>
  (['input_tokens', 'output_tokens', 'cost_usd'] as const).some((name) => attribute(name, attributes) !== undefined)

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
