import { type Static, Type } from 'typebox'
import { eventKinds, matchesFilter } from '../../access/events/events.ts'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { destinationFaults, destinationKinds } from '../destinations/destination.ts'
import { DestinationInput, DestinationView } from './destination-schema.ts'

const maxOverlapSeconds = 7 * 86_400
const maxUrlLength = 2_048

/** A kind, or `group.*` for all kinds of a group, including those added later. */
const EventPattern = Type.String({ maxLength: 100, examples: ['budget.*'] })
export const EventPatterns = Type.Array(EventPattern, { maxItems: 50, uniqueItems: true })

const noSuchKind = `Name a kind or a group such as \`budget.*\`. An empty list selects every kind that is not opt-in. The kinds are ${Object.keys(eventKinds).join(', ')}.`

/** Reports patterns that match no kind: a misspelling would otherwise subscribe to nothing. */
export const patternFaults = (events: readonly string[] | undefined): FieldFault[] =>
  (events ?? []).flatMap((pattern, i) =>
    Object.keys(eventKinds).some((kind) => matchesFilter([pattern], kind))
      ? []
      : [{ field: `events.${i}`, code: 'invalid_value' as const, message: noSuchKind }],
  )

const fields = {
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxUrlLength,
      description:
        'The URL that deliveries are posted to: http or https, at a public address. Needed unless `destination` names another kind.',
      examples: ['https://hooks.example.com/weir'],
    }),
  ),
  destination: Type.Optional({ ...DestinationInput, default: { kind: 'https', format: 'weir' } }),
  events: Type.Optional({
    ...EventPatterns,
    default: [],
    description: 'Kinds of events, or `group.*`. An empty list selects every kind that is not opt-in.',
    examples: [['budget.*', 'key.revoked']],
  }),
  description: Type.Optional(Type.String({ maxLength: 500, default: '', examples: ['pages the on-call'] })),
  ordered: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Delivers events of one subject in order: each waits until the previous ones were delivered or have failed.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
}

const has = (name: string, schema: object = {}) => ({ properties: { [name]: schema }, required: [name] })
const kindsWithoutUrl = destinationKinds.filter((kind) => kind !== 'https')
/** Schema condition that events go somewhere: to a URL, or to a destination that has an address of its own. */
const needsUrl = {
  allOf: [{ if: has('destination', has('kind', { enum: kindsWithoutUrl })), else: has('url') }],
}

/** Returns what is wrong with a subscription beyond its form. */
const subscriptionFaults = ({ destination, events }: Pick<SubscriptionInput, 'destination' | 'events'>) => [
  ...destinationFaults(destination),
  ...patternFaults(events),
]

const input = Type.Object(
  {
    ...fields,
    signing: Type.Optional(
      Type.Unsafe<'organization' | 'subscription'>({
        type: 'string',
        enum: ['organization', 'subscription'],
        default: 'organization',
        description:
          '`subscription` creates its own secret, which is shown in this response; `organization`, which is deprecated, signs with the secret that all such subscriptions share.',
      }),
    ),
  },
  {
    ...needsUrl,
    title: 'SubscriptionInput',
    examples: [{ url: 'https://hooks.example.com/weir', events: ['budget.*'], signing: 'subscription' }],
  },
)
export type SubscriptionInput = Static<typeof input>
export const SubscriptionInput = withCheck(input, subscriptionFaults)

const replacement = Type.Object(fields, {
  ...needsUrl,
  title: 'SubscriptionReplacement',
  examples: [{ url: 'https://hooks.example.com/weir', events: ['budget.*', 'key.revoked'] }],
})
export type SubscriptionReplacement = Static<typeof replacement>
export const SubscriptionReplacement = withCheck(replacement, subscriptionFaults)

/** The limit of counting: an endpoint that was unavailable for a day may have millions pending. */
export const maxPendingCounted = 10_000

const Health = Type.Object(
  {
    status: OneOf(['idle', 'healthy', 'failing', 'disabled'], {
      description:
        '`idle` before the first attempt, then `healthy`, or `failing` after a failed attempt; a `disabled` subscription receives nothing.',
      examples: ['healthy'],
    }),
    consecutive_failures: Count,
    failing_since: Nullable(Timestamp),
    last_attempt_at: Nullable(Timestamp),
    last_success_at: Nullable(Timestamp),
    latency_ms: Nullable({ ...Count, description: 'The recent response time of the endpoint.' }),
    pending: { ...Count, description: `Pending deliveries, counted up to ${maxPendingCounted}.` },
    oldest_pending_at: Nullable(Timestamp),
  },
  { title: 'Health' },
)

