import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { errorExample } from './error-examples.ts'
import { ApiError, catalog, type ErrorCode, errorCodes } from './errors.ts'

/** The contract's table, copied by hand: code, statuses, fields of details (optional ones with a question mark). */
const contract = `
bad_request               400      -
unauthorized              401      -
key_expired               401      -
session_revoked           401      -
forbidden                 403      -
missing_scope             403      required
ip_not_allowed            403      -
org_suspended             403      -
residency_violation       403      -
policy_blocked            403      reason attempted rule_id decision_id? approval_id? approval_status?
policy_approval_required  403      reason attempted rule_id decision_id? approval_id? approval_status?
content_safety_blocked    403      detector sample
support_scope_denied      403      reason scope method
not_found                 404      -
conflict                  409      -
idempotency_key_conflict  409      -
idempotency_key_processing 409     -
gone                      410      -
payload_too_large         413      -
validation_failed         422      fields
insufficient_cohort_size  400      minimum_cohort_size
spend_cap_exceeded        402      cap_usd spent_usd resets_at reason? held_usd? attempted_usd? decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
chain_budget_exceeded     402,429  reason current attempted limit decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
budget_exceeded           402      budget_id scope_kind limit_usd spent_usd period_start period_end and_scope_kind? and_scope_id? held_usd? attempted_usd? decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
quota_exhausted           402,429  quota_kind limit used attempted resets_at decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
credits_exhausted         402      available_usd attempted_usd decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
plan_limit_exceeded       402      limit_kind limit used decision_id? index? settled? fits? remaining_usd? fits_max_output_tokens?
rate_limited              429      retry_after_seconds
policy_expression_error   500      rule_id
internal                  500      -
no_model_passes_eval      503      -
service_unavailable       503      -
`

const rows = contract
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/))
  .map(([code, statuses, ...fields]) => ({
    code: code as ErrorCode,
    statuses: statuses!.split(',').map(Number),
    fields: fields[0] === '-' ? [] : fields,
  }))

describe('the catalog holds the contract', () => {
  test.each(rows)('$code', ({ code, statuses, fields }) => {
    const entry = catalog[code]
    expect([...entry.statuses]).toEqual(statuses)
    const required = (entry.details as { required?: string[] }).required ?? []
    const stated = Object.keys(entry.details.properties).map((name) => (required.includes(name) ? name : `${name}?`))
    expect(stated).toEqual(fields)
  })

  test('and its enumerations', () => {
    const enumOf = (code: ErrorCode, field: string) =>
      (catalog[code].details.properties as Record<string, { enum?: unknown }>)[field]?.enum
    expect(enumOf('chain_budget_exceeded', 'reason')).toEqual(['cost', 'depth', 'tokens'])
    const added = ['user', 'key', 'provider', 'model', 'tag']
    expect(enumOf('budget_exceeded', 'scope_kind')).toEqual([
      'org',
      'workflow',
      'deployment',
      'department',
      'customer',
      ...added,
    ])
    expect(enumOf('plan_limit_exceeded', 'limit_kind')).toEqual(['runs', 'tokens'])
  })

  test('and what was added to it since, and nothing else', () => {
    const added = ['concurrency_exceeded', 'frozen', 'precondition_failed']
    expect([...errorCodes].sort()).toEqual([...rows.map(({ code }) => code), ...added].sort())
  })
})

test.each(errorCodes)('the example of %s fits its own details', (code) => {
  const ajv = new Ajv({ strict: false })
  const valid = ajv.validate(
    { ...catalog[code].details, additionalProperties: false },
    errorExample(code).error.details,
  )
  expect(ajv.errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test('a wrong code, details or status does not compile', () => {
  const usage = () => [
    new ApiError('not_found'),
    new ApiError('missing_scope', { required: 'runs:read' }),
    new ApiError('chain_budget_exceeded', { reason: 'depth', current: 3, attempted: 1, limit: 3 }, { status: 429 }),
    // @ts-expect-error there is no such code
    new ApiError('teapot'),
    // @ts-expect-error this code has details
    new ApiError('missing_scope'),
    // @ts-expect-error this code has other details
    new ApiError('missing_scope', { scope: 'runs:read' }),
    // @ts-expect-error this code has no details
    new ApiError('not_found', { id: 'run_1' }),
    // @ts-expect-error this field has another type
    new ApiError('rate_limited', { retry_after_seconds: '5' }),
    // @ts-expect-error this code has two statuses, one must be chosen
    new ApiError('chain_budget_exceeded', { reason: 'depth', current: 3, attempted: 1, limit: 3 }),
    // @ts-expect-error this status is not one of them
    new ApiError('chain_budget_exceeded', { reason: 'depth', current: 3, attempted: 1, limit: 3 }, { status: 403 }),
    // @ts-expect-error the status of this code cannot be chosen
    new ApiError('not_found', {}, { status: 410 }),
  ]
  expect(usage).toBeTypeOf('function')
})
