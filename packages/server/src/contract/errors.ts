import { type Static, type TObject, Type } from 'typebox'
import { namesOf } from '../values/records.ts'
import { explanationFields, refusalFields, ScopeKindOfLimit } from './refusal-fields.ts'
import { Count, maxSafeInteger, Nullable, Timestamp, Usd } from './wire.ts'

interface CatalogEntry {
  readonly statuses: readonly [number, ...number[]]
  readonly message: string
  readonly details: TObject
}

const noDetails = Type.Object({})

/** Details of a policy decision: the rule, the reason, and the model or action that was attempted. */
const policyDecision = Type.Object({
  reason: Type.String(),
  attempted: Type.String(),
  rule_id: Type.String(),
  decision_id: Type.Optional(Type.String()),
  approval_id: Type.Optional(Type.String({ description: 'The request that somebody has to approve.' })),
  approval_status: Type.Optional(Type.String({ description: '`pending` or `denied`.' })),
})

/** An amount in the unit of its limit: dollars for money, whole units otherwise. */
const Amount = Type.Union([Usd, Count])

export const fieldErrorCodes = [
  'invalid_json',
  'invalid_type',
  'invalid_content_type',
  'invalid_body',
  'out_of_range',
  'empty',
  'too_many',
  'required',
  'unknown_field',
  'invalid_format',
  'invalid_value',
  'too_long',
  'unknown_sort_field',
  'invalid_filter',
  'read_only',
] as const