const SigningVersion = Type.Integer({
  minimum: 1,
  maximum: 2,
  description: 'The `X-Svc-Event-Version` of its deliveries: 1 with the organization’s secret, 2 with its own.',
})

export const Subscription = Type.Object(
  {
    id: Id('subscription'),
    org_id: Id('org'),
    url: Type.String({
      description:
        'The URL; of a destination of another kind than `https` what may be shown of it, such as `slack:hooks.slack.com`.',
      examples: ['https://hooks.example.com/weir'],
    }),
    destination: DestinationView,
    unconfirmed_recipients: Computed(
      Type.Array(Type.String(), {
        description:
          'Recipients of mail who get none yet: they have been mailed a code, with which they confirm their address.',
        examples: [[]],
      }),
    ),
    events: Type.Array(Type.String()),
    description: Type.String(),
    ordered: Type.Boolean(),
    enabled: Type.Boolean(),
    disabled_reason: Nullable(OneOf(['requested', 'gone', 'failing', 'grant_ended'])),
    disabled_at: Nullable(Timestamp),
    created_by_grant: Nullable(
      Type.String({
        ...Id('grant'),
        description:
          'The support grant under which it was created. It ends with that grant, unless a key of the organization sends `enabled: true`.',
      }),
    ),
    signing_version: SigningVersion,
    health: Computed(Health),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Subscription', description: 'The subscription, with the health of its endpoint.' },
)
export type SubscriptionView = Static<typeof Subscription>

export const CreatedSubscription = Type.Object(
  {
    ...Subscription.properties,
    secret: Type.Optional(
      Type.String({
        description: 'The secret of the subscription, with `signing` `subscription`. Shown only in this response.',
        examples: ['whsec_…'],
      }),
    ),
  },
  { title: 'CreatedSubscription', description: 'The subscription, with its own secret if it has one.' },
)

export const SubscriptionPath = Type.Object({ id: PathId('org'), sub_id: PathId('subscription') })
export const SubscriptionList = ListOf(Subscription)
export const SubscriptionListQuery = ListQuery({ created_at: 'time' }, { enabled: Type.Boolean() })

const signing = {
  subscription_id: Id('subscription'),
  version: SigningVersion,
  generation: Type.Integer({ ...Count, description: 'The number of its own secrets so far.' }),
  rotated_at: Nullable({ ...Timestamp, description: '`null` while it has no secret of its own.' }),
  previous_expires_at: Nullable({
    ...Timestamp,
    description: 'Until then, deliveries are also signed with the previous secret.',
  }),
}
export const Signing = Type.Object(signing, {
  title: 'Signing',
  description: 'The signing of deliveries, without the secret.',
})
export type SigningView = Static<typeof Signing>

export const SigningWithSecret = Type.Object(
  {
    ...signing,
    secret: Type.String({ description: 'Shown only in this response.', examples: ['whsec_…'] }),
  },
  { title: 'SigningWithSecret', description: 'The signing secret, which is shown only in this response.' },
)
export const RotateSigningInput = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOverlapSeconds,
        default: 0,
        description:
          'The time for which deliveries are also signed with the previous secret. Ignored for the first secret.',
      }),
    ),
  },
  { title: 'RotateSigningInput', examples: [{ overlap_seconds: 86_400 }] },
)

const orgSecret = {
  org_id: Id('org'),
  secret: Type.String({ examples: ['whorg_…'] }),
  created_at: Timestamp,
  rotated_at: Timestamp,
}
export const OrgSecret = Type.Object(orgSecret, { title: 'OrgSecret', description: 'The organization’s secret.' })
export type OrgSecretView = Static<typeof OrgSecret>
export const OrgSecretRotation = Type.Object(
  {
    ...orgSecret,
    rotated: Type.Boolean({
      description: '`false` when every subscription has its own secret; then nothing was changed.',
    }),
  },
  { title: 'OrgSecretRotation', description: 'The state of the organization’s secret.' },
)
