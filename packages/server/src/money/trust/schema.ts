import { type Static, Type } from 'typebox'
import { Nullable, OneOf, PathId, Timestamp, Usd } from '../../contract/wire.ts'

/** Ways to take a reported cost, from the most trusting to the strictest. */
export const reportedCosts = ['accept', 'raise_only', 'ignore'] as const
/** Ways to take reported tokens. */
export const reportedUsages = ['accept', 'raise_only'] as const
export const releases = ['allow', 'refuse'] as const
/** Ends of a reservation that nobody has reported. */
export const edgeExpiries = ['release', 'charge'] as const
/** Ways to take a run without a reservation that does not fit its limits. */
export const overLimitReportings = ['refuse', 'book'] as const
const daySeconds = 86_400

const reportedCostText =
  '`accept`, the default: a reported `cost_usd` is the cost. `raise_only`: it counts where it is above what the tokens cost, or, without tokens, above what was held. `ignore`: the tokens alone count, or what was held. With either of the two an `estimated_cost_usd` only raises a reservation.'

const reportedUsageText =
  '`accept`, the default: reported tokens, and another model that ran, are charged at their price. `raise_only`: they count where they cost more than was reserved; otherwise the reservation is charged.'
const edgeExpiryText =
  'What becomes of a reservation that nobody reports before its lease ends. `release`, the default: its amount is free again. `charge`: it is charged and recorded as an `expired` run, until a report replaces it.'
const overLimitText =
  'What becomes of a run that is recorded without a reservation and does not fit a limit. `refuse`, the default: it is not recorded. `book`: it is recorded and charged as overrun, so that money which was spent is on the books.'

const maxOverrunText =
  'The overrun and late cost that a key may have in a day (UTC). Beyond it every call of the key that has a price is held at no less than the dearest of those runs, until the day ends. null, the default: no maximum.'

const startOnlyText =
  'false by default. true: calls go through `POST /v1/runs`, where rules and detectors are asked. Decisions at the edge and of routes, and runs recorded in bulk without a reservation, are 403 `forbidden`; settlements and imports are not.'
const inputRequiredText = 'false by default. true: a run does not start without the `input` that detectors look at.'
const actionRequiredText =
  'false by default. true: a run does not start without an `action`, which rules on actions need.'

export const TrustInput = Type.Object(
  {
    reported_cost: Type.Optional(
      Type.Enum([...reportedCosts], { description: reportedCostText, examples: ['raise_only'] }),
    ),
    reported_usage: Type.Optional(
      Type.Enum([...reportedUsages], { description: reportedUsageText, examples: ['raise_only'] }),
    ),
    min_lease_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: daySeconds,

        description:
          'The shortest lease of a reservation, 1 by default: a shorter one is lengthened to it, as `expires_at` shows.',
        examples: [3_600],
      }),
    ),
    release: Type.Optional(
      Type.Enum([...releases], {
        description:
          '`allow` by default. `refuse`: a reservation cannot be released by hand (403 `forbidden`); it ends with its settlement or its lease.',
        examples: ['refuse'],
      }),
    ),
    edge_expiry: Type.Optional(Type.Enum([...edgeExpiries], { description: edgeExpiryText, examples: ['charge'] })),
    over_limit_reports: Type.Optional(
      Type.Enum([...overLimitReportings], { description: overLimitText, examples: ['book'] }),
    ),
    max_overrun_usd: Type.Optional({ ...Nullable(Usd), description: maxOverrunText }),
    start_only: Type.Optional(Type.Boolean({ description: startOnlyText })),
    input_required: Type.Optional(Type.Boolean({ description: inputRequiredText })),
    action_required: Type.Optional(Type.Boolean({ description: actionRequiredText })),
  },
  {
    title: 'TrustInput',
    examples: [{ reported_cost: 'raise_only', min_lease_seconds: 3_600, release: 'refuse', edge_expiry: 'charge' }],
  },
)
export type TrustInput = Static<typeof TrustInput>

export const TrustSettings = Type.Object(
  {
    reported_cost: OneOf(reportedCosts, { description: reportedCostText, examples: ['raise_only'] }),
    reported_usage: OneOf(reportedUsages, { description: reportedUsageText, examples: ['raise_only'] }),
    min_lease_seconds: Type.Integer({ description: 'The shortest lease of a reservation.', examples: [3_600] }),
    release: OneOf(releases, { description: 'Whether reservations can be released by hand.', examples: ['refuse'] }),
    edge_expiry: OneOf(edgeExpiries, { description: edgeExpiryText, examples: ['charge'] }),
    over_limit_reports: OneOf(overLimitReportings, { description: overLimitText, examples: ['book'] }),
    max_overrun_usd: { ...Nullable(Usd), description: maxOverrunText },
    start_only: Type.Boolean({ description: startOnlyText }),
    input_required: Type.Boolean({ description: inputRequiredText }),
    action_required: Type.Boolean({ description: actionRequiredText }),
    created_at: Nullable({ ...Timestamp, description: 'null where nothing has been set.' }),
    updated_at: Nullable({ ...Timestamp, description: 'null where nothing has been set.' }),
  },
  {
    title: 'TrustSettings',
    description:
      'How far the word of callers is taken. Where the organization and a key differ, the stricter setting counts.',
  },
)
export type TrustSettings = Static<typeof TrustSettings>

export const TrustedKeyPath = Type.Object({ id: PathId('org'), key_id: PathId('key') })
