import { boundSettings } from './bounds.ts'
import { gatewaySettings } from './gateway-settings.ts'
import { parseCellName, regionSettings } from './region-settings.ts'
import { sessionSettings } from './session-settings.ts'
import { ssoSettings } from './sso-settings.ts'
import { defaulted, optional, secretSetting, setting } from './values/setting.ts'
import {
  databaseUrl,
  integer,
  masterKeys,
  oneOf,
  parseNetworks,
  pemFile,
  ratio,
  secretUrl,
  text,
  url,
} from './values/setting-parsers.ts'
import { webhookSettings } from './webhook-settings.ts'

/**
 * Every setting of the program, in one table: it parses the environment and documents itself (docs/configuration.md is
 * generated from it).
 */

export const settings = {
  host: defaulted(setting('SVC_HOST', 'The address to listen on; in a container use `0.0.0.0`.', text), '127.0.0.1'),
  port: defaulted(
    setting(
      'SVC_PORT',
      'The port to listen on; `0` picks a free one. The worker serves its probes there.',
      integer(0, 65_535),
    ),
    '8080',
  ),
  metricsPort: optional(
    setting(
      'SVC_METRICS_PORT',
      'A separate port for `/metrics`, which is then not served on `SVC_PORT`, and for the probes, which are served on both; `0` picks a free one.',
      integer(0, 65_535),
    ),
    '`/metrics` is served on `SVC_PORT`',
    () => undefined,
  ),
  publicUrl: optional(
    setting(
      'SVC_PUBLIC_URL',
      'The URL under which callers reach the API; workers need it too, for links in webhooks.',
      url('http:', 'https:'),
    ),
    '`http://localhost:` + the port',
    () => undefined,
  ),
  docsUrl: optional(
    setting(
      'SVC_DOCS_URL',
      'The URL of the documentation, used in the deprecation headers of responses and webhooks.',
      url('http:', 'https:'),
    ),
    'the public URL + `/docs`',
    () => undefined,
  ),
  ...gatewaySettings,
  ...sessionSettings,
  ...ssoSettings,
  databaseUrl: secretSetting(
    'SVC_DATABASE_URL',
    'PostgreSQL as the application role, which owns nothing and is subject to row-level security. [With TLS](operating.md#tls): `?sslmode=verify-full&sslrootcert=/path/ca.pem`.',
    databaseUrl,
  ),
  migrateDatabaseUrl: optional(
    secretSetting(
      'SVC_MIGRATE_DATABASE_URL',
      'PostgreSQL as the role that owns the schema and may create roles; read by `migrate` only. Must be a direct connection, not through a transaction pooler.',
      databaseUrl,
    ),
    'needed by `migrate` only',
    () => undefined,
  ),
  databasePoolSize: defaulted(
    setting('SVC_DATABASE_POOL_SIZE', 'Maximum number of connections of a process to PostgreSQL.', integer(2, 500)),
    '10',
  ),
  lanes: defaulted(
    setting(
      'SVC_LANES',
      'Concurrent transactions of money decisions in a process, each on a dedicated connection.',
      integer(1, 64),
    ),
    '2',
  ),
  redisUrl: secretSetting(
    'SVC_REDIS_URL',
    'Redis or Valkey, for rate limits only; with TLS: `rediss://`.',
    secretUrl('redis:', 'rediss:'),
  ),
  redisCa: optional(
    setting(
      'SVC_REDIS_CA_FILE',
      'PEM file with the certificate authorities trusted for Redis; for a URL that begins with `rediss://`.',
      pemFile,
    ),
    'those that Node.js trusts',
    () => undefined,
  ),
  redisCertificate: optional(
    setting('SVC_REDIS_CERT_FILE', 'PEM file with a client certificate, for a Redis that requires one.', pemFile),
    'none',
    () => undefined,
  ),
  redisKey: optional(
    setting('SVC_REDIS_KEY_FILE', 'PEM file with the private key of that certificate.', pemFile),
    'none',
    () => undefined,
  ),
  masterKeys: secretSetting(
    'SVC_MASTER_KEYS',
    'The secrets from which all keyed hashes and encryption keys are derived: `id:base64` of 32 random bytes. To rotate, put a new one in front (`new:…,old:…`).',
    masterKeys,
  ),
  cell: defaulted(
    setting('SVC_CELL', 'The name of this installation, part of every API key it issues.', parseCellName),
    'c1',
  ),
  ...regionSettings,
  trustedProxies: optional(
    setting(
      'SVC_TRUSTED_PROXIES',
      'Proxies whose `X-Forwarded-For` is trusted: addresses or CIDR ranges.',
      parseNetworks,
    ),
    'none: the peer is the client',
    (): string[] => [],
  ),
  authBackoffPerMinute: defaulted(
    setting(
      'SVC_AUTH_BACKOFF_PER_MINUTE',
      'Failed verifications per minute and address; beyond it a failure is 429 instead of 401.',
      integer(1, 1_000_000),
    ),
    '300',
  ),
  idempotencyTakeoverSeconds: defaulted(
    setting(
      'SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS',
      'Time after which a retry may take over a request whose first attempt crashed; must exceed the time limit of handlers.',
      integer(1, 86_400),
    ),
    '60',
  ),
  logLevel: defaulted(
    setting(
      'SVC_LOG_LEVEL',
      'Minimum severity of log lines.',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'),
    ),
    'info',
  ),
  accessLog: defaulted(
    setting(
      'SVC_ACCESS_LOG',
      'Requests that get a log line: `all`, or `errors` for those with a 5xx response (metrics and traces cover the rest).',
      oneOf('all', 'errors'),
    ),
    'errors',
  ),
  bodyLimitBytes: defaulted(
    setting('SVC_BODY_LIMIT_BYTES', 'Maximum size of a request body after decompression.', integer(1_024, 268_435_456)),
    '1048576',
  ),
  bulkBodyLimitBytes: defaulted(
    setting('SVC_BULK_BODY_LIMIT_BYTES', 'The same for routes that accept batches.', integer(1_024, 268_435_456)),
    '16777216',
  ),
  inputBodyLimitBytes: defaulted(
    setting(
      'SVC_INPUT_BODY_LIMIT_BYTES',
      'The same for routes that take the `input` of a model; `SVC_BODY_LIMIT_BYTES` where that is larger.',
      integer(1_024, 268_435_456),
    ),
    '5242880',
  ),
  ...boundSettings,
  requestTimeoutSeconds: defaulted(
    setting('SVC_REQUEST_TIMEOUT_SECONDS', 'Time limit for a client to send a whole request.', integer(1, 3_600)),
    '30',
  ),
  handlerTimeoutSeconds: defaulted(
    setting(
      'SVC_HANDLER_TIMEOUT_SECONDS',
      'Time limit for the service to answer a request; then the response is 503. When unset, at most nine tenths of the takeover time.',
      integer(1, 3_600),
    ),
    '30',
  ),
  maxInFlight: defaulted(
    setting(
      'SVC_MAX_IN_FLIGHT',
      'Concurrent requests in a process; beyond it, and for less urgent routes already below it, the response is 503.',
      integer(1, 1_000_000),
    ),
    '2000',
  ),
  maxEventLoopDelayMs: defaulted(
    setting(
      'SVC_MAX_EVENT_LOOP_DELAY_MS',
      'Event loop delay (the mean of each of the last three seconds) from which requests are shed with 503.',
      integer(10, 60_000),
    ),
    '500',
  ),
  drainSeconds: defaulted(
    setting(
      'SVC_DRAIN_SECONDS',
      'Time after SIGTERM during which requests are still served while `/readyz` is 503, so that load balancers stop routing first.',
      integer(0, 3_600),
    ),
    '5',
  ),
  stopTimeoutSeconds: defaulted(
    setting(
      'SVC_STOP_TIMEOUT_SECONDS',
      'Time after the drain for requests and jobs in flight to finish.',
      integer(1, 3_600),
    ),
    '30',
  ),
  refusalEventsPerMinute: defaulted(
    setting(
      'SVC_REFUSAL_EVENTS_PER_MINUTE',
      'Events of each of the kinds `decision.refused` and `content_safety.detected` that a process writes per minute and organization with a subscription to it.',
      integer(0, 100_000),
    ),
    '60',
  ),
  maxNewValuesPerDay: defaulted(
    setting(
      'SVC_MAX_NEW_VALUES_PER_DAY',
      'New models, providers, workflows, deployments or departments per day (UTC) that usage distinguishes, for organizations without a number of their own.',
      integer(1, 10_000),
    ),
    '1000',
  ),
  workerConcurrency: defaulted(
    setting('SVC_WORKER_CONCURRENCY', 'Concurrent jobs of a worker.', integer(1, 1_000)),
    '10',
  ),
  cohortFloor: defaulted(
    setting(
      'SVC_COHORT_FLOOR',
      'Minimum number of organizations other than the reader’s behind every benchmark, and behind every difference of two.',
      integer(3, 1_000),
    ),
    '5',
  ),
  cohortMargin: defaulted(
    setting(
      'SVC_COHORT_MARGIN',
      'Number of organizations in a cohort that one party may control without weakening that minimum; a cohort needs as many additional contributors.',
      integer(1, 1_000),
    ),
    '1',
  ),
  ...webhookSettings,
  otlpEndpoint: optional(
    setting(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OpenTelemetry collector (OTLP over HTTP); setting it enables traces. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` apply too.',
      url('http:', 'https:'),
    ),
    'no traces',
    () => undefined,
  ),
  traceSampleRatio: defaulted(
    setting(
      'OTEL_TRACES_SAMPLER_ARG',
      'Share of traces to sample, 0 to 1; a caller that sends a `traceparent` decides for its own.',
      ratio,
    ),
    '1',
  ),
  readLimitPerMinute: {
    ...optional(
      setting(
        'SVC_READ_LIMIT_PER_MINUTE',
        'Reads per minute for organizations without a rate limit of their own.',
        integer(1, 1_000_000_000),
      ),
      'no limit',
      () => undefined,
    ),
    replacedBy:
      'org_rate_limits.read_rpm and rate_limit_policies, set per organization through PUT /v1/admin/orgs/{org_id}/rate-limits',
  },
}
