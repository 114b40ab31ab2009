import { type Static, Type } from 'typebox'
import { Count, Id, MadeBy, Nullable, Timestamp, Usd } from '../../contract/wire.ts'
import { benchmarkEvents } from './benchmark-events.ts'
import { kind, optIn } from './kind.ts'
import { limitEvents } from './limit-events.ts'
import { policyEvents } from './policy-events.ts'
import { priceEvents } from './price-events.ts'

const name = Type.String({ examples: ['production'] })
const key = { key_id: Id('key'), name, role: Type.String({ examples: ['service'] }) }
const keyExample = { key_id: 'key_01jbsteb4peb5vskx602h9mw4q', name: 'production', role: 'service' }

const org = Type.Object({ name, status: Type.String({ description: '`active` or `suspended`.' }) })

const text = Type.String()
const dimensions = {
  workflow_id: Nullable(text),
  deployment_id: Nullable(text),
  department_id: Nullable(text),
  customer_id: Nullable(text),
  user_id: Nullable(text),
}
const dimensionsExample = {
  workflow_id: 'checkout',
  deployment_id: null,
  department_id: 'sales',
  customer_id: 'customer-42',
  user_id: null,
}
const model = Type.String({ examples: ['gpt-4o'] })

/** Every kind of event that subscriptions can receive. Append only: receivers switch on these strings. */
export const eventKinds = {
  ...limitEvents,
  ...policyEvents,
  ...benchmarkEvents,
  ...priceEvents,
  'decision.refused': optIn(
    kind(
      'A limit or a rule has refused a call. Sampled: an agent that loops on a refusal does not cause an event each time.',
      Type.Object({
        decision_id: Id('decision'),
        error_code: Type.String({
          description: 'The error code that the caller received.',
          examples: ['budget_exceeded'],
        }),
        message: text,
        decided_by: Nullable(Type.String({ description: 'The id of the limit or rule that refused.' })),
        estimated_cost_usd: Type.String({ ...Usd, description: 'The amount that would have been reserved.' }),
        model,
        provider: Nullable(text),
        ...dimensions,
      }),
      {
        decision_id: 'dec_01jbsteb4peb5vskx602h9mw4q',
        error_code: 'budget_exceeded',
        message: '$0.50 would exceed the $250.00 budget of workflow triage: $249.90 is spent and $0.00 is held.',
        decided_by: 'bud_01jbsteb4peb5vskx602h9mw4q',
        estimated_cost_usd: '0.5',
        model: 'gpt-4o',
        provider: 'openai',
        ...dimensionsExample,
      },
    ),
  ),
  'run.finished': optIn(
    kind(
      'A run has ended: finished, expired, or recorded afterwards. A run that expired and is finished after all causes a second event. So does a reservation that was charged unreported and is reported after all: the event of `run_…` with the letters of `reservation_id` no longer counts then.',
      Type.Object({
        run_id: Id('run'),
        external_id: Nullable(text),
        reservation_id: Type.Optional(Nullable(Id('reservation'))),
        key_id: Nullable(MadeBy),
        status: Type.String({
          description: '`succeeded`, `failed`, `cancelled` or `expired`.',
          examples: ['succeeded'],
        }),
        model,
        provider: Nullable(text),
        ...dimensions,
        chain_id: Nullable(text),
        cost_usd: Usd,
        cost_basis: Type.String({
          description: '`reported`, `computed` or `estimated`.',
          examples: ['computed'],
        }),
        input_tokens: Nullable(Count),
        output_tokens: Nullable(Count),
        started_at: Timestamp,
        ended_at: Nullable(Timestamp),
      }),
      {
        run_id: 'run_01jbsteb4peb5vskx602h9mw4q',
        external_id: 'call-7f3a',
        reservation_id: null,
        key_id: 'key_01jbsteb4peb5vskx602h9mw4q',
        status: 'succeeded',
        model: 'gpt-4o',
        provider: 'openai',
        ...dimensionsExample,
        chain_id: 'ticket-4711',
        cost_usd: '0.0175',
        cost_basis: 'computed',
        input_tokens: 3_000,
        output_tokens: 1_000,
        started_at: '2026-11-15T08:30:00.000+00:00',
        ended_at: '2026-11-15T08:30:04.210+00:00',
      },
    ),
  ),
  'key.created': kind('A key was created.', Type.Object({ ...key, expires_at: Nullable(Timestamp) }), {
    ...keyExample,
    expires_at: null,
  }),
  'key.rotated': kind(
    'A key was rotated: a new key replaces it.',
    Type.Object({
      ...key,
      replaced_by: { ...Id('key'), description: 'The new key.' },
      expires_at: Type.String({ ...Timestamp, description: 'When the old key stops working.' }),
    }),
    {
      ...keyExample,
      replaced_by: 'key_01jbstfsr0fdkrxk00dq0wn3e5',
      expires_at: '2026-11-15T09:30:00.000+00:00',
    },
  ),
  'key.revoked': kind('A key was revoked and is no longer accepted.', Type.Object({ ...key, revoked_at: Timestamp }), {
    ...keyExample,
    revoked_at: '2026-11-15T08:30:00.000+00:00',
  }),
  'org.suspended': kind('An operator has suspended the organization: its keys are refused.', org, {
    name: 'Acme',
    status: 'suspended',
  }),
  'org.resumed': kind('An operator has resumed the organization: its keys work again.', org, {
    name: 'Acme',
    status: 'active',
  }),
  'org.residency_changed': kind(
    'An owner has bound the organization to its region, or no longer.',
    Type.Object({
      name,
      residency: Type.String({ description: '`none` or `strict`.', examples: ['strict'] }),
      home_region: Nullable(Type.String({ examples: ['eu'] })),
    }),
    { name: 'Acme', residency: 'strict', home_region: 'eu' },
  ),
  'subscription.disabled': kind(
    'A subscription was disabled, because of the responses of its endpoint or because the support grant under which it was created has ended.',
    Type.Object({
      subscription_id: Id('subscription'),
      origin: Type.String({ description: 'The host of its endpoint.', examples: ['https://example.com'] }),
      reason: Type.String({
        description:
          '`gone`: the endpoint answered 410. `failing`: every delivery of five days has failed. `grant_ended`: the support grant has ended.',
        examples: ['failing'],
      }),
      disabled_at: Timestamp,
    }),
    {
      subscription_id: 'sub_01jbsteb4peb5vskx602h9mw4q',
      origin: 'https://example.com',
      reason: 'failing',
      disabled_at: '2026-11-15T08:30:00.000+00:00',
    },
  ),
  'deprecation.announced': kind(
    'A part of the API is deprecated. Sent once to each organization that had a subscription when it was announced.',
    Type.Object({
      deprecation_id: Type.String({ examples: ['org-webhook-secret'] }),
      surface: Type.String({ description: 'The deprecated part of the API.', examples: ['GET /v1/forecast'] }),
      since: Type.String({ description: 'The date of the announcement.', examples: ['2026-07-22'] }),
      sunset: Nullable(Type.String({ ...Timestamp, description: 'It works at least until then.' })),
      migration: Type.String({ description: 'What to do instead.' }),
      documentation: Type.String({ examples: ['https://weir.example.com/docs/deprecations#forecast'] }),
    }),
    {
      deprecation_id: 'forecast',
      surface: 'GET /v1/forecast',
      since: '2026-07-22',
      sunset: '2036-12-31T23:59:59.000+00:00',
      migration: 'Use `GET /v1/capacity/forecasts`.',
      documentation: 'https://weir.example.com/docs/deprecations#forecast',
    },
  ),
  'webhook.test': kind(
    'A test of a subscription was requested. Sent to that subscription only, whatever its filter.',
    Type.Object({ subscription_id: Id('subscription') }),
    { subscription_id: 'sub_01jbsteb4peb5vskx602h9mw4q' },
  ),
}

export type EventKind = keyof typeof eventKinds
export type EventData<K extends EventKind> = Static<(typeof eventKinds)[K]['data']>
