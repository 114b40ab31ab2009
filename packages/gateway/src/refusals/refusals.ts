import type { GatewayConfig } from '../config-schema.ts'
import type { Dialect, RequestFault } from '../dialects/dialect.ts'
import type { Refused } from '../weir/refused.ts'
import { amazonBody, amazonErrorEvent, amazonErrorType } from './amazon.ts'
import type { ClientKind } from './client-kinds.ts'
import { sentenceOf } from './sentences.ts'

/** A no of the gateway, whoever says it. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Details of Weir's error; they survive in the errors of all clients. */
  readonly details: Readonly<Record<string, unknown>>
  readonly field?: string | undefined
  /** The wait after which another attempt can succeed; undefined where none can. */
  readonly retryAfterSeconds: number | undefined
}

export interface NativeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const moneyCodes = new Set([
  'budget_exceeded',
  'spend_cap_exceeded',
  'quota_exhausted',
  'credits_exhausted',
  'plan_limit_exceeded',
  'chain_budget_exceeded',
  'frozen',
])
const authenticationCodes = new Set(['unauthorized', 'key_expired', 'gone', 'session_revoked'])
const invalidCodes = new Set(['validation_failed', 'bad_request', 'conflict', 'not_found', 'idempotency_key_conflict'])
/** A wait that is worth it: some clients would sleep out a longer one, others ignore it. */
const longestWaitSeconds = 60

/** Turns an error of Weir into a refusal: a final no is never in a status that clients repeat. */
export function refusalOf(refused: Refused): Refusal {
  const { code, status, details, retryAfterSeconds } = refused
  const message = sentenceOf(refused)
  const final = { code, message, details, retryAfterSeconds: undefined }
  if (moneyCodes.has(code) && !(code === 'quota_exhausted' && status === 429)) return { ...final, status: 402 }
  if (authenticationCodes.has(code)) return { ...final, status: 401 }
  if (invalidCodes.has(code)) return { ...final, status: 400 }
  if (code === 'payload_too_large') return { ...final, status: 413 }
  if (code === 'concurrency_exceeded') return { ...final, status: 429, retryAfterSeconds: 1 }
  if (status === 429)
    return {
      ...final,
      status: 429,
      retryAfterSeconds: (retryAfterSeconds ?? 1) > longestWaitSeconds ? undefined : (retryAfterSeconds ?? 1),
    }
  if (code === 'service_unavailable' || code === 'internal')
    return { ...final, status: 503, retryAfterSeconds: retryAfterSeconds ?? 1 }
  return { ...final, status: 403 }
}

/** Turns a fault of a request into a refusal. */
export const faultRefusal = ({ code, message, field }: RequestFault): Refusal => ({
  status: code === 'model_not_found' || code === 'not_found' ? 404 : 400,
  code,
  message: `Weir: ${message}.`,
  details: {},
  field,
  retryAfterSeconds: undefined,
})

export const refusalWith = (status: number, code: string, message: string, retryAfterSeconds?: number): Refusal => ({
  status,
  code,
  message: `Weir: ${message}`,
  details: {},
  retryAfterSeconds,
})

/** Writes a refusal as the provider's own kind of error, in the form that the client shows and does not repeat. */
export function nativeAnswer(
  refusal: Refusal,
  dialect: Dialect['name'],
  client: ClientKind,
  clients: GatewayConfig['clients'] = {},
): NativeAnswer {
  const usageLimit = client === 'codex' && refusal.status === 402 && clients.codex?.refusal === 'usage_limit'
  const status = usageLimit ? 429 : statusFor(refusal.status, client)
  const isFinal = refusal.retryAfterSeconds === undefined
  const body = bodyOf(refusal, dialect, status, usageLimit)
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-should-retry': String(!isFinal),
      ...(dialect === 'bedrock' && { 'x-amzn-errortype': amazonErrorType(refusal.status) }),
      ...(refusal.retryAfterSeconds !== undefined && {
        'retry-after': String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))),
        'retry-after-ms': String(Math.ceil(refusal.retryAfterSeconds * 1_000)),
      }),
    },
    body: JSON.stringify(body),
  }
}

