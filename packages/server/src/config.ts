import { nearest } from './values/nearest.ts'
import { defaulted, optional, type Setting, setting } from './values/setting.ts'
import {
  databaseUrl,
  Fault,
  integer,
  masterKeys,
  networks,
  oneOf,
  ratio,
  secretUrl,
  text,
  url,
} from './values/setting-parsers.ts'

/**
 * Every setting of the program, in one table: it parses the environment, documents itself (docs/configuration.md is
 * generated from it) and reports every fault at once, so a wrong deployment is corrected in one round.
 */

const settings = {
  host: defaulted(setting('SVC_HOST', 'The address to listen on; a container wants `0.0.0.0`.', text), '127.0.0.1'),
  port: defaulted(
    setting(
      'SVC_PORT',
      'The port to listen on; `0` asks for a free one. The worker serves its probes there.',
      integer(0, 65_535),
    ),
    '8080',
  ),
  publicUrl: optional(
    setting('SVC_PUBLIC_URL', 'The address under which callers reach the API.', url('http:', 'https:')),
    '`http://localhost:` + the port',
    () => undefined,
  ),
  docsUrl: optional(
    setting('SVC_DOCS_URL', 'The address of the documentation, named in deprecation headers.', url('http:', 'https:')),
    'the public address + `/docs`',
    () => undefined,
  ),
  databaseUrl: setting(
    'SVC_DATABASE_URL',
    'PostgreSQL, as the application role: it owns nothing, and row-level security binds it.',
    databaseUrl,
  ),
  migrateDatabaseUrl: optional(
    setting(
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
  redisUrl: setting('SVC_REDIS_URL', 'Redis or Valkey, for speed limits only.', secretUrl('redis:', 'rediss:')),
  masterKeys: setting(
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
  requestTimeoutSeconds: defaulted(
    setting('SVC_REQUEST_TIMEOUT_SECONDS', 'How long a client may take to send a whole request.', integer(1, 3_600)),
    '30',
  ),
  handlerTimeoutSeconds: defaulted(
    setting(
      'SVC_HANDLER_TIMEOUT_SECONDS',
      'How long the service may take to answer one; then it is 503.',
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
  workerConcurrency: defaulted(
    setting('SVC_WORKER_CONCURRENCY', 'How many jobs a worker runs at once.', integer(1, 1_000)),
    '10',
  ),
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

type Settings = typeof settings
type Parsed = { readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> | FallbackOf<Settings[K]> }
type FallbackOf<S> = S extends { fallback?: (config: Record<string, unknown>) => infer F } ? F : never

export interface Config extends Omit<Parsed, 'publicUrl' | 'docsUrl'> {
  /** Without a configured address the port decides, which is known only once the server listens. */
  readonly publicUrl: string | undefined
  readonly docsUrl: string | undefined
}

export class ConfigurationError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    )
    this.name = 'ConfigurationError'
    this.faults = faults
  }
}

const known: Map<string, Setting<unknown>> = new Map(
  Object.values(settings).map((s) => [s.variable, s as Setting<unknown>]),
)

/** Reads the environment, or throws with every fault at once; what deserves a warning is returned beside it. */
export function readConfig(environment: Record<string, string | undefined>): { config: Config; warnings: string[] } {
  const faults: string[] = []
  const warnings: string[] = []
  const parsed: Record<string, unknown> = {}

  for (const [name, s] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const given = environment[s.variable]
    // An empty variable is how shells and compose files say "unset".
    if (given === undefined || given === '') {
      if (s.fallback) parsed[name] = s.fallback(parsed)
      else faults.push(`${s.variable} is required: ${s.describe}`)
      continue
    }
    if (s.replacedBy) warnings.push(`${s.variable} is deprecated; use ${s.replacedBy}.`)
    try {
      parsed[name] = s.parse(given)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(`${s.variable} ${error.message}`)
    }
  }

  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('SVC_') || known.has(variable)) continue
    const guess = nearest(variable, [...known.keys()])
    warnings.push(`${variable} is not a setting of this program${guess ? `; did you mean ${guess}?` : '.'}`)
  }

  const [limit, takeover] = [parsed['handlerTimeoutSeconds'] as number, parsed['idempotencyTakeoverSeconds'] as number]
  if (takeover <= limit) {
    faults.push(
      `SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS (${takeover}) must be above SVC_HANDLER_TIMEOUT_SECONDS (${limit})`,
    )
  }

  if (faults.length > 0) throw new ConfigurationError(faults)
  return { config: parsed as unknown as Config, warnings }
}

/** The master keys alone, for commands that run where there is no database. */
export function readMasterKeys(environment: Record<string, string | undefined>): Pick<Config, 'masterKeys'> {
  const { variable, parse, describe } = settings.masterKeys
  const given = environment[variable]
  if (!given) throw new ConfigurationError([`${variable} is required: ${describe}`])
  try {
    return { masterKeys: parse(given) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new ConfigurationError([`${variable} ${error.message}`])
  }
}

/** The variables a reader may set, for the documentation and for the release checks. */
export const documentedSettings = Object.values(settings as Record<string, Setting<unknown>>).map((s) => ({
  variable: s.variable,
  describe: s.describe,
  otherwise: s.otherwise,
  replacedBy: s.replacedBy,
}))
