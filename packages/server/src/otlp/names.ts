/**
 * Where spans say what we want to know: the current name of OpenTelemetry's GenAI conventions first, then its former names,
 * then those of OpenInference and OpenLLMetry. The first that a span has counts.
 */
export const names = {
  operation: ['gen_ai.operation.name'],
  formerOperation: ['llm.request.type'],
  openInferenceKind: ['openinference.span.kind'],
  traceloopKind: ['traceloop.span.kind'],
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system', 'llm.vendor'],
  requestModel: ['gen_ai.request.model', 'llm.request.model'],
  responseModel: ['gen_ai.response.model', 'llm.response.model', 'llm.model_name', 'embedding.model_name'],
  input_tokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.usage.prompt_tokens',
    'llm.token_count.prompt',
  ],
  output_tokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.usage.completion_tokens',
    'llm.token_count.completion',
  ],
  cache_read_input_tokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'llm.token_count.prompt_details.cache_read',
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
  ],
  cost_usd: ['weir.cost_usd', 'gen_ai.usage.cost', 'gen_ai.usage.total_cost', 'llm.cost.total'],
  workflow_id: ['weir.workflow_id', 'gen_ai.workflow.name', 'traceloop.workflow.name'],
  deployment_id: ['weir.deployment_id'],
  service: ['service.name'],
  department_id: ['weir.department_id'],
  customer_id: ['weir.customer_id'],
  tags: ['weir.tags'],
  errorType: ['error.type'],
  responseId: ['gen_ai.response.id'],
  finishReasons: ['gen_ai.response.finish_reasons'],
  conversation: ['gen_ai.conversation.id'],
  agent: ['gen_ai.agent.name'],
  environment: ['deployment.environment.name', 'deployment.environment'],
} as const satisfies Record<string, readonly string[]>

export type Name = keyof typeof names

/** All others are passed over unread: prompts and answers are among them. */
export const wantedAttributes: ReadonlySet<string> = new Set(Object.values(names).flat())
