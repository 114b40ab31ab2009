import type { OpenAPIV3_1 } from 'openapi-types'
import type { ErrorCode } from './errors.ts'
import { type ApiRoute, honoursIdempotencyKey } from './routes.ts'
import { traceHeader } from './tracing.ts'

/** A kind of response, as far as its headers depend on it. */
export interface ResponseKind {
  readonly route: Pick<ApiRoute, 'method' | 'declaration'>
  readonly status: number
  /** Error codes that it can carry; none for a success. */
  readonly codes: readonly ErrorCode[]
  /** True when the resource has an entity tag. */
  readonly isTagged: boolean
  readonly isDeprecated: boolean
}

interface ResponseHeader {
  /** Name of the header's component in the OpenAPI document. */
  readonly component: string
  readonly description: string
  readonly schema: NonNullable<OpenAPIV3_1.HeaderObject['schema']>
  /** True when every response of the kind carries it. */
  readonly required: boolean
  readonly appliesTo: (answer: ResponseKind) => boolean
}

const isSuccess = ({ status }: ResponseKind) => status < 300
/** True when the response counts against rate limits: only once the caller is known, which these statuses mostly exclude. */
const isCounted = ({ route, status }: ResponseKind) => route.declaration.open !== true && status !== 401
const onlyDeprecated = ({ isDeprecated }: ResponseKind) => isDeprecated

/** Response headers that callers can rely on, and the responses that carry them. */
export const responseHeaders: Readonly<Record<string, ResponseHeader>> = {
  [traceHeader]: {
    component: 'TraceId',
    description: 'Identifies the request in the logs of the service; quote it in reports.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$', example: '4bf92f3577b34da6a3ce929d0e0e4736' },
    required: true,
    appliesTo: () => true,
  },
  'Retry-After': {
    component: 'RetryAfter',
    description: 'With `rate_limited`: seconds until a plain retry can succeed, as in `details.retry_after_seconds`.',
    schema: { type: 'integer', minimum: 1, example: 12 },
    required: false,
    appliesTo: ({ codes }) => codes.includes('rate_limited'),
  },
  'WWW-Authenticate': {
    component: 'WwwAuthenticate',
    description: 'How to authenticate: with a key as bearer token (RFC 6750).',
    schema: { type: 'string', example: 'Bearer realm="Weir"' },
    required: true,
    appliesTo: ({ status }) => status === 401,
  },
  'RateLimit-Policy': {
    component: 'RateLimitPolicy',
    description:
      'When a rate limit counts the request: each window with its quota (`q`) and its length in seconds (`w`).',
    schema: { type: 'string', example: '"reads";q=600;w=60' },
    required: false,
    appliesTo: (answer) => isCounted(answer),
  },
  RateLimit: {
    component: 'RateLimit',
    description:
      'For each window in `RateLimit-Policy`: the remaining amount (`r`), and the seconds until it is full again (`t`).',
    schema: { type: 'string', example: '"reads";r=599;t=1' },
    required: false,
    appliesTo: (answer) => isCounted(answer),
  },
  'Idempotent-Replayed': {
    component: 'IdempotentReplayed',
    description: '`true` when this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'], example: 'true' },
    required: false,
    appliesTo: (answer) => isSuccess(answer) && honoursIdempotencyKey(answer.route.method, answer.route.declaration),
  },
  ETag: {
    component: 'ETag',
    description:
      'Identifies the state of the resource. The part after the dot, if any, covers fields that change by themselves; `If-Match` ignores it.',
    schema: { type: 'string', example: '"q8Zr0Xv3TnLw5c1e.Jk29sQmX1aE"' },
    required: true,
    appliesTo: ({ isTagged, status }) => isTagged && [200, 201, 304].includes(status),
  },
  Deprecation: {
    component: 'Deprecation',
    description: 'When the deprecation was announced: `@` and seconds since the Unix epoch (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$', example: '@1784678400' },
    required: true,
    appliesTo: onlyDeprecated,
  },
  Sunset: {
    component: 'Sunset',
    description: 'The HTTP date after which the route may be removed (RFC 8594).',
    schema: { type: 'string', example: 'Fri, 31 Dec 2027 23:59:59 GMT' },
    required: true,
    appliesTo: onlyDeprecated,
  },
  Link: {
    component: 'DeprecationLink',
    description:
      'The documentation (`rel="deprecation"`) and, where there is one, the successor (`rel="successor-version"`).',
    schema: {
      type: 'string',
      example: '<https://weir.example.com/docs>; rel="deprecation", </v1/capacity/forecasts>; rel="successor-version"',
    },
    required: true,
    appliesTo: onlyDeprecated,
  },
  'Server-Timing': {
    component: 'ServerTiming',
    description: 'Time spent on the steps of a decision, in milliseconds.',
    schema: { type: 'string', example: 'wait;dur=0.1, read;dur=0.8, decide;dur=0.05, commit;dur=1.9' },
    required: false,
    appliesTo: ({ route }) => route.declaration.urgency === 'decision',
  },
}

export const headerComponents = (): Record<string, OpenAPIV3_1.HeaderObject> =>
  Object.fromEntries(
    Object.values(responseHeaders).map(({ component, description, required, schema }) => [
      component,
      { description, ...(required && { required }), schema },
    ]),
  )

export function headersOf(
  answer: ResponseKind,
): Record<string, OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.HeaderObject> {
  return Object.fromEntries(
    Object.entries(responseHeaders)
      .filter(([, { appliesTo: canStandOn }]) => canStandOn(answer))
      .map(([name, { component }]) => [name, { $ref: `#/components/headers/${component}` }]),
  )
}
