import { bounds } from './bounds.ts'
import { defaulted, optional, secretSetting, setting } from './values/setting.ts'
import {
  databaseUrl,
  Fault,
  integer,
  masterKeys,
  networks,
  oneOf,
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
  host: defaulted(setting('SVC_HOST', 'The address to listen on; a container wants `0.0.0.0`.', text), '127.0.0.1'),
  port: defaulted(
    setting(
      'SVC_PORT',
      'The port to listen on; `0` asks for a free one. The worker serves its probes there.',
      integer(0, 65_535),
    ),
    '8080',
  ),
  metricsPort: optional(
    setting(
      'SVC_METRICS_PORT',
      'A port of its own for `/metrics`, which then is not served on `SVC_PORT`, and for the probes, which are served on both; `0` asks for a free one.',
      integer(0, 65_535),
    ),
    '`/metrics` is served on `SVC_PORT`',
    () => undefined,
  ),
  publicUrl: optional(
    setting(
      'SVC_PUBLIC_URL',
      'The address under which callers reach the API; workers need it too, for what webhooks say.',
      url('http:', 'https:'),
    ),
    '`http://localhost:` + the port',
    () => undefined,
  ),
  docsUrl: optional(
    setting(
      'SVC_DOCS_URL',
      'The address of the documentation, named in deprecation headers of answers and webhooks.',
      url('http:', 'https:'),
    ),
    'the public address + `/docs`',
    () => undefined,
  ),
  databaseUrl: secretSetting(
    'SVC_DATABASE_URL',
    'PostgreSQL, as the application role: it owns nothing, and row-level security binds it. [With TLS](operating.md#tls): `?sslmode=verify-full&sslrootcert=/path/ca.pem`.',
    databaseUrl,
  ),
  migrateDatabaseUrl: optional(
    secretSetting(
      'SVC_MIGRATE_DATABASE_URL',
      'PostgreSQL, as the role that owns the schema and may create roles; read by `migrate` only. A direct connection, not through a transaction pooler.',
      databaseUrl,
    ),
    'needed by `migrate` only',
    () => undefined,
  ),
  databasePoolSize: defaulted(
    setting('SVC_DATABASE_POOL_SIZE', 'The most connections a process opens to PostgreSQL.', integer(2, 500)),
    '10',
  ),
  lanes: defaulted(
    setting(
      'SVC_LANES',
      'How many transactions of money decisions a process has on their way at once, each on a connection of its own.',
      integer(1, 64),
    ),
    '2',
  ),
  redisUrl: secretSetting(
    'SVC_REDIS_URL',
    'Redis or Valkey, for speed limits only; with TLS: `rediss://`.',
    secretUrl('redis:', 'rediss:'),
  ),
  redisCa: optional(
    setting(
      'SVC_REDIS_CA_FILE',
      'The certificates, in PEM, of the authorities that may vouch for Redis; for an address that begins with `rediss://`.',
      pemFile,
    ),
    'those that Node.js trusts',
    () => undefined,
  ),
  redisCertificate: optional(
    setting('SVC_REDIS_CERT_FILE', 'A client certificate in PEM, for a Redis that asks for one.', pemFile),
    'none',
    () => undefined,
  ),
  redisKey: optional(
    setting('SVC_REDIS_KEY_FILE', 'The private key of that certificate, in PEM.', pemFile),
    'none',
    () => undefined,
  ),
  masterKeys: secretSetting(
    'SVC_MASTER_KEYS',
    'The secrets from which all keyed hashes and encryption keys are derived: `id:base64` of 32 random bytes. To rotate, put a new one in front (`new:…,old:…`).',
    masterKeys,
  ),
  cell: defaulted(
    setting('SVC_CELL', 'The name of this installation, part of every API key it issues.', (value) => {
      if (!/^[a-z][a-z0-9]{0,7}$/.test(value)) throw new Fault('must be a letter and up to seven letters or digits')
      return value
    }),
    'c1',
  ),
  trustedProxies: optional(
    setting(
      'SVC_TRUSTED_PROXIES',
      'Proxies whose `X-Forwarded-For` is believed: addresses or CIDR networks.',
      networks,
    ),
    'none: the peer is the client',
    (): string[] => [],
  ),
  authBackoffPerMinute: defaulted(
    setting(
      'SVC_AUTH_BACKOFF_PER_MINUTE',
      'Failed verifications a minute and address, beyond which a failing answer is 429 instead of 401.',
      integer(1, 1_000_000),
    ),
    '300',
  ),
  idempotencyTakeoverSeconds: defaulted(
    setting(
      'SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS',
      'After how long a request whose first call crashed may be taken over by a retry; above the time limit of handlers.',
      integer(1, 86_400),
    ),
    '60',
  ),
  logLevel: defaulted(
    setting(
      'SVC_LOG_LEVEL',
      'The least severe log lines to write.',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'),
    ),
    'info',
  ),
  accessLog: defaulted(
    setting(
      'SVC_ACCESS_LOG',
      'Which answered requests get a log line: `all`, or `errors` for those answered with 5xx (metrics and traces cover the rest).',
      oneOf('all', 'errors'),
    ),
    'errors',
  ),
  bodyLimitBytes: defaulted(
    setting('SVC_BODY_LIMIT_BYTES', 'The largest request body, after decompression.', integer(1_024, 268_435_456)),
    '1048576',
  ),
  bulkBodyLimitBytes: defaulted(
    setting('SVC_BULK_BODY_LIMIT_BYTES', 'The same, on routes that take batches.', integer(1_024, 268_435_456)),
    '16777216',
  ),
  ...bounds,
  requestTimeoutSeconds: defaulted(
    setting('SVC_REQUEST_TIMEOUT_SECONDS', 'How long a client may take to send a whole request.', integer(1, 3_600)),
    '30',
  ),
  handlerTimeoutSeconds: defaulted(
    setting(
      'SVC_HANDLER_TIMEOUT_SECONDS',
      'How long the service may take to answer one; then it is 503. Left out, nine tenths of the takeover time where that is shorter.',
      integer(1, 3_600),
    ),
    '30',
  ),
  maxInFlight: defaulted(
    setting(
      'SVC_MAX_IN_FLIGHT',
      'How many requests a process works on at once; beyond it, and for less urgent routes already below it, the answer is 503.',
      integer(1, 1_000_000),
    ),
    '2000',
  ),
  maxEventLoopDelayMs: defaulted(
    setting(
      'SVC_MAX_EVENT_LOOP_DELAY_MS',
      'Event loop delay (the mean of each of the last three seconds) from which on requests are shed with 503.',
      integer(10, 60_000),
    ),
    '500',
  ),
  drainSeconds: defaulted(
    setting(
      'SVC_DRAIN_SECONDS',
      'After SIGTERM: how long to go on serving while `/readyz` says 503, so that load balancers turn away first.',
      integer(0, 3_600),
    ),
    '5',
  ),
  stopTimeoutSeconds: defaulted(
    setting(
      'SVC_STOP_TIMEOUT_SECONDS',
      'After the drain: how long requests and jobs in flight may take to end.',
      integer(1, 3_600),
    ),
    '30',
  ),
  refusalEventsPerMinute: defaulted(
    setting(
      'SVC_REFUSAL_EVENTS_PER_MINUTE',
      'How many `decision.refused` events, and how many `content_safety.detected` ones, a process writes a minute and organization, for those that ask for them.',
      integer(0, 100_000),
    ),
    '60',
  ),
  maxNewValuesPerDay: defaulted(
    setting(
      'SVC_MAX_NEW_VALUES_PER_DAY',
      'New values a day (UTC) of a model, provider, workflow, deployment or department that usage tells apart, for organizations that have set no number of their own.',
      integer(1, 10_000),
    ),
    '1000',
  ),
  workerConcurrency: defaulted(
    setting('SVC_WORKER_CONCURRENCY', 'How many jobs a worker runs at once.', integer(1, 1_000)),
    '10',
  ),
  cohortFloor: defaulted(
    setting(
      'SVC_COHORT_FLOOR',
      'How many organizations that are not the reader’s every benchmark rests on, and every difference of two.',
      integer(3, 1_000),
    ),
    '5',
  ),
  cohortMargin: defaulted(
    setting(
      'SVC_COHORT_MARGIN',
      'How many organizations of benchmark cohorts one party may control while that holds; a cohort needs so many contributors more.',
      integer(1, 1_000),
    ),
    '1',
  ),
  ...webhookSettings,
  otlpEndpoint: optional(
    setting(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OpenTelemetry collector (OTLP over HTTP); set, it turns traces on. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` apply too.',
      url('http:', 'https:'),
    ),
    'no traces',
    () => undefined,
  ),
  traceSampleRatio: defaulted(
    setting(
      'OTEL_TRACES_SAMPLER_ARG',
      'The share of traces to keep, 0 to 1; a caller that sends a `traceparent` decides for its own.',
      ratio,
    ),
    '1',
  ),
  readLimitPerMinute: {
    ...optional(
      setting(
        'SVC_READ_LIMIT_PER_MINUTE',
        'Reads a minute for organizations without a rate limit of their own.',
        integer(1, 1_000_000_000),
      ),
      'no limit',
      () => undefined,
    ),
    replacedBy:
      'org_rate_limits.read_rpm and rate_limit_policies, set per organization through PUT /v1/admin/orgs/{org_id}/rate-limits',
  },
}
