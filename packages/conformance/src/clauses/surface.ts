import { checked, later, type Section, server, tested } from '../clause.ts'

export const service: Section = {
  title: 'The service',
  clauses: [
    checked(1, 'The API is served under `/v1` of its base address, and nowhere else.'),
    checked(
      2,
      'It serves organizations, API keys, runs with bulk ingest, budgets and spend caps, limits per customer, credit packs, rate-limit policies, policies of the organization, webhook subscriptions, benchmark cohorts, model routing with an eval gate, audit logs and capacity forecasts.',
    ),
    checked(
      3,
      'Every error under `/v1` has one envelope, `{"error": {"code", "message", "details"}}`, with these fields and no others.',
      server(
        'test/contract/fuzz.test.ts',
        'whatever arrives is answered by the contract or not at all, and the server goes on',
      ),
    ),
    checked(
      4,
      'The status gives the class of an error; `error.code` is the value to switch on, and each code has its own statuses.',
    ),
    checked(5, 'A deprecated route is flagged by response headers, by a JSON listing and by a counter.'),
    later(
      6,
      'The browser flows under `/saml/*` and `/sso/*` are outside `/v1` and keep bodies of their own.',
      'sign-in',
    ),
  ],
}

export const errorEnvelope: Section = {
  title: 'The error envelope',
  clauses: [
    checked(7, '`error.code` is a machine-readable word in snake_case.'),
    checked(
      8,
      'A published code is never renamed, and never means something else.',
      server('src/contract/errors.test.ts', 'the catalog holds the contract'),
    ),
    checked(9, '`error.message` is English for people.'),
    checked(10, '`error.details` is always there, and always an object.'),
    checked(11, '`error.details` is `{}` where the code has no context.'),
    tested(
      12,
      'Fields may be added to `details`; those that are documented stay.',
      'It is about two releases.',
      { file: 'scripts/release/catalog.test.ts', name: 'a new details field' },
      { file: 'scripts/release/catalog.test.ts', name: 'a removed status' },
    ),
    checked(13, 'An entry of `details.fields` names the offending `field`, with a dotted path where it is nested.'),
    checked(
      14,
      'What cannot be parsed has the code `invalid_json`, `invalid_type`, `invalid_content_type` or `invalid_body`.',
    ),
    checked(
      15,
      'What is parsed and does not fit has the code `out_of_range`, `empty` or `too_many` where one of these says it, amounts of money included.',
    ),
    checked(16, 'Every entry has a `message` that explains the fault to people, without a regular expression.'),
  ],
}

export const listing: Section = {
  title: 'The listing of deprecations',
  clauses: [
    checked(17, '`route` is the template of the route, with parameters such as `{id}`.'),
    checked(18, '`since` is the date of the announcement, `YYYY-MM-DD`.'),
    checked(19, '`sunset` is an HTTP date (IMF-fixdate), after which the route may go.'),
    checked(20, '`replacement` is the route of the successor.'),
    checked(21, '`documentation` is an address below that of the documentation.'),
    checked(22, '`GET /v1/meta/deprecations` answers a bare JSON array.'),
    checked(
      23,
      'It has one entry for every deprecated route, those of the organization-wide webhook secret included, and no other.',
    ),
    tested(
      24,
      'The registry is read on every response, so a route that is flagged now is signalled now.',
      'A route cannot be flagged from outside.',
      server('src/contract/deprecations/deprecations.test.ts', 'in headers, listing, OpenAPI and counter'),
    ),
  ],
}

export const routes: Section = {
  title: 'Routes',
  clauses: [
    checked(25, '`POST /v1/edge/decision` allows with 200 and a verdict in JSON, never with an error envelope.'),
    checked(
      26,
      '`POST /v1/edge/decision` denies by `budget_exceeded`, `quota_exhausted`, `spend_cap_exceeded` or `rate_limited` alone: plans, credits, chains and policies do not refuse there.',
    ),
    checked(
      27,
      'A denial at the edge has the standard envelope, with 402 for the first three codes and 429 for `rate_limited`.',
    ),
    later(28, 'A proxy in front of a model relays the body and the status of a denial unchanged.', 'the gateway'),
    checked(29, '`POST /v1/runs/bulk` validates its body; faults are `validation_failed`.'),
    checked(30, '`PUT /v1/orgs/{id}/retention-policy` validates its body; faults are `validation_failed`.'),
    checked(31, '`GET /v1/orgs/{id}/audit-log/export` validates its window; faults are `validation_failed`.'),
    checked(32, 'An unknown field in `?sort=` of any list is `validation_failed` on `sort`.'),
    checked(33, 'A bad filter of any list is `validation_failed` on its parameter, and never ignored.'),
    checked(
      34,
      'A path or method that matches no route is 404 `not_found`, whoever asks; so are an empty segment and an unknown method.',
    ),
    checked(35, '`GET /metrics` exposes the counter of deprecated routes.'),
    checked(36, '`GET /v1/admin/orgs/{org_id}/webhook-secret` gives the secret of the organization.'),
    checked(
      37,
      '`POST /v1/admin/orgs/{org_id}/webhook-secret/rotate` changes nothing once every subscription has a secret of its own.',
    ),
    checked(38, '`GET /v1/orgs/{id}/webhooks/{sub_id}/signing` describes how a subscription is signed.'),
    checked(
      39,
      '`POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate` makes or replaces the secret of a subscription.',
    ),
    checked(
      40,
      '`GET /v1/forecast` is still fully served; it projects the return of a deployment linearly by the number of teams.',
      server(
        'test/insight/forecast-linear.test.ts',
        'is projected by the table that a hand computes, deployment by deployment',
      ),
    ),
    checked(41, '`GET /v1/capacity/forecasts` plans capacity by scenarios.'),
  ],
}
