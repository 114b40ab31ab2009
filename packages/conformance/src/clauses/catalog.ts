import { checked, type Section, server, tested } from '../clause.ts'

export const catalog: Section = {
  title: 'The catalog of errors',
  clauses: [
    checked(87, '`bad_request` is 400, details `{}`: malformed, and not by a field.'),
    checked(88, '`unauthorized` is 401, details `{}`.'),
    checked(89, '`key_expired` is 401, details `{}`.'),
    checked(90, '`session_revoked` is 401, details `{}`.'),
    checked(91, '`forbidden` is 403, details `{}`.'),
    checked(92, '`missing_scope` is 403, details `required`.'),
    checked(93, '`ip_not_allowed` is 403, details `{}`.'),
    checked(94, '`org_suspended` is 403, details `{}`.'),
    tested(
      95,
      '`residency_violation` is 403, details `{}`.',
      'It takes two cells.',
      server(
        'test/regions/residency.test.ts',
        'is refused on every route in another region, reads and writes alike, and nothing leaves but the question',
      ),
    ),
    checked(96, '`policy_blocked` is 403, details `reason`, `attempted`, `rule_id`.'),
    checked(97, '`policy_approval_required` is 403, details `reason`, `attempted`, `rule_id`.'),
    checked(98, '`content_safety_blocked` is 403, details `detector`, `sample`.'),
    checked(99, '`support_scope_denied` is 403, details `reason`, `scope`, `method`.'),
    checked(100, '`not_found` is 404, details `{}`.'),
    checked(101, '`conflict` is 409, details `{}`: a duplicate, or an impossible change of state.'),
    checked(102, '`idempotency_key_conflict` is 409, details `{}`.'),
    checked(
      103,
      '`idempotency_key_processing` is 409, details `{}`.',
      server(
        'test/access/idempotency.test.ts',
        '200 concurrent posts with one key over two processes have one effect, and each answer is the kept one or "processing"',
      ),
    ),
    checked(104, '`gone` is 410, details `{}`.'),
    checked(105, '`payload_too_large` is 413, details `{}`.'),
    checked(106, '`validation_failed` is 422, details `fields` of `field`, `code` and `message`.'),
    checked(
      107,
      '`insufficient_cohort_size` is 400, details `minimum_cohort_size`: how many contributors it takes, the margin above the floor included.',
    ),
    checked(108, '`spend_cap_exceeded` is 402, details `cap_usd`, `spent_usd`, `resets_at` and perhaps `reason`.'),
    checked(109, '`chain_budget_exceeded` is 402 or 429, details `reason`, `current`, `attempted`, `limit`.'),
    checked(
      110,
      '`budget_exceeded` is 402, details `budget_id`, `scope_kind`, `limit_usd`, `spent_usd`, `period_start`, `period_end`.',
    ),
    checked(111, '`quota_exhausted` is 402 or 429, with the fields of the quota.'),
    checked(112, '`credits_exhausted` is 402, details `available_usd`, `attempted_usd`.'),
    checked(113, '`plan_limit_exceeded` is 402, details `limit_kind`, `limit`, `used`.'),
    checked(114, '`rate_limited` is 429, details `retry_after_seconds`.'),
    checked(115, '`policy_expression_error` is 500, details `rule_id`.'),
    tested(
      116,
      '`internal` is 500, details `{}`.',
      'Nothing that a caller sends may lead to it.',
      server('test/contract/wire.test.ts', 'whatever a handler does, its answer is the envelope'),
    ),
    checked(117, '`no_model_passes_eval` is 503, details `{}`.'),
    tested(
      118,
      '`service_unavailable` is 503, details `{}`.',
      'A dependency has to be away.',
      server(
        'test/platform/outage.test.ts',
        'without PostgreSQL the answer is service_unavailable, and it recovers by itself',
      ),
      server(
        'test/platform/database-outages.test.ts',
        'accepts no connections, every answer is 503 and says so in metric and readiness',
      ),
    ),
  ],
}

export const conditions: Section = {
  title: 'When errors come',
  clauses: [
    checked(119, '`rule_id` of `policy_blocked` names the rule that decided.'),
    checked(120, '`policy_approval_required` is not for ever: the action passes once it is approved.'),
    checked(121, '`detector` names the detector that fired, `sample` is the excerpt it fired on.'),
    checked(
      122,
      'A cohort with fewer contributing organizations than the floor is refused.',
      server('test/insight/benchmarks.test.ts', 'of too few are refused with how many it takes, whoever asks'),
    ),
    checked(
      123,
      'The floor is asked again on every read, in whichever form the cohort is requested.',
      server('test/insight/benchmarks.test.ts', 'are closed at once by leaving, and not opened again by coming back'),
    ),
    checked(124, '`cap_usd` and `spent_usd` are decimal strings.'),
    checked(125, '`resets_at` is an ISO 8601 timestamp with an offset.'),
    checked(126, '`reason` `pre_flight` says that the call was refused before it cost anything.'),
    checked(
      127,
      '`reason` of `chain_budget_exceeded` is `cost`, `depth` or `tokens`: the dimension that bound; cost is 402, the others 429.',
    ),
    checked(128, '`scope_kind` is `org`, `workflow`, `deployment`, `department` or `customer`.'),
    checked(129, 'With `customer`, `budget_id` is the id of the limit of that customer.'),
    checked(130, '`quota_exhausted` is 402 for what is prepaid and 429 for a window of a rate-limit policy.'),
    checked(131, '`credits_exhausted` comes where the packs in force of a customer cannot cover the charge.'),
    checked(132, 'A customer without a pack in force never meets it.'),
    checked(
      133,
      '`plan_limit_exceeded` comes with `overage_policy` `block`, for `runs` or `tokens`, and is 402, not 429.',
    ),
    checked(134, 'A run whose rule fails to evaluate is neither allowed nor denied: nothing is recorded.'),
    tested(
      135,
      '`service_unavailable` comes where a dependency is away or a queue is full.',
      'A dependency has to be away, or the server overloaded.',
      server('test/platform/database-outages.test.ts', 'has no connection left, what needs a new one is 503'),
      server(
        'test/contract/load.test.ts',
        'less urgent requests are shed first, decisions last, and all pass again afterwards',
      ),
    ),
  ],
}

export const limits: Section = {
  title: 'Limits',
  clauses: [
    checked(
      136,
      'A body over the configured limit is 413.',
      server('test/contract/wire.test.ts', 'and one exactly at the limit is not'),
    ),
    checked(137, 'A window of `from` and `to` has at most 90 days; a longer one is `out_of_range` on `to`.'),
    tested(
      138,
      '`SVC_READ_LIMIT_PER_MINUTE` (deprecated) bounds the reads of organizations without a row of their own, and of nobody else.',
      'It is a setting of the process.',
      server(
        'test/tenants/default-rates.test.ts',
        'binds organizations without a row in place of the default, and no operator',
      ),
      server(
        'test/tenants/rate-http.test.ts',
        'the configured read limit holds for organizations without a row of their own only',
      ),
    ),
    checked(139, '`read_rpm` and the policies of an organization bind its next request.'),
  ],
}
