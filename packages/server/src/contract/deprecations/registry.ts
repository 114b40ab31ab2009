/**
 * Registry of deprecations. Headers, listing, OpenAPI flag, counter and documentation page all read it at every use; nothing
 * else must be updated. Append only: a published sunset never moves earlier.
 */

interface Announcement {
  /** Anchor on the documentation page. */
  readonly id: string
  /** Date of the announcement, ISO-8601. */
  readonly since: string
  /** Migration advice, in one or two sentences. */
  readonly migration: string
}

export interface DeprecatedRoute extends Announcement {
  readonly kind: 'route'
  readonly method: string
  /** Route template in the contract's spelling, such as `/v1/orgs/{id}`. */
  readonly route: string
  /** Last moment at which the route is guaranteed to be served. */
  readonly sunset: string
  readonly replacement?: string
  readonly noticeClass: 'v1_api' | 'webhook_v1'
}

/** A deprecated form of webhook delivery: announced in the headers of its deliveries, not on a route of ours. */
export interface DeprecatedDelivery extends Announcement {
  readonly kind: 'delivery'
  readonly surface: string
  readonly sunset: string
}

/** A deprecated setting. It is removed no earlier than two releases after its announcement: `releases.json` counts them. */
export interface DeprecatedSetting extends Announcement {
  readonly kind: 'setting'
  readonly variable: string
}

export type Deprecation = DeprecatedRoute | DeprecatedDelivery | DeprecatedSetting

const webhookV1Sunset = '2027-12-31T23:59:59Z'

export const deprecations: Deprecation[] = [
  {
    kind: 'route',
    id: 'org-webhook-secret',
    method: 'GET',
    route: '/v1/admin/orgs/{org_id}/webhook-secret',
    since: '2026-07-22',
    sunset: webhookV1Sunset,
    replacement: '/v1/orgs/{id}/webhooks/{sub_id}/signing',
    noticeClass: 'webhook_v1',
    migration:
      'Create a secret per subscription with `POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate`, verify the combined `t=…,v1=…` header, then stop using the org-level secret.',
  },
  {
    kind: 'route',
    id: 'org-webhook-secret-rotate',
    method: 'POST',
    route: '/v1/admin/orgs/{org_id}/webhook-secret/rotate',
    since: '2026-07-22',
    sunset: webhookV1Sunset,
    replacement: '/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate',
    noticeClass: 'webhook_v1',
    migration:
      'Rotate the secret of each subscription instead. The org-level rotate becomes a no-op once every subscription has its own secret.',
  },
  {
    kind: 'delivery',
    id: 'webhook-v1-delivery',
    surface: 'Outbound webhook v1 delivery (`X-Svc-Signature: v1=…`)',
    since: '2026-07-22',
    sunset: webhookV1Sunset,
    migration:
      'Give each subscription its own secret: its deliveries are then signed `t=…,v1=…`. Deliveries without one carry the three deprecation headers.',
  },
  {
    kind: 'setting',
    id: 'svc-read-limit-per-minute',
    variable: 'SVC_READ_LIMIT_PER_MINUTE',
    since: '2026-07-22',
    migration:
      'Set `org_rate_limits.read_rpm` and `rate_limit_policies` per organization through `PUT /v1/admin/orgs/{org_id}/rate-limits`. The variable stays the fallback for organizations without a row until it is removed.',
  },
  {
    kind: 'route',
    id: 'forecast',
    method: 'GET',
    route: '/v1/forecast',
    since: '2026-07-22',
    sunset: '2036-12-31T23:59:59Z',
    replacement: '/v1/capacity/forecasts',
    noticeClass: 'v1_api',
    migration:
      'Use the scenarios of `GET /v1/capacity/forecasts`. No removal is planned; the route stays fully served.',
  },
]
