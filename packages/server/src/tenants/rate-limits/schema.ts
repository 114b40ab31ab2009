import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { urgencies } from '../../contract/routes.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, Timestamp } from '../../contract/wire.ts'
import { parseId } from '../../values/id.ts'

/** The largest amount that a `RateLimit` header can express. */
const maxAmount = 999_999_999_999
const maxWindowSeconds = 31 * 86_400

const policy = {
  kind: Type.Enum(['requests', 'tokens', 'quota'], {
    description:
      '`requests` and `tokens`: at most `amount` in any span of `window_seconds` (429 `rate_limited`). `quota`: requests from one multiple of `window_seconds` since 1970 (UTC) to the next (429 `quota_exhausted`).',
  }),
  per: Type.Enum(['org', 'key', 'route_class', 'model'], {
    description: 'Scope of a window: the whole organization, or each of its keys, route classes or models.',
  }),
  match: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only this key (`key_…`), route class (`decision`, `ingest`, `change`, `read`, `export`) or model. Not with `per: org`.',
      }),
    ),
  ),
  amount: Type.Integer({ minimum: 1, maximum: maxAmount, examples: [600] }),
  window_seconds: Type.Integer({ minimum: 1, maximum: maxWindowSeconds, examples: [60] }),
}

export const RateLimitPolicyInput = Type.Object(policy, { title: 'RateLimitPolicyInput' })

const limits = {
  read_rpm: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'GET requests in any 60 seconds; null for no limit.',
      examples: [600],
    }),
  ),
}
const OnUnavailable = Type.Enum(['local', 'deny', 'allow'], {
  description:
    'While Redis is unavailable: each process admits its share of the limits (`local`), nothing (`deny`, 503 `service_unavailable`), or everything (`allow`).',
})

const DefaultRates = Type.Boolean({
  description:
    'Whether the default rates of the installation apply, as they do until limits are set; then there are no limits of its own.',
})

const input = Type.Object(
  {
    default_rates: Type.Optional({ ...DefaultRates, default: false }),
    ...limits,
    on_unavailable: Type.Optional(OnUnavailable),
    policies: Type.Array(RateLimitPolicyInput, { maxItems: 50 }),
  },
  {
    title: 'RateLimitsInput',
    examples: [{ read_rpm: 600, policies: [{ kind: 'requests', per: 'key', amount: 6_000, window_seconds: 60 }] }],
  },
)
export type RateLimitsInput = Static<typeof input>
export type RateLimitPolicyInput = Static<typeof RateLimitPolicyInput>

export const RateLimitsInput = withCheck(input, faultsOf)

export const RateLimits = Type.Object(
  {
    default_rates: DefaultRates,
    ...limits,
    on_unavailable: OnUnavailable,
    policies: Type.Array(
      Type.Object({
        id: Id('ratePolicy'),
        ...policy,
        match: Nullable(Type.String()),
        created_at: Timestamp,
      }),
    ),
    updated_at: Nullable(Timestamp),
  },
  { title: 'RateLimits', description: 'The rate limits.' },
)
export type RateLimits = Static<typeof RateLimits>

const routeClasses = new Set<string>(urgencies)

/** Returns the faults of policies as a whole; JSON Schema checks their fields one by one. */
function faultsOf({ default_rates, read_rpm, on_unavailable = 'local', policies }: RateLimitsInput): FieldFault[] {
  const faults: FieldFault[] = []
  if (default_rates === true && (read_rpm !== null || on_unavailable !== 'local' || policies.length > 0))
    faults.push({
      field: 'default_rates',
      code: 'invalid_value',
      message: 'Must be false for an organization with limits of its own.',
    })
  const seen = new Set<string>()
  for (const [index, policy] of policies.entries()) {
    const fault = (name: string, message: string) =>
      faults.push({ field: `policies.${index}${name}`, code: 'invalid_value', message })
    const { kind, per } = policy
    const match = policy.match ?? null
    if (kind === 'tokens' && per === 'route_class') fault('.per', 'Must be org, key or model for tokens.')
    if (match !== null && per === 'org') fault('.match', 'Must not be sent with per: org.')
    if (match !== null && per === 'route_class' && !routeClasses.has(match)) {
      fault('.match', `Must be one of ${[...routeClasses].join(', ')}.`)
    }
    if (match !== null && per === 'key' && parseId('key', match) === undefined)
      fault('.match', 'Must be the id of a key.')
    const identity = policyIdentity(policy)
    if (seen.has(identity)) fault('', 'Must not repeat another policy: one with the same limit and window exists.')
    seen.add(identity)
  }
  return faults
}

/** Returns the identity of a policy: when only its amount changes, it keeps its id and its usage. */
export const policyIdentity = (policy: Pick<RateLimitPolicyInput, 'kind' | 'per' | 'match' | 'window_seconds'>) =>
  JSON.stringify([policy.kind, policy.per, policy.match ?? null, policy.window_seconds])
