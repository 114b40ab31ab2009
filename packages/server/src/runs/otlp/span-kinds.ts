import { attribute, type SpanAttributes, textAttribute } from './attributes.ts'

/** The kind of a span: a model call, a boundary, or neither. */
export interface SpanKind {
  readonly isModelCall: boolean
  /** True for an agent or a tool: calls beneath it are not the call above it. */
  readonly isBoundary: boolean
  readonly operation?: string | undefined
  /** Set where the kind could not be told: the attribute that names it, with its value. */
  readonly unknown?: string | undefined
}

/** Operations in which a model is called, by all their names; those of LiteLLM also have an `a` in front. */
const modelOperations: Record<string, string> = {
  chat: 'chat',
  completion: 'chat',
  chat_completion: 'chat',
  responses: 'chat',
  messages: 'chat',
  anthropic_messages: 'chat',
  generate_content: 'generate_content',
  generate_content_stream: 'generate_content',
  text_completion: 'text_completion',
  embedding: 'embeddings',
  embeddings: 'embeddings',
  rerank: 'rerank',
  image: 'image_generation',
  image_generation: 'image_generation',
  image_edit: 'image_edit',
  audio: 'speech',
  speech: 'speech',
  transcription: 'transcription',
  moderation: 'moderation',
  ocr: 'ocr',
  _arealtime: 'realtime',
  _aresponses_websocket: 'chat',
  pass_through_endpoint: 'pass_through',
  llm_passthrough_route: 'pass_through',
}

/**
 * Values of OpenLLMetry's `llm.request.type`, which calls a text completion what LiteLLM's `gen_ai.operation.name` calls a chat.
 */
const formerOperations: Record<string, string> = {
  ...modelOperations,
  completion: 'text_completion',
  acompletion: 'chat',
}

/** Words in the name of an operation that contains model calls, and often repeats their usage. */
const containers = new Set(
  'agent agents crew cycle evaluation evaluator framework graph guardrail handoff mcp memory plan retrieval retrieve step swarm task tool tools vectordb workflow'.split(
    ' ',
  ),
)
const isContainer = (operation: string) =>
  operation.split(/[^a-z]+/i).some((word) => containers.has(word.toLowerCase()))

const lookUp = (operations: Record<string, string>, name: string): string | undefined => {
  if (Object.hasOwn(operations, name)) return operations[name]
  const withoutA = name.startsWith('a') ? name.slice(1) : ''
  return Object.hasOwn(operations, withoutA) ? operations[withoutA] : undefined
}

const maxShown = 100
const shown = (attributeName: string, value: string) => `${attributeName} ${JSON.stringify(value.slice(0, maxShown))}`

/**
 * Returns the kind of a span. Only one that declares itself a model call counts: agents, tools and workflows often repeat the
 * tokens of the calls beneath them.
 */
export function kindOf(attributes: SpanAttributes): SpanKind {
  const operation = textAttribute('operation', attributes)
  if (operation !== undefined) return byName(modelOperations, 'gen_ai.operation.name', operation)
  const former = textAttribute('formerOperation', attributes)
  if (former !== undefined && former !== 'unknown') return byName(formerOperations, 'llm.request.type', former)
  const openInference = textAttribute('openInferenceKind', attributes)
  if (openInference !== undefined) return byType(openInference, 'LLM', 'EMBEDDING')
  const langfuse = textAttribute('langfuseType', attributes)
  if (langfuse !== undefined) return byType(langfuse, 'generation', 'embedding')
  const vercel = textAttribute('vercelOperation', attributes)
  // The function that was called, or one of its requests to the model.
  if (vercel !== undefined) return { isModelCall: /\.do[A-Z]\w*$/.test(vercel), isBoundary: false }
  const isInside = attribute('traceloopKind', attributes) !== undefined
  return { isModelCall: namesModel(attributes) && !isInside, isBoundary: isInside }
}

export const namesModel = (attributes: SpanAttributes): boolean =>
  (['requestModel', 'responseModel'] as const).some((name) => attribute(name, attributes) !== undefined)

function byName(operations: Record<string, string>, attributeName: string, value: string): SpanKind {
  const operation = lookUp(operations, value)
  if (operation !== undefined) return { isModelCall: true, isBoundary: false, operation }
  return isContainer(value)
    ? { isModelCall: false, isBoundary: true }
    : { isModelCall: false, isBoundary: true, unknown: shown(attributeName, value) }
}

function byType(value: string, call: string, embedding: string): SpanKind {
  const isModelCall = value === call || value === embedding
  return { isModelCall, isBoundary: !isModelCall, operation: value === embedding ? 'embeddings' : undefined }
}
