import { catalog, type DetailsOf, type ErrorCode } from './errors.ts'

const policy = {
  reason: 'Frontier models need a reason.',
  attempted: 'gpt-5',
  rule_id: 'rul_01jd3v5v7pf4ra7c9s2q8xk0zt',
}
const midnight = '2026-11-16T00:00:00.000+00:00'

/** An example of each code's details, shown in the API reference and on the errors page. */
const details: { [C in ErrorCode]: DetailsOf<C> } = {
  bad_request: {},
  unauthorized: {},
  key_expired: {},
  session_revoked: {},
  forbidden: {},
  missing_scope: { required: 'limits:write' },
  ip_not_allowed: {},
  org_suspended: {},
  residency_violation: {},
  policy_blocked: policy,
  policy_approval_required: policy,
  content_safety_blocked: { detector: 'card_number', sample: '…card 4111 11…' },
  support_scope_denied: { reason: 'The grant covers reads only.', scope: 'read', method: 'PUT' },
  not_found: {},
  conflict: {},
  precondition_failed: {},
  idempotency_key_conflict: {},
  idempotency_key_processing: {},
  gone: {},
  payload_too_large: {},
  validation_failed: {
    fields: [{ field: 'to', code: 'out_of_range', message: 'The range is 366 days; the maximum is 90 days.' }],
  },
  insufficient_cohort_size: { minimum_cohort_size: 5 },
  spend_cap_exceeded: { cap_usd: '100', spent_usd: '99.75', resets_at: midnight, reason: 'pre_flight' },
  chain_budget_exceeded: { reason: 'cost', current: '0.98', attempted: '0.05', limit: '1' },
  budget_exceeded: {
    budget_id: 'bud_01jd3v5v7pf4ra7c9s2q8xk0zt',
    scope_kind: 'workflow',
    limit_usd: '250',
    spent_usd: '249.999999999',
    period_start: '2026-11-01T00:00:00.000+00:00',
    period_end: '2026-12-01T00:00:00.000+00:00',
  },
  quota_exhausted: { quota_kind: 'prepaid', limit: '500', used: '499.5', attempted: '0.75', resets_at: null },
  credits_exhausted: { available_usd: '0.25', attempted_usd: '0.4' },
  plan_limit_exceeded: { limit_kind: 'runs', limit: 10_000, used: 10_000 },
  concurrency_exceeded: {
    concurrency_limit_id: 'ccl_01jd3v5v7pf4ra7c9s2q8xk0zt',
    scope_kind: 'workflow',
    max_runs: 10,
    running: 10,
  },
  frozen: {
    freeze_id: 'frz_01jd3v5v7pf4ra7c9s2q8xk0zt',
    target_kind: 'limit',
    target_id: 'bud_01jd3v5v7pf4ra7c9s2q8xk0zt',
    reason: 'An agent loops.',
    frozen_at: '2026-11-15T09:30:00.000+00:00',
  },
  rate_limited: { retry_after_seconds: 12 },
  policy_expression_error: { rule_id: policy.rule_id },
  internal: {},
  no_model_passes_eval: {},
  service_unavailable: {},
}

export const errorExample = (code: ErrorCode) => ({
  error: { code, message: catalog[code].message, details: details[code] },
})
