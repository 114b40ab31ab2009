import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { ListOf, ListQuery, windowFilters } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, Id, MadeBy, MadeByFilter, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../contract/wire.ts'
import { maxLeaseMs } from '../money/engine/engine.ts'
import { cacheCreations, serviceTiers } from '../money/prices/prices.ts'
import { Tags, Units } from '../records/run-log/run-log.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../values/money.ts'

export const defaultLeaseSeconds = 600
const maxTokens = 1_000_000_000

const Dimension = (description: string) => Type.Optional(Type.String({ ...OwnId, description }))

const LeaseSeconds = Type.Integer({ minimum: 1, maximum: maxLeaseMs / 1_000, examples: [600] })

/** The fields of a request to decide, on every surface. */
export const decisionFields = {
  model: Type.String({ minLength: 1, maxLength: 200, examples: ['gpt-4o'] }),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['openai'] })),
  estimated_cost_usd: Type.Optional({
    ...Usd,
    description: 'May raise the reserved amount above the computed worst case, never lower it. At most $1,000,000.',
  }),
  input_tokens: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxTokens,
      description: 'All input tokens, cached ones included.',
      examples: [1_200],
    }),
  ),
  max_output_tokens: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxTokens,
      description: 'By default the maximum of the price book.',
      examples: [500],
    }),
  ),
  min_output_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxTokens,
      description:
        'Where `max_output_tokens` does not fit within the limits, as much output is granted as does, but no less than this. The response says how much.',
      examples: [100],
    }),
  ),
  service_tier: Type.Optional(
    Type.Enum([...serviceTiers], {
      default: 'standard',
      description:
        'The tier of service that is asked of the provider. It is charged at the price of this tier; for `flex` and `batch` as much is held as for `standard`.',
      examples: ['standard'],
    }),
  ),
  cache_creation: Type.Optional(
    Type.Enum([...cacheCreations], {
      default: '1h',
      description:
        'The longest-lived cache of the provider that the call can write its input to: the input is held at no dearer rate. It is charged at that of what was written, whatever is said here. Where the word of the key is not taken, `1h` counts.',
      examples: ['5m'],
    }),
  ),
  units: Type.Optional({
    ...Units,
    description:
      'The most that the call can use beside tokens of what has a fee of its own, by the names of the price: it is held with the tokens.',
  }),
  workflow_id: Dimension('What the call is part of.'),
  deployment_id: Dimension('Where the call runs.'),
  department_id: Dimension('Who answers for the call.'),
  customer_id: Dimension('For whose sake the call is made: your own id of an end customer.'),
  user_id: Dimension('Who makes the call: your own id of a person.'),
  tags: Type.Optional(Tags),
  managed: Type.Optional(
    Type.Boolean({
      description:
        'Leaves the end to keys with the scope `runs:manage`: the key that asks may extend what it reserves, and neither settle nor release it.',
      examples: [true],
    }),
  ),
  lease_seconds: Type.Optional({
    ...LeaseSeconds,
    default: defaultLeaseSeconds,
    description: 'How long the reservation lasts unless it is settled, released or extended.',
  }),
}
const input = Type.Object(
  {
    ...decisionFields,
    dry_run: Type.Optional(Type.Boolean({ description: 'Decides and reserves nothing.' })),
  },
  {
    title: 'DecisionInput',
    examples: [
      { model: 'gpt-4o', input_tokens: 1_200, max_output_tokens: 500, department_id: 'support', customer_id: 'acme' },
    ],
  },
)
export type DecisionInput = Static<typeof input>

/** Finds what is wrong with the amounts of a request, beside their form. */
export const amountFaults = ({
  estimated_cost_usd,
  min_output_tokens,
  max_output_tokens,
}: Pick<DecisionInput, 'estimated_cost_usd' | 'min_output_tokens' | 'max_output_tokens'>): FieldFault[] => [
  ...(estimated_cost_usd !== undefined && parseUsd(estimated_cost_usd) > maxChargeNano
    ? [
        {
          field: 'estimated_cost_usd',
          code: 'out_of_range',
          message: `One call may cost at most ${formatDollars(maxChargeNano)}.`,
        } as const,
      ]
    : []),
  ...(min_output_tokens !== undefined && max_output_tokens !== undefined && min_output_tokens > max_output_tokens
    ? [{ field: 'min_output_tokens', code: 'out_of_range', message: 'Must not be above max_output_tokens.' } as const]
    : []),
]
export const DecisionInput = withCheck(input, amountFaults)

/** A nullable text in the hottest response, in a form that is serialized without inspecting the value. */
const OrNull = (schema: object) => Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] })

/** The output that an allowed call may have. */
export const GrantedOutput = {
  ...Count,
  description: 'The most output that the call may have: what was asked for, or as much of it as fitted.',
  examples: [500],
}

