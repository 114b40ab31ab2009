import { wantedAttributes } from './names.ts'

/** The attributes of events and metrics of coding assistants, each under the names that the assistants have for it. */
export const assistantNames = {
  event: ['event.name'],
  eventKind: ['event.kind'],
  eventTime: ['event.timestamp'],
  sequence: ['event.sequence'],
  service: ['service.name'],
  session: ['session.id', 'conversation.id'],
  model: ['model'],
  requestId: ['request_id'],
  input: ['input_tokens', 'input_token_count'],
  output: ['output_tokens', 'output_token_count'],
  cacheRead: ['cache_read_tokens', 'cached_token_count'],
  cacheCreation: ['cache_creation_tokens', 'cache_write_token_count'],
  reasoning: ['reasoning_token_count'],
  cost: ['cost_usd'],
  duration: ['duration_ms'],
  email: ['user.email'],
  accounts: ['organization.id', 'user.account_uuid', 'user.account_id'],
  login: ['auth_mode'],
  source: ['query_source'],
  kind: ['type'],
  version: ['app.version', 'service.version'],
} as const satisfies Record<string, readonly string[]>

export const wantedOfAssistants: ReadonlySet<string> = new Set([
  ...wantedAttributes,
  ...Object.values(assistantNames).flat(),
])