function bodyOf(refusal: Refusal, dialect: Dialect['name'], status: number, isUsageLimit: boolean): object {
  if (dialect === 'messages' || dialect === 'vertex') return anthropicBody(refusal, status)
  if (dialect === 'bedrock') return amazonBody(refusal, status)
  if (dialect === 'gemini' || dialect === 'gemini-embeddings') return googleBody(refusal, status)
  return openaiBody(refusal, status, isUsageLimit)
}

/** Codex repeats 402 and 403 and shows a 400 at once; Claude Code takes a 403 for a failed login and repeats a 400 with less in it. */
function statusFor(status: number, client: ClientKind): number {
  if (client === 'codex' && (status === 402 || status === 403)) return 400
  if (client === 'claude-code' && (status === 403 || status === 400)) return 402
  return status
}

const openaiTypes: Readonly<Record<number, string>> = {
  402: 'billing_error',
  403: 'permission_error',
  409: 'conflict',
  429: 'rate_limit_error',
  502: 'server_error',
  503: 'server_error',
}

function openaiBody({ status, code, message, details, field }: Refusal, sent: number, isUsageLimit: boolean): object {
  const reset = details['resets_at'] ?? details['period_end']
  return {
    error: {
      message,
      type: isUsageLimit ? 'usage_limit_reached' : (openaiTypes[status] ?? 'invalid_request_error'),
      code: status === 401 ? 'invalid_api_key' : code,
      param: field ?? null,
      ...(isUsageLimit && typeof reset === 'string' && { resets_at: Math.floor(Date.parse(reset) / 1_000) }),
      weir: { code, status: sent, ...details },
    },
  }
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  502: 'api_error',
  503: 'overloaded_error',
}

const anthropicBody = ({ status, code, message, details }: Refusal, sent: number): object => ({
  type: 'error',
  error: { type: anthropicTypes[status] ?? 'invalid_request_error', message, weir: { code, status: sent, ...details } },
  ...(typeof details['decision_id'] === 'string' && { request_id: details['decision_id'] }),
})

const googleStatuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
}

const googleBody = ({ status, code, message, details, field, retryAfterSeconds }: Refusal, sent: number): object => ({
  error: {
    code: sent,
    message,
    status: googleStatuses[status] ?? 'INVALID_ARGUMENT',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code.toUpperCase(), domain: 'weir' },
      ...(field === undefined
        ? []
        : [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field, description: message }],
            },
          ]),
      ...(retryAfterSeconds === undefined
        ? []
        : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.ceil(retryAfterSeconds)}s` }]),
    ],
    weir: { code, status: sent, ...details },
  },
})

/** An error of a provider, as Anthropic writes it. */
export const anthropicError = (status: number, message: string): object => ({
  type: 'error',
  error: { type: anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message },
})

/** An error event for a stream that has begun. */
export function errorEvent(refusal: Refusal, dialect: Dialect['name']): string | Buffer {
  if (dialect === 'bedrock') return amazonErrorEvent(refusal)
  if (dialect === 'messages' || dialect === 'vertex')
    return `event: error\ndata: ${JSON.stringify(anthropicBody(refusal, refusal.status))}\n\n`
  // Google's clients see an error only where no event is written around it.
  if (dialect === 'gemini') return JSON.stringify(googleBody(refusal, refusal.status))
  const { error } = openaiBody(refusal, refusal.status, false) as { error: { message: string; code: string } }
  if (dialect === 'responses' || dialect === 'compaction')
    return `event: error\ndata: ${JSON.stringify({ type: 'error', code: error.code, message: error.message, param: null, sequence_number: 0 })}\n\n`
  return `data: ${JSON.stringify({ error })}\n\n`
}
