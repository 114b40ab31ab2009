import { checked, type Section, server, tested } from '../clause.ts'

export const authentication: Section = {
  title: 'Authentication',
  clauses: [
    checked(42, 'A call carries its key as `Authorization: Bearer <API_KEY>`, and nowhere else.'),
    checked(
      43,
      'Authentication comes before the body: a refused call is answered with the envelope before its body is sent, and without `100 Continue`.',
    ),
    tested(
      44,
      'The forwarding of writes to another region answers in the same way.',
      'It takes two cells.',
      server(
        'test/regions/residency.test.ts',
        'is refused before a body of 20 MB is read, and without having been asked for it',
      ),
    ),
    checked(45, 'A missing or invalid key is 401 `unauthorized`.'),
    checked(46, 'A key that has expired or is not valid yet is 401 `key_expired`.'),
    checked(47, 'A retry with an expired key changes nothing; a new key is needed.'),
    checked(48, 'A role that does not suffice is 403 `forbidden`.'),
    checked(49, 'A missing scope is 403 `missing_scope`, and `details.required` names the scope.'),
    checked(50, 'The scopes of a key are fixed when it is minted.'),
    checked(51, 'A caller whose address is not on the list of the organization is 403 `ip_not_allowed`.'),
    checked(52, 'A call for a suspended organization is 403 `org_suspended`.'),
    checked(53, 'A revoked key is 410 `gone`.'),
    checked(
      54,
      'What belongs to another tenant is 404 `not_found`, the same bytes as for what does not exist, and never 403.',
      server(
        'test/access/access-matrix.test.ts',
        'another tenant’s resource, a missing one and a malformed one answer the same bytes',
      ),
    ),
    checked(55, 'A console session that was revoked or has expired is 401 `session_revoked`.'),
    checked(56, 'That answer also clears the stale cookie.'),
    checked(
      57,
      'The scope of a support grant is fixed when it is issued, and narrower than what the organization may do.',
    ),
    checked(
      58,
      'A request outside the scope of its grant is 403 `support_scope_denied`, with `reason`, `scope` and `method`.',
    ),
    checked(59, 'A wider scope needs another grant.'),
    checked(
      60,
      'Every request under a grant is in the audit log of the organization, allowed or denied, before it is answered.',
      server('test/tenants/impersonation.test.ts', 'all of its requests are on record'),
    ),
    tested(
      61,
      'A rule of residency refuses with 403 `residency_violation`, and is never met by another region in silence.',
      'It takes two cells.',
      server(
        'test/regions/residency.test.ts',
        'is refused on every route in another region, reads and writes alike, and nothing leaves but the question',
      ),
    ),
    checked(
      62,
      'Webhook deliveries are signed.',
      server(
        'test/webhooks/webhook-delivery.test.ts',
        'an event arrives signed with the organization’s secret, which says that it is deprecated',
      ),
    ),
  ],
}

const v1Delivery = server(
  'test/webhooks/webhook-delivery.test.ts',
  'an event arrives signed with the organization’s secret, which says that it is deprecated',
)
const v2Delivery = server(
  'test/webhooks/webhook-delivery.test.ts',
  'after rotate it is signed with the subscription’s own, as off-the-shelf verifiers want it',
)

export const events: Section = {
  title: 'Webhook deliveries',
  clauses: [
    checked(63, 'The signature is in `X-Svc-Signature`.', v1Delivery),
    checked(
      64,
      'A delivery that is signed with the secret of the organization has `X-Svc-Signature: v1=<signature>`.',
      v1Delivery,
    ),
    checked(
      65,
      'Such a delivery also carries `Deprecation`, `Sunset` and `Link` with `rel="deprecation"`.',
      v1Delivery,
    ),
    checked(
      66,
      'A delivery that is signed with the secret of its subscription has `X-Svc-Signature: t=<timestamp>,v1=<signature>`.',
      v2Delivery,
    ),
    checked(67, 'Such a delivery carries none of the three deprecation headers.', v2Delivery),
    checked(68, 'Every delivery is stamped with `X-Svc-Event-Version`.', v1Delivery, v2Delivery),
    checked(69, 'The sunset of the v1 deliveries is Fri, 31 Dec 2027 23:59:59 GMT.', v1Delivery),
    tested(70, 'A published sunset of an event is never shortened.', 'It is about two releases.', {
      file: 'scripts/release/announcements.test.ts',
      name: 'a published sunset never moves earlier',
    }),
    checked(
      71,
      'A subscription leaves v1 by `POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate`: its next delivery verifies with the combined header.',
      server(
        'test/webhooks/webhook-migration.test.ts',
        'a user moves two subscriptions off the organization’s secret without losing a delivery',
      ),
    ),
  ],
}

export const errorRules: Section = {
  title: 'Rules of errors',
  clauses: [
    checked(72, 'Codes are only ever added: every published code is in the catalog that the server lists.', {
      file: 'scripts/release/catalog.test.ts',
      name: 'a removed code',
    }),
    tested(73, 'A documented status of an operation is never taken away within `/v1`.', 'It is about two releases.', {
      file: 'scripts/release/freeze.test.ts',
      name: 'a removed error status',
    }),
    checked(74, '`rate_limited` carries `Retry-After` in seconds.'),
    checked(
      75,
      '`Retry-After` equals `details.retry_after_seconds`, also where an address has failed to authenticate too often.',
      server(
        'src/tenants/keys/keys.test.ts',
        'answers 429 after too many failures of one address, and never holds up a valid key',
      ),
    ),
    checked(
      76,
      'An answer carries `x-svc-trace-id`, under which the logs have an internal error with its cause.',
      server('test/contract/wire.test.ts', 'an internal error carries the trace id under which the log has its cause'),
    ),
    checked(77, '`validation_failed` has one entry for each offending field, of path, query and body together.'),
    checked(
      78,
      '`validation_failed` covers bodies that cannot be parsed, values out of range, unknown sorts and bad filters.',
    ),
    checked(79, 'The same `Idempotency-Key` with the same request gets the first answer again, not `conflict`.'),
    checked(
      80,
      'Which operations take an `Idempotency-Key` is stated in the OpenAPI document, and those that take it keep their answer.',
    ),
    checked(81, 'The same key with another body is 409 `idempotency_key_conflict`, however wrong that body is.'),
    checked(
      82,
      'The same key while the first request is under way is 409 `idempotency_key_processing`; there is one effect.',
    ),
    tested(
      83,
      'A first call that crashed is taken over once its reservation is older than `SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS`.',
      'The process has to crash.',
      server(
        'test/access/idempotency.test.ts',
        'inside its transaction is taken over after the configured time and not before, with one effect',
      ),
    ),
    checked(84, 'A plain retry does not clear a 402.'),
    checked(85, 'A plain retry clears `rate_limited` after `Retry-After`; what can never pass is not `rate_limited`.'),
    checked(
      86,
      '`gone` is permanent; `service_unavailable` is transient.',
      server(
        'test/platform/outage.test.ts',
        'without PostgreSQL the answer is service_unavailable, and it recovers by itself',
      ),
    ),
  ],
}