export const FieldError = Type.Object(
  {
    field: Type.String({ description: 'Dotted path of the offending field; `body` for the whole body.' }),
    // Open-ended by contract: a client must accept codes that it does not know, so this is not an enum.
    code: Type.Unsafe<FieldErrorCode>(
      Type.String({
        description: `One of ${fieldErrorCodes.map((code) => `\`${code}\``).join(', ')}, or a later one.`,
      }),
    ),
    message: Type.String(),
  },
  { title: 'FieldError' },
)

export type FieldErrorCode = (typeof fieldErrorCodes)[number]

export interface FieldFault {
  field: string
  code: FieldErrorCode
  message: string
}

/** Every error code `/v1` can return. Append only: clients switch on these strings. */
export const catalog = {
  bad_request: { statuses: [400], message: 'The request is malformed.', details: noDetails },
  unauthorized: {
    statuses: [401],
    message: 'A valid API key is needed: Authorization: Bearer <API_KEY>.',
    details: noDetails,
  },
  key_expired: { statuses: [401], message: 'The API key has expired or is not valid yet.', details: noDetails },
  session_revoked: { statuses: [401], message: 'The console session was revoked or has expired.', details: noDetails },
  forbidden: { statuses: [403], message: 'Your role does not permit this operation.', details: noDetails },
  missing_scope: {
    statuses: [403],
    message: 'The API key lacks a scope that this operation needs.',
    details: Type.Object({ required: Type.String() }),
  },
  ip_not_allowed: {
    statuses: [403],
    message: "Your address is not on the organization's allow-list.",
    details: noDetails,
  },
  org_suspended: { statuses: [403], message: 'The organization is suspended.', details: noDetails },
  residency_violation: {
    statuses: [403],
    message: "The organization's data may not leave its region.",
    details: noDetails,
  },
  policy_blocked: { statuses: [403], message: 'A policy of the organization blocks this.', details: policyDecision },
  policy_approval_required: {
    statuses: [403],
    message: 'A policy of the organization requires an approval first.',
    details: policyDecision,
  },
  content_safety_blocked: {
    statuses: [403],
    message: 'A content safety detector fired.',
    details: Type.Object({ detector: Type.String(), sample: Type.String() }),
  },
  support_scope_denied: {
    statuses: [403],
    message: 'The support grant does not cover this operation.',
    details: Type.Object({ reason: Type.String(), scope: Type.String(), method: Type.String() }),
  },
  not_found: { statuses: [404], message: 'There is nothing here, or nothing that you may see.', details: noDetails },
  conflict: { statuses: [409], message: 'The operation conflicts with the current state.', details: noDetails },
  precondition_failed: {
    statuses: [412],
    message: 'It has changed since the state that If-Match names.',
    details: noDetails,
  },
  idempotency_key_conflict: {
    statuses: [409],
    message: 'The Idempotency-Key was used before with a different request.',
    details: noDetails,
  },
  idempotency_key_processing: {
    statuses: [409],
    message: 'A request with this Idempotency-Key is still in flight.',
    details: noDetails,
  },
  gone: { statuses: [410], message: 'This is permanently unavailable.', details: noDetails },
  payload_too_large: { statuses: [413], message: 'The request body is over the limit.', details: noDetails },
  validation_failed: {
    statuses: [422],
    message: 'The request has invalid fields.',
    details: Type.Object({ fields: Type.Array(FieldError) }),
  },
  insufficient_cohort_size: {
    statuses: [400],
    message: 'The benchmark cohort has too few contributing organizations.',
    details: Type.Object({ minimum_cohort_size: Count }),
  },
  spend_cap_exceeded: {
    statuses: [402],
    message: 'The daily spend cap is reached, or would be.',
    details: Type.Object({
      cap_usd: Usd,
      spent_usd: Usd,
      resets_at: Timestamp,
      reason: Type.Optional(Type.String({ description: '`pre_flight`: refused before cost was incurred.' })),
      ...refusalFields,
    }),
  },
  chain_budget_exceeded: {
    statuses: [402, 429],
    message: 'The budget of the run chain would be exceeded.',
    details: Type.Object({
      reason: Type.Enum(['cost', 'depth', 'tokens']),
      current: Amount,
      attempted: Amount,
      limit: Amount,
      ...explanationFields,
    }),
  },
  budget_exceeded: {
    statuses: [402],
    message: 'A budget for this period would be exceeded.',
    details: Type.Object({
      budget_id: Type.String(),
      scope_kind: ScopeKindOfLimit,
      limit_usd: Usd,
      spent_usd: Usd,
      period_start: Timestamp,
      period_end: Timestamp,
      and_scope_kind: Type.Optional(ScopeKindOfLimit),
      and_scope_id: Type.Optional(Type.String()),
      ...refusalFields,
    }),
  },
  quota_exhausted: {
    statuses: [402, 429],
    message: 'The quota is exhausted.',
    details: Type.Object({
      quota_kind: Type.String(),
      limit: Amount,
      used: Amount,
      attempted: Amount,
      resets_at: Nullable(Timestamp),
      ...explanationFields,
    }),
  },
  credits_exhausted: {
    statuses: [402],
    message: "The customer's remaining credits cannot cover the charge.",
    details: Type.Object({ available_usd: Usd, attempted_usd: Usd, ...explanationFields }),
  },
  plan_limit_exceeded: {
    statuses: [402],
    message: 'The monthly entitlement of the plan is used up.',
    details: Type.Object({
      limit_kind: Type.Enum(['runs', 'tokens']),
      limit: Count,
      used: Count,
      ...explanationFields,
    }),
  },
  concurrency_exceeded: {
    statuses: [429],
    message: 'As many runs are running as may run at once.',
    details: Type.Object({
      concurrency_limit_id: Type.String(),
      scope_kind: ScopeKindOfLimit,
      max_runs: Count,
      running: Count,
      ...explanationFields,
    }),
  },
  frozen: {
    statuses: [402],
    message: 'What this would be charged to is frozen.',
    details: Type.Object({
      freeze_id: Type.String(),
      target_kind: Type.Enum(['org', 'key', 'limit']),
      target_id: Type.String(),
      reason: Type.String(),
      frozen_at: Timestamp,
      ...explanationFields,
    }),
  },
  rate_limited: {
    statuses: [429],
    message: 'Too many requests.',
    details: Type.Object({ retry_after_seconds: Type.Integer({ minimum: 1, maximum: maxSafeInteger }) }),
  },
  policy_expression_error: {
    statuses: [500],
    message: 'A policy rule failed to evaluate.',
    details: Type.Object({ rule_id: Type.String() }),
  },
  internal: {
    statuses: [500],
    message: 'An unexpected error occurred. Quote the x-svc-trace-id header.',
    details: noDetails,
  },
  no_model_passes_eval: { statuses: [503], message: 'No eligible model meets the eval bar.', details: noDetails },
  service_unavailable: {
    statuses: [503],
    message: 'A dependency is unavailable. Retry with backoff.',
    details: noDetails,
  },
} as const satisfies Record<string, CatalogEntry>

export type ErrorCode = keyof typeof catalog
export type StatusOf<C extends ErrorCode> = (typeof catalog)[C]['statuses'][number]
export type DetailsOf<C extends ErrorCode> =
  // biome-ignore format: one thought
  keyof Static<(typeof catalog)[C]['details']> extends never ? Record<string, never> : Static<(typeof catalog)[C]['details']>

interface CommonOptions {
  /** Message for this occurrence: people read it, programs must not. */
  message?: string
  /** Underlying error: logged, never sent. */
  cause?: unknown
}
type HasOneStatus<C extends ErrorCode> = (typeof catalog)[C]['statuses'] extends readonly [number] ? true : false

/** Arguments of an error: codes with several statuses must name one; codes without details need not name them. */
type ErrorArguments<C extends ErrorCode> =
  HasOneStatus<C> extends false
    ? [details: DetailsOf<C>, options: CommonOptions & { status: StatusOf<C> }]
    : DetailsOf<C> extends Record<string, never>
      ? [details?: DetailsOf<C>, options?: CommonOptions]
      : [details: DetailsOf<C>, options?: CommonOptions]

/** An error of the catalog: thrown anywhere, turned into a response in one place. */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C
  readonly status: number
  readonly details: DetailsOf<C>

  constructor(code: C, ...[details, options]: ErrorArguments<C>) {
    super(options?.message ?? catalog[code].message, { cause: options?.cause })
    this.name = 'ApiError'
    this.code = code
    this.details = (details ?? {}) as DetailsOf<C>
    this.status = (options as { status?: number } | undefined)?.status ?? catalog[code].statuses[0]
  }
}

/** True for an error of this code. */
export const isApiError = <C extends ErrorCode>(thrown: unknown, code: C): thrown is ApiError<C> =>
  thrown instanceof ApiError && thrown.code === code

export const errorCodes = namesOf(catalog)

export const validationFailed = (fields: FieldFault[]) => new ApiError('validation_failed', { fields })

/** Message of `service_unavailable` for an organization that changes its cell. */
export const orgIsMoving = 'The organization is being moved to another cell. Retry with backoff.'
