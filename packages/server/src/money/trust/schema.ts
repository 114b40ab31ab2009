import { type Static, Type } from 'typebox'
import { Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'

/** Ways to take a reported cost, from the most trusting to the strictest. */
export const reportedCosts = ['accept', 'raise_only', 'ignore'] as const
export const releases = ['allow', 'refuse'] as const
const daySeconds = 86_400

const reportedCostText =
  '`accept`, the default: a reported `cost_usd` is the cost. `raise_only`: it counts where it is above what the tokens cost, or, without tokens, above what was held. `ignore`: the tokens alone count, or what was held.'

export const TrustInput = Type.Object(
  {
    reported_cost: Type.Optional(
      Type.Enum([...reportedCosts], { description: reportedCostText, examples: ['raise_only'] }),
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
  },
  { title: 'TrustInput', examples: [{ reported_cost: 'raise_only', min_lease_seconds: 3_600, release: 'refuse' }] },
)
export type TrustInput = Static<typeof TrustInput>

export const TrustSettings = Type.Object(
  {
    reported_cost: OneOf(reportedCosts, { description: reportedCostText, examples: ['raise_only'] }),
    min_lease_seconds: Type.Integer({ description: 'The shortest lease of a reservation.', examples: [3_600] }),
    release: OneOf(releases, { description: 'Whether reservations can be released by hand.', examples: ['refuse'] }),
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