export const EdgeDecision = Type.Object(
  {
    decision: Type.String({ description: '`allow`.', examples: ['allow'] }),
    decision_id: Id('decision'),
    reservation_id: OrNull(Id('reservation')),
    reserved_usd: Usd,
    remaining_usd: OrNull({
      ...Usd,
      description: 'What the tightest limit leaves after this reservation; null where no limit applies.',
    }),
    max_output_tokens: GrantedOutput,
    expires_at: OrNull(Timestamp),
  },
  { title: 'EdgeDecision', description: 'The call may run.' },
)
export type EdgeDecision = Static<typeof EdgeDecision>

export const ReservationPath = Type.Object({ reservation_id: PathId('reservation') })
const extend = Type.Object(
  {
    lease_seconds: Type.Optional({
      ...LeaseSeconds,
      default: defaultLeaseSeconds,
      description: 'Counted from now. A reservation lasts 24 hours at most, and is never shortened.',
    }),
    max_output_tokens: Type.Optional({
      ...decisionFields.max_output_tokens,
      description:
        'Raises what is reserved to this much output in all, if every limit has room for it. No more than is reserved already changes nothing.',
    }),
    estimated_cost_usd: Type.Optional({
      ...Usd,
      description: 'Raises what is reserved to at least this in all, likewise. At most $1,000,000.',
    }),
  },
  { title: 'ExtendInput', examples: [{ lease_seconds: 600 }, { lease_seconds: 600, max_output_tokens: 1_000 }] },
)
export type ExtendInput = Static<typeof extend>
export const ExtendInput = withCheck(extend, amountFaults)

export const Reservation = Type.Object(
  {
    reservation_id: Id('reservation'),
    status: OneOf(['open', 'settled', 'released', 'expired'], { examples: ['released'] }),
    reserved_usd: Usd,
    charged_usd: Nullable(Usd),
    overrun_usd: Nullable({ ...Usd, description: 'What was charged above the reservation.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Reservation', description: 'The reservation.' },
)
export type Reservation = Static<typeof Reservation>

export const reservationStates = ['open', 'settled', 'released', 'expired'] as const
export const ReservationList = ListOf(Reservation)
/** Sorted by id, which is the order of time. */
export const ReservationListQuery = ListQuery(
  { created_at: 'uuid' },
  {
    ...windowFilters,
    status: Type.Enum([...reservationStates]),
    key_id: MadeByFilter('Reservations that this key, or support grant, made.'),
  },
)
export type ReservationListQuery = Static<typeof ReservationListQuery>

export const DecisionPath = Type.Object({ decision_id: PathId('decision') })

const Amount = Type.Union([Usd, Count])

const LimitRead = Type.Object(
  {
    limit_id: Type.String(),
    kind: Type.String({ description: 'The kind of limit.', examples: ['budget'] }),
    subject: Type.String({
      description: 'Whose: the workflow, deployment, department or customer; empty for the organization.',
    }),
    unit: OneOf(['usd', 'runs', 'tokens', 'concurrent_runs']),
    enforcement: Nullable(OneOf(['block', 'alert'])),
    limit: Nullable(Amount),
    spent: Amount,
    held: Amount,
    attempted: Amount,
    fits: Type.Boolean({ description: 'Whether the attempt fitted under the limit.' }),
    period_start: Nullable(Timestamp),
    period_end: Nullable(Timestamp),
  },
  { title: 'LimitRead' },
)

export const Explanation = Type.Object(
  {
    decision_id: Id('decision'),
    decision: OneOf(['allow', 'deny'], { examples: ['deny'] }),
    dry_run: Type.Boolean(),
    key_id: Nullable(MadeBy),
    reservation: Nullable(Reservation),
    decided_at: Timestamp,
    decided_by: Nullable(Type.String({ description: 'The limit or rule that refused; null for an allowed call.' })),
    error_code: Nullable(Type.String({ description: 'The error code of the refusal.' })),
    inputs: Type.Record(Type.String(), Type.Unknown(), { description: 'The request as it was made.' }),
    price: Type.Object({
      basis: OneOf(['computed', 'estimate', 'ceiling', 'minimum']),
      price_id: Nullable(Type.String({ description: 'The entry of the price book that was used.' })),
      amount_usd: Usd,
    }),
    limits: Type.Array(LimitRead, { description: 'Every limit that was asked, with what was read there.' }),
    granted_output_tokens: Type.Optional({
      ...GrantedOutput,
      description: 'The output that was granted at most. Absent for a refusal.',
    }),
    rules_version: Count,
  },
  { title: 'Explanation', description: 'The decision, and everything that it was based on.' },
)
export type Explanation = Static<typeof Explanation>
export type LimitRead = Static<typeof LimitRead>
