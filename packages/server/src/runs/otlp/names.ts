import { derived, derivedFrom } from './derived-attributes.ts'

/**
 * The attributes for each field: the current name of OpenTelemetry's GenAI conventions first, then its former names, then those
 * of OpenInference, OpenLLMetry, the Vercel AI SDK, LiteLLM and Langfuse. The first that a span has counts.
 */
export const names = {
  operation: ['gen_ai.operation.name'],
  formerOperation: ['llm.request.type'],
  openInferenceKind: ['openinference.span.kind'],
  traceloopKind: ['traceloop.span.kind'],
  langfuseType: ['langfuse.observation.type'],
  vercelOperation: ['ai.operationId'],
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system', 'llm.vendor', 'ai.model.provider'],
  requestModel: ['gen_ai.request.model', 'llm.request.model', 'ai.model.id', 'langfuse.observation.model.name'],
  responseModel: [
    'gen_ai.response.model',
    'llm.response.model',
    'llm.model_name',
    'embedding.model_name',
    'ai.response.model',
  ],
  input_tokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
    derived.input,
  ],
  output_tokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    derived.output,
  ],
  cache_read_input_tokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.cachedInputTokens',
    derived.cached,
  ],
  cache_creation_input_tokens: [
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'gen_ai.usage.input_tokens.cache_write',
    'llm.token_count.prompt_details.cache_write',
  ],
  reasoning_output_tokens: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.output_tokens.reasoning',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.reasoningTokens',
    derived.reasoning,
  ],
  cache_creation_1h_input_tokens: ['weir.usage.cache_creation_1h_input_tokens'],
  audio_input_tokens: ['weir.usage.audio_input_tokens', 'llm.token_count.prompt_details.audio'],
  image_input_tokens: ['weir.usage.image_input_tokens', 'llm.token_count.prompt_details.image'],
  audio_output_tokens: ['weir.usage.audio_output_tokens', 'llm.token_count.completion_details.audio'],
  image_output_tokens: ['weir.usage.image_output_tokens'],
  serviceTier: ['weir.service_tier', 'openai.response.service_tier', 'gen_ai.openai.response.service_tier'],
  cost_usd: ['weir.cost_usd', 'gen_ai.usage.cost', 'gen_ai.usage.total_cost', 'llm.cost.total', derived.cost],
  service: ['service.name'],
  runId: ['weir.run_id'],
  tags: ['weir.tags'],
  errorType: ['error.type'],
  responseId: ['gen_ai.response.id', 'ai.response.id'],
  finishReasons: ['gen_ai.response.finish_reasons'],
  conversation: ['gen_ai.conversation.id'],
  agent: ['gen_ai.agent.name'],
  environment: ['deployment.environment.name', 'deployment.environment'],
} as const satisfies Record<string, readonly string[]>

export type Name = keyof typeof names

export const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id'] as const
export type MappedDimension = (typeof dimensions)[number]

/** The attributes of each dimension, unless the organization maps other ones. */
export const builtInAttributes: Record<MappedDimension, readonly string[]> = {
  workflow_id: ['gen_ai.workflow.name', 'traceloop.workflow.name', 'ai.telemetry.functionId'],
  deployment_id: [],
  department_id: ['metadata.user_api_key_team_id'],
  customer_id: ['metadata.user_api_key_end_user_id', 'llm.user'],
  user_id: ['metadata.user_api_key_user_id', 'user.id', 'enduser.id'],
}

/** Our own attribute of a dimension, which wins over every other. */
export const ownAttribute = (dimension: MappedDimension) => `weir.${dimension}`

/**
 * The attributes that are read. All others are skipped unread, unless the organization maps them: prompts and responses are among
 * them.
 */
export const wantedAttributes: ReadonlySet<string> = new Set([
  ...Object.values(names).flat(),
  ...dimensions.map(ownAttribute),
  ...Object.values(builtInAttributes).flat(),
  ...derivedFrom,
])
