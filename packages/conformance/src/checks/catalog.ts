import type { Check } from '../check.ts'
import { readAnswer } from '../client.ts'
import { expectBareRefusal, expectMatch, expectRefusal, expectThat, faultsIn } from '../expectations.ts'
import { budgetRefusals, chainRefusals, type ProvokedCode, refusalOf } from '../refusals.ts'

/** Every code that was published, with its statuses. */
export const publishedCodes: ReadonlyMap<string, readonly number[]> = new Map([
  ['bad_request', [400]],
  ['unauthorized', [401]],
  ['key_expired', [401]],
  ['session_revoked', [401]],
  ['forbidden', [403]],
  ['missing_scope', [403]],
  ['ip_not_allowed', [403]],
  ['org_suspended', [403]],
  ['residency_violation', [403]],
  ['policy_blocked', [403]],
  ['policy_approval_required', [403]],
  ['content_safety_blocked', [403]],
  ['support_scope_denied', [403]],
  ['not_found', [404]],
  ['conflict', [409]],
  ['idempotency_key_conflict', [409]],
  ['idempotency_key_processing', [409]],
  ['gone', [410]],
  ['payload_too_large', [413]],
  ['validation_failed', [422]],
  ['insufficient_cohort_size', [400]],
  ['spend_cap_exceeded', [402]],
  ['chain_budget_exceeded', [402, 429]],
  ['budget_exceeded', [402]],
  ['quota_exhausted', [402, 429]],
  ['credits_exhausted', [402]],
  ['plan_limit_exceeded', [402]],
  ['rate_limited', [429]],
  ['policy_expression_error', [500]],
  ['internal', [500]],
  ['no_model_passes_eval', [503]],
  ['service_unavailable', [503]],
])

const usd = /^(0|[1-9]\d*)(\.\d+)?$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/

/** A refusal without context. */
const bare =
  (code: ProvokedCode): Check =>
  async (world) =>
    expectBareRefusal(await refusalOf(world, code), publishedCodes.get(code)![0]!, code)

const isUsd = (value: unknown) => typeof value === 'string' && usd.test(value)

/** What a field of details may look like. */
const shapes = {
  text: (value: unknown) => typeof value === 'string' && value !== '',
  count: (value: unknown) => Number.isInteger(value),
  'decimal string': isUsd,
  timestamp: (value: unknown) => typeof value === 'string' && timestamp.test(value),
  amount: (value: unknown) => isUsd(value) || Number.isInteger(value),
}

type Shape = keyof typeof shapes

/** That details have these fields, in these shapes; others may stand beside them. */
export function expectDetails(code: string, details: Record<string, unknown>, fields: Record<string, Shape>) {
  for (const [field, shape] of Object.entries(fields))
    expectThat(shapes[shape](details[field]), `${field} of ${code} is ${JSON.stringify(details[field])}, no ${shape}`)
}

/** A refusal whose details have these fields. */
const detailed =
  (code: ProvokedCode, fields: Record<string, Shape>): Check =>
  async (world) => {
    const details = expectRefusal(await refusalOf(world, code), publishedCodes.get(code)![0]!, code)
    expectDetails(code, details, fields)
  }

const policy = { reason: 'text', attempted: 'text', rule_id: 'text' } as const
const budget = {
  budget_id: 'text',
  scope_kind: 'text',
  limit_usd: 'decimal string',
  spent_usd: 'decimal string',
  period_start: 'timestamp',
  period_end: 'timestamp',
} as const

export const catalogChecks: Record<number, Check> = {
  87: async (world) => {
    await bare('bad_request')(world)
    const { client } = world
    const odd = [
      ['two hosts', client.head('GET', '/v1/meta/errors', 'host: elsewhere', 'connection: close')],
      ['no host', 'GET /v1/meta/errors HTTP/1.1\r\nconnection: close\r\n\r\n'],
      ['a header without a name', client.head('GET', '/v1/meta/errors', ': value', 'connection: close')],
    ] as const
    for (const [what, text] of odd) {
      const received = await client.wire(text)
      const answer = readAnswer(`a request with ${what}`, received)
      expectThat(answer !== undefined, `a request with ${what} is answered ${JSON.stringify(received)}`)
      expectBareRefusal(answer, 400, 'bad_request')
    }
  },
  88: bare('unauthorized'),
  89: bare('key_expired'),
  90: bare('session_revoked'),
  91: bare('forbidden'),
  92: detailed('missing_scope', { required: 'text' }),
  93: bare('ip_not_allowed'),
  94: bare('org_suspended'),
  96: detailed('policy_blocked', policy),
  97: detailed('policy_approval_required', policy),
  98: detailed('content_safety_blocked', { detector: 'text', sample: 'text' }),
  99: detailed('support_scope_denied', { reason: 'text', scope: 'text', method: 'text' }),
  100: bare('not_found'),
  101: bare('conflict'),
  102: bare('idempotency_key_conflict'),
  103: bare('idempotency_key_processing'),
  104: bare('gone'),
  105: bare('payload_too_large'),
  106: async (world) => faultsIn(await refusalOf(world, 'validation_failed')),
  107: detailed('insufficient_cohort_size', { minimum_cohort_size: 'count' }),
  108: detailed('spend_cap_exceeded', {
    cap_usd: 'decimal string',
    spent_usd: 'decimal string',
    resets_at: 'timestamp',
  }),
  109: async (world) => {
    const { cost, depth } = await chainRefusals(world)
    const fields = { reason: 'text', current: 'amount', attempted: 'amount', limit: 'amount' } as const
    expectDetails('chain_budget_exceeded', expectRefusal(cost, 402, 'chain_budget_exceeded'), fields)
    expectDetails('chain_budget_exceeded', expectRefusal(depth, 429, 'chain_budget_exceeded'), fields)
  },
  110: async (world) => {
    for (const { refused } of Object.values(await budgetRefusals(world)))
      expectDetails('budget_exceeded', expectRefusal(refused, 402, 'budget_exceeded'), budget)
  },
  111: detailed('quota_exhausted', { limit: 'amount', used: 'amount' }),
  112: detailed('credits_exhausted', { available_usd: 'decimal string', attempted_usd: 'decimal string' }),
  113: async (world) => {
    const details = expectRefusal(await refusalOf(world, 'plan_limit_exceeded'), 402, 'plan_limit_exceeded')
    expectMatch(details['limit_kind'], /^(runs|tokens)$/, 'limit_kind')
    expectDetails('plan_limit_exceeded', details, { limit: 'count', used: 'count' })
  },
  114: detailed('rate_limited', { retry_after_seconds: 'count' }),
  115: detailed('policy_expression_error', { rule_id: 'text' }),
  117: bare('no_model_passes_eval'),
}
